"""Training on several machines with ``torch.distributed``, as torchrun, Spark's TorchDistributor or Kubeflow start it.

Every process has some of the rows. Run as ``torchrun --nproc-per-node 4 train.py``::

    import torch.distributed
    import aoso, aoso.torch

    torch.distributed.init_process_group("gloo")
    collective = aoso.torch.TorchCollective()
    x, y = read_rows(collective.rank, collective.size)
    booster = aoso.train({}, aoso.Dataset(x, y, collective=collective))
    if collective.rank == 0:
        booster.save("model.aoso")
"""

from __future__ import annotations

import contextlib
import datetime
from typing import Any

import numpy as np

from ._input import Array
from .collective import Collective
from .errors import CollectiveError

try:
    import torch
    import torch.distributed as distributed
except ImportError as e:
    raise ImportError(f"aoso.torch needs PyTorch: pip install torch ({e})") from e

__all__ = ["TorchCollective"]


class TorchCollective(Collective):
    """The processes of ``torch.distributed``, over its backend gloo.

    Parameters
    ----------
    ranks : list of int, optional
        The ranks of ``torch.distributed`` that take part; by default all. All processes make the collective at the same time,
        after ``torch.distributed.init_process_group``. It has connections of its own, whatever the backend of the default group.
    timeout : float, default 600
        Seconds that a process waits for the others in a call. After that it raises an error.
    """

    def __init__(self, ranks: list[int] | None = None, timeout: float = 600) -> None:
        self._timeout = timeout
        self._group: Any = distributed.new_group(ranks, timeout=datetime.timedelta(seconds=timeout), backend="gloo")
        self._rank, self._size = int(distributed.get_rank(self._group)), int(distributed.get_world_size(self._group))

    @property
    def rank(self) -> int:
        """The number of this process, from 0."""
        return self._rank

    @property
    def size(self) -> int:
        """The number of processes."""
        return self._size

    def all_reduce(self, op: str, values: Array) -> None:
        """Replace numbers by those of all processes, summed or the greatest."""
        how = distributed.ReduceOp.SUM if op == "sum" else distributed.ReduceOp.MAX
        with self._named("all_reduce"):
            distributed.all_reduce(torch.from_numpy(values), how, self._group)

    def all_gather(self, data: bytes) -> list[bytes]:
        """Return what every process gives, by rank."""
        sizes = self._gathered(np.array([len(data)], np.int64))[:, 0]
        longest = int(sizes.max())
        if longest == 0:
            return [b""] * len(sizes)
        padded = np.zeros(longest, np.uint8)
        padded[: len(data)] = np.frombuffer(data, np.uint8)
        return [part[:size].tobytes() for part, size in zip(self._gathered(padded), sizes)]

    def _gathered(self, values: Array) -> Array:
        """Arrays of equal length, by rank."""
        out = np.empty((self.size, len(values)), values.dtype)
        with self._named("all_gather"):
            distributed.all_gather(list(torch.from_numpy(out)), torch.from_numpy(values), self._group)
        return out

    def abort(self, reason: str) -> None:
        """Close the connections, which ends the calls of the other processes."""
        distributed.destroy_process_group(self._group)

    @contextlib.contextmanager
    def _named(self, call: str) -> Any:
        """Say in errors which rank they are of. gloo says which connection is lost, but not of which rank."""
        try:
            yield
        except RuntimeError as e:
            text = f"{call} of rank {self.rank} of {self.size}: another rank is lost, has given up or has not answered in {self._timeout:g} s"
            raise CollectiveError(f"{text}: {e}") from e
