"""Measures one training run."""

from __future__ import annotations

import math
import os
import resource
import statistics
import time
from typing import Any

import numpy as np
from scipy.special import log_softmax

from bench import machine, results, sets
from bench.peers import plan, systems
from bench.peers.clock import Clock

SINGLE_ROWS = 200
BATCH_ROWS = 10_000
BATCH_SECONDS = 0.5


def measure(job: dict[str, Any]) -> dict[str, Any]:
    resource.setrlimit(resource.RLIMIT_DATA, (plan.MAX_MEMORY, plan.MAX_MEMORY))
    data = sets.load(job["set"])
    system = systems.make(job["system"])
    params = system.suggested(data) if job["setting"] == plan.SUGGESTED else job["params"]
    clock = Clock(job["budget"] or math.inf)
    load = os.getloadavg()[0]
    machine.forget_peak()
    before = machine.resident()
    system.train(data.x, data.y, params, job["iterations"], job["threads"], clock)
    after = machine.peak()
    iterations = stages(len(clock.cpu))
    curve = evaluate(system, data, iterations)
    at = [i - 1 for i in iterations]
    return {
        "shape": results.shape(data),
        "version": system.version,
        "params": params,
        "iterations": len(clock.cpu),
        "trees": system.trees(),
        "memory": after - before if before and after else None,
        "bytes": system.size(),
        "curve": {"iterations": iterations} | curve,
        "clock": {
            "cpu": [round(clock.cpu[i], 4) for i in at],
            "wall": [round(clock.wall[i], 4) for i in at],
            "load": round(load, 2),
            "row_microseconds": single_row(system, data.x_test),
            "batch_microseconds": batch(system, data.x_test[:BATCH_ROWS]),
        },
    }


def stages(last: int) -> list[int]:
    """The iterations to evaluate: exponentially spaced, including the last."""
    return sorted({int(1.1**i) for i in range(200) if 1.1**i <= last} | {last})


def evaluate(system: systems.System, data: sets.Set, iterations: list[int]) -> dict[str, list[Any]]:
    """Test errors, mean log losses and mean Brier scores: the sum of (p - y)² over the classes. A loss that is not finite is
    None."""
    errors, losses, briers = [], [], []
    for scores in system.staged(data.x_test, iterations):
        errors.append(int((scores.argmax(axis=1) != data.y_test).sum()))
        log_p = log_softmax(scores.astype(np.float64), axis=1)
        of_label = log_p[np.arange(len(data.y_test)), data.y_test]
        loss = -float(of_label.mean())
        brier = 1 + float((np.exp(2 * log_p).sum(axis=1) - 2 * np.exp(of_label)).mean())
        losses.append(round(loss, 6) if math.isfinite(loss) else None)
        briers.append(round(brier, 6))
    return {"errors": errors, "logloss": losses, "brier": briers}


def single_row(system: systems.System, x: np.ndarray) -> float:
    """The median wall microseconds to predict the probabilities of one row."""
    times = []
    for i in range(SINGLE_ROWS):
        row = x[i % len(x)]
        start = time.perf_counter()
        system.row_proba(row)
        times.append(time.perf_counter() - start)
    return round(1e6 * statistics.median(times), 1)


def batch(system: systems.System, x: np.ndarray) -> float:
    """CPU microseconds per row to predict the probabilities of all rows at once."""
    start, rows = time.process_time(), 0
    while time.process_time() - start < BATCH_SECONDS:
        system.proba(x)
        rows += len(x)
    return round(1e6 * (time.process_time() - start) / rows, 3)
