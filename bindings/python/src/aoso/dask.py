"""Training on the workers of a Dask cluster.

The partitions stay where they are. Each worker that has some is a rank of the training, and the workers send one another sums
over their connections of Dask::

    from distributed import Client
    import aoso.dask

    client = Client(address)
    booster = aoso.dask.train(client, {}, x, y)  # dask arrays or data frames

The model is that of ``aoso.train`` on all rows in their order, whatever the partitions, the workers and their number.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
import uuid
from collections.abc import Mapping
from concurrent.futures import CancelledError
from typing import Any

import numpy as np

from ._capi import integer
from ._input import Array
from ._rows import seed as seed_of
from .booster import Booster
from .collective import Collective
from .dataset import Dataset
from .errors import ArgumentError, CollectiveError
from .sklearn import AOSOClassifier
from .training import train as _train

try:
    import dask
    from distributed import Client, KilledWorker, default_client, get_worker, wait
except ImportError as e:
    raise ImportError(f"aoso.dask needs dask and distributed: pip install 'aoso[dask]' ({e})") from e

__all__ = ["DaskAOSOClassifier", "DaskCollective", "train"]

_SMALL = 4096  # numbers that every worker sends to all others; of more, each sums a part


class _Mailbox:
    """What the other ranks of a training have sent to a worker."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.received: dict[tuple[int, int], bytes] = {}  # by call and rank
        self.aborted = ""


def _open(session: str, dask_worker: Any) -> None:
    """Make a worker ready to receive messages of a training."""
    boxes = dask_worker.__dict__.setdefault("_aoso_mailboxes", {})
    boxes[session] = _Mailbox()

    def receive(session: str, call: int, rank: int, data: bytes, reason: str) -> bool:
        box = boxes.get(session)
        if box is not None:
            with box.changed:
                box.aborted = box.aborted or reason
                if not reason and call >= 0:
                    box.received[call, rank] = data
                box.changed.notify_all()
        return box is not None

    dask_worker.handlers["aoso_receive"] = receive


def _close(session: str, dask_worker: Any) -> None:
    """End a training on a worker, which may still wait for another."""
    box = dask_worker.__dict__.get("_aoso_mailboxes", {}).pop(session, None)
    if box is not None:
        with box.changed:
            box.aborted = box.aborted or "the training has ended"
            box.changed.notify_all()


