"""What the workers of a Dask cluster run: :mod:`aoso.dask` without scikit-learn, which takes them seconds to import."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import selectors
import threading
import time
from collections.abc import Coroutine
from typing import Any

import numpy as np
from distributed import get_worker
from distributed.comm import connect, get_local_address_for, listen

from . import _others
from ._input import Array
from .booster import Booster
from .collective import Collective
from .dataset import Dataset
from .errors import CollectiveError
from .training import train

_SMALL = 4096  # numbers that every worker sends to all others; of more, each sums a part
_SPIN = 1e-3  # seconds before a worker that waits sleeps
_HEAD = 8  # bytes before a message: twice its length, and 1 if it says why a worker gives up
_SHORT = 65536  # bytes of a message that is sent in one piece with them
_LAST_WORDS = 5.0  # seconds in which a worker that gives up tells the others


class _Spinning(selectors.DefaultSelector):
    """Asks for a while whether something has come, before it sleeps: to wake takes longer than most messages."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """What has come, within a time."""
        until = time.monotonic() + _SPIN
        while timeout is None or timeout > _SPIN:
            if (events := super().select(0)) or time.monotonic() > until:
                return events or super().select(timeout)
            os.sched_yield()  # to a process that computes, if there is one on this core
        return super().select(timeout)


class _Connections:
    """A worker's connections to the others in a training, of Dask's kind.

    They have an event loop of their own, which runs in the thread that trains. With that of the worker, each message would wait
    for two threads to wake.
    """

    def __init__(self, session: str, worker: Any) -> None:
        self.addresses: list[str] = []  # of the workers, by rank
        self.comms: dict[int, Any] = {}  # by rank
        self._session, self._worker = session, worker
        self._loop = asyncio.SelectorEventLoop(_Spinning())
        self._listener: Any = None
        self._running, self._ended = threading.Lock(), False
        self._task: asyncio.Task[Any] | None = None
        self._missing: set[int] = set()  # ranks that have not answered
        self._arrived = asyncio.Event()  # another rank has connected

    def run(self, work: Coroutine[Any, Any, Any], timeout: float) -> Any:
        """Do work in the event loop, and return its result."""
        with self._running:
            if self._ended:
                work.close()
                raise CollectiveError("the training has ended")
            self._task = self._loop.create_task(work)
            timer = self._loop.call_later(timeout, self._task.cancel)
            try:
                return self._loop.run_until_complete(self._task)
            except asyncio.CancelledError:
                if self._ended:
                    raise CollectiveError("the training has ended") from None
                missing = ", ".join(map(self._name, sorted(self._missing)))
                raise CollectiveError(f"{missing} has not answered in {timeout:g} s") from None
            finally:
                timer.cancel()

    def end(self) -> None:
        """Close the connections. A call that waits for other workers fails."""
        self._ended = True
        self._loop.call_soon_threadsafe(lambda: self._task and self._task.cancel())
        with self._running:
            self._loop.run_until_complete(self._shut())
            self._loop.close()

    async def _shut(self) -> None:
        if self._listener is not None:
            self._listener.stop()
        for comm in self.comms.values():
            comm.abort()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def listen(self) -> str:
        """Wait for connections at an address, which is returned."""
        address = get_local_address_for(self._worker.address)
        self._listener = await listen(address, self._accept, **self._worker.security.get_listen_args("worker"))
        return str(self._listener.contact_address)

    async def _accept(self, comm: Any) -> None:
        session, rank = await comm.read()
        if session != self._session:
            comm.abort()
            return
        self.comms[rank] = comm
        self._missing.discard(rank)
        self._arrived.set()

    async def connect(self, rank: int, addresses: list[str], listening: list[str]) -> None:
        """Connect to the workers of lower ranks, and wait for the others."""
        self.addresses, self._missing = addresses, set(range(len(addresses))) - {rank} - set(self.comms)
        for lower in range(rank):
            try:
                comm = await connect(listening[lower], **self._worker.security.get_connection_args("worker"))
                await comm.write((self._session, rank))
            except OSError as e:
                raise self._lost(lower, e) from e
            self.comms[lower] = comm
            self._missing.discard(lower)
        while self._missing:
            self._arrived.clear()
            await self._arrived.wait()

    async def exchange(self, given: dict[int, bytes]) -> dict[int, bytes]:
        """Send a message to each other rank. Return theirs.

        They are read in turn, for which the event loop has the fewest turns. Meanwhile it goes on to send.
        """
        self._missing = set(given)
        for rank, data in given.items():
            await self._send(rank, data)
        received = {rank: await self._receive(rank) for rank in given}
        for rank in given:
            await self._flush(rank)
        return received

    async def tell(self, reason: str) -> None:
        """Tell the other ranks why this one gives up."""
        for rank in self.comms:
            with contextlib.suppress(CollectiveError):
                await self._send(rank, reason)
                await self._flush(rank)

    async def _send(self, rank: int, message: bytes | str) -> None:
        """Send a message, without Dask's serialization where the connection is one of bytes: it takes longer than most messages."""
        stream = getattr(self.comms[rank], "stream", None)
        try:
            if stream is None:
                await self.comms[rank].write(message)
                return
            data = message.encode() if isinstance(message, str) else message
            head = (len(data) << 1 | isinstance(message, str)).to_bytes(_HEAD, "little")
            if len(data) < _SHORT:
                stream.write(head + data)
            else:
                stream.write(head)
                stream.write(data)
        except OSError as e:
            raise self._lost(rank, e) from e

    async def _flush(self, rank: int) -> None:
        """Wait until all is sent: the event loop stands still between calls."""
        stream = getattr(self.comms[rank], "stream", None)
        try:
            if stream is not None and stream.writing():
                await stream.write(b"")
        except OSError as e:
            raise self._lost(rank, e) from e

    async def _receive(self, rank: int) -> bytes:
        stream = getattr(self.comms[rank], "stream", None)
        try:
            if stream is None:
                message = await self.comms[rank].read()
            else:
                head = int.from_bytes(await stream.read_bytes(_HEAD), "little")
                message = await stream.read_bytes(head >> 1)
                message = message.decode() if head & 1 else message
        except OSError as e:
            raise self._lost(rank, e) from e
        if isinstance(message, str):
            raise CollectiveError(message)
        self._missing.discard(rank)
        return bytes(message)

    def _lost(self, rank: int, error: OSError) -> CollectiveError:
        return CollectiveError(f"{self._name(rank)} cannot be reached: {type(error).__name__}: {error}")

    def _name(self, rank: int) -> str:
        return f"rank {rank} ({self.addresses[rank]})"


