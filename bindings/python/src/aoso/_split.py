"""Groups and times of rows, which say what training holds out."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._capi import Array
from .errors import ArgumentError


@dataclass(frozen=True)
class Split:
    """Each has a number for each row, or is None."""

    groups: Array | None
    times: Array | None

    def write(self, options: Any) -> None:
        """Give a struct of the library the addresses; it must not outlive this object."""
        for name, values in (("groups", self.groups), ("times", self.times)):
            if values is not None:
                setattr(options, name, values.ctypes.data)
                options.num_rows = len(values)

    def take(self, rows: Array) -> Split:
        return Split(*(None if values is None else values[rows] for values in (self.groups, self.times)))


def split(groups: Any, times: Any, rows: int) -> Split:
    """Groups of any values, and times that are numbers or dates."""
    if groups is not None and times is not None:
        raise ArgumentError("times is given with groups; allowed: one of them")
    return Split(None if groups is None else _numbers(_column("groups", groups, rows)), None if times is None else _floats(_column("times", times, rows)))


def _column(name: str, values: Any, rows: int) -> Array:
    column = np.asarray(values)
    if column.shape != (rows,):
        raise ArgumentError(f"{name} has shape {column.shape}; allowed: ({rows},), one for each row")
    return column


def _numbers(groups: Array) -> Array:
    """Integers as they are. Others are hashed, so that a group has the same number on all ranks."""
    if groups.dtype.kind in "iub":
        return np.ascontiguousarray(groups.astype(np.int64 if groups.dtype.kind == "i" else np.uint64).view(np.uint64))
    values, positions = np.unique(groups.astype(str), return_inverse=True)
    hashes = [int.from_bytes(hashlib.blake2b(value.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little") for value in values]
    return np.array(hashes, np.uint64)[positions]


def _floats(times: Array) -> Array:
    if times.dtype.kind == "M":
        missing = np.isnat(times)
        return np.where(missing, np.nan, times.astype("datetime64[us]").astype(np.int64).astype(np.float64))
    try:
        return np.ascontiguousarray(times, np.float64)
    except (TypeError, ValueError):
        raise ArgumentError(f"times has {times.dtype} values; allowed: numbers or datetime64") from None
