"""Training."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Union

import numpy as np

from . import _capi, _objective, _others, _trainer
from ._parameters import METRICS
from ._progress import Evaluation, Result, Step
from ._split import Split, split
from ._validation import CustomMetrics, Metric, ValidSets, _listed, named_sets
from .booster import Booster
from .callback import Callback, EarlyStopping, Progress, call_all, callables, log_evaluation, record_evaluation
from .dataset import Dataset
from .errors import ArgumentError

__all__ = ["Evaluation", "Progress", "Result", "suggest_params", "train"]

_File = tuple[Union[str, "os.PathLike[str]"], float]
ValidSet = Union[Dataset, tuple[Any, ...]]

# Each gives every training a further callback, for as long as it lasts.
automatic: list[Callable[[], contextlib.AbstractContextManager[Callback]]] = []


class _Training:
    """A training that advances step by step."""

    def __init__(
        self,
        params: Mapping[str, Any],
        train_set: Dataset,
        valid: ValidSets,
        eval_every: int,
        feval: Metric | Iterable[Metric] | None = None,
        further: Sequence[str] = (),
        objective: _objective.Function | None = None,
        class_weight: Any = None,
        checkpoint: _File | None = None,
        split: Split | None = None,
    ) -> None:
        self._further = further
        params, watched = _watched(params, feval)
        self._objective = None if objective is None else _objective.Objective(objective, train_set)
        self._ranks = train_set._ranks
        self._custom = CustomMetrics(feval, watched, valid.deciding, raw=objective is not None, ranks=self._ranks)
        self._judged = watched is not None and bool(params.get("early_stopping_rounds"))
        checked = _capi.Params(params)
        self.ended = False
        self.iteration = 0
        self.metrics_now: dict[str, float] = {}  # for cross-validation
        self._train_set, self._valid = train_set, valid
        weights = train_set._class_weights(class_weight)
        self._checkpoint_error = None if checkpoint is None else ""
        self._handle = _trainer.create(
            train_set._handle, checked, *valid.handles(), eval_every, self._ranks, self._objective, weights, checkpoint, split
        )

    def step(self) -> Step:
        step = _trainer.step(self._handle, self._ranks, self._objective)
        self._values: dict[str, dict[str, float]] = {}
        if step.train_loss is not None and step.phase == "train" and step.iteration > self.iteration:
            for number, (name, dataset) in enumerate(self._valid.sets.items()):
                self._values[name] = self._measure(number, name, dataset)
            if self._judged:
                step = _trainer.judge(self._handle, self._custom.take())
        self._warn_of_checkpoint()
        self.iteration, self.ended, self.last = step.iteration, bool(step.stopped_by), step
        return step

    def _warn_of_checkpoint(self) -> None:
        """Warn if the checkpoint cannot be saved any more; training goes on."""
        if self._checkpoint_error is not None:
            before, self._checkpoint_error = self._checkpoint_error, _trainer.checkpoint_error(self._handle)
            if self._checkpoint_error and not before:
                warnings.warn(f"the checkpoint is not up to date: {self._checkpoint_error}", stacklevel=5)

    def interrupt(self) -> None:
        """Have the next step end training, on all ranks."""
        _trainer.interrupt(self._handle)

    def _measure(self, number: int, name: str, dataset: Dataset) -> dict[str, float]:
        values = {metric: _trainer.measure(self._handle, number, metric, self._ranks) for metric in self._further}
        if self._custom:
            scores = _trainer.scores(self._handle, number, dataset.num_rows, len(dataset.classes))
            values.update(self._custom.of(name, scores, dataset))
        return values

    def advance(self) -> None:
        """One step, unless training has ended. At the end, evaluate the final model if the step did not."""
        if not self.ended:
            valid = self.step().valid
            if self.ended and valid is None:
                valid = _trainer.model(self._handle, self._ranks)[1].valid
            self.metrics_now.update(valid._asdict() if valid is not None else {}, **self._values.get("valid", {}))

    def metrics(self, step: Step) -> dict[str, dict[str, float]]:
        if step.phase == "holdout":
            return {} if step.valid is None else {"holdout": step.valid._asdict()}
        metrics = {}
        if step.train_loss is not None:
            metrics["train"] = {"logloss": step.train_loss}
        evaluations = step.others if step.valid is None else (step.valid, *step.others)
        for name, evaluation in zip(self._valid.sets, evaluations):
            metrics[name] = {**evaluation._asdict(), **self._values.get(name, {})}
        return metrics

    def progress(self, step: Step) -> Progress:
        first = self._ranks is None or self._ranks.collective.rank == 0
        return Progress(step, self.metrics(step), self.booster, self.local_booster, first, self.set_learning_rate)

    def set_learning_rate(self, rate: float) -> None:
        _trainer.set_learning_rate(self._handle, rate, self._ranks)

    def booster(self) -> Booster:
        handle, result = _trainer.model(self._handle, self._ranks)
        return Booster(handle, self._train_set.classes, result)

    def final_booster(self) -> Booster:
        booster = self.booster()
        assert booster.result is not None
        if booster.result.held_out is not None:
            booster._held_out = _trainer.suspicious_rows(self._handle, booster.result.held_out_rows, booster.classes, self._ranks)
        return booster

    def local_booster(self) -> Booster:
        return Booster(_trainer.local_model(self._handle), self._train_set.classes)


def _parameters(params: Any, train_set: Dataset, feval: Any = None, **arguments: Any) -> dict[str, Any]:
    """Parameters by our names. The dataset takes those that belong to it."""
    given = _others.parameters(params, feval=feval, **arguments)
    if train_set._given.get("class_weight") is None and "class_weight" in given.dataset:
        given.training["class_weight"] = given.dataset.pop("class_weight")
    train_set._take(given.dataset)
    return given.training


def suggest_params(rows: int, features: int, classes: int) -> dict[str, Any]:
    """The parameters that preset "auto" tries first on data of this size.

    Training may choose others by the rows held out. It uses these where nothing is held out, as with a validation set, but may
    stop before it has grown all the trees. With more than 100 classes, ``start`` is "linear". Where no rows can judge that,
    training begins with zeros unless you set ``start``.

    Parameters
    ----------
    rows, features, classes : int
        The size of the training data.

    Returns
    -------
    dict
        The parameters that are chosen for the data, for :func:`train`, :func:`cv` or ``AOSOClassifier``.

    Examples
    --------
    >>> import aoso
    >>> params = aoso.suggest_params(rows=1_000_000, features=30, classes=10)
    >>> params["max_leaves"], params["learning_rate"]
    (256, 0.3)
    """
    return _capi.suggested(rows, features, classes)


def _watched(params: Mapping[str, Any], feval: Any) -> tuple[Mapping[str, Any], str | None]:
    """The parameters for the library, and the custom metric that early stopping is to watch, if any."""
    metric = params.get("metric")
    if str(metric).startswith("error@"):
        return {**params, "metric": "top_k_error", "top_k": str(metric)[6:]}, None
    if feval is None and metric == "custom" and params.get("early_stopping_rounds"):
        raise ArgumentError("metric is 'custom'; allowed with early_stopping_rounds: a metric of the library, or feval")
    if feval is None or not isinstance(metric, str) or metric in METRICS[:-1]:  # "custom" is the last
        return params, None
    return {**params, "metric": "custom"}, metric


def _further(params: Mapping[str, Any], metrics: Sequence[str] | str | None) -> list[str]:
    """The metrics to compute beside the log loss and the error: those asked for, and that of early stopping."""
    names = _others.metrics(metrics)
    watched = params.get("metric")
    if watched == "top_k_error" and params.get("top_k"):
        watched = f"error@{params['top_k']}"
    if watched not in names and (watched in _capi.metrics() or str(watched).startswith("error@")):
        names = [*names, str(watched)]
    return [name for name in names if name not in ("logloss", "error")]


def _check_sets(train_set: Any, valid: Any) -> None:
    for name, dataset in (("train_set", train_set), ("valid", valid)):
        if not (isinstance(dataset, Dataset) or (dataset is None and name == "valid")):
            raise ArgumentError(f"{name} is a {type(dataset).__name__}; allowed: a Dataset")


def train(
    params: Mapping[str, Any] | None,
    train_set: Dataset,
    num_boost_round: int | None = None,
    valid_sets: ValidSet | Iterable[ValidSet] | Mapping[str, ValidSet] | None = None,
    valid_names: Iterable[str] | str | None = None,
    *,
    valid: ValidSet | None = None,
    valid_name: str = "valid",
    metrics: Sequence[str] | str | None = None,
    evals: Iterable[tuple[ValidSet, str]] | None = None,
    feval: Metric | Iterable[Metric] | None = None,
    objective: _objective.Function | None = None,
    class_weight: Mapping[Any, float] | str | None = None,
    groups: Any = None,
    times: Any = None,
    init_model: Booster | str | os.PathLike[str] | None = None,
    early_stopping_rounds: int | None = None,
    eval_every: int = 1,
    evals_result: dict[str, dict[str, list[float]]] | None = None,
    verbose_eval: bool | int = False,
    callbacks: Iterable[Callback] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = 60,
) -> Booster:
    """Train a model.

    By default, training has two phases. The hold-out phase trains without a part of the rows, and evaluates on them. They tell
    which parameters suit the data, how many trees to grow, and which temperature makes the best probabilities. Then the model
    itself is trained, on all rows. With fewer than 20,000 rows and at most 100 classes, it averages six members, unless
    ``ensemble`` is 1; the first phase grows their trees, and the second computes their leaf values. A validation set takes the place of the rows held out, and the hold-out phase is left out.
    The same holds if there is nothing to choose: with ``calibration="none"`` and ``n_estimators``, with ``preset="paper"``, or if
    training continues a model.

    Training ends when the model has ``n_estimators`` trees, when nothing can be split any more, when the log losses of the
    training rows sum to at most ``stop_loss``, after ``early_stopping_rounds`` iterations without a better ``metric`` on the
    validation set (the model then ends with the best iteration), or when a callback says so. If a callback says so in the
    hold-out phase, the model is that of this phase, which has not seen the rows held out. Ctrl-C raises KeyboardInterrupt
    after the current iteration.

    Parameters
    ----------
    params : dict or None
        Parameters by name; the table in the documentation lists them. Parameters that are not given, or None, have their
        defaults. The names of LightGBM, XGBoost, CatBoost and scikit-learn do as well; the logger ``aoso`` says once what they
        became, unless ``verbosity`` is below 1.
    train_set : Dataset
        The data.
    num_boost_round : int, optional
        The parameter ``n_estimators``.
    valid : Dataset or tuple, optional
        A validation set: ``(x, y)``, ``(x, y, weight)``, or a dataset made with ``reference=train_set``. A dataset made without
        it is made again, as long as you still have its data.
    valid_name : str, default "valid"
        The name of that set for callbacks.
    valid_sets : list or dict of Dataset or tuple, optional
        Validation sets, each like ``valid``. The training set may be among them. The first other one chooses the number of trees
        and the temperature, and early stopping watches it, unless ``valid`` does. The others are only evaluated.
    valid_names : list of str, optional
        Their names; by default "valid_0", "valid_1", ..., and "training" for the training set.
    metrics : list of str, optional
        Metrics for callbacks beside "logloss" and "error": see :meth:`Booster.evaluate`. That of early stopping need not be
        among them.
    evals : list of (Dataset, str), optional
        Validation sets with their names, as XGBoost has them: the last one decides.
    feval : callable or list of callables, optional
        Custom metrics. Each is called with the probabilities of a validation set, of shape (n_rows, n_classes), and the set,
        whose ``get_label()`` has the labels. It returns ``(name, value, higher_is_better)``, or a list of them. Callbacks find
        the values among the metrics. Early stopping watches the one that the parameter ``metric`` names. With ``objective``, raw
        scores take the place of the probabilities. With a collective, each rank calls them with its own rows of the set, and the
        value is the mean of the ranks' values, weighted by the weights of their rows: that of all rows if the metric is a mean
        over rows, as a share of errors is, but not for an area under a curve.
    objective : callable, optional
        A loss to train by in place of the log loss. It is called with the raw scores of the training set, of shape (n_rows,
        n_classes), and the training set, before the first iteration and after each. It returns the gradient of the loss and
        the diagonal of its Hessian, which is not negative, each of that shape: ``(p - y, p * (1 - p))`` for the log loss. The
        library does not multiply them by the weights of the rows. No rows are held out and there is no temperature;
        ``stop_loss`` has no effect, and ``trim`` leaves rows out of nodes only. The method must be "aoso".
    class_weight : dict or "balanced", optional
        Weights of the classes by label, 1 by default. They multiply the weights of the training rows. With "balanced", all
        classes weigh the same.
    groups : array of shape (n_rows,), optional
        The group of each training row, such as the patient or the speaker, as ints or texts. A group is held out as a whole, so
        that the rows held out tell how well the model does on new groups. Only groups of which every class has rows in other
        groups, too, are held out; at least two are needed. There are no more folds, or members of an ensemble, than such groups.
    times : array of shape (n_rows,), optional
        The time of each training row, as numbers or datetime64. The latest fifth of the rows is held out, so that later rows
        judge what was learned from earlier ones. There are no folds, and the model is a single one. Give at most one of
        ``groups`` and ``times``. Neither has an effect with a validation set, or where no rows are held out.
    init_model : Booster or path, optional
        A model to continue: ``n_estimators`` trees are added to it. ``train_set`` is one made with it, or one whose data you still have.
    early_stopping_rounds : int, optional
        The parameter ``early_stopping_rounds``.
    eval_every : int, default 1
        Iterations between two evaluations. Without a validation set and callbacks, there are no evaluations.
    evals_result : dict, optional
        Filled with the metrics of every evaluation: see :func:`aoso.record_evaluation`.
    verbose_eval : bool or int, default False
        Iterations between two reports of the metrics, with True for 1: see :func:`aoso.log_evaluation`.
    callbacks : iterable of callables, optional
        Each is called with a :class:`Progress` after every iteration. Training ends if one returns a true value. See
        :mod:`aoso.callback`.
    checkpoint : path, optional
        A file that keeps how far training has come. If it exists, training takes the trees from it and goes on from there; the
        model is that of a training that was never interrupted. The data, the parameters and, with early stopping,
        ``eval_every`` must be the same. Callbacks see all iterations again. The file is replaced as a whole, is saved when
        training ends too, and stays. If it cannot be saved, a warning says so, and training goes on. With a collective, rank 0
        reads and writes it, and the next time the same rows may be on another number of ranks.
    checkpoint_seconds : float, default 60
        Time between two saves.

    Returns
    -------
    Booster

    Raises
    ------
    ArgumentError
        If a parameter is unknown or its value is not allowed, or if the checkpoint is of another training.

    Examples
    --------
    >>> import aoso, numpy as np
    >>> x = np.arange(60.0).reshape(-1, 1) % 6
    >>> train_set = aoso.Dataset(x[:40], x[:40, 0] // 2)
    >>> booster = aoso.train({"n_estimators": 50, "max_leaves": 3}, train_set, valid=train_set.aligned(x[40:], x[40:, 0] // 2))
    >>> booster.result.iterations, booster.result.valid.error
    (50, 0.0)
    """
    _check_sets(train_set, None)
    callbacks = callables(callbacks)
    if evals_result is not None:
        callbacks.append(record_evaluation(evals_result))
    if verbose_eval:
        callbacks.append(log_evaluation(_capi.integer("verbose_eval", verbose_eval, 0)))
    params, objective = _objective.of_params(params, objective)
    params = _parameters(params, train_set, feval, num_boost_round=num_boost_round, early_stopping_rounds=early_stopping_rounds)
    class_weight = params.pop("class_weight", class_weight)
    for callback in callbacks:
        if isinstance(callback, EarlyStopping):
            params.update(callback.params)
    if evals is not None:
        valid_sets, valid_names = _last_first(evals, valid_sets)
    if init_model is not None:
        continued = train_set._continuing(init_model)
        valid_sets = [continued if one is train_set else one for one in _listed(valid_sets)]
        train_set = continued
    eval_every = _capi.integer("eval_every", eval_every, 1, 2**31 - 1)
    with contextlib.ExitStack() as recorders, train_set._aborting():
        callbacks += [recorders.enter_context(recorder()) for recorder in automatic]
        file = None if checkpoint is None else (checkpoint, checkpoint_seconds)
        sets = ValidSets(train_set, named_sets(train_set, valid, valid_name, valid_sets, valid_names))
        held = split(groups, times, train_set.num_rows)
        booster = _trained(params, train_set, sets, metrics, feval, objective, class_weight, eval_every, callbacks, file, held)
        for callback in callbacks:
            if hasattr(callback, "finish"):
                callback.finish(booster)
    return booster


def _last_first(evals: Iterable[tuple[ValidSet, str]], valid_sets: Any) -> tuple[list[ValidSet], list[str]]:
    """Validation sets and their names, the last first, because the first decides."""
    evals = list(evals)
    if valid_sets is not None or not all(isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[1], str) for pair in evals):
        raise ArgumentError("evals is not allowed with valid_sets, or not a list of (Dataset, name)")
    ordered = evals[-1:] + evals[:-1]
    return [dataset for dataset, _ in ordered], [name for _, name in ordered]


def _trained(
    params: dict[str, Any],
    train_set: Dataset,
    valid: ValidSets,
    metrics: Sequence[str] | str | None,
    feval: Metric | Iterable[Metric] | None,
    objective: _objective.Function | None,
    class_weight: Any,
    eval_every: int,
    callbacks: list[Callback],
    checkpoint: _File | None,
    split: Split,
) -> Booster:
    """A booster. With a collective, training ends when a callback of any rank says so."""
    ranks = train_set._ranks
    further = _further(params, metrics)
    watched = bool(callbacks) if ranks is None else ranks.any(bool(callbacks))
    if valid.deciding is None and not watched:
        eval_every = 2**31 - 1
    further = further if watched else []
    training = _Training(params, train_set, valid, eval_every, feval, further, objective, class_weight, checkpoint, split)
    done, stop = ("", 0), False
    while not stop:
        step = training.step()
        stop = training.ended
        if callbacks and step.iteration > 0 and (step.phase, step.iteration) != done:
            done, progress = (step.phase, step.iteration), training.progress(step)
            stop = call_all(callbacks, progress) or stop
        if stop and ranks is not None and not training.ended:
            training.interrupt()
            stop = False
    return training.final_booster()
