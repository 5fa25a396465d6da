"""Trained models."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np

from . import _capi, _labels, _matrix, _others, _soft
from ._capi import Array
from ._familiar import Familiar
from ._progress import Evaluation, Result
from ._report import Report
from ._row import RowPredictor
from ._scalars import check_choice
from .confusion import Confusing
from .errors import ArgumentError
from .probability import Probability
from .suspicious import Suspecting

__all__ = ["Booster", "merge"]

# Memory for the stages of boosting that are held at once.
_STAGED_BYTES = 1 << 28


class Booster(Report, Probability, Confusing, Suspecting, Familiar):
    """A trained model, created by :func:`aoso.train`, :meth:`load` or :meth:`from_bytes`. ``Booster("file")`` loads it too.

    A model never changes, so any number of threads may use it at once. It can be pickled and copied.

    Attributes
    ----------
    classes : array of shape (n_classes,)
        The classes, in the order of the columns of ``predict_proba``, of the type of the labels. A file keeps the type if it
        is bool, int, float, text, bytes or a date, also as a Python object. In a file from other languages they are numbers
        if all look like numbers, else strings.
    feature_names : list of str
    result : aoso.Result or None
        The outcome of training; None for a model that was loaded or derived from others.
    calibration : Calibration or None
        For a model from :meth:`calibrated`: ``temperature``, and the mean log loss ``before`` and ``after``.

    Examples
    --------
    >>> import aoso, numpy as np
    >>> x = np.arange(20.0).reshape(-1, 1)
    >>> booster = aoso.train({"n_estimators": 10}, aoso.Dataset(x, np.where(x[:, 0] < 7, "low", "high")))
    >>> booster
    Booster(10 trees, 1 features, 2 classes)
    >>> booster.classes.tolist()
    ['high', 'low']
    >>> booster.predict([[3], [15]]).tolist()
    ['low', 'high']
    >>> booster.predict_proba([[3], [15]]).round(2).tolist()
    [[0.06, 0.94], [0.94, 0.06]]
    """

    def __init__(
        self,
        model_file: _capi.Handle | str | os.PathLike[str],
        classes: Array | None = None,
        result: Result | None = None,
        calibration: _capi.Calibration | None = None,
    ) -> None:
        handle = model_file if isinstance(model_file, _capi.Handle) else _capi.load("model", model_file)
        self._info = _capi.model_info(handle)
        if classes is None:
            names = _capi.class_names("model", handle, self._info.classes)
            classes = _labels.from_names(names, _capi.label_type(handle))
        else:
            handle = _capi.with_label_type(handle, _labels.type_of(classes))
        self._handle = handle
        self.classes = classes
        self.feature_names = _capi.feature_names("model", handle, self._info.features)
        self.result = result
        self.calibration = calibration

    @functools.cached_property
    def categories(self) -> dict[str, list[str]]:
        """The categories of each categorical feature, in order."""
        return _capi.categories("model", self._handle, self.feature_names)

    # ------------------------------------------------------------- prediction

    def predict(self, x: Any, *, trees: int = 0, nthread: int = 0, **others: Any) -> Array:
        """The most likely class of each row.

        Parameters
        ----------
        x : table of shape (n_rows, n_features)
            Anything that :class:`aoso.Dataset` accepts. If the columns have names, and those of training had, they are found by
            name: their order does not matter, and others are left out. Otherwise their positions count.
            Categories are known by their names. One that training did not see counts as missing, or as a rare one of many.
        trees : int, default 0
            Use only the first trees; 0: all.
        nthread : int, default 0
            Threads to use; 0: the cores that the process may use.
        **others
            Not allowed. For arguments of LightGBM and XGBoost, the error says what to write instead.

        Returns
        -------
        array of shape (n_rows,)
            Labels, of the type of ``classes``. If classes tie, the first one.

        Raises
        ------
        ArgumentError
            If the columns are not the model's features. The message says what differs.
        """
        self._refuse(others)
        return np.asarray(self.classes[self._predict("", x, 1, trees, nthread)[:, 0]])

    def predict_proba(self, x: Any, *, trees: int = 0, nthread: int = 0) -> Array:
        """The probability of each class for each row.

        Parameters
        ----------
        x : table of shape (n_rows, n_features)
            As for :meth:`predict`.
        trees, nthread : int, default 0
            As for :meth:`predict`.

        Returns
        -------
        array of shape (n_rows, n_classes), float64
        """
        return self._predict("proba", x, len(self.classes), trees, nthread)

    def predict_raw(self, x: Any, *, trees: int = 0, nthread: int = 0) -> Array:
        """The raw scores. The probabilities are the softmax of the scores divided by ``temperature``.

        Parameters
        ----------
        x : table of shape (n_rows, n_features)
            As for :meth:`predict`.
        trees, nthread : int, default 0
            As for :meth:`predict`.

        Returns
        -------
        array of shape (n_rows, n_classes), float64
        """
        return self._predict("raw", x, len(self.classes), trees, nthread)

    def predict_leaf(self, x: Any, *, trees: int = 0, nthread: int = 0) -> Array:
        """The leaf that each row reaches in each tree.

        Parameters
        ----------
        x : table of shape (n_rows, n_features)
            As for :meth:`predict`.
        trees, nthread : int, default 0
            As for :meth:`predict`.

        Returns
        -------
        array of shape (n_rows, n_trees), int32
            Leaves are numbered within their tree, from left to right.
        """
        width = trees if 0 < trees < self.num_trees else self.num_trees
        return self._predict("leaf", x, width, trees, nthread)

    def staged_raw(self, x: Any, *, every: int = 1, nthread: int = 0) -> Iterator[Array]:
        """The raw scores at stages of boosting: after every ``every`` iterations, and at the end.

        Parameters
        ----------
        x : table of shape (n_rows, n_features)
            As for :meth:`predict`.
        every : int, default 1
            Iterations between two stages.
        nthread : int, default 0
            As for :meth:`predict`.

        Yields
        ------
        array of shape (n_rows, n_classes), float64
        """
        some = self._stages(x, every, nthread, 0)

        def stages() -> Iterator[Array]:
            while some:
                done, scores = some.pop(0)
                yield scores
                if not some and done < self.num_trees:
                    some.extend(self._stages(x, every, nthread, done))

        return stages()

    def _stages(self, x: Any, every: int, nthread: int, done: int) -> list[tuple[int, Array]]:
        """The stages after the first ``done`` trees, as many as may be in memory: number of trees and raw scores."""
        some: list[tuple[int, Array]] = []

        def keep(trees: int, scores: Array) -> bool:
            if trees > done:
                some.append((trees, scores.copy()))
            return len(some) * scores.nbytes >= _STAGED_BYTES

        _capi.staged(self._handle, self._read(x), len(self.classes), every, nthread, keep)
        return some

    def staged_proba(self, x: Any, *, every: int = 1, nthread: int = 0) -> Iterator[Array]:
        """The class probabilities at stages of boosting: after every ``every`` iterations, and at the end.

        Parameters
        ----------
        x : table of shape (n_rows, n_features)
            As for :meth:`predict`.
        every : int, default 1
            As for :meth:`staged_raw`.
        nthread : int, default 0
            As for :meth:`predict`.

        Yields
        ------
        array of shape (n_rows, n_classes), float64
        """
        return (_capi.raw_to_proba(self._handle, scores) for scores in self.staged_raw(x, every=every, nthread=nthread))

    def evaluate(
        self,
        x: Any,
        y: Any,
        *,
        weight: Any = None,
        metrics: Sequence[str] | str | None = None,
        every: int = 0,
        nthread: int = 0,
    ) -> dict[str, Any]:
        """Compare predictions with labels, at the end or at stages of boosting.

        Parameters
        ----------
        x : table of shape (n_rows, n_features)
        y : array of shape (n_rows,) or (n_rows, n_classes)
            Labels that the model does not know count as errors and not for the log loss. If it knows none, that is an error.
            Or soft labels, as for :class:`Dataset`: "logloss" is then the cross-entropy, and "kl" the Kullback-Leibler divergence, both means
            over the rows; other metrics but "brier" compare with the class of the greatest share.
        weight : array of shape (n_rows,), optional
        metrics : list of str, optional
            Further metrics: "top_k_error" (of 5 classes; "error@3": of 3), "auc_ovr", "auc_ovr_weighted", "auc_ovo",
            "auc_ovo_weighted", "balanced_error", "f1_macro", "kappa", "brier", "ece". They are those of scikit-learn, or of
            :meth:`reliability`. A label that the model does not know is one more class, which is never predicted; for the AUC
            and the Brier score its rows do not count. A metric that is not defined is NaN, such as the AUC of a single class.
        every : int, default 0
            Iterations between two stages; True is 1. 0: only the end.
        nthread : int, default 0

        Returns
        -------
        dict
            "logloss", "error" and the metrics asked for: a float each or, with ``every``, a list with one per stage. "logloss" is the weighted mean
            of -log p over the rows whose label the model knows. It is computed from the scores and has no upper limit. "error"
            is the share of the weight of all rows that are predicted wrongly.
        """
        matrix = self._read(x, labelled=True)
        labels, weights = self._read_labels(y, weight, matrix)
        further = [name for name in _others.metrics(metrics) if name not in ("logloss", "error")]
        found: list[dict[str, float]] = []

        entropy = _soft.entropy(y, weights) if _soft.given(y) else None
        names = ["logloss", "error", *further] if entropy is None else ["logloss", "error", "kl", *further]

        def look(_: int, scores: Array) -> None:
            values = _capi.evaluate_raw(self._handle, scores, labels, weights)._asdict()
            if entropy is not None:
                values["kl"] = values["logloss"] - entropy
            for name in further:
                values[name] = _capi.measure_raw(self._handle, name, scores, labels, weights)
            found.append(values)

        if every == 0:
            look(0, _capi.predict("raw", self._handle, matrix, len(self.classes), 0, nthread))
            return {name: found[0][name] for name in names}
        _capi.staged(self._handle, matrix, len(self.classes), every, nthread, look)
        return {name: [values[name] for values in found] for name in names}

    def row_predictor(self, *, trees: int = 0) -> RowPredictor:
        """An object that predicts single rows as fast as possible.

        Parameters
        ----------
        trees : int, default 0
            Use only the first trees; 0: all.

        Returns
        -------
        RowPredictor
        """
        return RowPredictor(self._handle, self.feature_names, self.classes, trees)

    def _predict(self, kind: str, x: Any, width: int, trees: int, nthread: int) -> Array:
        return _capi.predict(kind, self._handle, self._read(x), width, trees, nthread)

    def _read(self, x: Any, *, labelled: bool = False) -> _capi.Matrix:
        x = x._rows_of_dataset() if hasattr(x, "_rows_of_dataset") else x
        return _matrix.read_as(x, self.feature_names, bool(self._info.named), self.categories, labelled=labelled)

    def _read_labels(self, y: Any, weight: Any, x: _capi.Matrix) -> tuple[_capi.Labels, Array | None]:
        labels, _ = _labels.read(y, x.shape[0], self.classes)
        return labels, _matrix.weights(weight, x.shape[0])

    def refit(self, x: Any, y: Any, *, weight: Any = None, keep: float = 0.0, nthread: int = 0) -> Booster:
        """The same splits with leaf values computed from other data.

        Parameters
        ----------
        x : table of shape (n_rows, n_features)
        y : array of shape (n_rows,) or (n_rows, n_classes)
            Labels that the model knows; or soft labels, as for :class:`Dataset`.
        weight : array of shape (n_rows,), optional
        keep : float, default 0
            Share of its old values that a leaf keeps, 0 to 1. A leaf that no row reaches keeps its values.
        nthread : int, default 0

        Returns
        -------
        Booster
        """
        matrix = self._read(x, labelled=True)
        return Booster(_capi.refit(self._handle, matrix, *self._read_labels(y, weight, matrix), keep, nthread), self.classes)

    def truncated(self, trees: int) -> Booster:
        """The model of the first trees.

        Parameters
        ----------
        trees : int
            Number of trees to keep, at least 1.

        Returns
        -------
        Booster
        """
        return Booster(_capi.truncate(self._handle, trees), self.classes)

    @property
    def num_trees(self) -> int:
        """Number of trees."""
        return self._info.trees

    @property
    def first_trees(self) -> list[int]:
        """By class, the number of the first tree that gives it scores; -1: none does, as for a class without rows.

        A class that came when training was continued begins there with a constant score: see ``docs/new-classes.md``.
        """
        return _capi.first_trees(self._handle, len(self.classes))

    @property
    def trees_per_iteration(self) -> int:
        """Trees that each iteration adds: 1 for method aoso, K - 1 for abc, K for logitboost."""
        return self._info.trees_per_iteration

    @property
    def num_features(self) -> int:
        """Number of features."""
        return self._info.features

    @property
    def temperature(self) -> float:
        """Raw scores are divided by it before they become probabilities. It comes from training, or from :meth:`calibrated`.

        It is 1 if there is none: with ``calibration="none"`` or ``preset="paper"``, and in models made by :meth:`truncated`,
        :meth:`refit` and :func:`aoso.merge`.
        """
        return self._info.temperature

    @property
    def params(self) -> dict[str, Any]:
        """The parameters that the model was trained with, for :func:`aoso.train`. ``nthread`` and ``level`` are not kept."""
        return _capi.params(self._handle)

    @property
    def fingerprint(self) -> str:
        """32 hexadecimal digits. Equal models have equal fingerprints, on every machine and with any number of threads."""
        return _capi.fingerprint(self._handle)

    def tree(self, number: int) -> dict[str, Any]:
        """A tree, as in the JSON export.

        Parameters
        ----------
        number : int
            From 0; negative from the end.

        Returns
        -------
        dict
            "nodes" and "leaves", both lists of dicts. A row starts at node 0, or at leaf 0 if the tree has no nodes. It goes
            to a node's "left" if its "feature" is below "threshold", or if it is missing and "missing" is "left"; otherwise to
            "right". If "threshold" is None, every value that is not missing counts as below it. A node of a categorical
            feature has "categories" instead, the positions of those that go left, and "unseen", the side of categories that
            the model does not list. In "left" and "right", n >= 0 is node n, and n < 0 is leaf -1 - n. A leaf has its leaf
            values in "steps", pairs of a class and what the leaf adds to its raw score.
        """
        return _capi.tree(self._handle, self._tree_number(number))

    @overload
    def export(self, format: str, path: None = None, *, tree: int = 0, force: bool = False) -> bytes | str: ...

    @overload
    def export(self, format: str, path: str | os.PathLike[str], *, tree: int = 0, force: bool = False) -> None: ...

    def export(
        self, format: str, path: str | os.PathLike[str] | None = None, *, tree: int = 0, force: bool = False
    ) -> bytes | str | None:
        """Write the model in a format that other programs read.

        Where the model has linear scores, the formats "lightgbm" and "treelite" have trees in their place. Raw scores may then
        differ by about a millionth.

        Parameters
        ----------
        format : str
            One of :func:`aoso.export_formats`, such as "onnx" or "json".
        path : path, optional
            The file to write. An existing file is replaced completely, or left unchanged on an error.
        tree : int, default 0
            The tree, if the format shows one tree only, such as "dot". From 0; negative numbers count from the end.
        force : bool, default False
            Write more than 100 MB where trees stand for linear scores, which is otherwise an error.

        Returns
        -------
        bytes for a binary format, such as "onnx", str for the other formats, None with a ``path``
        """
        formats = {f.name: f for f in _capi.export_formats()}
        check_choice("format", format, tuple(formats))
        if formats[format].one_tree:
            tree = self._tree_number(tree)
        if path is not None:
            _capi.export_file(self._handle, format, tree, force, path)
            return None
        content = _capi.export(self._handle, format, tree, force)
        return content if formats[format].binary else content.decode()

    def _tree_number(self, tree: int) -> int:
        trees = self.num_trees
        if not isinstance(tree, (int, np.integer)) or not -trees <= tree < trees:
            raise ArgumentError(f"tree is {tree!r}; allowed: {-trees} to {trees - 1}")
        return int(tree) % trees

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file. The command ``aoso``, C and Go can read it too.

        Parameters
        ----------
        path : path
            The file. An existing file is replaced completely, or left unchanged on an error.
        """
        _capi.save("model", self._handle, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Booster:
        """Read a model from a file.

        Parameters
        ----------
        path : path

        Raises
        ------
        FileError
            If the file cannot be read.
        FormatError
            If it is not a model file, or is truncated, corrupt or of a newer version.
        """
        return cls(_capi.load("model", path))

    def to_bytes(self) -> bytes:
        """The model as the bytes of a model file."""
        return _capi.encode(self._handle)

    @classmethod
    def from_bytes(cls, data: bytes) -> Booster:
        """Read a model from the bytes of a model file.

        Parameters
        ----------
        data : bytes
        """
        return cls(_capi.decode(data))

    def __getstate__(self) -> dict[str, Any]:
        """Only what skops trusts: lists and arrays."""
        result = None if self.result is None else [list(v) if isinstance(v, tuple) else v for v in self.result]
        calibration = None if self.calibration is None else list(self.calibration)
        return {"model": self.to_bytes(), "classes": self.classes, "result": result, "calibration": calibration}

    def __setstate__(self, state: dict[str, Any]) -> None:
        result, calibration = state["result"], state["calibration"]
        if result is not None:
            result = Result._make(Evaluation(*v) if isinstance(v, list) else v for v in result)
        calibration = None if calibration is None else _capi.Calibration(*calibration)
        Booster.__init__(self, _capi.decode(state["model"]), state["classes"], result, calibration)

    def __repr__(self) -> str:
        return f"Booster({self.num_trees} trees, {self.num_features} features, {len(self.classes)} classes)"


def merge(models: Iterable[Booster]) -> Booster:
    """Combine the trees of several models into one model, which adds up their raw scores.

    Models that were trained separately are overconfident when merged. :meth:`Booster.calibrated` corrects that.

    Parameters
    ----------
    models : iterable of Booster
        Models with the same classes, features, method, leaf and pairs.

    Returns
    -------
    Booster
    """
    models = list(models)
    if not models:
        raise ArgumentError("models is empty; allowed: at least one")
    for j, model in enumerate(models):
        if not isinstance(model, Booster):
            raise ArgumentError(f"models[{j}] is a {type(model).__name__}; allowed: a Booster")
    return Booster(_capi.merge([model._handle for model in models]), models[0].classes)
