"""Prediction by ``libaoso_predict``, in children created by ``fork``, where ``libaoso`` cannot run.

``aoso_predict.h`` documents the library. It returns the bits that ``libaoso`` returns, on one thread."""

from __future__ import annotations

import ctypes as c
import functools
import itertools
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _library, errors
from . import _structs as structs
from ._input import _CSC, _CSR, _DENSE, _TABLE, Array, Matrix, address
from ._living import free_with
from ._scalars import integer

if TYPE_CHECKING:
    from ._columns import Column

_BLOCK = 1 << 14  # rows that are converted at once


class _Rows(c.Structure):
    _fields_ = [
        ("data", c.c_void_p),
        ("type", c.c_int32),
        ("reserved", c.c_int32),
        ("rows", c.c_int64),
        ("cols", c.c_int64),
        ("row_stride", c.c_int64),
        ("col_stride", c.c_int64),
    ]


def _rows(array: Array) -> _Rows:
    """An array of float32 or float64."""
    strides = (stride // array.itemsize for stride in array.strides)
    return _Rows(address(array), 1 if array.itemsize == 4 else 2, 0, *array.shape, *strides)


@functools.cache
def _loaded() -> c.CDLL:
    path = Path(_library._path()).with_name("libaoso_predict.so")
    try:
        library = c.CDLL(str(path))
    except OSError as e:
        raise errors.LibraryError(f"{path} cannot be loaded: {e}") from e
    library.aosop_last_error.restype = c.c_char_p
    library.aosop_decode.argtypes = c.c_char_p, c.c_size_t, c.POINTER(c.c_void_p)
    library.aosop_free.argtypes = (c.c_void_p,)
    library.aosop_free.restype = None
    for name in ("predict", "predict_proba", "predict_raw", "predict_leaf"):
        getattr(library, "aosop_" + name).argtypes = c.c_void_p, c.POINTER(_Rows), c.c_int64, c.c_void_p, c.c_int64
    library.aosop_raw_to_proba.argtypes = c.c_void_p, c.c_void_p, c.c_int64
    library.aosop_unpack.argtypes = c.c_char_p, c.c_size_t, c.c_char_p, c.c_int64, c.c_void_p, c.c_size_t
    return library


def _call(name: str, *arguments: Any) -> None:
    library = _loaded()
    status = getattr(library, "aosop_" + name)(*arguments)
    if status != 0:
        text = library.aosop_last_error().decode(errors="replace")
        raise _library._ERRORS.get(status, errors.InternalError)(text)


class Twin:
    """A model from the bytes of a model file, for prediction only.

    Attributes
    ----------
    meta : dict
        What the header of the file says of the model.
    conformal : dict
        The arrays of the conformity scores, by name.
    categories : list
        The names of the categories of each feature; None for a numeric one.
    """

    def __init__(self, data: bytes) -> None:
        self._model = _Model()
        _call("decode", data, len(data), c.byref(self._model._as_parameter_))
        self.meta, arrays = _read_arrays(data)
        self.conformal = {name: array for name, array in arrays.items() if name.startswith("conformal_")}
        self.features: list[str] = self.meta["features"]
        self.classes: list[str] = self.meta["classes"]
        self.categories = _read_categories(arrays)

    def info(self) -> tuple[int, int, int, int, float, int, bool]:
        """The fields of :class:`aoso._capi.ModelInfo`."""
        meta = self.meta
        rows = meta["conformal"]["rows"] if "conformal" in meta else 0
        return (
            len(self.classes),
            len(self.features),
            meta["trees"],
            meta["trees_per_iteration"],
            meta.get("temperature", 1.0),
            rows,
            meta.get("named", self.features != [f"f{j}" for j in range(len(self.features))]),
        )

    def predict(self, kind: str, x: Matrix, width: int, trees: int) -> Array:
        """As :func:`aoso._capi.predict`."""
        if x.shape[1] != len(self.features):
            raise errors.ArgumentError(
                f"features is {x.shape[1]} columns; allowed: {len(self.features)} columns, the features of the model"
            )
        out = np.empty((x.shape[0], width), np.int32 if kind in ("", "leaf") else np.float64)
        for first, rows in self._blocks(x):
            block = out[first : first + len(rows)]
            _call(
                "predict" + (kind and "_" + kind),
                self._model,
                _rows(rows),
                integer("trees", trees),
                address(block),
                block.size,
            )
        return out

    def raw_to_proba(self, raw: Array) -> None:
        """Replace raw scores, contiguous, by probabilities."""
        _call("raw_to_proba", self._model, address(raw), raw.size)

    def row_call(self, kind: str, row: Array, out: Array, trees: int) -> functools.partial[None]:
        """What predicts a row in ``row`` into ``out``."""
        return functools.partial(
            _call, "predict" + (kind and "_" + kind), self._model, _rows(row[np.newaxis]), trees, address(out), out.size
        )

    def _blocks(self, x: Matrix) -> Iterator[tuple[int, Array]]:
        """Blocks of rows, as the library reads them, with the number of their first row."""
        kind, parts = x.kind, x.parts
        if kind == _DENSE and self.categories is None and parts[0].dtype in (np.float32, np.float64):
            yield 0, parts[0]
            return
        if kind not in (_CSC, _CSR, _DENSE):
            columns = parts if kind == _TABLE else _arrow_columns(parts)
            columns = [column.coded() if column.coded and self._categories_of(j) else column for j, column in enumerate(columns)]
            lookups = [_lookup(column, self._categories_of(j), j) for j, column in enumerate(columns)]
            for first in range(0, x.shape[0], _BLOCK):
                yield first, _table_rows(columns, lookups, first, min(first + _BLOCK, x.shape[0]))
            return
        read = parts[0].__getitem__ if kind == _DENSE else _sparse_rows(kind, parts, x.shape)
        for first in range(0, x.shape[0], _BLOCK):
            rows = read(slice(first, min(first + _BLOCK, x.shape[0])))
            yield first, self._numbers_of(rows)

    def _categories_of(self, feature: int) -> list[str] | None:
        return None if self.categories is None else self.categories[feature]

    def _numbers_of(self, rows: Array) -> Array:
        """An array of numbers as the library reads it, with the positions of categories in place of numbers that stand for them."""
        numbers = rows.astype(np.float64, order="F")
        for j, names in enumerate(self.categories or ()):
            if names is not None:
                numbers[:, j] = _place(rows[:, j], names)
        return numbers


class _Model:
    """A model of the library, freed with this object."""

    def __init__(self) -> None:
        self._as_parameter_ = c.c_void_p()
        free_with(self, _loaded().aosop_free, self._as_parameter_)


def _read_arrays(data: bytes) -> tuple[dict[str, Any], dict[str, Array]]:
    """What the header of a model file says of the model, and the arrays of conformity scores and categories by name. The file
    has been checked."""
    header = json.loads(data[32 : 32 + int.from_bytes(data[16:24], "little")])
    wanted = (a for a in header["arrays"] if a["count"] and a["name"].startswith(("conformal_", "categor")))
    return header["meta"], {a["name"]: _read_array(data, **a) for a in wanted}


def _read_array(data: bytes, type: str, count: int, offset: int, packed: int = 0, **others: str) -> Array:
    array = np.empty(count, f"<{type[0]}{int(type[1:]) // 8}")
    if packed:
        code = data[offset : offset + packed]
        _call("unpack", code, packed, type.encode(), count, address(array), array.nbytes)
    else:
        array[:] = np.frombuffer(data, array.dtype, count, offset)
    return array


def _read_categories(arrays: dict[str, Array]) -> list[list[str] | None] | None:
    if "categories" not in arrays:
        return None
    text = arrays.get("category_names", np.empty(0, np.uint8)).tobytes()
    ends = arrays.get("category_name_ends", np.empty(0, np.uint64)).tolist()
    names = (text[begin:end].decode() for begin, end in zip([0, *ends], ends))
    counts = arrays["categories"].tolist()
    return [None if count < 0 else list(itertools.islice(names, count)) for count in counts]


# --------------------------------------------------------------------- tables --


def _sparse_rows(kind: int, parts: Sequence[Any], shape: tuple[int, int]) -> Any:
    from scipy import sparse  # the matrix is one of scipy's

    indptr, indices, data = parts
    form = sparse.csr_matrix if kind == _CSR else sparse.csc_matrix
    matrix = form((data, indices, indptr), shape=shape).tocsr()
    return lambda rows: matrix[rows].toarray()


def _table_rows(columns: Sequence[Column], lookups: Sequence[Any], first: int, last: int) -> Array:
    rows = np.empty((last - first, len(columns)), order="F")
    for j, ((values, *_), lookup) in enumerate(zip(columns, lookups)):
        rows[:, j] = lookup(values[first:last])
    return rows


def _lookup(column: Column, names: list[str] | None, j: int) -> Any:
    """What makes of a column the numbers that the library reads: of categories, their positions in the model."""
    if column[1] is None:
        return (lambda values: values) if names is None else (lambda values: _place(values, names))
    if names is None:
        found = [_number(name) for name in column[1]]
        if None in found:
            name = column[1][found.index(None)]
            raise errors.ArgumentError(
                f"column {j} has the category {name!r}; allowed: numbers, since the feature is numeric"
            )
    else:
        known = {name: i for i, name in enumerate(names)}
        found = [known.get(name, len(names)) for name in column[1]]
    # The last number is that of missing values, whose code is -1 here.
    numbers = np.array([np.nan if name == "" else number for name, number in zip(column[1], found)] + [np.nan])
    return lambda codes: numbers[np.maximum(codes.astype(np.int64), -1)]


def _place(values: Array, names: list[str]) -> Array:
    """The positions of the categories that numbers stand for."""
    known: dict[float, int] = {}
    for i, name in enumerate(names):
        number = _number(name)
        if number is not None and (number not in known or _name(number) == name):
            known[number] = i
    different, which = np.unique(values, return_inverse=True)
    whole = values.dtype.kind in "iu"  # whose digits count beyond 2**53
    exact = {name: i for i, name in enumerate(names)} if whole else {}
    rounded = {number: i for number, i in known.items() if not whole or abs(number) < 2**53}
    positions = [np.nan if v != v else exact.get(str(v), rounded.get(v, len(names))) for v in different.tolist()]
    return np.array(positions, np.float64)[which.reshape(-1)]


_NUMBER = re.compile(r"[+-]?(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(e[+-]?\d+)?|[+-]?inf(inity)?|nan", re.ASCII | re.IGNORECASE)


def _number(name: str) -> float | None:
    """The number that a name is."""
    try:
        number = float(name) if _NUMBER.fullmatch(name) else None
    except ValueError:
        return None
    return None if number is not None and np.isinf(number) and "n" not in name.lower() else number


def _name(number: float) -> str:
    """The name of the category that a number stands for."""
    if number.is_integer() and abs(number) < 1e21:
        return str(int(number))
    if 1e-4 <= abs(number) < 1e21:
        return str(np.format_float_positional(number, trim="-"))
    return repr(number + 0.0).replace(".0", "")


def _arrow_columns(capsules: Sequence[Any]) -> list[Column]:
    """The columns of an Arrow table."""
    try:
        import pyarrow as pa
    except ImportError as e:
        raise errors.ForkError(
            "in a process created by fork, Arrow tables need pyarrow; give an array, or a data frame of pandas"
        ) from e
    from . import _columns

    if len(capsules) == 2:
        arrow = pa.Table.from_batches([pa.RecordBatch._import_from_c_capsule(*capsules)])
    else:
        arrow = pa.RecordBatchReader._import_from_c_capsule(*capsules).read_all()
    parts = []
    for name, column in zip(arrow.column_names, arrow.columns):
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        text = str(column.type) in ("string", "large_string", "string_view")
        apart = text or (pa.types.is_integer(column.type) and column.null_count > 0)  # which numpy would round
        values = np.array(column.to_pylist(), object) if apart else column.to_numpy()
        parts.append(_columns.from_array(values, f"column {name!r}"))
    return parts
