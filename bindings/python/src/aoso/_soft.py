"""Soft labels: the share of each class in each row."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _capi, _matrix
from ._capi import Array
from .errors import ArgumentError


def given(y: Any) -> bool:
    """Whether labels are soft: a table of at least two columns."""
    if isinstance(y, (list, tuple)):
        return len(y) > 0 and isinstance(y[0], (list, tuple, np.ndarray)) and len(y[0]) > 1
    shape = getattr(y, "shape", ())
    return isinstance(shape, tuple) and len(shape) == 2 and shape[1] > 1


def read(y: Any, rows: int) -> tuple[_capi.Matrix, Array]:
    """The shares as a table, and the classes: the names of its columns, or 0, 1, ..."""
    classes = _classes(y)
    if len(set(classes.tolist())) < len(classes):
        raise ArgumentError(f"y has columns {classes.tolist()}; allowed: a column for each class")
    matrix = _matrix.read(table(y))
    if matrix.shape[0] != rows:
        raise ArgumentError(f"y has {matrix.shape[0]} rows; allowed: {rows}, one for each row of x")
    return matrix, classes


def _classes(y: Any) -> Array:
    columns = getattr(y, "column_names", getattr(y, "columns", None))  # of pyarrow, pandas and polars
    if columns is None:
        return np.arange(len(y[0]) if isinstance(y, (list, tuple)) else y.shape[1])
    classes = np.asarray(columns)
    return np.array(classes.tolist()) if classes.dtype.kind == "O" and all(isinstance(name, str) for name in classes) else classes


def table(y: Any) -> Any:
    """The shares as an array or a sparse matrix."""
    if hasattr(y, "tocsr"):
        return y.tocsr()
    try:
        array = np.asarray(y.to_pandas() if hasattr(y, "column_names") else y)
        return array if array.dtype.kind in "biuf" else array.astype(np.float64)
    except (TypeError, ValueError) as e:
        raise ArgumentError(f"y is a table that is not of numbers: {e}; allowed: one label per row, or the share of each class") from e


def nearest(y: Any) -> Array:
    """The number of the class that has the greatest share of each row."""
    numbers: Array = np.asarray(table(y).argmax(axis=1)).ravel()
    return numbers


def entropy(y: Any, weight: Any) -> float:
    """The mean entropy of the rows, the least log loss that probabilities can have."""
    shares = table(y)
    q = np.asarray(shares.todense() if hasattr(shares, "todense") else shares, np.float64)
    q = q / q.sum(axis=1, keepdims=True)
    logs = np.log(q, out=np.zeros_like(q), where=q > 0)
    return float(np.average(-(q * logs).sum(axis=1), weights=weight))