async def open_connections(session: str, dask_worker: Any) -> Any:
    """Make a worker ready for a training. Return the address where it waits for connections."""
    connections = _Connections(session, dask_worker)
    dask_worker.__dict__.setdefault("_aoso_connections", {})[session] = connections
    return await asyncio.to_thread(connections.run, connections.listen(), 20)


async def close_connections(session: str, dask_worker: Any) -> None:
    """End a training on a worker, which may still wait for another."""
    connections = dask_worker.__dict__.get("_aoso_connections", {}).pop(session, None)
    if connections is not None:
        await asyncio.to_thread(connections.end)


class DaskCollective(Collective):
    """Workers of a Dask cluster, each within a task. :func:`train` makes it."""

    def __init__(self, session: str, addresses: list[str], listening: list[str], rank: int, timeout: float) -> None:
        self._rank, self._size, self._timeout = rank, len(addresses), timeout
        self._connections: _Connections = get_worker()._aoso_connections[session]
        self._connections.run(self._connections.connect(rank, addresses, listening), timeout)

    @property
    def rank(self) -> int:
        """The number of this worker, from 0."""
        return self._rank

    @property
    def size(self) -> int:
        """The number of workers."""
        return self._size

    def all_reduce(self, op: str, values: Array) -> None:
        """Replace numbers by those of all workers, summed or the greatest."""
        if len(values) <= _SMALL or self.size == 2:  # two workers send as much either way
            values[:] = self._reduced(op, [values] * self.size)
            return
        parts = np.array_split(values, self.size)
        for part, data in zip(parts, self.all_gather(self._reduced(op, parts).tobytes())):
            part[:] = np.frombuffer(data, np.int64)

    def reduce_scatter(self, values: Array, counts: Array) -> Array:
        """Return the sums over all workers of this worker's part of ``values``."""
        return self._reduced("sum", np.split(values, np.cumsum(counts)[:-1]))

    def all_gather(self, data: bytes) -> list[bytes]:
        """Return what every worker gives, by rank."""
        return self._exchange([data] * self.size)

    def abort(self, reason: str) -> None:
        """Tell the other workers that this one gives up, and why."""
        with contextlib.suppress(CollectiveError):
            self._connections.run(self._connections.tell(reason), _LAST_WORDS)

    def _reduced(self, op: str, parts: list[Array]) -> Array:
        """Send a part to each rank. Return what they send to this one, reduced."""
        numbers = [np.frombuffer(data, np.int64) for data in self._exchange([part.tobytes() for part in parts])]
        reduced: Array = functools.reduce(np.add if op == "sum" else np.maximum, numbers)
        return reduced

    def _exchange(self, given: list[bytes]) -> list[bytes]:
        """Send a message to each rank. Return theirs, by rank."""
        others = {rank: data for rank, data in enumerate(given) if rank != self.rank}
        received = self._connections.run(self._connections.exchange(others), self._timeout)
        return [received.get(rank, given[rank]) for rank in range(self.size)]


def block(*columns: Any) -> tuple[Any, ...]:
    """A partition of x, y and the weights."""
    return columns


def rows(block: tuple[Any, ...]) -> int:
    """The number of rows of a partition."""
    return len(block[1])


def train_rank(
    blocks: list[tuple[Any, ...]],
    starts: list[int],
    params: dict[str, Any],
    dataset: dict[str, Any],
    file: dict[str, Any],
    session: str,
    addresses: list[str],
    listening: list[str],
    rank: int,
    timeout: float,
) -> Booster | None:
    """Train as a rank. Rank 0 returns the model."""
    nthread = _others.parameters(params, check=False).training.get("nthread")
    if nthread is None:
        nthread = params["nthread"] = get_worker().state.nthreads
    collective = DaskCollective(session, addresses, listening, rank, timeout)
    numbered = [(x, y, weight[0] if weight else None, np.arange(n, n + len(y))) for (x, y, *weight), n in zip(blocks, starts)]
    booster = train(params, Dataset.from_blocks(numbered, collective=collective, **{"nthread": nthread, **dataset}), **file)
    return booster if rank == 0 else None
