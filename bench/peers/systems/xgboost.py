"""XGBoost: a tree for each class in each iteration, or one tree with vector leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import xgboost

from bench.peers.clock import Clock
from bench.peers.systems.binary import both


DEFAULT_ITERATIONS = 100  # n_estimators of XGBClassifier


def objective(classes: int) -> dict[str, Any]:
    """With two classes, one tree per iteration, as in XGBClassifier."""
    return {"objective": "binary:logistic"} if classes == 2 else {"objective": "multi:softprob", "num_class": classes}


class XGBoost:
    version = xgboost.__version__
    strategy = "one_output_per_tree"

    def train(
        self, x: np.ndarray, y: np.ndarray, params: dict[str, Any], iterations: int | None, threads: int, clock: Clock
    ) -> None:
        self._classes = int(y.max()) + 1
        task = {
            "multi_strategy": self.strategy,
            "tree_method": "hist",
            "nthread": threads,
        } | objective(self._classes)
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
            yield both(scores, 0)
            data.set_base_margin(scores)

    def proba(self, x: np.ndarray) -> np.ndarray:
        p = self.model.inplace_predict(x)
        return both(p, 1 - p)

    def row_proba(self, row: np.ndarray) -> np.ndarray:
        return self.proba(row[None])

    def trees(self) -> int:
        return self.model.num_boosted_rounds() * (self._classes if self.strategy == "one_output_per_tree" and self._classes > 2 else 1)

    def size(self) -> int:
        return len(self.model.save_raw("ubj"))


class XGBoostVector(XGBoost):
    strategy = "multi_output_tree"


SYSTEMS = {"xgboost": XGBoost, "xgboost-vector": XGBoostVector}
