"""``python -m bench.distil`` trains on the probabilities of a slow model, and writes the table of docs/soft-labels.md.

The teacher is the mean of five neural networks and 300 random trees. The student is one model with the default parameters, trained on soft labels: half the
label, half the probabilities that the teacher gives to rows that it was not trained on. Times are CPU microseconds for one row, in batches. It skips what
bench/results already has.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench import harness, machine, readme
from bench.results import Results
from bench.sets import ROOT
from bench.tables import frames

PAGE = ROOT / "docs/soft-labels.md"
TABLES = {"winequality-white": 1, "obesity": 1, "steel-plates": 1}  # with the number of splits into training and test rows
SYSTEMS = {"teacher": "teacher", "plain": "one model, labels", "student": "one model, soft labels"}
FOLDS, TEST = 5, 0.3


class Distil(harness.Benchmark):
    name, worker = "distil", "bench.distil"

    def jobs(self) -> Iterator[harness.Job]:
        for table, splits in TABLES.items():
            yield harness.Job("tables", table, {"table": table, "splits": splits}, table)

    def missing(self, name: str) -> str:
        return frames.missing(name)

    def line(self, run: dict[str, Any]) -> str:
        return ", ".join(f"{system} {np.mean(run[system]['logloss']):.4f}" for system in SYSTEMS)

    def report(self, folder: Path) -> None:
        readme.fill({"distil": table_of(Results(folder, self.name, "tables"))}, folder, PAGE)


def measure(job: dict[str, Any]) -> dict[str, Any]:
    from sklearn.model_selection import train_test_split

    warnings.filterwarnings("ignore")
    table, y = frames.load(job["table"])
    x = numbers(table)
    found: dict[str, Any] = {system: {"logloss": [], "error": [], "microseconds": []} for system in SYSTEMS}
    for seed in range(job["splits"]):
        x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=TEST, random_state=seed, stratify=y)
        for system, model in trained(x_train, y_train).items():
            for name, value in judged(model, x_test, y_test).items():
                found[system][name].append(value)
    shape = {"rows": len(y), "features": x.shape[1], "classes": int(y.max()) + 1}
    return {"shape": {job["table"]: shape}, **found, "version": f"aoso {machine.version()}"}


def numbers(table: Any) -> np.ndarray:
    """Categories become indicators, which neural networks need; missing values are the median."""
    import pandas as pd

    wide = pd.get_dummies(table, dtype=float)
    return wide.fillna(wide.median()).to_numpy(dtype=np.float64)


def teacher() -> Any:
    from sklearn.ensemble import ExtraTreesClassifier, VotingClassifier
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    networks = [
        (f"network {seed}", make_pipeline(StandardScaler(), MLPClassifier((100,), early_stopping=True, max_iter=300, random_state=seed)))
        for seed in range(5)
    ]
    return VotingClassifier([*networks, ("trees", ExtraTreesClassifier(300, random_state=0))], voting="soft", weights=[1] * 5 + [5])


def trained(x: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    from aoso import AOSOClassifier

    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    taught = cross_val_predict(teacher(), x, y, cv=folds, method="predict_proba")
    shares = (taught + np.eye(taught.shape[1])[y]) / 2
    return {
        "teacher": teacher().fit(x, y),
        "plain": AOSOClassifier(ensemble=1).fit(x, y),
        "student": AOSOClassifier(ensemble=1).fit(x, shares),
    }


def judged(model: Any, x: np.ndarray, y: np.ndarray) -> dict[str, float]:
    model.predict_proba(x)
    began, times = time.process_time(), 0
    while time.process_time() - began < 1:
        proba = model.predict_proba(x)
        times += 1
    seconds = (time.process_time() - began) / times
    return {
        "logloss": float(-np.log(np.maximum(proba[np.arange(len(y)), y], 1e-15)).mean()),
        "error": float((proba.argmax(axis=1) != y).mean()),
        "microseconds": 1e6 * seconds / len(y),
    }


def table_of(store: Results) -> str:
    rows = []
    for name in TABLES:
        run = store.runs.get(name)
        if run:
            shape = store.shape[name]
            for metric, form, scale in (("logloss", ".3f", 1), ("error", ".1f", 100), ("microseconds", ".1f", 1)):
                label = {"logloss": "log loss", "error": "errors, %", "microseconds": "µs a row"}[metric]
                values = [round(scale * float(np.mean(run[system][metric])), int(form[1])) for system in SYSTEMS]
                cells = [readme.bold(value, min(values), form) for value in values]
                rows.append([f"{name}, {shape['rows']:,} rows, {shape['classes']} classes" if metric == "logloss" else "", label, *cells])
    return readme.table(["table", "", *SYSTEMS.values()], rows)


if __name__ == "__main__":
    Distil().main()
