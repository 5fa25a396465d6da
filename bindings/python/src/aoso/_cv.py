"""Cross-validation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from . import _capi, _folds, _labels, _matrix, _others, _soft
from ._capi import Array
from ._progress import Evaluation
from ._scalars import plain, shown
from ._validation import ValidSets
from .booster import Booster
from .callback import Callback, EarlyStopping, Progress, call_all, callables
from .dataset import Dataset
from .errors import ArgumentError
from .training import _further, _Training

__all__ = ["CVBooster", "cv"]


def cv(
    params: Mapping[str, Any] | None,
    x: Any,
    y: Any = None,
    *,
    num_boost_round: int | None = None,
    weight: Any = None,
    folds: Any = 5,
    nfold: int | None = None,
    seed: int = 0,
    early_stopping_rounds: int | None = None,
    eval_every: int = 1,
    callbacks: Iterable[Callback] | None = None,
    return_cvbooster: bool = False,
    **dataset: Any,
) -> dict[str, Any]:
    """Cross-validate: for each fold, train on the other folds and evaluate on it. All trainings run side by side.

    With the parameter ``early_stopping_rounds``, training ends when the *mean* metric has not improved for that many iterations.
    The result then ends with the best iteration. Without ``n_estimators``, the training of a fold ends when more trees only make it
    worse.

    The fold takes the place of the rows that :func:`train` would hold out, so that there is no hold-out phase: parameters that
    are not given are those of :func:`suggest_params`, but ``start`` is "zero". The log losses are those of raw scores, without a temperature; those of a
    calibrated model are lower. To judge all that :func:`train` does, use scikit-learn's ``cross_val_score`` on an
    ``AOSOClassifier``.

    Parameters
    ----------
    params : dict or None
        As for :func:`train`.
    x : table of shape (n_rows, n_features), or Dataset
        A dataset must be one whose data you still have.
    y : array of shape (n_rows,), optional
        Required unless ``x`` is a dataset.
    num_boost_round : int, optional
        The parameter ``n_estimators``.
    weight : array of shape (n_rows,), optional
    folds : int, iterable of (train, test), or splitter, default 5
        The number of folds, which are stratified by class, or the rows of each fold, or an object whose ``split(x, y)`` gives
        them, such as ``sklearn.model_selection.KFold``.
    nfold : int, optional
        The number of folds as well.
    seed : int, default 0
        Seed for drawing the folds.
    early_stopping_rounds : int, optional
        The parameter ``early_stopping_rounds``.
    eval_every : int, default 1
        Iterations between two evaluations.
    callbacks : iterable of callables, optional
        As for :func:`train`, called with the means over the folds as the metrics of set "valid". There is no one model then:
        ``booster()`` is that of the first fold.
    return_cvbooster : bool, default False
        Whether the result has the models too.
    **dataset
        Other arguments of :class:`Dataset`, such as ``max_bin``, and ``metrics`` for the parameter ``metric``. The folds that are drawn depend on ``row_id``, not on the
        order of the rows.

    Returns
    -------
    dict
        "iteration", and the mean and standard deviation over the folds: "logloss-mean", "logloss-std", "error-mean",
        "error-std". Each is an array with one value per evaluation. With ``return_cvbooster`` also "cvbooster", a
        :class:`CVBooster`.

    Examples
    --------
    >>> import aoso, numpy as np
    >>> x = np.arange(60.0).reshape(-1, 1) % 6
    >>> result = aoso.cv({"n_estimators": 20}, x, x[:, 0] // 2, folds=3)
    >>> int(result["iteration"][-1]), float(result["error-mean"][-1])
    (20, 0.0)
    """
    params, of_dataset = _others.parameters(
        _folds.meant(params, dataset), num_boost_round=num_boost_round, early_stopping_rounds=early_stopping_rounds
    )
    callbacks = callables(callbacks)
    for callback in callbacks:
        if isinstance(callback, EarlyStopping):
            params.update(callback.params)
    eval_every = _capi.integer("eval_every", eval_every, 1, 2**31 - 1)
    rounds = _capi.Params(params).early_stopping_rounds
    params.update(early_stopping_rounds=0, calibration="none")
    if dataset.get("collective") is not None:
        raise ArgumentError("collective is given; allowed: none, because a fold is of all rows")
    if isinstance(x, Dataset):
        data, its = x._parts()
        x, y, weight = data[:3]
        of_dataset = {**its, "row_id": data.row_id, **of_dataset}
    dataset = {**of_dataset, **dataset}
    trainings = list(_trainings(params, x, y, weight, folds if nfold is None else nfold, seed, eval_every, dataset))
    if not trainings:
        raise ArgumentError("folds is empty; allowed: at least one pair (train, test)")
    curve = _Curve(trainings, params, rounds, eval_every)
    stop = False
    while not stop and not curve.ended:
        if curve.advance():
            progress = curve.progress()
            stop = call_all(callbacks, progress)
    result = curve.result()
    if return_cvbooster:
        result["cvbooster"] = curve.models()
    for callback in callbacks:
        if hasattr(callback, "finish") and not isinstance(callback, EarlyStopping):
            callback.finish(trainings[0].booster())
    return result


class CVBooster(NamedTuple):
    """The models of a cross-validation.

    Attributes
    ----------
    boosters : list of Booster
        A model for each fold, which was trained on the others.
    best_iteration : int
        The iteration that they end with.
    """

    boosters: list[Booster]
    best_iteration: int


class _Curve:
    """Trainings side by side, and their evaluations."""

    def __init__(self, trainings: list[_Training], params: Mapping[str, Any], rounds: int, eval_every: int) -> None:
        self._trainings, self._rounds, self._every = trainings, rounds, eval_every
        self._names = [*Evaluation._fields, *_further(params, None)]
        watched = str(params.get("metric") or "logloss")
        self._column = -1 if watched == "top_k_error" else self._names.index(watched)
        self._sign = -1 if _capi.metrics().get(watched) else 1
        self._min_delta = float(params.get("min_delta") or 0)
        self._iterations: list[int] = []
        self._values: list[Array] = []  # folds × metrics, of each evaluation
        self._best, self._least = 0, np.inf
        self.ended = False

    def advance(self) -> bool:
        """An iteration of all trainings. Returns whether they were evaluated."""
        for training in self._trainings:
            training.advance()
        iteration = max(training.iteration for training in self._trainings)
        self.ended = all(training.ended for training in self._trainings)
        if (iteration % self._every != 0 and not self.ended) or iteration in self._iterations[-1:]:
            return False
        self._iterations.append(iteration)
        self._values.append(np.array([[training.metrics_now[name] for name in self._names] for training in self._trainings]))
        watched = self._sign * self._values[-1][:, self._column].mean()
        if watched < self._least - self._min_delta:
            self._best, self._least = len(self._values) - 1, watched
        if self._rounds and iteration - self._iterations[self._best] >= self._rounds:
            self.ended = True
        return True

    def progress(self) -> Progress:
        first = self._trainings[0]
        best = self._iterations[self._best] if self._rounds else 0
        means = map(float, self._values[-1].mean(axis=0))
        step = first.last._replace(iteration=self._iterations[-1], best=best)
        return Progress(step, {"valid": dict(zip(self._names, means))}, first.booster, first.local_booster, True, self._set_learning_rate)

    def _set_learning_rate(self, rate: float) -> None:
        for training in self._trainings:
            training.set_learning_rate(rate)

    def result(self) -> dict[str, Any]:
        kept = slice(self._best + 1 if self._rounds else None)
        folded = np.array(self._values[kept])
        result: dict[str, Any] = {"iteration": np.array(self._iterations[kept])}
        for column, name in enumerate(self._names):
            result[f"{name}-mean"] = folded[:, :, column].mean(axis=1)
            result[f"{name}-std"] = folded[:, :, column].std(axis=1)
        return result

    def models(self) -> CVBooster:
        end = self._iterations[self._best if self._rounds else -1]
        boosters = [training.booster() for training in self._trainings]
        trees = [min(end * booster.trees_per_iteration, booster.num_trees) for booster in boosters]
        return CVBooster([b if n == b.num_trees else b.truncated(n) for b, n in zip(boosters, trees)], end)


def _trainings(
    params: dict[str, Any],
    x: Any,
    y: Any,
    weight: Any,
    folds: Any,
    seed: int,
    eval_every: int,
    dataset: dict[str, Any],
) -> Iterator[_Training]:
    """A training for each fold, which is evaluated on that fold."""
    soft = _soft.given(y)
    label = _soft.nearest(y) if soft else _labels.array(y)
    y = y if soft else label
    seed = _capi.integer("seed", seed, 0)
    _labels.check_missing(label)
    weights = _matrix.weights(weight, len(label))
    ids = _matrix.row_ids(dataset.pop("row_id", None), len(label))
    _matrix.check_length(x, label)
    if hasattr(folds, "split") and not isinstance(folds, str):
        folds = folds.split(np.zeros(len(label)), label)
    if isinstance(plain(folds), int):
        folds = _folds.stratified(label, ids, plain(folds), seed)
    elif not isinstance(folds, Iterable) or isinstance(folds, str):
        raise ArgumentError(f"folds is {shown(folds)}; allowed: a number of folds, pairs (train, test), or a splitter")
    for number, (rows, test) in enumerate(folds):
        if len(rows) == 0 or len(test) == 0:
            raise ArgumentError(f"folds[{number}] has {len(rows)} and {len(test)} rows; allowed: at least one each")
        train_weights, test_weights = (None, None) if weights is None else (weights[rows], weights[test])
        train_ids = None if ids is None else ids[rows]
        train_set = Dataset(_matrix.take(x, rows), _matrix.take(y, rows), weight=train_weights, row_id=train_ids, free_raw_data=True, **dataset)
        valid = ValidSets(train_set, {"valid": (_matrix.take(x, test), _matrix.take(y, test), test_weights)})
        further = _further(params, None)
        training = _Training(params, train_set, valid, eval_every, further=further)
        if not params.get("n_estimators"):  # else training would choose by the fold which settings to use
            first = training.booster().params["n_estimators"]
            training = _Training({**params, "n_estimators": first}, train_set, valid, eval_every, further=further)
        yield training
