"""Training on several machines with MPI.

Every process has some of the rows. Run as ``mpiexec -n 4 python train.py``::

    import aoso, aoso.mpi

    collective = aoso.mpi.MPICollective()
    x, y = read_rows(collective.rank, collective.size)
    booster = aoso.train({}, aoso.Dataset(x, y, collective=collective))
    if collective.rank == 0:
        booster.save("model.aoso")

Importing this module makes an exception that is not caught in one process end them all. So does the end of a process whose
collective has failed: MPI would wait for the others without end.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import sys
import time
from types import TracebackType
from typing import Any

import numpy as np

from ._input import Array
from .collective import Collective
from .errors import CollectiveError

try:
    from mpi4py import MPI
except ImportError as e:
    raise ImportError(f"aoso.mpi needs mpi4py and an MPI library: pip install mpi4py mpich ({e})") from e

__all__ = ["MPICollective"]

_ABORT, _WAITING = 1, 2  # tags of messages beside the collective calls
_SPIN = 5e-3  # seconds before a process that waits sleeps, from which it takes long to wake; none if others need its core
_BLOCK = 1024  # bytes of the message that says how many there are: few follow without another message
_PIECE = 1 << 27  # numbers or bytes in a call of MPI, whose counts have 31 bits


class _Failure:
    """Ends all processes when this one ends after an error. ``MPI_Finalize`` would wait for them."""

    _LAST_WORDS = 1.0  # seconds in which the other processes can say what they have heard

    def __init__(self) -> None:
        self.known = False
        self._excepthook = sys.excepthook
        if MPI.COMM_WORLD.size > 1:
            sys.excepthook = self._uncaught
            atexit.register(self._end)

    def _uncaught(self, kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
        self.known = True
        self._excepthook(kind, error, traceback)

    def _end(self) -> None:
        if self.known and not MPI.Is_finalized():
            for stream in (sys.stdout, sys.stderr):
                with contextlib.suppress(OSError, ValueError):
                    stream.flush()
            time.sleep(self._LAST_WORDS)
            MPI.COMM_WORLD.Abort(1)


_failure = _Failure()


def _cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class MPICollective(Collective):
    """The processes of an MPI communicator.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm, optional
        The communicator; by default ``MPI.COMM_WORLD``. The collective uses a copy of it. All its processes make the
        collective at the same time.
    timeout : float, default 600
        Seconds that a process waits for the others in a call. After that it raises an error that names those that have not
        come to the call.
    """

    def __init__(self, comm: Any = None, timeout: float = 600) -> None:
        comm = MPI.COMM_WORLD if comm is None else comm
        self._comm, self._control, self._timeout = comm.Dup(), comm.Dup(), timeout
        here = comm.Split_type(MPI.COMM_TYPE_SHARED)
        self._spin = _SPIN if here.size <= _cores() else 0.0
        here.Free()
        self._block, self._blocks = bytearray(_BLOCK), bytearray(_BLOCK * comm.size)
        self._call = 0  # the number of the call
        self._kept: list[Any] = []  # requests that may never end, with their buffers

    @property
    def rank(self) -> int:
        """The number of this process, from 0."""
        return int(self._comm.rank)

    @property
    def size(self) -> int:
        """The number of processes."""
        return int(self._comm.size)

    def all_reduce(self, op: str, values: Array) -> None:
        """Replace numbers by those of all processes, summed or the greatest."""
        for first in range(0, len(values), _PIECE):
            piece = values[first : first + _PIECE]
            self._wait(self._comm.Iallreduce(MPI.IN_PLACE, [piece, MPI.INT64_T], MPI.SUM if op == "sum" else MPI.MAX), piece)

    def reduce_scatter(self, values: Array, counts: Array) -> Array:
        """Return the sums over all processes of this process's part of ``values``."""
        if len(values) > _PIECE:
            return super().reduce_scatter(values, counts)
        sums, parts = np.empty(counts[self.rank], np.int64), counts.tolist()
        self._wait(self._comm.Ireduce_scatter([values, MPI.INT64_T], [sums, MPI.INT64_T], parts, MPI.SUM), values, sums)
        return sums

    def all_gather(self, data: bytes) -> list[bytes]:
        """Return what every process gives, by rank."""
        start = len(data).to_bytes(8, "little") + data[: _BLOCK - 8]
        self._block[: len(start)] = start
        self._wait(self._comm.Iallgather([self._block, MPI.BYTE], [self._blocks, MPI.BYTE]))
        blocks = [bytes(self._blocks[at : at + _BLOCK]) for at in range(0, len(self._blocks), _BLOCK)]
        sizes = [int.from_bytes(block[:8], "little") for block in blocks]
        pieces = [[block[8 : 8 + n]] for block, n in zip(blocks, sizes)]
        most = max(_PIECE // self.size, 1)
        for first in range(_BLOCK - 8, max(sizes), most):
            given = np.frombuffer(data[first : first + most], np.uint8)
            for parts, part in zip(pieces, self._gather(given, [min(max(n - first, 0), most) for n in sizes])):
                parts.append(part)
        return [b"".join(parts) for parts in pieces]

    def _gather(self, mine: Array, counts: list[int]) -> list[bytes]:
        """Return the bytes of every process, whose numbers are known."""
        out = np.empty(sum(counts), np.uint8)
        self._wait(self._comm.Iallgatherv([mine, MPI.BYTE], [out, (counts, None), MPI.BYTE]), mine, out)
        everything, ends = out.tobytes(), list(itertools.accumulate(counts))
        return [everything[end - n : end] for n, end in zip(counts, ends)]

    def abort(self, reason: str) -> None:
        """Tell the other processes that this one gives up, and why."""
        _failure.known = True
        self._tell(reason.encode(), _ABORT)

    def _tell(self, message: bytes, tag: int) -> None:
        self._kept += [(self._control.Isend([message, MPI.BYTE], r, tag), message) for r in range(self.size) if r != self.rank]

    def _wait(self, request: Any, *buffers: Array) -> None:
        """Wait for a request, for a process that gives up, or for the time-out."""
        self._call += 1
        last, waited, tries = time.monotonic(), 0.0, 0
        while not request.Test():
            tries += 1
            if tries % 64 == 0 and (reason := self._received(_ABORT)):
                raise self._failed(next(iter(reason.values())), request, buffers)
            now = time.monotonic()
            waited, last = waited + min(now - last, 1), now  # a process that was suspended has not waited
            if waited > self._timeout:
                raise self._failed(f"rank {self.rank} has waited {waited:.0f} s for {self._missing()}", request, buffers)
            if waited > self._spin:
                time.sleep(min(waited / 10, 1e-3))
            else:
                os.sched_yield()  # to a process that computes, if there is one on this core

    def _failed(self, reason: str, *kept: Any) -> CollectiveError:
        _failure.known = True
        self._kept.append(kept)
        return CollectiveError(reason)

    def _received(self, tag: int) -> dict[int, str]:
        """Messages with a tag, by rank."""
        messages, status = {}, MPI.Status()
        while self._control.Iprobe(tag=tag, status=status):
            message = bytearray(status.Get_count(MPI.BYTE))
            self._control.Recv([message, MPI.BYTE], status.source, tag)
            messages[status.source] = bytes(message).decode(errors="replace")
        return messages

    def _missing(self) -> str:
        """The ranks that do not wait in this call."""
        self._tell(str(self._call).encode(), _WAITING)
        waiting, until = {self.rank}, time.monotonic() + min(2, self._timeout)
        while time.monotonic() < until:
            waiting |= {rank for rank, call in self._received(_WAITING).items() if int(call) == self._call}
            time.sleep(0.01)
        missing = [str(rank) for rank in range(self.size) if rank not in waiting]
        return "rank " + ", ".join(missing) if missing else "the network"