class DaskCollective(Collective):
    """Workers of a Dask cluster, each within a task. :func:`train` makes it."""

    def __init__(self, session: str, addresses: list[str], rank: int, timeout: float) -> None:
        self._session, self._addresses, self._rank, self._timeout = session, addresses, rank, timeout
        self._worker = get_worker()
        self._box: _Mailbox = self._worker._aoso_mailboxes[session]
        self._call = 0

    @property
    def rank(self) -> int:
        """The number of this worker, from 0."""
        return self._rank

    @property
    def size(self) -> int:
        """The number of workers."""
        return len(self._addresses)

    def all_reduce(self, op: str, values: Array) -> None:
        """Replace numbers by those of all workers, summed or the greatest."""
        if len(values) <= _SMALL:
            values[:] = _reduced(op, self._exchange([values.tobytes()] * self.size))
            return
        parts = np.array_split(values, self.size)
        mine = _reduced(op, self._exchange([part.tobytes() for part in parts])).tobytes()
        for part, data in zip(parts, self._exchange([mine] * self.size)):
            part[:] = np.frombuffer(data, np.int64)

    def all_gather(self, data: bytes) -> list[bytes]:
        """Return what every worker gives, by rank."""
        return self._exchange([data] * self.size)

    def abort(self, reason: str) -> None:
        """Tell the other workers that this one gives up, and why."""
        for rank in self._others():
            try:
                self._send({rank: b""}, -1, reason)
            except CollectiveError:
                continue

    def _others(self) -> list[int]:
        return [rank for rank in range(self.size) if rank != self._rank]

    def _exchange(self, given: list[bytes]) -> list[bytes]:
        """Send a message to each rank. Return theirs."""
        call, until = self._call, time.monotonic() + self._timeout
        self._call += 1
        self._send({rank: given[rank] for rank in self._others()}, call)
        received, missing = {self._rank: given[self._rank]}, self._others()
        while True:
            with self._box.changed:
                for rank in missing:
                    if (call, rank) in self._box.received:
                        received[rank] = self._box.received.pop((call, rank))
                missing = [rank for rank in missing if rank not in received]
                if not missing:
                    return [received[rank] for rank in range(self.size)]
                if self._box.aborted:
                    raise CollectiveError(self._box.aborted)
                if self._box.changed.wait(min(1, self._timeout)):
                    continue
            if time.monotonic() > until:
                raise CollectiveError(f"{self._names(missing)} has not answered in {self._timeout:g} s")
            self._send(dict.fromkeys(missing, b""), -1)  # fails if the worker is gone

    def _names(self, ranks: list[int]) -> str:
        return ", ".join(f"rank {rank} ({self._addresses[rank]})" for rank in ranks)

    def _send(self, messages: dict[int, bytes], call: int, reason: str = "") -> None:
        """Send messages, by rank. Those with a negative call only ask whether the rank is there."""

        limit = self._timeout if call >= 0 else min(self._timeout, 20)

        async def send(rank: int, data: bytes) -> None:
            message = {"session": self._session, "call": call, "rank": self._rank, "data": data, "reason": reason}
            try:
                there = await asyncio.wait_for(self._worker.rpc(self._addresses[rank]).aoso_receive(**message), limit)
            except Exception as e:
                raise CollectiveError(f"{self._names([rank])} cannot be reached: {type(e).__name__}: {e}") from e
            if not there:
                raise CollectiveError(f"{self._names([rank])} has left the training")

        async def send_all() -> None:
            await asyncio.gather(*(send(rank, data) for rank, data in messages.items()))

        asyncio.run_coroutine_threadsafe(send_all(), self._worker.loop.asyncio_loop).result(2 * self._timeout)


def _reduced(op: str, parts: list[bytes]) -> Array:
    numbers = np.array([np.frombuffer(part, np.int64) for part in parts])
    reduced: Array = numbers.sum(axis=0) if op == "sum" else numbers.max(axis=0)
    return reduced


def train(
    client: Client,
    params: Mapping[str, Any] | None,
    x: Any,
    y: Any,
    *,
    weight: Any = None,
    timeout: float = 600,
    retries: int = 0,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = 60,
    **dataset: Any,
) -> Booster:
    """Train a model on data of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client
        The cluster. Each worker that has some of the data needs a free thread.
    params : dict or None
        As for :func:`aoso.train`. ``threads`` is by default the number of threads of the worker.
    x : dask.array or dask.dataframe of shape (n_rows, n_features)
    y : dask.array or dask.dataframe.Series of shape (n_rows,)
        Its partitions have the rows of those of ``x``.
    weight : dask.array or dask.dataframe.Series of shape (n_rows,), optional
    timeout : float, default 600
        Seconds that a worker waits for the others.
    retries : int, default 0
        How often training begins again when a worker is lost, on the workers that there are then. What the lost worker had is
        computed again. Data that cannot be computed, because they were scattered, are lost.
    checkpoint : path, optional
        A file that keeps how far training has come, as for :func:`aoso.train`. Training goes on from it when it begins again.
        All workers must reach it under this path.
    checkpoint_seconds : float, default 60
        Time between two saves.
    **dataset
        Other arguments of :class:`aoso.Dataset`, such as ``max_bins``.

    Returns
    -------
    Booster

    Raises
    ------
    CollectiveError
        If a worker is lost, or does not answer in time. The message names it.
    """
    columns = [_partitions(data, name) for name, data in (("x", x), ("y", y), ("weight", weight)) if data is not None]
    if len({len(parts) for parts in columns}) > 1:
        raise ArgumentError(
            f"the partitions of x, y and weight number {[len(parts) for parts in columns]}; allowed: equally many"
        )
    file = {"checkpoint": None if checkpoint is None else os.fspath(checkpoint), "checkpoint_seconds": checkpoint_seconds}
    parts = [dask.delayed(_block)(*block) for block in zip(*columns)]
    for left in reversed(range(integer("retries", retries, 0) + 1)):
        try:
            return _trained(client, parts, dict(params or {}), dataset, file, timeout)
        except CollectiveError:
            if left == 0:
                raise
    raise AssertionError  # the last turn returns or raises


