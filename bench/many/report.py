"""Writes the tables of many classes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench import readme
from bench.many.systems import OF_WORDS, TITLES
from bench.readme import machine_lines, number, table
from bench.results import FOLDER, Results

NOTHING = "Not measured yet: `make bench-many`."
HEAD = ["system", "errors", "not in the top 5", "log loss", "iterations", "CPU s", "peak MB", "how it ended"]


def write(folder: Path) -> None:
    """The tables of all results of a folder. In bench/README.md, those of the mixture and of the words are apart."""
    sections = {f"many {kind}": tables(folder, kind) or NOTHING for kind in ("mixture", "words")}
    if folder == FOLDER:
        readme.fill(sections, folder)
    else:
        print("\n\n".join(sections.values()))


def tables(folder: Path, kind: str) -> str:
    found = [Results(folder, "many", path.stem.removeprefix("many-")) for path in folder.glob(f"many-{kind}-*.json")]
    found.sort(key=lambda store: (-store.shape["classes"], -store.shape["rows"]))
    return "\n\n".join(one(store) for store in found if store.runs)


def one(store: Results) -> str:
    """The table of a set: those that ended with the least log loss first, then those that have no result."""
    shape, runs = (store.shape, {name: store.runs[name] for name in TITLES if name in store.runs})
    rows = [[TITLES[name], *cells(run)] for name, run in sorted(runs.items(), key=lambda item: loss(item[1]))]
    sizes = (
        f"{shape['classes']:,} classes, {shape['rows']:,} rows, {shape['features']} features, {shape['test_rows']:,} test rows"
    )
    some = next(iter(runs.values()))
    *most, last = (f"{budget:,.0f}" for budget in sorted({run["budget"] for run in runs.values()}))
    budgets = f"{', '.join(most)} or {last}" if most else last
    limits = f"{some['limit'] / 2**30:g} GiB of memory and {budgets} CPU s on {some['threads']} thread{'s'[: some['threads'] > 1]} for each"
    missing = [TITLES[name] for name in TITLES if name not in runs and not (name in OF_WORDS and "mixture" in store.set)]
    machines = "\n".join(machine_lines({TITLES[name]: run["machine"] for name, run in runs.items()}))
    return f"{sizes}; {limits}:\n\n{table(HEAD, rows)}\n\n{machines}" + (f"\n\nNot measured yet: {'; '.join(missing)}." if missing else "")


def loss(run: dict[str, Any]) -> float:
    steps = evaluated(run)
    return steps[-1]["logloss"] if steps else float("inf")


def evaluated(run: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for step in run["steps"] if "logloss" in step]


def cells(run: dict[str, Any]) -> list[str]:
    """The last step that was evaluated, and what became of the training."""
    peak = f"{run['peaks']['anonymous'] / 1e6:,.0f}"
    steps = evaluated(run)
    if not steps:
        return ["–", "–", "–", "0", number(run["cpu"]), peak, f"{run['ended']} before the first iteration"]
    last = steps[-1]
    ended = run["ended"]
    if ended == "done" and last["cpu"] >= run["budget"]:
        ended = "time over"
    shares = [f"{100 * last[what]:.2f} %" for what in ("error", "top5")]
    return [*shares, f"{last['logloss']:.4f}", f"{last['iteration']:,}", number(last["cpu"]), peak, ended]
