"""Tables in any common form: numpy, pandas, polars, pyarrow, scipy, lists."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Container
from typing import Any

import numpy as np

from . import _capi, _columns
from ._capi import Array
from ._columns import NUMBERS, is_pandas
from .errors import ArgumentError, DTypeError


def read(x: Any, feature_names: list[str] | None = None) -> _capi.Matrix:
    """Describe a table for the library. Convert only what the library cannot read in place.

    The columns are named by ``feature_names``, or as in ``x``.
    """
    matrix = _read(x)
    if feature_names is not None:
        matrix.names = [str(name) for name in feature_names]
    return matrix


def read_as(x: Any, features: list[str], named: bool, categories: Container[str], *, labelled: bool = False) -> _capi.Matrix:
    """As :func:`read`, with the columns that are features, in their order.

    Columns are found by name if both have names, else by position: see :func:`positions`. Columns that are no features are left
    out. If there are several, or one that cannot be the label because the rows are ``labelled`` otherwise, warn. ``categories``
    are the names of the categorical features.
    """
    matrix = _in_order(x, features, named, labelled)
    return matrix.coded(j for j, name in enumerate(features[: matrix.shape[1]]) if name in categories)


def _in_order(x: Any, features: list[str], named: bool, labelled: bool) -> _capi.Matrix:
    x = known(x)
    matrix = read(x)
    names = matrix.names
    if names is None and named and is_frame(x):  # its columns are called 0, 1, ...
        default = list(map(str, range(matrix.shape[1])))
        names = default if set(features) <= set(default) else None
    order = positions(names, features, named)
    if order is None or names is None:
        return matrix
    strange = _without(names, features)
    if named and len(strange) > (not labelled):
        warnings.warn(f"columns of x are left out, because they are no features: {_listed(strange)}", stacklevel=5)
    return read(_columns_of(x, order, [names[j] for j in order]))


def positions(names: list[str] | None, features: list[str], named: bool) -> list[int] | None:
    """The position of each feature among columns; None if all are there in their order, or if columns are taken by position.

    That is so if they have no names, or features that nobody has named: then only columns that have the generated names, or are
    called 0, 1, ..., are put in order.
    """
    if names is None or names == features:
        return None
    place = {name: j for j, name in enumerate(names)}
    if not named:
        for these in (features, [str(j) for j in range(len(features))]):
            if len(names) == len(these) and place.keys() == set(these):
                return [place[name] for name in these]
        return None
    missing = _without(features, names)
    if missing:
        strange = _without(names, features)
        others = f"; unknown: {_listed(strange)}" if strange else ""
        raise ArgumentError(f"x has {len(names)} columns, but not all of the {len(features)} features; missing: {_listed(missing)}{others}")
    twice = next((name for name in features if names.count(name) > 1), None)
    if twice is not None:
        raise ArgumentError(f"x has several columns called {twice!r}; allowed: one for each feature")
    return [place[name] for name in features]


def _columns_of(x: Any, order: list[int], names: list[str]) -> Any:
    """Some columns of a table with names."""
    if is_frame(x):
        return x.iloc[:, order]
    if type(x).__module__.partition(".")[0] == "polars":
        return x.select(names)
    if not hasattr(x, "select"):
        import pyarrow as pa

        x = pa.table(x)
    return x.select(order)


def vector(values: Any, size: int, what: str, each: str) -> Array:
    """A vector of ``size`` numbers. ``each`` says in errors what there is one number for."""
    try:
        series = is_pandas(values, "Series")
        array = values if series else _array(values)
        column = _columns.from_series(array, what) if series else _columns.from_array(array, what) if array.ndim == 1 else None
    except DTypeError:
        raise
    except ValueError as e:
        raise ArgumentError(f"{what} is not numbers: {e}") from e
    if array.shape != (size,) or column is None:
        raise ArgumentError(f"{what} has shape {array.shape}; allowed: ({size},), {each}")
    if column.categories is not None:
        raise DTypeError(f"{what} is of dtype {array.dtype}; allowed: numbers and bools")
    return column.values


def weights(weight: Any, rows: int) -> Array | None:
    """The weights of the given number of rows, as float64; None if there are none."""
    if weight is None:
        return None
    return np.ascontiguousarray(vector(weight, rows, "weight", "one number per row of x"), np.float64)


def mask(x: Any) -> Any:
    """The mask of a masked array; None for others. It does not import numpy.ma, which would take 6 MB: whoever has a masked array has it."""
    ma = sys.modules.get("numpy.ma")
    return x.mask if ma is not None and isinstance(x, ma.MaskedArray) else None


def row_ids(row_id: Any, rows: int) -> Array | None:
    """The ids of the given number of rows, as uint64; None if there are none. A negative id n becomes 2**64 + n."""
    if row_id is None:
        return None
    ids = np.asarray(row_id)
    if ids.shape != (rows,):
        raise ArgumentError(f"row_id has shape {ids.shape}; allowed: ({rows},), one integer per row of x")
    if ids.dtype.kind == "O" and all(isinstance(i, (int, np.integer)) and not isinstance(i, bool) for i in ids):
        ids = np.array(ids.tolist())
    if ids.dtype.kind not in "iu" or np.any(mask(row_id)):
        raise DTypeError(f"row_id is of dtype {ids.dtype}, or has missing values; allowed: integers")
    if ids.dtype.kind == "i":
        return np.ascontiguousarray(ids, np.int64).view(np.uint64)
    return np.ascontiguousarray(ids, np.uint64)


def checkable(x: Any) -> tuple[Any, bool]:
    """A table for scikit-learn's checks, and whether these can read it as numbers.

    What they would read differently from a Dataset becomes numbers: objects, masked values and times. Leave other shapes than
    rows × columns and complex numbers to scikit-learn, which has its own errors for them.
    """
    if _is_sparse(x):
        _check_compressed(x)
    if not isinstance(x, (np.ndarray, list, tuple)):
        return x, True
    array = _rows(x)
    if array.ndim != 2 or array.dtype.kind == "c":
        return x, True
    if array.dtype.kind not in "OUST":
        return _columns.numbers(array, "x"), True
    parts = _parts(array)
    if not parts or _are_apart(parts):
        return array, False
    return np.column_stack([part.values for part in parts]), True


def categorical(spec: Any, x: _capi.Matrix) -> list[int]:
    """The columns of numbers that stand for categories.

    ``spec`` is "from_dtype", None, a mask, numbers or names of columns. Raise an error if another column has categories.
    """
    if isinstance(spec, str):
        if spec != "from_dtype":
            raise ArgumentError(f"categorical_features is {spec!r}; allowed: 'from_dtype', None, or a list of features")
        return []
    chosen = _chosen(spec, x)
    others = set(x.categorical).difference(chosen)
    if others:
        j = min(others)
        which = f"{j}" if x.names is None else f"{x.names[j]!r}"
        raise DTypeError(f"column {which} has categories; allowed: numbers, since categorical_features does not list it")
    return sorted(set(chosen).difference(x.categorical))


def _chosen(spec: Any, x: _capi.Matrix) -> list[int]:
    """The numbers of the columns that a list names."""
    if spec is None:
        return []
    _, cols = x.shape
    given = np.asarray(spec) if len(spec) else np.zeros(0, int)
    if given.ndim != 1 or given.dtype.kind not in "biuUTO":
        raise ArgumentError(f"categorical_features is {spec!r}; allowed: a mask, numbers or names of columns")
    if given.dtype.kind == "b":
        if len(given) != cols:
            raise ArgumentError(f"categorical_features is a mask of {len(given)} columns; allowed: {cols}, as in x")
        return [int(j) for j in np.flatnonzero(given)]
    if given.dtype.kind in "iu":
        for j in given:
            if not 0 <= j < cols:
                raise ArgumentError(f"categorical_features has {j}; allowed: 0 to {cols - 1}, the columns of x")
        return [int(j) for j in given]
    position = {name: j for j, name in enumerate(x.names or [])}
    for name in given.tolist():
        if name not in position:
            raise ArgumentError(f"categorical_features has {name!r}; allowed: the names of columns of x")
    return [position[name] for name in given.tolist()]


def is_arrow(x: Any) -> bool:
    """Whether ``x`` is an Arrow table. Tables of pandas do not count."""
    has_interface = hasattr(x, "__arrow_c_stream__") or hasattr(x, "__arrow_c_array__")
    return has_interface and not (is_pandas(x) or is_pandas(x, "Series"))


def is_frame(x: Any) -> bool:
    """Whether ``x`` is a pandas data frame."""
    return is_pandas(x)


def column_names(x: Any) -> list[str] | None:
    """The column names of a data frame as strings; None if they are 0, 1, ..., which pandas gives to columns without names."""
    names = x.columns.tolist()
    if not names or (names == list(range(len(names))) and not any(isinstance(name, bool) for name in names)):
        return None
    return [" ".join(map(str, name)) if isinstance(name, tuple) else str(name) for name in names]


def check_distinct(names: list[str] | None) -> None:
    """Raise an error if two columns have the same name."""
    if names is not None and len(set(names)) < len(names):
        twice = next(name for j, name in enumerate(names) if name in names[:j])
        raise ArgumentError(f"feature name {twice!r} is given twice; allowed: each name once")


def check_names(given: list[str], expected: list[str]) -> None:
    """Raise an error if columns have other names or another order than in training, as scikit-learn does for data frames."""
    if given == expected:
        return
    order = positions(given, expected, named=True)
    strange = _without(given, expected)
    if strange or order is None:
        raise ArgumentError(f"x has {len(given)} columns that are not the {len(expected)} features; unknown: {_listed(strange)}")
    j = next(j for j, (a, b) in enumerate(zip(given, expected)) if a != b)
    raise ArgumentError(f"x has the features in another order: column {j} is {given[j]!r}, feature {j} is {expected[j]!r}")


def check_length(x: Any, y: Array) -> None:
    """Raise an error unless there are as many labels as rows."""
    rows = x.shape[0] if hasattr(x, "shape") else len(x)
    if y.ndim == 1 and len(y) != rows:
        raise ArgumentError(f"y has {len(y)} labels; allowed: {rows}, one for each row of x")


def take(x: Any, rows: Array) -> Any:
    """The given rows of a table."""
    x = known(x)
    if is_frame(x):
        return x.iloc[rows]
    if hasattr(x, "take") and is_arrow(x):
        try:
            return x.take(rows)
        except NotImplementedError as e:  # pyarrow's, of types that hold no numbers
            raise DTypeError(f"x has a column of a type that is not allowed: {e}; allowed: numbers, texts and categories") from e
    if is_arrow(x):
        return x[rows]
    if _is_sparse(x):
        _check_compressed(x)
        return x.tocsr()[rows]
    return (_rows(x) if isinstance(x, (list, tuple)) else np.asanyarray(x))[rows]  # any: masks stay


def known(x: Any) -> Any:
    """A frame that narwhals knows, such as of modin, ibis or polars' LazyFrame, as an Arrow table. Others are left as they are."""
    library = type(x).__module__.partition(".")[0]
    if library not in ("duckdb", "ibis", "modin", "narwhals", "polars") or (library == "polars" and hasattr(x, "__len__")):
        return x
    try:
        import narwhals
    except ImportError as e:
        raise ImportError(f"frames of type {type(x).__name__} need narwhals: pip install narwhals pyarrow ({e})") from e
    frame = narwhals.from_native(x, pass_through=True)
    if isinstance(frame, narwhals.LazyFrame):
        frame = frame.collect("pyarrow")
    return frame.to_arrow() if isinstance(frame, narwhals.DataFrame) else x


