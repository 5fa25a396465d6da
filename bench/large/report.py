"""Writes the tables of docs/large-data.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench import readme
from bench.readme import number, table
from bench.results import Results
from bench.sets import ROOT

PAGE = ROOT / "docs/large-data.md"
TITLES = {
    "lightgbm": "LightGBM, from an array in memory",
    "xgboost": "XGBoost, from an array in memory",
    "xgboost-external": "XGBoost, external memory",
}
LIMITS = {"free": "no limit", "limited": "2.5 GB"}


def write(store: Results) -> None:
    readme.fill({"large": own(store), "large peers": peers(store)}, store.path.parent, PAGE)


def own(store: Results) -> str:
    """Time and memory of the steps, for each format and limit."""
    rows = []
    for name in ("csv", "parquet"):
        for limit, title in LIMITS.items():
            if (run := store.runs.get(f"{name} auto {limit}")) and run["train"]["ended"] == "done":
                steps = [run[step] for step in ("bin", "train")]
                rows.append([name, title, *(cell for step in steps for cell in (number(step["cpu"]), gigabytes(step["peaks"]["anonymous"])))])
    head = ["from", "memory", "`aoso bin`: CPU s", "peak, GB", "20 trees: CPU s", "peak, GB"]
    return f"{table(head, rows, left=2)}\n\n{conditions(store, [key for key in store.runs if ' auto ' in key])}"


def peers(store: Results) -> str:
    """How far other libraries came on the same rows."""
    rows = []
    for system, title in TITLES.items():
        if not (run := store.runs.get(system)):
            continue
        first, *iterations = run["iterations"]
        each = (iterations[-1]["cpu"] - first["cpu"]) / len(iterations) if iterations else None
        rows.append([title, number(first["cpu"]), number(each), str(len(iterations)), gigabytes(max(step["peak"] for step in run["iterations"])), run["ended"]])
    head = ["", "CPU s to make the dataset", "CPU s per iteration", "iterations done", "peak memory, GB", "how it ended"]
    return f"{table(head, rows)}\n\n{conditions(store, list(TITLES))}"


def conditions(store: Results, keys: list[str]) -> str:
    machines: dict[str, dict[str, Any]] = {key: store.runs[key]["machine"] for key in keys if key in store.runs}
    return "\n".join(readme.machine_lines(machines))


def gigabytes(size: float) -> str:
    return f"{size / 1e9:.2f}"


def read(folder: Path, rows: int = 20_000_000) -> Results:
    return Results(folder, "large", f"{rows}")
