"""XGBoost: a tree a class in each iteration, or one tree with vectors in its leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import xgboost

from bench.peers.clock import Clock


DEFAULT_ITERATIONS = 100  # n_estimators of XGBClassifier


class XGBoost:
    version = xgboost.__version__
    strategy = "one_output_per_tree"

    def train(
        self, x: np.ndarray, y: np.ndarray, params: dict[str, Any], iterations: int | None, threads: int, clock: Clock
    ) -> None:
        self._classes = int(y.max()) + 1
        task = {
            "objective": "multi:softprob",
            "num_class": self._classes,
            "multi_strategy": self.strategy,
            "tree_method": "hist",
            "nthread": threads,
        }
        clock.start()
        data = xgboost.QuantileDMatrix(x, y, nthread=threads)
        self.model = xgboost.Booster(task | params, [data])
        for i in range(iterations or DEFAULT_ITERATIONS):
            self.model.update(data, i)
            if clock.tick():
                break

    def staged(self, x: np.ndarray, stages: Sequence[int]) -> Iterator[np.ndarray]:
        data = xgboost.DMatrix(x)
        for first, last in pairwise([0, *stages]):
            scores = self.model.predict(data, output_margin=True, iteration_range=(first, last))
            yield scores
            data.set_base_margin(scores)

    def proba(self, x: np.ndarray) -> np.ndarray:
        return self.model.inplace_predict(x)

    def row_proba(self, row: np.ndarray) -> np.ndarray:
        return self.proba(row[None])

    def trees(self) -> int:
        return self.model.num_boosted_rounds() * (self._classes if self.strategy == "one_output_per_tree" else 1)

    def size(self) -> int:
        return len(self.model.save_raw("ubj"))


class XGBoostVector(XGBoost):
    strategy = "multi_output_tree"


SYSTEMS = {"xgboost": XGBoost, "xgboost-vector": XGBoostVector}
