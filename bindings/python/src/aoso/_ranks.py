"""A collective for the C library."""

from __future__ import annotations

import contextlib
import ctypes as c
import json
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import _structs as structs
from . import errors
from ._apart import apart
from ._input import Array
from ._library import Handle, _call, _create
from .collective import Collective
from .tcp import TCPCollective

_OPS = ("sum", "max")

Metric = tuple[str, float, bool]  # name, value, whether higher is better


class Ranks:
    """Calls functions of the library that call a collective."""

    def __init__(self, collective: Any) -> None:
        if not isinstance(collective, Collective):
            raise errors.ArgumentError(f"collective is a {type(collective).__name__}; allowed: a Collective")
        self.collective = collective
        self.size = collective.size
        self._gathered: list[bytes] = []
        self._failure: BaseException | None = None  # of a method of the collective
        self._interrupted = self._aborted = False
        if isinstance(collective, TCPCollective):  # of the library, which calls no function here
            self.address = collective._address
            return
        self._struct = structs.Collective(rank=collective.rank, size=collective.size)
        self._struct.all_reduce = self._guarded("all_reduce", self._all_reduce)
        self._struct.reduce_scatter = self._guarded("reduce_scatter", self._reduce_scatter)
        self._struct.gather_sizes = self._guarded("gather_sizes", self._gather_sizes)
        self._struct.gather = self._guarded("gather", self._gather)
        self._struct.abort = self._guarded("abort", lambda _, reason: self.abort(reason.decode(errors="replace")))
        self.address = c.addressof(self._struct)

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function of the library."""

        def work() -> None:
            try:
                _call(name, *arguments)
            except errors.AosoError as e:
                raise e if self._failure is None else type(e)(f"{e}: {self._failure}") from self._failure

        apart(work, self._interrupt)

    def _interrupt(self) -> None:
        self._interrupted = True
        if isinstance(self.collective, TCPCollective):
            self.abort(f"rank {self.collective.rank}: KeyboardInterrupt")

    def create(self, name: str, *arguments: Any) -> Handle:
        return _create(name, *arguments, call=self.call)

    def abort(self, reason: str) -> None:
        if not self._aborted:
            self._aborted = True
            with contextlib.suppress(Exception):
                self.collective.abort(reason)

    @contextlib.contextmanager
    def aborting(self) -> Iterator[None]:
        """Tell the other ranks if this one fails."""
        try:
            yield
        except BaseException as e:
            self.abort(f"rank {self.collective.rank}: {_text(e)}")
            raise

    def any(self, condition: bool) -> bool:
        """Whether a condition holds on any rank."""
        values = np.array([condition], np.int64)
        with self._own_error():
            self.collective.all_reduce("max", values)
        return bool(values[0])

    def unite(self, classes: Array, kind: str) -> Array:
        """The classes of all ranks, sorted, which must be of one kind, such as bools."""
        try:
            mine = json.dumps([kind, classes.dtype.str, classes.tolist()] if classes.dtype.kind in "biufUO" else None)
        except TypeError:
            mine = "null"
        with self._own_error():
            parts = [json.loads(part) for part in self.collective.all_gather(mine.encode())]
        if None in parts:
            raise errors.ArgumentError(f"y has labels of dtype {classes.dtype}; allowed with a collective: numbers, bools, texts")
        arrays = [np.array(values, dtype) for _, dtype, values in parts if values]
        kinds = sorted({kind for kind, _, values in parts if values})
        if len(kinds) > 1:
            raise errors.ArgumentError(f"y has labels that are {' on one rank and '.join(kinds)} on another; allowed: one kind")
        try:
            united: Array = np.unique(np.concatenate(arrays))
        except TypeError as e:
            raise errors.ArgumentError(f"y has labels on other ranks that do not sort with those of this rank: {e}") from e
        return united

    def mean(self, results: list[Metric], weight: float) -> list[Metric]:
        """Custom metrics averaged over the ranks, each by the weight of its rows; those of a rank without weight do not count."""
        mine = [weight, [[str(name), float(value), bool(rising)] for name, value, rising in results]]
        with self._own_error():
            parts = [json.loads(part) for part in self.collective.all_gather(json.dumps(mine).encode())]
        parts = [(weight, results) for weight, results in parts if weight > 0]
        names = {tuple((name, rising) for name, _, rising in results) for _, results in parts}
        if len(names) > 1:
            raise errors.ArgumentError(f"feval has returned {' and '.join(map(str, sorted(names)))}; allowed: the same metrics on all ranks")
        total = math.fsum(weight for weight, _ in parts)
        return [
            (name, math.fsum(weight * results[j][1] for weight, results in parts) / total, rising)
            for j, (name, rising) in enumerate(next(iter(names), ()))
        ]

    @contextlib.contextmanager
    def _own_error(self) -> Iterator[None]:
        try:
            yield
        except Exception as e:
            raise errors.CollectiveError(f"rank {self.collective.rank} of {self.size}: {_text(e)}") from e

    def _guarded(self, field: str, method: Callable[..., Any]) -> Any:
        """A method as a function for C, which returns 1 if it raises an error."""

        def function(*arguments: Any) -> int:
            try:
                if self._interrupted and field != "abort":
                    raise KeyboardInterrupt
                method(*arguments)
                return 0
            except BaseException as e:
                self._failure = self._failure or e
                self.abort(f"rank {self.collective.rank}: {_text(e)}")
                return 1

        prototypes: dict[str, Any] = {name: prototype for name, prototype, *_ in structs.Collective._fields_}
        return prototypes[field](function)

    def _all_reduce(self, _: Any, op: int, at: int, n: int) -> None:
        self.collective.all_reduce(_OPS[op], _numbers(at, n))

    def _reduce_scatter(self, _: Any, at: int, counts: int, out: int) -> None:
        parts = _numbers(counts, self.size)
        sums = self.collective.reduce_scatter(_numbers(at, int(parts.sum())), parts)
        mine = int(parts[self.collective.rank])
        if sums.shape != (mine,):
            raise errors.ArgumentError(f"reduce_scatter has returned an array of shape {sums.shape}; allowed: {(mine,)}")
        _numbers(out, mine)[:] = sums

    def _gather_sizes(self, _: Any, at: int, n: int, sizes: int) -> None:
        parts = self.collective.all_gather(c.string_at(at, n) if n else b"")
        if len(parts) != self.size:
            raise errors.ArgumentError(f"all_gather has returned {len(parts)} parts; allowed: {self.size}, one of each rank")
        self._gathered = [bytes(part) for part in parts]
        _numbers(sizes, self.size)[:] = [len(part) for part in self._gathered]

    def _gather(self, _: Any, at: int, n: int, sizes: int, out: int) -> None:
        everything = b"".join(self._gathered)
        self._gathered = []
        if everything:
            c.memmove(out, everything, len(everything))


_memory = c.pythonapi.PyMemoryView_FromMemory
_memory.restype, _memory.argtypes = c.py_object, (c.c_void_p, c.c_ssize_t, c.c_int)
_WRITABLE = 0x200


def _numbers(at: int, n: int) -> Array:
    """The numbers at an address. For each n, ``c_int64 * n`` would make a type, which takes longer than most messages."""
    return np.frombuffer(_memory(at, 8 * n, _WRITABLE), np.int64)


def _text(e: BaseException) -> str:
    return f"{type(e).__name__}: {e}" if str(e) else type(e).__name__
