"""``python -m bench.documents`` measures the log losses and errors in the tables of docs/, and writes these tables.

None of these figures is a time, so the machine may be busy. It skips what bench/results already has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench import harness, readme, sets
from bench.results import Results, shape
from bench.sets import ROOT, Set

MANY, CONSTRAINTS = ROOT / "docs/many-classes.md", ROOT / "docs/constraints.md"

STARTS = ("zero", "linear")
START_SETS = ("mixture30k", "vowel", "optdigits", "letter", "pendigits", "zipcode")

# The leaves of a thousand classes: parameters by the name of the run.
WIDE = "mixture-1000-60000"
WIDE_RUNS: dict[str, dict[str, Any]] = {"full": {"leaf": "full", "max_leaves": 400}} | {
    f"sparse {count}": {"leaf": "sparse", "leaf_classes": count, "max_leaves": 1000} for count in (8, 16, 32, 63)
}
WIDE_PARAMS = {"start": "zero", "n_estimators": 40, "learning_rate": 0.3, "calibration": "none", "preset": "paper"}

# Two classes whose log-odds rise with the first two of ten features and fall with the third.
SIGNS = [1, 1, -1, *[0] * 7]
TREES = (100, 300)
TREE_SHAPE = {"max_leaves": 31, "learning_rate": 0.1, "reg_lambda": 1}


class Documents(harness.Benchmark):
    name, worker = "documents", "bench.documents"

    def jobs(self) -> Iterator[harness.Job]:
        for name in START_SETS:
            for start in STARTS:
                content = {"data": name, "system": "aoso", "params": {"start": start}}
                yield harness.Job("start", f"{name} {start}", content, name)
        for key, params in WIDE_RUNS.items():
            yield harness.Job("leaves", key, {"data": WIDE, "system": "aoso", "params": WIDE_PARAMS | params})
        for system in TRAIN:
            for trees in TREES:
                for kind, signs in (("free", []), ("constrained", SIGNS)):
                    content = {"data": "monotone", "system": system, "params": TREE_SHAPE, "trees": trees, "constraints": signs}
                    yield harness.Job("constraints", f"{system} {trees} {kind}", content, system=system)

    def line(self, run: dict[str, Any]) -> str:
        return f"log loss {run['logloss']:.4f}, {run['errors']} errors"

    def report(self, folder: Path) -> None:
        tables = {"start": start_table, "leaves": leaves_table, "constraints": constraints_table}
        filled = {name: fill(Results(folder, self.name, name)) for name, fill in tables.items()}
        readme.fill({"constraints": filled.pop("constraints")}, folder, CONSTRAINTS)
        readme.fill(filled, folder, MANY)


def measure(job: dict[str, Any]) -> dict[str, Any]:
    data = load(job["data"])
    return TRAIN[job["system"]](job, data) | {"shape": {job["data"]: shape(data)}}


def load(name: str) -> Set:
    if name == WIDE:
        from bench.many import data

        folder = data.make("mixture", 1000, 60_000, ROOT / "build/bench/many")
        x, y, x_test, y_test = data.load(str(folder))
        return Set(np.asarray(x), y.astype(np.int32), x_test, y_test.astype(np.int32))
    return monotone() if name == "monotone" else sets.load(name)


def monotone(rows: int = 20_000, test_rows: int = 40_000) -> Set:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((rows + test_rows, 10)).astype(np.float32)
    odds = np.tanh(x[:, 0]) + 0.7 * x[:, 1] - np.exp(0.5 * x[:, 2]) + np.sin(2 * x[:, 3]) + x[:, 4] * x[:, 5] + 1
    y = (rng.logistic(size=len(x)) < 2 * odds).astype(np.int32)
    return Set(x[:rows], y[:rows], x[rows:], y[rows:])


def train_aoso(job: dict[str, Any], data: Set) -> dict[str, Any]:
    import aoso

    from bench import machine

    params = job["params"]
    if "trees" in job:
        params |= {"preset": "paper", "n_estimators": job["trees"], "calibration": "none"}
        params |= {"monotone_constraints": job["constraints"]} if job["constraints"] else {}
    booster = aoso.train(params, aoso.Dataset(data.x, data.y))
    found = booster.evaluate(data.x_test, data.y_test)
    return {
        "logloss": found["logloss"], "errors": round(found["error"] * len(data.y_test)), "trees": booster.num_trees,
        "version": machine.version(), "fingerprint": booster.fingerprint,
    }  # fmt: skip


def train_lightgbm(job: dict[str, Any], data: Set) -> dict[str, Any]:
    import lightgbm

    params = {"objective": "binary", "num_leaves": job["params"]["max_leaves"], "learning_rate": job["params"]["learning_rate"],
              "lambda_l2": job["params"]["reg_lambda"], "verbose": -1, "num_threads": 1, "deterministic": True}  # fmt: skip
    if job["constraints"]:
        params["monotone_constraints"] = job["constraints"]
    booster = lightgbm.train(params, lightgbm.Dataset(data.x, data.y), job["trees"])
    return of_two(booster.predict(data.x_test), data) | {"version": lightgbm.__version__}


def train_xgboost(job: dict[str, Any], data: Set) -> dict[str, Any]:
    import xgboost

    params = {"objective": "binary:logistic", "tree_method": "hist", "grow_policy": "lossguide", "max_depth": 0, "nthread": 1,
              "max_leaves": job["params"]["max_leaves"], "learning_rate": job["params"]["learning_rate"], "reg_lambda": job["params"]["reg_lambda"]}  # fmt: skip
    if job["constraints"]:
        params["monotone_constraints"] = tuple(job["constraints"])
    booster = xgboost.train(params, xgboost.DMatrix(data.x, data.y), job["trees"])
    return of_two(booster.predict(xgboost.DMatrix(data.x_test)), data) | {"version": xgboost.__version__}


def of_two(second: np.ndarray, data: Set) -> dict[str, Any]:
    """What probabilities of the second of two classes are worth."""
    own = np.where(data.y_test == 1, second.astype(np.float64), 1 - second.astype(np.float64))
    return {"logloss": float(-np.log(own).mean()), "errors": int((own < 0.5).sum())}


TRAIN: dict[str, Callable[[dict[str, Any], Set], dict[str, Any]]] = {"aoso": train_aoso, "lightgbm": train_lightgbm, "xgboost": train_xgboost}


def start_table(store: Results) -> str:
    rows = []
    for name in START_SETS:
        runs = [store.runs.get(f"{name} {start}") for start in STARTS]
        if all(runs):
            cells = [f"{run['logloss']:.3f} / {run['errors']:,} / {run['trees']}" for run in runs]
            rows.append([name, *(f"{store.shape[name][what]:,}" for what in ("rows", "classes", "test_rows")), *cells])
    head = ["set", "rows", "classes", "test rows", *(f"`start={start}`" for start in STARTS)]
    return f"{readme.table(head, rows)}\n\n{versions(store)}"


def leaves_table(store: Results) -> str:
    rows = []
    for key, params in WIDE_RUNS.items():
        if run := store.runs.get(key):
            share = 100 * run["errors"] / store.shape[WIDE]["test_rows"]
            rows.append([params["leaf"], str(params.get("leaf_classes", "")), f"{params['max_leaves']:,}", f"{run['logloss']:.2f}", f"{share:.1f} %"])
    return f"{readme.table(['leaf', '`leaf_classes`', '`max_leaves`', 'log loss', 'errors'], rows)}\n\n{versions(store)}"


def constraints_table(store: Results) -> str:
    rows = []
    for trees in TREES:
        for kind, title in (("free", "none"), ("constrained", "three features")):
            runs = [store.runs.get(f"{system} {trees} {kind}") for system in TRAIN]
            rows.append([str(trees), title, *(f"{run['logloss']:.4f}" if run else "–" for run in runs)])
    return f"{readme.table(['trees', 'constraints', 'aoso', 'LightGBM', 'XGBoost'], rows)}\n\n{versions(store)}"


def versions(store: Results) -> str:
    """What was measured with: errors and losses of aoso do not depend on the machine."""
    titles = {"lightgbm": "LightGBM", "xgboost": "XGBoost", "50": "scikit-learn", "network": "scikit-learn"}
    found = {f"{titles.get(key.split()[0], 'aoso')} {run['version'].split()[0]}" for key, run in store.runs.items() if run["version"]}
    return f"Measured by `python -m bench.documents` with {', '.join(sorted(found))}."


if __name__ == "__main__":
    Documents().main()
