"""``python -m bench.coverage`` measures how often prediction sets have the class of their row, and how large they are.

It trains a model on each set with the defaults and writes a table of bench/README.md. It skips what bench/results already has.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import aoso
from bench import harness, readme, sets
from bench.results import Results, shape

# The sets with at least 2,000 test rows.
SETS = ["letter", "pendigits", "zipcode", "mnist10k", "covertype93k", "poker25k", "adult", "diabetes130", "shuttle"]

# Name, method, and whether each class has its own threshold.
METHODS = [("lac", "lac", False), ("aps", "aps", False), ("raps", "raps", False), ("lac, by class", "lac", True)]
ALPHAS = [0.1, 0.05]
SPLITS = 20


class Coverage(harness.Benchmark):
    name, worker = "coverage", "bench.coverage"
    quick, quick_sets = "Letter with few trees", ("letter",)

    def jobs(self) -> Iterator[harness.Job]:
        params = {"n_estimators": 20} if self.options.quick else {}
        return (harness.Job(name, "", {"set": name, "params": params}, name) for name in SETS)

    def line(self, run: dict[str, Any]) -> str:
        return f"{run['cpu']:.0f} CPU seconds"

    def report(self, folder: Path) -> None:
        readme.fill({"coverage": tables(folder)}, folder)


def measure(job: dict[str, Any]) -> dict[str, Any]:
    """The coverage and the size of the sets of each method and alpha, by the rows held out and by half the test rows."""
    data, start = sets.load(job["set"]), time.process_time()
    booster = aoso.train(job["params"], aoso.Dataset(data.x, data.y))
    known = np.isin(data.y_test, booster.classes)
    x, y = data.x_test[known], data.y_test[known]
    own = np.argmax(booster.classes == y[:, None], axis=1)
    rng = np.random.default_rng(1)
    halves = [np.array_split(rng.permutation(len(y)), 2) for _ in range(SPLITS)]
    fresh = [booster.conformalized(x[fit], y[fit]) for fit, _ in halves]
    runs = {}
    for name, method, by_class in METHODS:
        for alpha in ALPHAS:
            held_out = _look(booster, x, own, alpha, method, by_class)
            splits = [_look(m, x[test], own[test], alpha, method, by_class) for m, (_, test) in zip(fresh, halves)]
            runs[f"{name} {alpha}"] = {
                "held_out": held_out,
                "fresh": {key: float(np.mean([split[key] for split in splits])) for key in held_out},
                "held_out_rows": booster.conformal_rows,
                "error": float(np.mean(booster.predict(x) != y)),
                "fingerprint": booster.fingerprint,
            }
    return {"shape": shape(data), "runs": runs, "cpu": time.process_time() - start}


def _look(booster: aoso.Booster, x: np.ndarray, own: np.ndarray, alpha: float, method: str, by_class: bool) -> dict[str, float]:
    found = booster.predict_set(x, alpha=alpha, method=method, class_conditional=by_class)
    hits = found[np.arange(len(own)), own]
    of_classes = [hits[own == k].mean() for k in np.unique(own)]
    return {
        "coverage": float(hits.mean()),
        "least_of_class": float(min(of_classes)),
        "size": float(found.sum(axis=1).mean()),
        "empty": float((~found.any(axis=1)).mean()),
    }


def tables(folder: Path) -> str:
    """Two tables: sets by the rows held out in training, and by half of the test rows."""
    stores = [store for name in SETS if (store := Results(folder, "coverage", name)).runs]
    head = ["set", "errors", *(f"{name}, {alpha}" for alpha in ALPHAS for name, _, _ in METHODS)]
    parts = []
    for source, title in [("held_out", "Conformity scores of the held-out rows"), ("fresh", f"Conformity scores of half the test rows, mean of {SPLITS} splits")]:
        rows = []
        for store in stores:
            cells = [_cell(store.runs[f"{name} {alpha}"][source], 1 - alpha) for alpha in ALPHAS for name, _, _ in METHODS]
            rows.append([store.set, f"{100 * next(iter(store.runs.values()))['error']:.1f}", *cells])
        parts.append(f"{title}:\n\n{readme.table(head, rows)}")
    return "\n\n".join(parts)


def _cell(run: dict[str, float], wanted: float) -> str:
    coverage = f"{100 * run['coverage']:.1f}"
    if abs(run["coverage"] - wanted) > 0.01:
        coverage = f"*{coverage}*"
    return f"{coverage} / {run['size']:.2f}"


if __name__ == "__main__":
    Coverage().main()
