"""``python -m bench.labels`` finds labels that were made wrong on purpose, and writes the table of docs/wrong-labels.md.

One label in twenty becomes another class. Each system ranks the rows by how unlikely their labels are; counted are the wrong labels
among as many rows as have one. None of these figures is a time, so the machine may be busy. It skips what bench/results already has.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench import harness, readme, sets
from bench.results import Results
from bench.sets import ROOT
from bench.tables import frames

PAGE = ROOT / "docs/wrong-labels.md"
SEEDS = {"steel-plates": 3, "student-dropout": 3, "page-blocks": 3, "letter": 1}  # by table: how often labels are changed
SYSTEMS = {"aoso": "aoso", "four": "aoso, four runs", "best": "aoso, `preset=best`", "own": "cleanlab, aoso", "other": "cleanlab, scikit-learn"}
SHARE, FOLDS = 0.05, 5


class Labels(harness.Benchmark):
    name, worker = "labels", "bench.labels"

    def jobs(self) -> Iterator[harness.Job]:
        for table, seeds in SEEDS.items():
            for system in SYSTEMS:
                content = {"table": table, "system": system, "seeds": seeds}
                yield harness.Job("flipped", f"{table} {system}", content, table, system)

    def missing(self, name: str) -> str:
        return sets.missing(name) if name == "letter" else frames.missing(name)

    def line(self, run: dict[str, Any]) -> str:
        return f"{sum(run['found'])} of {run['wrong'] * len(run['found'])} wrong labels"

    def report(self, folder: Path) -> None:
        readme.fill({"wrong-labels": table_of(Results(folder, self.name, "flipped"))}, folder, PAGE)


def measure(job: dict[str, Any]) -> dict[str, Any]:
    x, y = load(job["table"])
    rank, version = RANK[job["system"]]
    found = []
    for seed in range(job["seeds"]):
        labels, wrong = flipped(y, seed)
        found.append(int(np.isin(rank(x, labels, len(wrong)), wrong).sum()))
    shape = {"rows": len(y), "features": x.shape[1], "classes": int(y.max()) + 1}
    return {"shape": {job["table"]: shape}, "found": found, "wrong": len(wrong), "version": version()}


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    if name == "letter":
        data = sets.load(name)
        return data.x, data.y
    table, y = frames.load(name)
    return table.to_numpy(dtype=np.float64), y


def flipped(y: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels of which a share is another class, all others being equally likely, and the rows where they are."""
    rng = np.random.default_rng(seed)
    wrong = rng.choice(len(y), round(SHARE * len(y)), replace=False)
    labels, classes = y.copy(), int(y.max()) + 1
    labels[wrong] = (y[wrong] + rng.integers(1, classes, len(wrong))) % classes
    return labels, wrong


def rank_aoso(x: np.ndarray, y: np.ndarray, n: int) -> np.ndarray:
    import aoso

    return aoso.AOSOClassifier().fit(x, y).suspicious_rows(n).row


def rank_four(x: np.ndarray, y: np.ndarray, n: int) -> np.ndarray:
    import aoso

    models = [aoso.AOSOClassifier(random_state=seed).fit(x, y) for seed in range(4)]
    return models[0].suspicious_rows(n, others=models[1:]).row


def rank_best(x: np.ndarray, y: np.ndarray, n: int) -> np.ndarray:
    import aoso

    return aoso.AOSOClassifier(preset="best").fit(x, y).suspicious_rows(n).row


def rank_cleanlab(model: Any, x: np.ndarray, y: np.ndarray, n: int) -> np.ndarray:
    from cleanlab.rank import get_label_quality_scores
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    proba = cross_val_predict(model, x, y, cv=folds, method="predict_proba")
    return np.argsort(get_label_quality_scores(y, proba), kind="stable")[:n]


def rank_own(x: np.ndarray, y: np.ndarray, n: int) -> np.ndarray:
    import aoso

    return rank_cleanlab(aoso.AOSOClassifier(), x, y, n)


def rank_other(x: np.ndarray, y: np.ndarray, n: int) -> np.ndarray:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return rank_cleanlab(HistGradientBoostingClassifier(random_state=0), x, y, n)


def version_aoso() -> str:
    from bench import machine

    return f"aoso {machine.version()}"


def version_cleanlab() -> str:
    return f"cleanlab {importlib.metadata.version('cleanlab')} scikit-learn {importlib.metadata.version('scikit-learn')}"


RANK = {
    "aoso": (rank_aoso, version_aoso),
    "four": (rank_four, version_aoso),
    "best": (rank_best, version_aoso),
    "own": (rank_own, version_cleanlab),
    "other": (rank_other, version_cleanlab),
}


def table_of(store: Results) -> str:
    rows = []
    for name in SEEDS:
        runs = [store.runs.get(f"{name} {system}") for system in SYSTEMS]
        if all(runs):
            shape = store.shape[name]
            shares = [round(100 * float(np.mean(run["found"])) / run["wrong"], 1) for run in runs]
            cells = [readme.bold(share, max(shares), ".1f") for share in shares]
            rows.append([name, f"{shape['rows']:,}", str(shape["classes"]), str(runs[0]["wrong"]), *cells])
    return readme.table(["table", "rows", "classes", "wrong labels", *SYSTEMS.values()], rows)


if __name__ == "__main__":
    Labels().main()
