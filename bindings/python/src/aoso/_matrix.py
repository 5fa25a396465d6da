"""Features as people have them: numpy, pandas, polars, pyarrow, scipy, lists."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from . import _capi
from ._capi import Array
from .errors import ArgumentError

# Kinds of dtypes that numpy would make numbers of, or half of one.
_NO_NUMBERS = "cMmSUV"


def read(x: Any, feature_names: list[str] | None = None) -> _capi.Matrix:
    """Describes a table of numbers for the library, converting only what it cannot read in place.

    The names of the columns are ``feature_names``, else those that ``x`` has.
    """
    matrix = _read(x)
    if feature_names is not None:
        matrix.names = [str(name) for name in feature_names]
    return matrix


def read_row(row: Any, features: int) -> Array:
    """One row of numbers."""
    try:
        array = _array(row)
    except ValueError as e:
        raise ArgumentError(f"row is not numbers: {e}") from e
    if array.shape != (features,):
        raise ArgumentError(f"row has shape {array.shape}; allowed: ({features},), one value a feature")
    return _numbers(array, "row")


def is_arrow(x: Any) -> bool:
    """Whether ``x`` is a table of Arrow's, which pandas' are not."""
    return (hasattr(x, "__arrow_c_stream__") or hasattr(x, "__arrow_c_array__")) and not _is_pandas(x)


def column_names(x: Any) -> list[str] | None:
    """The names of a data frame's columns, if all are strings."""
    names = x.columns.tolist()
    return names if names and all(isinstance(name, str) for name in names) else None


def check_names(given: list[str] | None, expected: list[str]) -> None:
    """Raises if columns are not named as the model's features are, where both have names."""
    if given is None or given == expected or expected == [f"f{j}" for j in range(len(expected))]:
        return
    missing, unknown = _without(expected, given), _without(given, expected)
    differs = [f"missing: {_listed(missing)}"] * bool(missing) + [f"unknown: {_listed(unknown)}"] * bool(unknown)
    if differs:
        raise ArgumentError(f"x has {len(given)} columns that are not the model's {len(expected)} features; {'; '.join(differs)}")
    if len(given) != len(expected):
        raise ArgumentError(f"x has {len(given)} columns, some of the same name; the model has {len(expected)} features")
    j = next(j for j, (a, b) in enumerate(zip(given, expected)) if a != b)
    raise ArgumentError(
        f"x has the model's features in another order: column {j} is {given[j]!r}, feature {j} is {expected[j]!r}; "
        "select the columns by the model's feature_names"
    )


def take(x: Any, rows: Array) -> Any:
    """The given rows of a table."""
    if _is_pandas(x):
        return x.iloc[rows]
    if hasattr(x, "take") and is_arrow(x):
        return x.take(rows)
    if is_arrow(x):
        return x[rows]
    if _is_sparse(x):
        return x.tocsr()[rows]
    return np.asarray(x)[rows]


def _read(x: Any) -> _capi.Matrix:
    if _is_pandas(x):
        return _read_pandas(x)
    if hasattr(x, "__arrow_c_array__"):
        return _capi.arrow_array(*x.__arrow_c_array__())
    if hasattr(x, "__arrow_c_stream__"):
        if not hasattr(x, "__len__"):
            raise ArgumentError(f"x is a {type(x).__name__} of unknown length; allowed: a table, such as its read_all()")
        return _capi.arrow_stream(x.__arrow_c_stream__(), len(x))
    if _is_sparse(x):
        return _read_sparse(x)
    try:
        array = _array(x)
    except ValueError as e:
        raise ArgumentError(f"x is not rows of equal length: {e}") from e
    if array.ndim != 2:
        raise ArgumentError(f"x has shape {array.shape}; allowed: rows × columns")
    return _capi.dense(_numbers(array, "x"))


def _array(x: Any) -> Array:
    if isinstance(x, np.ma.MaskedArray):
        x = np.ma.filled(x.astype(np.float64), np.nan)
    return np.asarray(x)


def _is_pandas(x: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(x, pandas.DataFrame)


def _is_sparse(x: Any) -> bool:
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(x))


def _numbers(array: Array, what: str) -> Array:
    """An array that the library can read: the same memory, or else float64."""
    if array.dtype.kind == "b":
        array = array.view(np.uint8)
    if _capi.readable(array):
        return array
    if array.dtype.kind in _NO_NUMBERS:
        raise ArgumentError(f"{what} is of dtype {array.dtype}; allowed: numbers and bools")
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as e:
        raise ArgumentError(f"{what} is of dtype {array.dtype}; allowed: numbers and bools: {e}") from e


def _read_pandas(frame: Any) -> _capi.Matrix:
    names = column_names(frame)
    dtypes = set(frame.dtypes)
    if len(dtypes) == 1 and isinstance(next(iter(dtypes)), np.dtype):
        return _capi.dense(_numbers(frame.to_numpy(), "x"), names)
    columns = [_float64_column(frame.iloc[:, j], name) for j, name in enumerate(frame.columns)]
    return _capi.columns(columns, len(frame), names)


def _float64_column(column: Any, name: Any) -> Array:
    if column.dtype.kind in _NO_NUMBERS:
        raise ArgumentError(f"column {name!r} is of dtype {column.dtype}; allowed: numbers and bools")
    try:
        values = column if isinstance(column.dtype, np.dtype) else column.to_numpy(np.float64, na_value=np.nan)
        return np.ascontiguousarray(values, np.float64)
    except (TypeError, ValueError) as e:
        raise ArgumentError(f"column {name!r} is of dtype {column.dtype}; allowed: numbers and bools: {e}") from e


def _read_sparse(x: Any) -> _capi.Matrix:
    if x.ndim != 2:
        raise ArgumentError(f"x has shape {x.shape}; allowed: rows × columns")
    if x.format not in ("csr", "csc"):
        x = x.tocsr()
    if not x.has_canonical_format:
        x = x.copy()
        x.sum_duplicates()
    index_dtype = np.int32 if x.indptr.dtype == x.indices.dtype == np.int32 else np.int64
    indptr, indices = (np.ascontiguousarray(a, index_dtype) for a in (x.indptr, x.indices))
    data = np.ascontiguousarray(_numbers(x.data, "x"))
    return _capi.compressed(x.format == "csr", indptr, indices, data[: indptr[-1]], x.shape)


def _without(names: list[str], others: list[str]) -> list[str]:
    among = set(others)
    return [name for name in names if name not in among]


def _listed(names: list[str]) -> str:
    most = 5
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more
