"""The systems, each behind the same few methods.

``train`` starts the clock when it has the rows as a numpy array and nothing else, so that binning counts, and lets it
tick after every iteration; nothing is evaluated meanwhile. Without a number of iterations it does as many as the library
does by default. ``staged`` gives the raw scores after so many iterations.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from bench.peers.clock import Clock


class System(Protocol):
    version: str
    model: Any  # the library's own object, after training

    def train(
        self, x: np.ndarray, y: np.ndarray, params: dict[str, Any], iterations: int | None, threads: int, clock: Clock
    ) -> None: ...

    def staged(self, x: np.ndarray, stages: Sequence[int]) -> Iterator[np.ndarray]: ...

    def proba(self, x: np.ndarray) -> np.ndarray: ...

    def row_proba(self, row: np.ndarray) -> np.ndarray:
        """The probabilities of one row, by the fastest that the library has for it in Python."""
        ...

    def trees(self) -> int: ...

    def size(self) -> int:
        """Bytes of the model as the library saves it."""
        ...


def make(name: str) -> System:
    """A system by its name."""
    system: System = importlib.import_module(f"bench.peers.systems.{name.split('-')[0]}").SYSTEMS[name]()
    return system