def _read(x: Any) -> _capi.Matrix:
    x = known(x)
    if is_frame(x):
        return _read_frame(x)
    if is_arrow(x):
        return _read_arrow(x)
    if _is_sparse(x):
        return _read_sparse(x)
    array = _rows(x)
    if array.ndim != 2:
        raise ArgumentError(f"x has shape {array.shape}; allowed: rows × columns")
    if array.dtype.kind not in "OUST":
        return _capi.dense(_columns.numbers(array, "x"))
    parts = _parts(array)
    if parts and not _are_apart(parts):
        return _capi.dense(np.column_stack([part.values for part in parts]))
    return _capi.table(parts, len(array))


def _read_arrow(x: Any) -> _capi.Matrix:
    if hasattr(x, "__arrow_c_array__"):
        return _capi.arrow_array(*x.__arrow_c_array__())
    if not hasattr(x, "__len__"):
        raise ArgumentError(f"x is a {type(x).__name__} of unknown length; allowed: a table, such as from read_all()")
    return _capi.arrow_stream(x.__arrow_c_stream__(), len(x))


def _are_apart(parts: list[_columns.Column]) -> bool:
    """Whether columns cannot be one array of numbers: categories, or integers that it would round."""
    if any(part.categories is not None or part.coded is not None for part in parts):
        return True
    dtypes = {part.values.dtype for part in parts}
    return len(dtypes) > 1 and any(dtype.kind in "iu" and dtype.itemsize == 8 for dtype in dtypes)


