"""Training on the workers of a Dask cluster.

The partitions stay where they are. Each worker that has some is a rank of the training, and the workers send one another sums
over connections of Dask's kind. Each worker listens on a free port, which the others must be able to reach::

    from distributed import Client
    import aoso.dask

    client = Client(address)
    booster = aoso.dask.train(client, {}, x, y)  # dask arrays or data frames

The model is that of ``aoso.train`` on all rows in their order, whatever the partitions, the workers and their number.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._capi import integer
from ._compatible import restoring
from ._input import Array
from ._rows import seed as seed_of
from .booster import Booster
from .errors import ArgumentError, CollectiveError
from .sklearn import AOSOClassifier

try:
    import dask
    from distributed import Client, KilledWorker, default_client

    from . import _dask_worker
    from ._dask_worker import DaskCollective
except ImportError as e:
    raise ImportError(f"aoso.dask needs dask and distributed: pip install 'aoso[dask]' ({e})") from e

__all__ = ["DaskAOSOClassifier", "DaskCollective", "train"]


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
        As for :func:`aoso.train`. ``nthread`` is by default the number of threads of the worker.
    x : dask.array or dask.dataframe of shape (n_rows, n_features)
    y : dask.array or dask.dataframe.Series of shape (n_rows,)
        Its partitions have the rows of those of ``x``.
    weight : dask.array or dask.dataframe.Series of shape (n_rows,), optional
    timeout : float, default 600
        Seconds that a worker waits for the others, and that the cluster may be without workers.
    retries : int, default 0
        How often training begins again when a worker is lost, on the workers that there are then. What the lost worker had is
        computed again. Data that cannot be computed, because they were scattered, are lost.
    checkpoint : path, optional
        A file that keeps how far training has come, as for :func:`aoso.train`. Training goes on from it when it begins again.
        All workers must reach it under this path.
    checkpoint_seconds : float, default 60
        Time between two saves.
    **dataset
        Other arguments of :class:`aoso.Dataset`, such as ``max_bin``.

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
    parts = [dask.delayed(_dask_worker.block)(*block) for block in zip(*columns)]
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
        held, starts = _placed(client, blocks, timeout)
        addresses = sorted(held)
        opened = client.run(_dask_worker.open_connections, session, workers=addresses)
        listening = [opened[address] for address in addresses]
        for rank, address in enumerate(addresses):
            mine = [blocks[number] for number in held[address]]
            first = [starts[number] for number in held[address]]
            arguments = (mine, first, params, dataset, file, session, addresses, listening, rank, timeout)
            tasks.append(
                client.submit(_dask_worker.train_rank, *arguments, workers=[address], allow_other_workers=False, pure=False, retries=0)
            )
        return _result(client, tasks, addresses)
    except TimeoutError:  # of a signal handler
        raise
    except (CancelledError, KilledWorker, OSError) as e:
        raise CollectiveError(f"a worker is lost: {type(e).__name__}: {e}") from e
    finally:
        client.cancel(tasks)
        _forget(client, session, addresses)


def _forget(client: Client, session: str, addresses: list[str]) -> None:
    """Have the workers that are left close their connections."""
    try:
        client.run(_dask_worker.close_connections, session, workers=[address for address in addresses if address in client.nthreads()])
    except TimeoutError:  # of a signal handler
        raise
    except OSError:
        pass


def _placed(client: Client, blocks: list[Any], timeout: float) -> tuple[dict[str, list[int]], list[int]]:
    """The numbers of the blocks that each worker has, and the numbers of their first rows."""
    numbers = client.map(_dask_worker.rows, blocks)
    _computed(client, numbers, timeout)
    sizes = client.gather(numbers)
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


def _computed(client: Client, futures: list[Any], timeout: float) -> None:
    """Wait for results. A cluster that has lost all its workers has some time to start others."""
    alive = time.monotonic()
    while True:
        if _wait(futures, all):
            return
        if client.nthreads():
            alive = time.monotonic()
        elif time.monotonic() - alive > timeout:
            raise CollectiveError(f"the cluster has had no workers for {timeout:g} s")


def _wait(futures: Iterable[Any], enough: Callable[[Iterator[bool]], bool]) -> bool:
    """Wait until enough futures are done, for 2 s at most. Return whether they are.

    The TimeoutError of ``distributed.wait`` could be one of a signal handler.
    """
    end = time.monotonic() + 2
    while not enough(future.done() for future in futures):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def _result(client: Client, tasks: list[Any], addresses: list[str]) -> Booster:
    """What the task of rank 0 returns, when all are done."""
    pending = set(tasks)
    while pending:
        try:
            _wait(pending, any)
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


class DaskAOSOClassifier(AOSOClassifier):
    """:class:`aoso.AOSOClassifier` for data of a Dask cluster.

    ``fit`` and ``predict`` take Dask arrays and data frames. The parameters and attributes are those of
    :class:`aoso.AOSOClassifier`, except that ``tune``, ``class_weight`` and ``eval_set`` are not there.

    Examples
    --------
    >>> from aoso.dask import DaskAOSOClassifier
    >>> model = DaskAOSOClassifier(n_estimators=100)  # .fit(x, y).predict(x).compute()
    """

    @restoring
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
        if own["class_weight"] is not None:
            raise ArgumentError(f"class_weight is {own['class_weight']!r}; allowed with Dask: None")
        params["seed"] = seed = seed_of(own["random_state"])
        self.booster_ = train(
            default_client() if client is None else client,
            params,
            X,
            y,
            weight=sample_weight,
            timeout=timeout,
            categorical_features=own["categorical_features"],
            max_bin=own["max_bin"],
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
        """The most likely class of each row of ``X``: a Dask array or series for Dask data, else as :class:`aoso.AOSOClassifier` does."""
        check_is_fitted(self)
        return self._by_block("predict", X, self.classes_[:1])

    def predict_proba(self, X: Any) -> Any:  # type: ignore[override]
        """The probability of each class for each row of ``X``: a Dask array or data frame for Dask data."""
        check_is_fitted(self)
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
