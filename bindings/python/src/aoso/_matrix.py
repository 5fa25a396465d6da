"""Features in any common form: numpy, pandas, polars, pyarrow, scipy, lists."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from . import _capi
from ._capi import Array
from .errors import ArgumentError, DTypeError

_NUMBERS = "biuf"  # kinds of dtypes: bools, integers, floats
# Types of objects that float() would convert, fully or in part, although they are not numbers.
_NO_NUMBERS = (str, bytes, np.datetime64, np.timedelta64, np.complexfloating)


def read(x: Any, feature_names: list[str] | None = None) -> _capi.Matrix:
    """Describe a table of numbers for the library. Convert only what the library cannot read in place.

    The columns are named by ``feature_names``, or as in ``x``.
    """
    matrix = _read(x)
    if feature_names is not None:
        matrix.names = [str(name) for name in feature_names]
    return matrix


def vector(values: Any, size: int, what: str, each: str) -> Array:
    """A vector of ``size`` numbers. ``each`` says in errors what there is one number for."""
    try:
        array = _column(values, what) if _is_pandas(values, "Series") else _array(values)
    except DTypeError:
        raise
    except ValueError as e:
        raise ArgumentError(f"{what} is not numbers: {e}") from e
    if array.shape != (size,):
        raise ArgumentError(f"{what} has shape {array.shape}; allowed: ({size},), {each}")
    return _numbers(array, what)


def weights(weight: Any, rows: int) -> Array | None:
    """The weights of the given number of rows, as float64; None if there are none."""
    if weight is None:
        return None
    return np.ascontiguousarray(vector(weight, rows, "weight", "one number per row of x"), np.float64)


def numbers(x: Any) -> Any:
    """Read what scikit-learn's checks would read differently from a Dataset: text as numbers, masked values as present.

    Leave other shapes than rows × columns and complex numbers to scikit-learn, which has its own errors for them.
    """
    if not isinstance(x, (np.ndarray, list, tuple)):
        return x
    array = _rows(x)
    return _numbers(array, "x") if array.ndim == 2 and array.dtype.kind != "c" else x


def is_arrow(x: Any) -> bool:
    """Whether ``x`` is an Arrow table. Tables of pandas do not count."""
    has_interface = hasattr(x, "__arrow_c_stream__") or hasattr(x, "__arrow_c_array__")
    return has_interface and not (_is_pandas(x) or _is_pandas(x, "Series"))


def is_frame(x: Any) -> bool:
    """Whether ``x`` is a pandas data frame."""
    return _is_pandas(x)


def column_names(x: Any) -> list[str] | None:
    """The column names of a data frame, if all are strings."""
    names = x.columns.tolist()
    return names if names and all(isinstance(name, str) for name in names) else None


def check_distinct(names: list[str] | None) -> None:
    """Raise an error if two columns have the same name."""
    if names is not None and len(set(names)) < len(names):
        twice = next(name for j, name in enumerate(names) if name in names[:j])
        raise ArgumentError(f"feature name {twice!r} is given twice; allowed: each name once")


def check_names(given: list[str] | None, expected: list[str]) -> None:
    """Raise an error if columns and features both have names, and the names differ."""
    if given is None or given == expected or expected == [f"f{j}" for j in range(len(expected))]:
        return
    missing, unknown = _without(expected, given), _without(given, expected)
    differs = [f"missing: {_listed(missing)}"] * bool(missing) + [f"unknown: {_listed(unknown)}"] * bool(unknown)
    if differs:
        raise ArgumentError(f"x has {len(given)} columns that are not the model's {len(expected)} features; {'; '.join(differs)}")
    if len(given) != len(expected):
        raise ArgumentError(f"x has {len(given)} columns, some with the same name; the model has {len(expected)} features")
    j = next(j for j, (a, b) in enumerate(zip(given, expected)) if a != b)
    raise ArgumentError(
        f"x has the model's features in another order: column {j} is {given[j]!r}, feature {j} is {expected[j]!r}; "
        "select the columns by the model's feature_names"
    )


def check_length(x: Any, y: Array) -> None:
    """Raise an error unless there are as many labels as rows."""
    rows = x.shape[0] if hasattr(x, "shape") else len(x)
    if y.ndim == 1 and len(y) != rows:
        raise ArgumentError(f"y has {len(y)} labels; allowed: {rows}, one for each row of x")


def take(x: Any, rows: Array) -> Any:
    """The given rows of a table."""
    if is_frame(x):
        return x.iloc[rows]
    if hasattr(x, "take") and is_arrow(x):
        try:
            return x.take(rows)
        except NotImplementedError as e:  # pyarrow's, of types that hold no numbers
            raise DTypeError(f"x has a column of a type that is not allowed: {e}; allowed: numbers and bools") from e
    if is_arrow(x):
        return x[rows]
    if _is_sparse(x):
        return x.tocsr()[rows]
    return np.asanyarray(x)[rows]  # any: masks stay


def _read(x: Any) -> _capi.Matrix:
    if is_frame(x):
        return _read_frame(x)
    if is_arrow(x):
        return _read_arrow(x)
    if _is_sparse(x):
        return _read_sparse(x)
    array = _rows(x)
    if array.ndim != 2:
        raise ArgumentError(f"x has shape {array.shape}; allowed: rows × columns")
    return _capi.dense(_numbers(array, "x"))


def _read_arrow(x: Any) -> _capi.Matrix:
    if hasattr(x, "__arrow_c_array__"):
        return _capi.arrow_array(*x.__arrow_c_array__())
    if not hasattr(x, "__len__"):
        raise ArgumentError(f"x is a {type(x).__name__} of unknown length; allowed: a table, such as from read_all()")
    return _capi.arrow_stream(x.__arrow_c_stream__(), len(x))


def _rows(x: Any) -> Array:
    try:
        return _array(x)
    except ValueError as e:
        raise ArgumentError(f"x is not rows of equal length: {e}") from e


def _array(x: Any) -> Array:
    if isinstance(x, np.ma.MaskedArray):
        values: Array = np.ma.getdata(x).astype(np.float64 if x.dtype.kind in _NUMBERS else object)
        values[np.ma.getmaskarray(x)] = np.nan
        return values
    return np.asarray(x)


def _is_pandas(x: Any, what: str = "DataFrame") -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(x, getattr(pandas, what))


def _is_sparse(x: Any) -> bool:
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(x))


def _numbers(array: Array, what: str) -> Array:
    """An array that the library can read: the same memory, or a copy as float64."""
    kind = array.dtype.kind
    if kind == "b":
        array = array.view(np.uint8)
    if _capi.readable(array):
        return array
    if kind == "O" and array.ndim == 2:
        columns = [_numbers(array[:, j], f"column {j} of {what}") for j in range(array.shape[1])]
        return np.column_stack(columns) if columns else array.astype(np.float64)
    if kind == "O":
        return _from_objects(array, what)
    if kind not in _NUMBERS:
        raise DTypeError(f"{what} is of dtype {array.dtype}; allowed: numbers and bools")
    return array.astype(np.float64)


def _from_objects(array: Array, what: str) -> Array:
    """Objects as float64. None and pandas' NA are missing values."""
    values = array.tolist()
    kinds = set(map(type, values)) if array.ndim else {type(values)}
    odd = tuple(kind for kind in kinds if issubclass(kind, _NO_NUMBERS))
    if odd:
        value = next(value for value in values if isinstance(value, odd))
        raise DTypeError(f"{what} is of dtype object and holds {value!r}; allowed: numbers, bools and None")
    pandas = sys.modules.get("pandas")
    if pandas is not None and type(pandas.NA) in kinds:
        array = np.array([None if value is pandas.NA else value for value in values], object)
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as e:
        raise DTypeError(f"{what} is of dtype object; allowed: numbers, bools and None: {e}") from e


