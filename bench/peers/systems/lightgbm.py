"""LightGBM: a tree for each class in each iteration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import lightgbm
import numpy as np

from bench.peers.clock import Clock
from bench.peers.systems.binary import both


DEFAULT_ITERATIONS = 100  # n_estimators of LGBMClassifier


def objective(classes: int) -> dict[str, Any]:
    """With two classes, one tree per iteration, as in LGBMClassifier."""
    return {"objective": "binary"} if classes == 2 else {"objective": "multiclass", "num_class": classes}


class LightGBM:
    version = lightgbm.__version__

    def train(
        self, x: np.ndarray, y: np.ndarray, params: dict[str, Any], iterations: int | None, threads: int, clock: Clock
    ) -> None:
        task = {"num_threads": threads, "verbosity": -1} | objective(int(y.max()) + 1)
        clock.start()
        self.model = lightgbm.Booster(task | params, lightgbm.Dataset(x, y))
        for _ in range(iterations or DEFAULT_ITERATIONS):
            stuck = self.model.update()
            if clock.tick() or stuck:
                break

    def staged(self, x: np.ndarray, stages: Sequence[int]) -> Iterator[np.ndarray]:
        scores = 0
        for first, last in pairwise([0, *stages]):
            scores += self.model.predict(x, raw_score=True, start_iteration=first, num_iteration=last - first)
            yield both(scores, 0)

    def proba(self, x: np.ndarray) -> np.ndarray:
        p = self.model.predict(x)
        return both(p, 1 - p)

    def row_proba(self, row: np.ndarray) -> np.ndarray:
        return self.proba(row[None])

    def trees(self) -> int:
        return self.model.num_trees()

    def size(self) -> int:
        return len(self.model.model_to_string().encode())


SYSTEMS = {"lightgbm": LightGBM}