def _trained(
    client: Client, parts: list[Any], params: dict[str, Any], dataset: dict[str, Any], file: dict[str, Any], timeout: float
) -> Booster:
    """Train on the workers that there are."""
    session, tasks, addresses = uuid.uuid4().hex, [], []
    try:
        blocks = client.compute(parts)
        held, starts = _placed(client, blocks)
        addresses = sorted(held)
        client.run(_open, session, workers=addresses)
        for rank, address in enumerate(addresses):
            mine = [blocks[number] for number in held[address]]
            first = [starts[number] for number in held[address]]
            arguments = (mine, first, params, dataset, file, session, addresses, rank, timeout)
            tasks.append(
                client.submit(_train_rank, *arguments, workers=[address], allow_other_workers=False, pure=False, retries=0)
            )
        return _result(client, tasks, addresses)
    except (CancelledError, KilledWorker, OSError) as e:
        raise CollectiveError(f"a worker is lost: {type(e).__name__}: {e}") from e
    finally:
        client.cancel(tasks)
        with contextlib.suppress(OSError):
            client.run(_close, session, workers=[address for address in addresses if address in client.nthreads()])


def _placed(client: Client, blocks: list[Any]) -> tuple[dict[str, list[int]], list[int]]:
    """The numbers of the blocks that each worker has, and the numbers of their first rows."""
    wait(blocks)
    sizes = client.gather(client.map(_rows, blocks))
    held: dict[str, list[int]] = {}
    for number, block in enumerate(blocks):
        workers = client.who_has([block])[block.key]
        if not workers:
            raise CollectiveError("a worker that had some of the data is lost")
        if sizes[number]:
            held.setdefault(min(workers), []).append(number)
    if not held:
        raise ArgumentError("x has no rows; allowed: at least one")
    return held, np.concatenate([[0], np.cumsum(sizes)]).tolist()


def _result(client: Client, tasks: list[Any], addresses: list[str]) -> Booster:
    """What the task of rank 0 returns, when all are done."""
    pending = set(tasks)
    while pending:
        try:
            with contextlib.suppress(TimeoutError, asyncio.TimeoutError):
                wait(list(pending), timeout=2, return_when="FIRST_COMPLETED")
            for task in [task for task in pending if task.done()]:
                task.result()
                pending.remove(task)
        except CancelledError as e:  # the data of a task is lost
            raise _lost(addresses, [task.cancelled() for task in tasks].index(True)) from e
        alive = client.nthreads()
        for rank, address in enumerate(addresses):
            if pending and address not in alive:
                raise _lost(addresses, rank)
    booster: Booster = tasks[0].result()
    return booster


def _lost(addresses: list[str], rank: int) -> CollectiveError:
    return CollectiveError(f"rank {rank} ({addresses[rank]}) is lost")


def _partitions(data: Any, name: str) -> list[Any]:
    if not hasattr(data, "to_delayed"):
        raise ArgumentError(f"{name} is a {type(data).__name__}; allowed: a dask array or data frame")
    parts = np.asarray(data.to_delayed(), object)
    if parts.ndim == 2 and parts.shape[1] > 1:
        raise ArgumentError(f"{name} has {parts.shape[1]} chunks of columns; allowed: 1, as of {name}.rechunk((rows, -1))")
    return list(parts.ravel())


def _block(*columns: Any) -> tuple[Any, ...]:
    return columns


def _rows(block: tuple[Any, ...]) -> int:
    return len(block[1])


