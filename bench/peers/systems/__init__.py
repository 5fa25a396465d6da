"""The systems that are compared, with a common interface.

``train`` starts the clock when it has only the rows as a numpy array, so that the time includes binning. The clock ticks
after every iteration of the model's own training, and nothing is evaluated for the benchmark during training. If ``iterations`` is None, the library's default applies.
``staged`` yields the scores whose softmax is the probabilities, after each of the given numbers of iterations.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from bench.peers.clock import Clock


class System(Protocol):
    version: str
    model: Any  # the library's own model object, set by train

    def train(
        self, x: np.ndarray, y: np.ndarray, params: dict[str, Any], iterations: int | None, threads: int, clock: Clock
    ) -> None: ...

    def staged(self, x: np.ndarray, stages: Sequence[int]) -> Iterator[np.ndarray]: ...

    def proba(self, x: np.ndarray) -> np.ndarray: ...

    def row_proba(self, row: np.ndarray) -> np.ndarray:
        """The probabilities of one row, by the library's fastest way in Python."""
        ...

    def trees(self) -> int: ...

    def size(self) -> int:
        """The size in bytes of the model as the library saves it."""
        ...


def make(name: str) -> System:
    """The system with the given name."""
    system: System = importlib.import_module(f"bench.peers.systems.{name.split('-')[0]}").SYSTEMS[name]()
    return system
