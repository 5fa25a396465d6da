"""What the C library reads: tables and labels in memory."""

from __future__ import annotations

import ctypes as c
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from . import _structs as structs
from . import errors

Array = np.ndarray[Any, Any]

_DENSE, _COLUMNS, _CSR, _CSC, _ARROW, _ARROW_STREAM, _TABLE = range(7)
_DTYPES = {"f4": 1, "f8": 2, "i1": 3, "i2": 4, "i4": 5, "i8": 6, "u1": 7, "u2": 8, "u4": 9, "u8": 10}


def address(array: Array) -> int:
    # NumPy describes the fields of a structure in Python, and loses what the handler of a signal raises there.
    at: int = array.ctypes.data if array.dtype.names else array.__array_interface__["data"][0]
    return at


def strings(what: str, texts: list[str]) -> Any:
    for text in texts:
        if "\0" in text:
            raise errors.ArgumentError(f"{what} {text!r} has a null character; allowed: any other")
    try:
        return (c.c_char_p * len(texts))(*(text.encode() for text in texts))
    except UnicodeEncodeError as e:
        raise errors.ArgumentError(f"{what} {e.object!r} has half a surrogate pair; allowed: text") from e


class Matrix:
    """A table in memory, the names of its columns, if any, and the numbers of those that are categorical."""

    def __init__(self, struct: structs.Matrix, names: list[str] | None, *keep: Any, categorical: Sequence[int] = ()) -> None:
        self.struct, self.names, self.categorical, self._keep = struct, names, categorical, keep

    @property
    def kind(self) -> int:
        """Its layout, as in ``aoso_matrix``."""
        layout: int = self.struct.layout
        return layout

    @property
    def parts(self) -> Any:
        """What the table is made of: an array; three arrays; columns; or capsules of Arrow."""
        return self._keep[0] if self.kind == _TABLE else self._keep

    def coded(self, columns: Iterable[int]) -> Matrix:
        """The table with all digits of the integers in columns that stand for categories."""
        parts = list(self.parts) if self.kind == _TABLE else []
        lossy = [j for j in columns if parts and parts[j].coded is not None]
        for j in lossy:
            parts[j] = parts[j].coded()
        return table(parts, self.shape[0], self.names) if lossy else self

    @property
    def shape(self) -> tuple[int, int]:
        return self.struct.rows, self.struct.cols


def readable(array: Array) -> bool:
    """Whether the library can read an array in place."""
    d = array.dtype
    return (
        f"{d.kind}{d.itemsize}" in _DTYPES
        and d.isnative
        and array.flags.aligned
        and all(stride % d.itemsize == 0 for stride in array.strides)
    )


def _dtype(array: Array) -> int:
    return _DTYPES[f"{array.dtype.kind}{array.dtype.itemsize}"]