def _parts(array: Array) -> list[_columns.Column]:
    """The columns of an array of objects or texts."""
    return [_columns.from_array(array[:, j], f"column {j} of x") for j in range(array.shape[1])]


def _rows(x: Any) -> Array:
    try:
        array = _array(x)
        if array.dtype.kind in "US" and isinstance(x, (list, tuple)):
            array = np.array(x, object)  # numbers beside texts stay numbers
        return array
    except ValueError as e:
        raise ArgumentError(f"x is not rows of equal length: {e}") from e


def _array(x: Any) -> Array:
    masked = mask(x)
    if masked is None:
        return np.asarray(x)
    values: Array = np.asarray(x).astype(np.float64 if x.dtype.kind in NUMBERS else object)
    values[masked] = np.nan
    return values


def _is_sparse(x: Any) -> bool:
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(x))


def _read_frame(frame: Any) -> _capi.Matrix:
    names, dtypes = column_names(frame), set(frame.dtypes)
    if len(dtypes) == 1 and next(iter(dtypes)).kind in NUMBERS and isinstance(next(iter(dtypes)), np.dtype):
        return _capi.dense(_columns.numbers(frame.to_numpy(), "x"), names)
    if dtypes and all(map(_is_sparse_dtype, dtypes)) and "scipy.sparse" in sys.modules:
        matrix = _read_sparse(frame.sparse.to_coo())
        matrix.names = names
        return matrix
    parts = [_columns.from_series(frame.iloc[:, j], f"column {name!r}") for j, name in enumerate(frame.columns)]
    return _capi.table(parts, len(frame), names)


