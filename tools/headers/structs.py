"""The structs of ``aoso.h``, and of the Arrow C data interface, for ctypes."""

from __future__ import annotations

import ctypes as c
import functools
from typing import Any

import numpy as np

from ._parameters import FIELDS
from ._scalars import integer


class Struct(c.Structure):
    """A struct that begins with its own size."""

    def __init__(self, **fields: Any) -> None:
        super().__init__(struct_size=c.sizeof(self), **fields)

    def set_integer(self, name: str, value: Any, field: str | None = None) -> None:
        """Set a field to the user's value for ``name``. Raise an error if it does not fit; ctypes would truncate it."""
        setattr(self, field or name, integer(name, value, *_bounds(type(self), field or name)))


@functools.cache
def _bounds(struct: Any, field: str) -> tuple[int, int]:
    kind = dict(struct._fields_)[field]
    bits = 8 * c.sizeof(kind)
    return (0, 2**bits - 1) if kind(-1).value > 0 else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


# The structs of the headers stand here.


class Params(Struct):
    _fields_ = [
        ("struct_size", c.c_uint32),
        *((name, getattr(c, "c_" + kind)) for name, kind in FIELDS),
    ]


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
