"""Faults of workers of Spark and Ray in named phases of training. The workers import this module."""

from __future__ import annotations

import contextlib
import functools
import os
import resource
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from aoso import _table_rank

# While binning; in the hold-out phase; in the last iteration of the model itself. Another phase is "start": before the ranks connect.
PHASES = ("binning", "first", "last")


def kill_worker() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def stop_worker() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def kill_executor() -> None:
    """Kill the process of Java in which a worker of Spark runs, and so the worker."""
    process = os.getpid()
    while "CoarseGrainedExecutorBackend" not in Path(f"/proc/{process}/cmdline").read_text():
        process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    os.kill(process, signal.SIGKILL)
    time.sleep(60)


def starve(spare: int) -> None:
    """Leave a worker this many bytes more than it has, as a limit of Spark's does."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + spare
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def change_version() -> None:
    """Have a worker of Spark say that its library has another version."""
    from aoso import _spark_worker

    _spark_worker.version = lambda: "0.0.0"


class Fault(NamedTuple):
    """What happens once to a worker. The others go on."""

    phase: str
    rank: int
    folder: str  # which all workers reach
    act: Callable[[], None] = kill_worker
    seconds: float = 0  # since binning began, for this phase
    iteration: int = 1  # of the hold-out phase, for this phase

    @classmethod
    def drawn(cls, rng: np.random.Generator, workers: int, *of: Any) -> Fault:
        """A fault of any worker at a random moment of its phase."""
        phase, *others = of
        return cls(phase, int(rng.integers(workers)), *others, rng.uniform(0, 0.02), int(rng.integers(1, 60)))

    def strike(self) -> None:
        """Act, unless a worker has done it before."""
        with contextlib.suppress(FileExistsError):
            (Path(self.folder) / "struck").touch(exist_ok=False)
            self.act()

    @property
    def struck(self) -> float | None:
        """When it happened."""
        return self._when("struck")

    @property
    def again(self) -> float | None:
        """When a worker began to train again."""
        return self._when("again")

    def _when(self, name: str) -> float | None:
        with contextlib.suppress(FileNotFoundError):
            return (Path(self.folder) / name).stat().st_mtime
        return None


@contextlib.contextmanager
def faulty(fault: Fault, rank: int) -> Iterator[None]:
    """Have a fault in a worker that trains meanwhile. It saves a checkpoint often."""
    dataset, train = _table_rank.Dataset, _table_rank.train
    mine = rank == fault.rank

    def binned(*arguments, **options):
        if fault.struck:
            (Path(fault.folder) / "again").touch()
        strike = threading.Timer(fault.seconds, fault.strike)
        if mine and fault.phase == "binning":
            strike.start() if fault.seconds else fault.strike()
        made = dataset(*arguments, **options)
        strike.cancel()
        return made

    def follow(progress):
        first = progress.phase == "holdout" and progress.iteration == fault.iteration
        last = progress.phase == "train" and progress.iteration == progress.max_trees
        if mine and {"first": first, "last": last}.get(fault.phase):
            fault.strike()

    def trained(*arguments, callbacks, **options):
        return train(*arguments, callbacks=[*callbacks, follow], checkpoint_seconds=0.1, **options)

    _table_rank.Dataset, _table_rank.train = binned, trained
    try:
        if mine and fault.phase == "start":
            fault.strike()
        yield
    finally:
        _table_rank.Dataset, _table_rank.train = dataset, train


def spark_rank(train_rank, fault, batches, plan):
    """A task of a barrier stage with a fault."""
    from pyspark import BarrierTaskContext

    with faulty(fault, BarrierTaskContext.get().partitionId()):
        yield from train_rank(batches, plan)


@contextlib.contextmanager
def in_spark(fault: Fault) -> Iterator[None]:
    """Have a fault in what Spark trains meanwhile."""
    from aoso import _spark_worker

    train_rank = _spark_worker.train_rank
    _spark_worker.train_rank = functools.partial(spark_rank, train_rank, fault)
    try:
        yield
    finally:
        _spark_worker.train_rank = train_rank


def ray_loop(fault: Fault):
    """A training function of Ray with a fault."""

    def loop(config):
        import ray.train

        from aoso.ray import train_loop_per_worker

        with faulty(fault, ray.train.get_context().get_world_rank()):
            train_loop_per_worker(config)

    return loop

