"""SHAP values of the most likely classes."""

from __future__ import annotations

from typing import Any, NamedTuple

from ._capi import Array

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
