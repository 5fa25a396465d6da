"""What the structs of ``aoso.h`` have in common, and the one that the table of parameters describes."""

from __future__ import annotations

import ctypes as c
import functools
from typing import Any

from ._parameters import FIELDS
from ._scalars import integer


class Struct(c.Structure):
    """A struct that begins with its own size."""

    def __init__(self, **fields: Any) -> None:
        super().__init__(struct_size=c.sizeof(self), **fields)

    def set_integer(self, name: str, value: Any) -> None:
        """Set a field to the user's value. Raise an error if it does not fit; ctypes would truncate it."""
        setattr(self, name, integer(name, value, *_bounds(type(self), name)))


@functools.cache
def _bounds(struct: Any, field: str) -> tuple[int, int]:
    kind = dict(struct._fields_)[field]
    bits = 8 * c.sizeof(kind)
    return (0, 2**bits - 1) if kind(-1).value > 0 else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


class Params(Struct):
    _fields_ = [
        ("struct_size", c.c_uint32),
        *((name, getattr(c, "c_" + kind)) for name, kind in FIELDS),
    ]
