"""Objects and what is to happen at their end, without Python code that runs then.

Python runs signal handlers between any two lines of Python. In a finalizer, ``__del__`` or a callback of a weak reference,
which ``WeakSet`` and ``weakref.finalize`` have too, their exceptions are printed and lost. Here, C calls C.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

_Object = TypeVar("_Object")


class Living(Generic[_Object]):
    """The objects of those added that still exist."""

    def __init__(self) -> None:
        self._references: set[Any] = set()
        self._enough = 64

    def add(self, reference: weakref.ref[_Object]) -> None:
        self._references.add(reference)
        if len(self._references) > self._enough:
            for old in list(self._references):
                if old() is None:
                    self._references.discard(old)
            self._enough = 64 + 2 * len(self._references)

    def __iter__(self) -> Iterator[_Object]:
        return (found for reference in list(self._references) if (found := reference()) is not None)


class _Owner(weakref.ref):  # type: ignore[type-arg]
    """A weak reference that ctypes passes to C as a handle."""

    __slots__ = ("_as_parameter_",)
    _as_parameter_: Any


_owners: Living[Any] = Living()


def free_with(owner: Any, free: Callable[[Any], Any], handle: Any) -> None:
    """Call a function of C with a handle when its owner goes, but not at the end of the process: threads, other exit handlers
    and ``__del__`` may still use the handle then."""
    reference = _Owner(owner, free)
    reference._as_parameter_ = handle
    _owners.add(reference)
