"""``python -m bench.coverage`` measures how often prediction sets have the class of their row, and how large they are.

It trains a model on each set with the defaults and writes a table of bench/README.md. It skips what bench/results already has.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import aoso
from bench import readme, sets
from bench.results import FOLDER, QUICK_FOLDER, Results, shape

# The sets with at least 2,000 test rows.
SETS = ["letter", "pendigits", "zipcode", "mnist10k", "covertype93k", "poker25k", "adult", "diabetes130", "shuttle"]

# Name, method, and whether each class has its own threshold.
METHODS = [("lac", "lac", False), ("aps", "aps", False), ("raps", "raps", False), ("lac, by class", "lac", True)]
ALPHAS = [0.1, 0.05]
SPLITS = 20


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.coverage", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="Letter with few trees; results go to build/bench/quick")
    parser.add_argument("--sets", type=lambda text: text.split(","), default=SETS, help="only these sets, separated by commas")
    parser.add_argument("--again", action="store_true", help="measure again what the results already have")
    parser.add_argument("--report", action="store_true", help="only write the table")
    options = parser.parse_args()
    folder = QUICK_FOLDER if options.quick else FOLDER
    if not options.report:
        for name in ["letter"] if options.quick else options.sets:
            if why := sets.missing(name):
                print(f"{name} is skipped: {why}")
                continue
            results = Results(folder, "coverage", name)
            if options.again or not results.runs:
                measure(results, sets.load(name), {"trees": 20} if options.quick else {})
    readme.fill({"coverage": report(folder)}, folder)


def measure(results: Results, data: sets.Set, params: dict[str, int]) -> None:
    """Adds the coverage and the size of the sets of each method and alpha, by the rows held out and by half the test rows."""
    start = time.process_time()
    booster = aoso.train(params, aoso.Dataset(data.x, data.y))
    known = np.isin(data.y_test, booster.classes)
    x, y = data.x_test[known], data.y_test[known]
    own = np.argmax(booster.classes == y[:, None], axis=1)
    rng = np.random.default_rng(1)
    halves = [np.array_split(rng.permutation(len(y)), 2) for _ in range(SPLITS)]
    fresh = [booster.conformalized(x[fit], y[fit]) for fit, _ in halves]
    results.shape = shape(data)
    for name, method, by_class in METHODS:
        for alpha in ALPHAS:
            held_out = _look(booster, x, own, alpha, method, by_class)
            splits = [_look(m, x[test], own[test], alpha, method, by_class) for m, (_, test) in zip(fresh, halves)]
            results.add(
                f"{name} {alpha}",
                {
                    "held_out": held_out,
                    "fresh": {key: float(np.mean([split[key] for split in splits])) for key in held_out},
                    "held_out_rows": booster.conformal_rows,
                    "error": float(np.mean(booster.predict(x) != y)),
                    "fingerprint": booster.fingerprint,
                },
            )
    print(f"{results.set}: {time.process_time() - start:.0f} CPU seconds")


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


def report(folder) -> str:
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
    main()
