"""``python -m bench.prediction`` measures prediction with trained models, of this library and of its peers, and writes the
tables of bench/README.md.

Each set is measured in one process, in which the systems take turns. It skips what bench/results already has.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench import harness, readme
from bench.peers.run import TITLES
from bench.prediction import plan
from bench.readme import number, table
from bench.results import Results


class Prediction(harness.Benchmark):
    name, worker = "prediction", "bench.prediction.worker"
    quick, quick_sets = "only small models of one set", ("letter",)

    def jobs(self) -> Iterator[harness.Job]:
        for name in plan.SETS:
            job = plan.quick(name) if self.options.quick else plan.full(name)
            yield harness.Job(name, "", dataclasses.asdict(job), name)

    def line(self, run: dict[str, Any]) -> str:
        return ", ".join(f"{system} {of_system['errors']} errors" for system, of_system in run["runs"].items())

    def report(self, folder: Path) -> None:
        stores = [store for name in plan.SETS if (store := Results(folder, self.name, name)).runs]
        sections = {
            "prediction errors": sentence(stores) + compared(stores, "equal_errors", EQUAL_ERRORS) + conditions(stores),
            "prediction trees": compared(stores, "equal_trees", EQUAL_TREES),
        }
        readme.fill(sections, folder, nothing="Not measured yet: `make bench-prediction`.")


Side = dict[str, Any]
Column = tuple[str, Callable[[Side], float | None]]  # title, and the function that returns the number for a model

EQUAL_ERRORS: list[Column] = [
    ("many rows, µs per row", lambda side: side["batch"]),
    ("one row, µs", lambda side: side["row"]),
    ("SHAP, µs per row", lambda side: side.get("explain")),
    ("file, kB", lambda side: side["bytes"] / 1e3),
    ("loading, ms", lambda side: side["load"] / 1e3),
]
EQUAL_TREES: list[Column] = [
    ("many rows, ns per row and tree", lambda side: 1e3 * side["batch"] / side["trees"]),
    ("one row, ns per tree", lambda side: 1e3 * side["row"] / side["trees"]),
]


def compared(stores: list[Results], what: str, columns: list[Column]) -> str:
    """A line "ours / theirs (theirs as a multiple of ours)" for each set and peer."""
    rows = []
    for store in stores:
        for name in TITLES:
            run = store.runs.get(name, {})
            if what not in run:
                continue
            ours, theirs = run[what]["ours"], run[what]["theirs"]
            trees = f"{ours['trees']:,} / {theirs['trees']:,}"
            head = [store.set, TITLES[name], *([f"{run['errors']:,}"] if what == "equal_errors" else []), trees]
            rows.append(head + [against(figure(ours), figure(theirs)) for _, figure in columns])
    if not rows:
        return ""
    head = ["set", "peer", *(["test errors"] if what == "equal_errors" else []), "trees, ours / its"]
    return table([*head, *(title for title, _ in columns)], rows, left=2)


def against(ours: float | None, theirs: float | None) -> str:
    if ours is None or theirs is None:
        return "–" if ours is None else f"{number(ours)} / –"
    return f"{number(ours)} / {number(theirs)} ({theirs / ours:.1f} ×)"


def conditions(stores: list[Results]) -> str:
    """The machines and the versions, as the result files name them. A pair of models is always measured by one machine."""
    runs = {(s.set, TITLES[system]): s.runs[system] for s in stores for system in TITLES if "machine" in s.runs.get(system, {})}
    versions = sorted({f"{title} {run['version']}" for (_, title), run in runs.items()})
    machines = readme.machine_lines(readme.by_systems({key: run["machine"] for key, run in runs.items()}))
    return "\n\n" + "\n".join([*machines, f"- {'; '.join(versions)}"]) if runs else ""


def sentence(stores: list[Results]) -> str:
    """How much the early exit saves."""
    shares = [f"{100 * store.runs['aoso']['walked']:.0f} % on {store.set}" for store in stores if "aoso" in store.runs and plan.full(store.set).preset == "paper"]
    if not shares:
        return ""
    return f"With preset=paper, predicting only the class of a row takes this share of the trees: {', '.join(shares)}.\n\n"


if __name__ == "__main__":
    Prediction().main()
