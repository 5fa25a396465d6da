"""scikit-learn's HistGradientBoostingClassifier: a tree for each class in each iteration."""

from __future__ import annotations

import contextlib
import io
import pickle
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import sklearn
from sklearn.ensemble import HistGradientBoostingClassifier

from bench.peers.clock import Clock
from bench.peers.systems.binary import both


class _BudgetSpent(Exception):
    pass


class _Clocked(HistGradientBoostingClassifier):
    """There are no callbacks, but the method that prints statistics is called after each iteration."""

    def _print_iteration_stats(self, iteration_start_time: float) -> None:
        if self.clock.tick():
            raise _BudgetSpent


class Sklearn:
    version = sklearn.__version__

    def train(
        self, x: np.ndarray, y: np.ndarray, params: dict[str, Any], iterations: int | None, threads: int, clock: Clock
    ) -> None:
        # The number of threads comes from OMP_NUM_THREADS, which the process was started with.
        if iterations:
            params = {"max_iter": iterations} | params
        self.model = _Clocked(verbose=2, random_state=0, **params)
        self.model.clock = clock
        clock.start()
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                self.model.fit(x, y)
            except _BudgetSpent:
                del self.model._in_fit  # fit removes this attribute when it ends normally

    def staged(self, x: np.ndarray, stages: Sequence[int]) -> Iterator[np.ndarray]:
        wanted = set(stages)
        for iteration, scores in enumerate(self.model.staged_decision_function(x), 1):
            if iteration in wanted:
                yield both(scores, 0)

    def proba(self, x: np.ndarray) -> np.ndarray:
        return self.model.predict_proba(x)

    def row_proba(self, row: np.ndarray) -> np.ndarray:
        return self.proba(row[None])

    def trees(self) -> int:
        return self.model.n_iter_ * self.model.n_trees_per_iteration_

    def size(self) -> int:
        return len(pickle.dumps(self.model))


SYSTEMS = {"sklearn": Sklearn}
