"""Trains one model of the paper's tables."""

from __future__ import annotations

import time
from typing import Any

import aoso

from bench import machine, results, sets

EVAL_EVERY = 20  # iterations
SPACING = 1.05  # least ratio of the numbers of trees at successive points of the curve


def measure(job: dict[str, Any]) -> dict[str, Any]:
    data = sets.load(job["set"].lower())
    params = job["params"] | {"nthread": 1} | ({"n_estimators": job["trees"]} if job["trees"] else {})
    start = time.process_time()
    train_set = aoso.Dataset(data.x, data.y, nthread=1)
    valid = train_set.aligned(data.x_test, data.y_test)
    curve = Curve(len(data.y_test))
    booster = aoso.train(params, train_set, valid=valid, eval_every=EVAL_EVERY, callbacks=[curve.look])
    result = booster.result
    return {
        "shape": results.shape(data),
        "version": machine.version(),
        "params": job["params"],
        "errors": round(result.valid.error * len(data.y_test)),
        "logloss": round(result.valid.logloss, 6),
        "trees": booster.num_trees,
        "stopped_by": result.stopped_by,
        "cpu": round(time.process_time() - start, 2),
        "curve": {"trees": curve.trees, "errors": curve.errors},
    }


class Curve:
    """Test errors during training, at exponentially growing numbers of trees."""

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self.trees: list[int] = []
        self.errors: list[int] = []

    def look(self, progress: Any) -> None:
        valid = progress.metrics.get("valid")
        if valid and (not self.trees or progress.trees >= SPACING * self.trees[-1]):
            self.trees.append(progress.trees)
            self.errors.append(round(valid["error"] * self._rows))
