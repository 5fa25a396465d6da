"""``python -m bench.tuning`` compares the search for parameters with those of FLAML and Optuna, and writes the table of
bench/README.md.

Each has the same time on one thread. Run it pinned to a core that is otherwise idle: ``taskset -c 1``. It can be interrupted and
started again: it skips what bench/results already has.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench import harness
from bench.readme import fill, table
from bench.results import Results

SETS = ("letter", "pendigits", "optdigits", "zipcode", "isolet", "mnist10k", "covertype93k", "mixture30k", "poker25k")
TITLES = {"aoso": "aoso", "flaml": "FLAML", "optuna": "Optuna, LightGBM"}


class Tuning(harness.Benchmark):
    name, worker = "tuning", "bench.tuning.searches"
    quick, quick_sets = "five seconds on Letter", ("letter",)

    def flags(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--seconds", type=float, default=60, help="of each search")

    def jobs(self) -> Iterator[harness.Job]:
        seconds = 5 if self.options.quick else self.options.seconds
        for name in SETS:
            for search in TITLES:
                yield harness.Job(name, search, {"set": name, "search": search, "seconds": seconds}, name, search)

    def failed(self, job: harness.Job, why: str) -> dict[str, Any]:
        return {"failed": why}

    def line(self, run: dict[str, Any]) -> str:
        return f"{run['errors']} errors, log loss {run['logloss']}, refined {run['refined']}, {run['trials']} trials, {run['cpu']} s"

    def report(self, folder: Path) -> None:
        stores = [store for name in SETS if (store := Results(folder, self.name, name)).runs]
        shown = [s for s in stores if "logloss" in s.runs.get("aoso", {})]
        if not shown:
            return
        parts = [
            "Log loss / refined log loss:",
            _table(shown, folder, lambda run: f"{run['logloss']:#.4g} / {run['refined']:#.4g}", "logloss", lambda loss: f"{loss:#.4g}"),
            "Errors:",
            _table(shown, folder, lambda run: str(run["errors"]), "errors", str),
            "CPU seconds / trials:",
            _table(shown, folder, lambda run: f"{run['cpu']:.0f} / {run['trials']}"),
            f"{_wins(shown)} {_conditions(shown)} {_defaults(shown, folder)}",
        ]
        fill({"tuning": "\n\n".join(parts)}, folder)


def _table(
    stores: list[Results],
    folder: Path,
    text: Callable[[dict[str, Any]], str],
    figure: str | None = None,
    of_defaults: Callable[[Any], str] | None = None,
) -> str:
    """A column for each search, the least figure of which is bold, and one for what aoso's defaults reach without a search."""
    rows = []
    for s in stores:
        runs = {search: s.runs.get(search, {}) for search in TITLES}
        values = [run[figure] for run in runs.values() if figure in run] if figure else []
        cells = []
        for run in runs.values():
            cell = text(run) if "logloss" in run else "–"
            cells.append(f"**{cell}**" if values and run.get(figure) == min(values) else cell)
        if of_defaults:
            curve = Results(folder, "peers", s.set).runs.get("aoso default", {}).get("curve", {})
            cells.append(of_defaults(curve[figure][-1]) if curve else "–")
        rows.append([s.set, *cells])
    return table(["set", *TITLES.values(), *(["aoso, defaults"] if of_defaults else [])], rows)


def _wins(stores: list[Results]) -> str:
    """On how many sets aoso's losses are below those of all others."""
    counts = []
    for loss in ("logloss", "refined"):
        won = 0
        for s in stores:
            others = [s.runs[o][loss] for o in TITLES if o != "aoso" and loss in s.runs.get(o, {})]
            won += all(s.runs["aoso"][loss] < other for other in others)
        counts.append(won)
    return f"aoso has the least log loss on {counts[0]} of {len(stores)} sets, and the least refined log loss on {counts[1]}."


def _conditions(stores: list[Results]) -> str:
    runs = [run for s in stores for run in s.runs.values() if "wall" in run]
    versions = sorted({run["version"] for run in runs})
    machines = sorted({run["machine"]["cpu"] for run in runs})
    longest = max(run["wall"] for run in runs)
    return f"{'; '.join(machines)}, one core; no search took more than {longest:.0f} s of wall time. Versions: {'; '.join(versions)}."


def _defaults(stores: list[Results], folder: Path) -> str:
    """Which version of aoso the last column is of: not that of the searches, unless they have the same name."""
    runs = [Results(folder, "peers", s.set).runs.get("aoso default") for s in stores]
    versions = sorted({run["version"] for run in runs if run})
    return f"The defaults are of other runs of aoso: {'; '.join(versions)}." if versions else ""


if __name__ == "__main__":
    Tuning().main()
