"""Trained models."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _capi, _labels, _matrix
from ._capi import Array
from ._forest import Forest
from .dataset import read_weights
from .errors import ArgumentError

__all__ = ["Booster"]


class Booster:
    """A trained model, made by :func:`aoso.train`, :meth:`load` or :meth:`from_bytes`.

    It does not change; any number of threads may use it at once. It can be pickled and copied.

    Attributes
    ----------
    classes : array of shape (n_classes,)
        The classes, in the order of the columns that ``predict_proba`` gives. Of a model from a file they are ints if
        they look so, else strings.
    feature_names : list of str
    result : aoso.training.Result or None
        How training went; None for a model from a file.

    Examples
    --------
    >>> import aoso, numpy as np
    >>> x = np.arange(20.0).reshape(-1, 1)
    >>> booster = aoso.train({"trees": 10}, aoso.Dataset(x, np.where(x[:, 0] < 7, "low", "high")))
    >>> booster
    Booster(10 trees, 1 features, 2 classes)
    >>> booster.classes.tolist()
    ['high', 'low']
    >>> booster.predict([[3], [15]]).tolist()
    ['low', 'high']
    >>> booster.predict_proba([[3], [15]]).round(2).tolist()
    [[0.18, 0.82], [0.82, 0.18]]
    """

    def __init__(self, handle: _capi.Handle, classes: Array | None = None, result: _capi.Result | None = None) -> None:
        self._handle = handle
        self._info = _capi.model_info(handle)
        if classes is None:
            classes = _labels.from_names(_capi.class_names("model", handle, self._info.classes))
        self.classes = classes
        self.feature_names = _capi.feature_names("model", handle, self._info.features)
        self.result = result
        self._forest_read: Forest | None = None

    # ------------------------------------------------------------- prediction

    def predict(self, x: Any, *, trees: int = 0, threads: int = 0) -> Array:
        """The likeliest class of each row.

        Parameters
        ----------
        x : table of shape (n_rows, n_features)
            What :class:`aoso.Dataset` takes. Columns that have names must have those of ``feature_names``.
        trees : int, default 0
            Use the first so many trees; 0: all.
        threads : int, default 0
            Threads to use; 0: the cores that the process may use.

        Returns
        -------
        array of shape (n_rows,)
            Labels, of the type of ``classes``. Where classes tie, the first.

        Raises
        ------
        ArgumentError
            If the columns are not the model's features; the text names what differs.
        """
        labels: Array = self.classes[self._predict("", x, 1, trees, threads)[:, 0]]
        return labels

    def predict_proba(self, x: Any, *, trees: int = 0, threads: int = 0) -> Array:
        """The probability of each class for each row.

        Parameters
        ----------
        x, trees, threads
            As of :meth:`predict`.

        Returns
        -------
        array of shape (n_rows, n_classes), float64
        """
        return self._predict("proba", x, len(self.classes), trees, threads)

    def predict_raw(self, x: Any, *, trees: int = 0, threads: int = 0) -> Array:
        """The raw scores, of which the probabilities are the softmax.

        Parameters
        ----------
        x, trees, threads
            As of :meth:`predict`.

        Returns
        -------
        array of shape (n_rows, n_classes), float64
        """
        return self._predict("raw", x, len(self.classes), trees, threads)

    def predict_leaf(self, x: Any, *, trees: int = 0, threads: int = 0) -> Array:
        """The leaf that each row reaches in each tree.

        Parameters
        ----------
        x, trees, threads
            As of :meth:`predict`.

        Returns
        -------
        array of shape (n_rows, n_trees), int32
            Leaves are counted within their tree, from left to right.
        """
        width = trees if 0 < trees < self.num_trees else self.num_trees
        return self._predict("leaf", x, width, trees, threads)

    def staged_raw(self, x: Any, *, every: int = 1, threads: int = 0) -> Iterator[Array]:
        """The raw scores after every so many iterations of boosting, and at the end.

        Parameters
        ----------
        x, threads
            As of :meth:`predict`.
        every : int, default 1
            Iterations between two stages.

        Yields
        ------
        array of shape (n_rows, n_classes), float64
        """
        if every < 1:
            raise ArgumentError(f"every is {every}; allowed: at least 1")
        leaves = self.predict_leaf(x, threads=threads)
        return (scores.copy() for scores in self._forest.staged(leaves, every * self._info.trees_per_iteration))

    def staged_proba(self, x: Any, *, every: int = 1, threads: int = 0) -> Iterator[Array]:
        """The class probabilities after every so many iterations of boosting, and at the end.

        Parameters
        ----------
        x, every, threads
            As of :meth:`staged_raw`.

        Yields
        ------
        array of shape (n_rows, n_classes), float64
        """
        return map(_softmax, self.staged_raw(x, every=every, threads=threads))

    def evaluate(self, x: Any, y: Any, *, weight: Any = None, every: int = 0, threads: int = 0) -> dict[str, list[float]]:
        """Compare predictions with labels, at the end or at stages of boosting.

        Parameters
        ----------
        x : table of shape (n_rows, n_features)
        y : array of shape (n_rows,)
            Labels that the model does not know count as errors, and not for the log loss.
        weight : array of shape (n_rows,), optional
        every : int, default 0
            Iterations between two stages; 0: the end only.
        threads : int, default 0

        Returns
        -------
        dict
            "logloss" (mean -log p) and "error" (share of the weight), each a list of one number a stage.
        """
        codes = _labels.codes(y, self.classes)
        weights = np.ones(len(codes)) if weight is None else read_weights(weight, len(codes))
        stages = self.staged_raw(x, every=every, threads=threads) if every else [self.predict_raw(x, threads=threads)]
        metrics = [_metrics(scores, codes, weights) for scores in stages]
        return {"logloss": [m.logloss for m in metrics], "error": [m.error for m in metrics]}

    def _predict(self, kind: str, x: Any, width: int, trees: int, threads: int) -> Array:
        matrix = _matrix.read(x)
        _matrix.check_names(matrix.names, self.feature_names)
        return _capi.predict(kind, self._handle, matrix, width, trees, threads)

    # -------------------------------------------------------------- the model

    @property
    def num_trees(self) -> int:
        """Number of trees."""
        return self._info.trees

    @property
    def trees_per_iteration(self) -> int:
        """Trees that an iteration adds: 1 for method aoso, K - 1 for abc, K for logitboost."""
        return self._info.trees_per_iteration

    @property
    def num_features(self) -> int:
        """Number of features."""
        return self._info.features

    @property
    def params(self) -> dict[str, Any]:
        """The parameters that the model was trained with."""
        params: dict[str, Any] = _capi.describe(self._handle)["params"]
        return params

    @property
    def fingerprint(self) -> str:
        """32 hexadecimal digits: equal models have equal ones, wherever and with however many threads they were trained."""
        return _capi.fingerprint(self._handle)

    def importance(self, kind: str = "gain") -> Array:
        """How much each feature contributes.

        Parameters
        ----------
        kind : {"gain", "split"}
            The loss that its splits were reckoned to save, or their number.

        Returns
        -------
        array of shape (n_features,), float64
        """
        _check_kind(kind)
        return _capi.importance(self._handle, kind, self.num_features)

    def class_pairs(self, kind: str = "split") -> Array:
        """How much of the trees goes into telling each pair of classes apart.

        Parameters
        ----------
        kind : {"split", "gain"}
            The number of splits on the pair, many where classes stay hard to tell apart; or their gain, great where
            many rows are told apart at once. A split on several pairs has an equal share of its gain in each.

        Returns
        -------
        array of shape (n_classes, n_classes), float64
            Symmetric. On the diagonal, for method logitboost, what tells a class from all others.
        """
        _check_kind(kind)
        return self._forest.class_pairs(kind)

    def dump(self, trees: int = 0) -> str:
        """The trees as text, a line a node.

        Parameters
        ----------
        trees : int, default 0
            The first so many; 0: all.
        """
        return _capi.dump(self._handle, trees)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, which every other binding reads, and ``aoso predict``.

        Parameters
        ----------
        path : path
            The file, which is replaced whole or, on an error, left as it was.
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
            If it is no model file, truncated, corrupt or of a newer version.
        """
        return cls(_capi.load("model", path))

    def to_bytes(self) -> bytes:
        """The bytes of the model's file."""
        return _capi.encode(self._handle)

    @classmethod
    def from_bytes(cls, data: bytes) -> Booster:
        """Read a model from the bytes of its file.

        Parameters
        ----------
        data : bytes
        """
        return cls(_capi.decode(data))

    @property
    def _forest(self) -> Forest:
        if self._forest_read is None:
            self._forest_read = Forest(self.to_bytes())
        return self._forest_read

    def __reduce__(self) -> Any:
        return _restore, (self.to_bytes(), self.classes, self.result)

    def __repr__(self) -> str:
        return f"Booster({self.num_trees} trees, {self.num_features} features, {len(self.classes)} classes)"


def _restore(data: bytes, classes: Array, result: _capi.Result | None) -> Booster:
    return Booster(_capi.decode(data), classes, result)


def _check_kind(kind: str) -> None:
    if kind not in ("gain", "split"):
        raise ArgumentError(f"kind is {kind!r}; allowed: 'gain', 'split'")


def _softmax(scores: Array) -> Array:
    odds: Array = np.exp(scores - scores.max(axis=1, keepdims=True))
    odds /= odds.sum(axis=1, keepdims=True)
    return odds


def _metrics(scores: Array, codes: Array, weights: Array) -> _capi.Evaluation:
    """The metrics of raw scores; -1 is the code of an unknown label."""
    if len(codes) != len(scores):
        raise ArgumentError(f"y has {len(codes)} labels; allowed: {len(scores)}, one for each row of x")
    known = codes >= 0
    wrong = weights[scores.argmax(axis=1) != codes].sum() / weights.sum()
    centred = scores[known] - scores[known].max(axis=1, keepdims=True)
    loss = np.log(np.exp(centred).sum(axis=1)) - centred[np.arange(len(centred)), codes[known]]
    total = weights[known].sum()
    return _capi.Evaluation(float(loss @ weights[known] / total) if total else float("nan"), float(wrong))