def dense(array: Array, names: list[str] | None = None) -> Matrix:
    """A dense matrix from a readable 2-d array."""
    row, col = (stride // array.itemsize for stride in array.strides)
    rows, cols = array.shape
    struct = structs.Matrix(
        layout=_DENSE, dtype=_dtype(array), rows=rows, cols=cols, data=address(array), row_stride=row, col_stride=col
    )
    return Matrix(struct, names, array)


def table(parts: Sequence[Any], rows: int, names: list[str] | None = None) -> Matrix:
    """A table of columns, each readable and of any type: see :class:`aoso._columns.Column`."""
    described = (structs.Column * len(parts))()
    keep: list[Any] = []
    for j, (values, categories, _) in enumerate(parts):
        stride = values.strides[0] // values.itemsize
        column = structs.Column(dtype=_dtype(values), data=address(values), stride=stride)
        if categories is not None:
            text, offsets = _joined(categories)
            column.kind, column.num_categories, column.text, column.text_offsets = 1, len(categories), text, address(offsets)
            keep += text, offsets
        described[j] = column
    struct = structs.Matrix(layout=_TABLE, rows=rows, cols=len(parts), table=c.addressof(described))
    categorical = [j for j, part in enumerate(parts) if part.categories is not None]
    return Matrix(struct, names, parts, described, keep, categorical=categorical)


def _joined(categories: list[str]) -> tuple[bytes, Array]:
    """The names of categories as one text, and where each begins."""
    for name in categories:
        if "\0" in name:
            raise errors.ArgumentError(f"category {name!r} has a null character; allowed: any other")
    try:
        encoded = [name.encode() for name in categories]
    except UnicodeEncodeError as e:
        raise errors.ArgumentError(f"category {e.object!r} has half a surrogate pair; allowed: text") from e
    return b"".join(encoded), np.cumsum([0, *map(len, encoded)], dtype=np.int64)


def compressed(
    by_row: bool,
    indptr: Array,
    indices: Array,
    data: Array,
    shape: tuple[int, int],
) -> Matrix:
    """A sparse matrix, CSR or CSC, from contiguous, readable arrays. Both index arrays have the same type."""
    struct = structs.Matrix(
        layout=_CSR if by_row else _CSC,
        dtype=_dtype(data),
        index_dtype=_dtype(indptr),
        rows=shape[0],
        cols=shape[1],
        data=address(data),
        indptr=address(indptr),
        indices=address(indices),
        nnz=len(data),
    )
    return Matrix(struct, None, indptr, indices, data)


class ArrowSchema(c.Structure):
    pass


ArrowSchema._fields_ = [
    ("format", c.c_char_p),
    ("name", c.c_char_p),
    ("metadata", c.c_void_p),
    ("flags", c.c_int64),
    ("n_children", c.c_int64),
    ("children", c.POINTER(c.POINTER(ArrowSchema))),
    ("dictionary", c.c_void_p),
    ("release", c.CFUNCTYPE(None, c.POINTER(ArrowSchema))),
    ("private_data", c.c_void_p),
]


class ArrowArrayLength(c.Structure):
    """The first field of ArrowArray."""

    _fields_ = [("length", c.c_int64)]


class ArrowStream(c.Structure):
    pass


ArrowStream._fields_ = [("get_schema", c.CFUNCTYPE(c.c_int, c.POINTER(ArrowStream), c.POINTER(ArrowSchema)))]


def _pointer(capsule: Any, name: bytes) -> int:
    get = c.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = c.c_void_p, (c.py_object, c.c_char_p)
    at: int = get(capsule, name)
    return at


def _children(schema: ArrowSchema) -> tuple[list[str] | None, list[int]]:
    """The names of the columns, if they have some, and the numbers of those that are categorical."""
    children = [schema.children[j].contents for j in range(schema.n_children)]
    names = [(child.name or b"").decode() for child in children]
    return None if names and not any(names) else names, [j for j, child in enumerate(children) if child.dictionary or child.format in (b"u", b"U", b"vu")]


def arrow_array(schema: Any, array: Any) -> Matrix:
    """A record batch from the capsules of ``__arrow_c_array__``."""
    at_schema, at_array = _pointer(schema, b"arrow_schema"), _pointer(array, b"arrow_array")
    names, categorical = _children(ArrowSchema.from_address(at_schema))
    rows, cols = ArrowArrayLength.from_address(at_array).length, ArrowSchema.from_address(at_schema).n_children
    struct = structs.Matrix(layout=_ARROW, rows=rows, cols=cols, arrow_array=at_array, arrow_schema=at_schema)
    return Matrix(struct, names, schema, array, categorical=categorical)


def arrow_stream(capsule: Any, rows: int) -> Matrix:
    """Record batches from the capsule of ``__arrow_c_stream__``, valid for one call."""
    at = _pointer(capsule, b"arrow_array_stream")
    stream, schema = ArrowStream.from_address(at), ArrowSchema()
    if not stream.get_schema or stream.get_schema(c.byref(stream), c.byref(schema)) != 0:
        raise errors.ArgumentError("x is an Arrow stream without a schema; allowed: record batches")
    (names, categorical), cols = _children(schema), schema.n_children
    schema.release(c.byref(schema))
    struct = structs.Matrix(layout=_ARROW_STREAM, rows=rows, cols=cols, arrow_stream=at)
    return Matrix(struct, names, capsule, categorical=categorical)


class Labels:
    """Labels as codes of named classes."""

    def __init__(self, codes: Array, names: list[str]) -> None:
        self._keep = codes = np.ascontiguousarray(codes, codes.dtype if codes.dtype.kind == "u" else np.int32)
        self.struct = structs.Labels(
            dtype=_dtype(codes),
            count=len(codes),
            data=address(codes),
            class_names=strings("label", names),
            num_class_names=len(names),
        )


class SoftLabels(Labels):
    """The share of each class in each row."""

    def __init__(self, shares: Matrix, names: list[str]) -> None:
        self._shares = shares
        self.struct = structs.Labels(
            count=shares.shape[0],
            shares=c.addressof(shares.struct),
            class_names=strings("label", names),
            num_class_names=len(names),
        )
