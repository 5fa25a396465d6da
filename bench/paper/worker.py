"""Trains one model of the paper's tables."""

from __future__ import annotations

import time
from typing import Any

import aoso

from bench import machine, results, sets

STEPS = 32  # points of the curve up to the last iteration, and again up to a quarter of it, and so on
SHORTEST = 20  # iterations


def measure(job: dict[str, Any]) -> dict[str, Any]:
    """The CPU seconds are those of training, without the test errors."""
    data = sets.load(job["set"].lower())
    params = job["params"] | {"nthread": 1} | ({"n_estimators": job["trees"]} if job["trees"] else {})
    start = time.process_time()
    booster = aoso.train(params, aoso.Dataset(data.x, data.y, nthread=1))
    cpu = time.process_time() - start
    return {
        "shape": results.shape(data),
        "version": machine.version(),
        "params": job["params"],
        "trees": booster.num_trees,
        "stopped_by": booster.result.stopped_by,
        "cpu": round(cpu, 2),
    } | evaluate(booster, data)


def evaluate(booster: aoso.Booster, data: sets.Set) -> dict[str, Any]:
    """Test errors and log loss, and the test errors at about exponentially growing numbers of trees.

    Done after training, in batches of trees: with 500,000 test rows, that is ten times as fast as during training.
    """
    group = booster.trees_per_iteration
    parts = [booster.num_trees // group]
    while parts[0] // 4 >= SHORTEST:
        parts.insert(0, parts[0] // 4)
    trees, errors, loss = [0], [], 0.0
    for part in parts:
        every = -(-part // STEPS)
        found = booster.truncated(part * group).evaluate(data.x_test, data.y_test, every=every, nthread=1)
        loss = found["logloss"][-1]
        for iteration, error in zip([*range(every, part, every), part], found["error"], strict=True):
            if iteration * group > trees[-1]:
                trees.append(iteration * group)
                errors.append(round(error * len(data.y_test)))
    return {"errors": errors[-1], "logloss": round(loss, 6), "curve": {"trees": trees[1:], "errors": errors}}
