"""Measures one search: ``python -m bench.tuning.worker JOB`` prints the result as JSON."""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from bench import results, sets
from bench.tuning.searches import SEARCHES, versions


def measure(job: dict[str, Any]) -> dict[str, Any]:
    data = sets.load(job["set"])
    version = versions(job["search"])
    load, cpu, wall = os.getloadavg()[0], time.process_time(), time.perf_counter()
    proba, trials = SEARCHES[job["search"]](data.x, data.y, job["seconds"])
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return {
        "shape": results.shape(data),
        "version": version,
        "seconds": job["seconds"],
        "trials": trials,
        "cpu": round(cpu, 2),
        "wall": round(wall, 2),
        "load": round(load, 2),
        **evaluate(np.asarray(proba(data.x_test), np.float64), data.y_test),
    }


def evaluate(p: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """Errors, mean log loss, and the refined log loss: with the temperature that suits these rows best. Probabilities are at least
    1e-15."""
    log_p = np.log(np.maximum(p, 1e-15))
    rows = np.arange(len(y))

    def loss(log_factor: float) -> float:
        return -float(log_softmax(np.exp(log_factor) * log_p, axis=1)[rows, y].mean())

    best = minimize_scalar(loss, bounds=(-4, 4), method="bounded", options={"xatol": 1e-4})
    return {
        "errors": int((p.argmax(axis=1) != y).sum()),
        "logloss": round(loss(0), 6),
        "refined": round(min(float(best.fun), loss(0)), 6),
    }


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(measure(json.loads(sys.argv[1]))))