def _read_frame(frame: Any) -> _capi.Matrix:
    names, dtypes = column_names(frame), set(frame.dtypes)
    if len(dtypes) == 1 and next(iter(dtypes)).kind in _NUMBERS and isinstance(next(iter(dtypes)), np.dtype):
        return _capi.dense(_numbers(frame.to_numpy(), "x"), names)
    if dtypes and all(map(_is_sparse_dtype, dtypes)) and "scipy.sparse" in sys.modules:
        matrix = _read_sparse(frame.sparse.to_coo())
        matrix.names = names
        return matrix
    columns = [_column(frame.iloc[:, j], f"column {name!r}") for j, name in enumerate(frame.columns)]
    return _capi.columns(columns, len(frame), names)


def _is_sparse_dtype(dtype: Any) -> bool:
    """Whether a pandas column is sparse as in scipy: numbers, and 0 where no number is stored."""
    return str(dtype).startswith("Sparse[") and dtype.kind in _NUMBERS and dtype.fill_value == 0


def _column(column: Any, what: str) -> Array:
    """A pandas column as float64."""
    dtype = column.dtype
    if isinstance(dtype, np.dtype):
        values = _numbers(column.to_numpy(), what)
    elif dtype.kind in _NUMBERS:
        values = column.to_numpy(np.float64, na_value=np.nan)
    else:
        raise DTypeError(f"{what} is of dtype {dtype}; allowed: numbers and bools")
    return np.ascontiguousarray(values, np.float64)


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
