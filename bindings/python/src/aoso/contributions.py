"""What features contribute: SHAP values and importance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np

from . import _capi
from ._capi import Array
from ._scalars import check_choice
from .errors import ArgumentError

__all__ = ["Contributions"]


class Contributions(NamedTuple):
    """SHAP values as a sparse matrix in compressed rows.

    Each line stands for one row of the data and one class. The first ``classes.shape[1]`` lines belong to row 0, the next
    to row 1, and so on.

    Attributes
    ----------
    classes : array of shape (n_rows, classes per row), int32
        Positions in the model's ``classes``: the most likely first if ``top`` was given, else all in order.
    indptr : array of shape (n_lines + 1,), int64
        Where each line begins in ``columns`` and ``values``.
    columns : array of int32
        Features, ascending within a line; ``num_features`` stands for the bias.
    values : array of float64
    num_features : int
    """

    classes: Array
    indptr: Array
    columns: Array
    values: Array
    num_features: int

    def to_scipy(self) -> Any:
        """The matrix as a ``scipy.sparse.csr_array`` of shape (n_lines, n_features + 1)."""
        from scipy.sparse import csr_array

        return csr_array((self.values, self.columns, self.indptr), shape=(self.classes.size, self.num_features + 1))


class Explaining:
    """The methods of :class:`aoso.Booster` that explain its predictions and its trees."""

    classes: Array
    _handle: _capi.Handle

    if TYPE_CHECKING:

        @property
        def num_features(self) -> int: ...
        def _read(self, x: Any, *, labelled: bool = False) -> _capi.Matrix: ...

    @overload
    def shap(self, x: Any, *, sparse: Literal[False] = False, trees: int = 0, nthread: int = 0) -> Array: ...

    @overload
    def shap(self, x: Any, *, sparse: Literal[True], top: int = 0, trees: int = 0, nthread: int = 0) -> Contributions: ...

    def shap(self, x: Any, *, sparse: bool = False, top: int = 0, trees: int = 0, nthread: int = 0) -> Array | Contributions:
        """The SHAP values of rows: what knowing each feature adds to the raw score of each class.

        They are exact (path-dependent TreeSHAP). The last value of a class is the bias, its mean score over the training
        rows. The values of a class sum to its raw score.

        Parameters
        ----------
        x : table of shape (n_rows, n_features)
            As for :meth:`predict`.
        trees, nthread : int, default 0
            As for :meth:`predict`.
        sparse : bool, default False
            Leave zeros out.
        top : int, default 0
            If ``sparse``: how many of the most likely classes of each row to explain; 0: all.

        Returns
        -------
        array of shape (n_rows, n_classes, n_features + 1), float64, or Contributions if ``sparse``

        Examples
        --------
        >>> import aoso, numpy as np
        >>> x = np.arange(20.0).reshape(-1, 1)
        >>> booster = aoso.train({"n_estimators": 10}, aoso.Dataset(x, np.where(x[:, 0] < 7, "low", "high")))
        >>> booster.shap([[3], [15]])[:, booster.classes == "low", 0].round(2).tolist()
        [[1.75], [-0.94]]
        """
        if top and not sparse:
            raise ArgumentError(f"top is {top}; allowed: 0 unless sparse is True")
        matrix = self._read(x)
        if not sparse:
            return _capi.shap(self._handle, matrix, len(self.classes), self.num_features, trees, nthread)
        return Contributions(*_capi.shap_sparse(self._handle, matrix, top, trees, nthread), self.num_features)

    def importance(self, kind: str = "gain") -> Array:
        """How much each feature contributes. Linear scores take no part in it.

        Parameters
        ----------
        kind : {"gain", "split", "cover"}
            The loss that the feature's splits are estimated to save, their number, or the rows that they divided.

        Returns
        -------
        array of shape (n_features,), float64
        """
        check_choice("kind", kind, _capi.IMPORTANCES)
        return _capi.importance(self._handle, kind, self.num_features)

    def class_pairs(self, kind: str = "split") -> Array:
        """How much the trees do to tell each pair of classes apart.

        Parameters
        ----------
        kind : {"split", "gain"}
            The number of splits on the pair: many if the classes are hard to tell apart. Or the gain of these splits: large
            if they separate many rows at once. A split on several pairs divides its gain equally among them.

        Returns
        -------
        array of shape (n_classes, n_classes), float64
            Symmetric. For method logitboost, the diagonal has the splits that tell a class from all others.
        """
        check_choice("kind", kind, ("gain", "split"))
        pairs = self.pair_importance()
        first, second = pairs["classes"].T
        second = np.where(second < 0, first, second)
        sums = np.zeros((len(self.classes),) * 2)
        np.add.at(sums, (first, second), pairs["gain" if kind == "gain" else "splits"])
        return sums + np.triu(sums, 1).T

    def pair_importance(self) -> Array:
        """How much each feature contributes to telling two classes apart. Linear scores take no part in it.

        Returns
        -------
        structured array
            The largest gain first. The fields are ``feature``; ``classes``, two positions in the model's ``classes``, the
            lower first, the second -1 if the split tells a class from all others; ``gain`` and ``splits``, as in
            :meth:`class_pairs`.
        """
        return _capi.pair_importance(self._handle)
