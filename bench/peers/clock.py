"""Measures the time of training."""

from __future__ import annotations

import time


class Clock:
    """CPU seconds (of all threads) and wall seconds from the start of training to the end of each iteration."""

    def __init__(self, budget: float) -> None:
        self._budget = budget
        self.cpu: list[float] = []
        self.wall: list[float] = []

    def start(self) -> None:
        self._cpu, self._wall = time.process_time(), time.perf_counter()

    def forget(self) -> None:
        """Drops the iterations so far, because training begins again. The time goes on."""
        self.cpu.clear()
        self.wall.clear()

    def tick(self) -> bool:
        """Records the end of an iteration. Returns whether the budget of CPU seconds is used up."""
        self.cpu.append(time.process_time() - self._cpu)
        self.wall.append(time.perf_counter() - self._wall)
        return self.cpu[-1] >= self._budget