def _train_rank(
    blocks: list[tuple[Any, ...]],
    starts: list[int],
    params: dict[str, Any],
    dataset: dict[str, Any],
    file: dict[str, Any],
    session: str,
    addresses: list[str],
    rank: int,
    timeout: float,
) -> Booster | None:
    """Train as a rank. Rank 0 returns the model."""
    threads = int(params.setdefault("threads", get_worker().state.nthreads))
    collective = DaskCollective(session, addresses, rank, timeout)
    rows = [
        (block[0], block[1], block[2] if len(block) > 2 else None, np.arange(start, start + len(block[1])))
        for block, start in zip(blocks, starts)
    ]
    booster = _train(params, Dataset.from_blocks(rows, collective=collective, **{"threads": threads, **dataset}), **file)
    return booster if rank == 0 else None


class DaskAOSOClassifier(AOSOClassifier):
    """:class:`aoso.AOSOClassifier` for data of a Dask cluster.

    ``fit`` and ``predict`` take Dask arrays and data frames. The parameters and attributes are those of
    :class:`aoso.AOSOClassifier`, except that ``tune``, ``class_weight`` and ``eval_set`` are not there.

    Examples
    --------
    >>> from aoso.dask import DaskAOSOClassifier
    >>> model = DaskAOSOClassifier(trees=100)  # .fit(x, y).predict(x).compute()
    """

    def fit(  # type: ignore[override]
        self, X: Any, y: Any, sample_weight: Any = None, *, client: Client | None = None, timeout: float = 600
    ) -> DaskAOSOClassifier:
        """Train on all workers that have some of the data.

        Parameters
        ----------
        X : dask.array or dask.dataframe of shape (n_rows, n_features)
        y : dask.array or dask.dataframe.Series of shape (n_rows,)
        sample_weight : dask.array or dask.dataframe.Series of shape (n_rows,), optional
        client : distributed.Client, optional
            By default, the current one.
        timeout : float, default 600
            Seconds that a worker waits for the others.

        Returns
        -------
        self
        """
        params, own = self._meant()
        if own["tune"] or own["class_weight"] is not None:
            raise ArgumentError("tune or class_weight is set; allowed with Dask: neither")
        params["seed"] = seed = seed_of(own["random_state"])
        self.booster_ = train(
            default_client() if client is None else client,
            params,
            X,
            y,
            weight=sample_weight,
            timeout=timeout,
            categorical_features=own["categorical_features"],
            max_bins=own["max_bins"],
            seed=seed,
        )
        names = self.booster_.feature_names
        self.n_features_in_, self.classes_ = len(names), np.sort(self.booster_.classes)
        if hasattr(X, "columns"):
            self.feature_names_in_ = np.array(names, object)
        self.is_categorical_ = np.array([name in self.booster_.categories for name in names])
        result = self.booster_.result
        if result is not None:
            self.n_iter_, self.best_iteration_ = result.iterations, result.best_iteration
        return self

    def predict(self, X: Any) -> Any:  # type: ignore[override]
        """The likeliest class of each row: a Dask array or series for Dask data, else as :class:`aoso.AOSOClassifier` does."""
        return self._by_block("predict", X, self.classes_[:1])

    def predict_proba(self, X: Any) -> Any:  # type: ignore[override]
        """The probability of each class for each row: a Dask array or data frame for Dask data."""
        return self._by_block("predict_proba", X, np.zeros((1, len(self.classes_))))

    def _by_block(self, method: str, X: Any, like: Array) -> Any:
        def compute(block: Any) -> Any:
            out = like[:0] if len(block) == 0 else getattr(AOSOClassifier, method)(self, block)
            if not hasattr(block, "index"):
                return out
            import pandas as pd

            return pd.Series(out, block.index) if out.ndim == 1 else pd.DataFrame(out, block.index, self.classes_)

        if hasattr(X, "map_partitions"):
            return X.map_partitions(compute, meta=compute(X._meta))
        if hasattr(X, "map_blocks"):
            shape = {"drop_axis": 1} if like.ndim == 1 else {"chunks": (X.chunks[0], (like.shape[1],))}
            return X.map_blocks(compute, dtype=like.dtype, meta=like[:0], **shape)
        return compute(X)