def _is_sparse_dtype(dtype: Any) -> bool:
    """Whether a pandas column is sparse as in scipy: numbers, and 0 where no number is stored."""
    return str(dtype).startswith("Sparse[") and dtype.kind in NUMBERS and dtype.fill_value == 0


def _read_sparse(x: Any) -> _capi.Matrix:
    if x.ndim != 2:
        raise ArgumentError(f"x has shape {x.shape}; allowed: rows × columns")
    _check_compressed(x)
    if x.format not in ("csr", "csc"):
        x = x.tocsr()
    if not x.has_canonical_format:
        x = x.copy()
        x.sum_duplicates()
    index_dtype = np.int32 if x.indptr.dtype == x.indices.dtype == np.int32 else np.int64
    indptr, indices = (np.ascontiguousarray(a, index_dtype) for a in (x.indptr, x.indices))
    data = np.ascontiguousarray(_columns.numbers(x.data, "x"))
    return _capi.compressed(x.format == "csr", indptr, indices, data[: indptr[-1]], x.shape)


def _check_compressed(x: Any) -> None:
    """Raise an error if a row or column of a sparse matrix ends before it begins, or if there are entries beyond the matrix, where
    scipy would read."""
    if x.format not in ("csr", "csc"):
        return
    starts, entries = np.asarray(x.indptr), min(len(x.indices), len(x.data))
    wrong = np.flatnonzero((np.diff(starts) < 0) | (starts[1:] > entries))
    if starts[0] != 0:
        raise ArgumentError(f"x.indptr[0] is {starts[0]}; allowed: 0")
    if len(wrong):
        i = wrong[0] + 1
        raise ArgumentError(f"x.indptr[{i}] is {starts[i]}; allowed: {starts[i - 1]}, as in x.indptr[{i - 1}], to {entries}, the number of entries")
    places, most = np.asarray(x.indices)[: starts[-1]], x.shape[1 if x.format == "csr" else 0] - 1
    if len(places) and (places.min() < 0 or places.max() > most):
        i = np.flatnonzero((places < 0) | (places > most))[0]
        raise ArgumentError(f"x.indices[{i}] is {places[i]}; allowed: 0 to {most}")


def _without(names: list[str], others: list[str]) -> list[str]:
    among = set(others)
    return [name for name in names if name not in among]


def _listed(names: list[str]) -> str:
    most = 5
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more
