"""The tables of the comparison on twenty tables."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import readme
from bench.readme import machine_lines, number, table
from bench.results import Results
from bench.tables.frames import TABLES
from bench.tables.systems import SYSTEMS

# In ratios, lower log losses count as this one: the ratio of two losses that are almost 0 means nothing.
LEAST_LOSS = 0.001


class Run:
    """The folds of a system on a table."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.version: str = content["version"]
        self.machine: dict[str, str] = content.get("machine", {})  # a new run has none yet
        self.cpu = self.machine.get("cpu"), self.machine.get("cores")  # compares times; the version of Python hardly matters
        self._folds: list[dict[str, Any]] = content["folds"]

    def mean(self, figure: str) -> float:
        """The mean of a figure over the folds."""
        return float(statistics.mean(fold[figure] for fold in self._folds))

    @property
    def errors(self) -> int:
        """The errors in all folds of all seeds."""
        return int(sum(fold["errors"] for fold in self._folds))

    @property
    def error_rate(self) -> float:
        return 100 * self.errors / int(sum(fold["test_rows"] for fold in self._folds))


@dataclass(frozen=True)
class Measured:
    """The runs on a table, by system."""

    name: str
    shape: dict[str, int]
    runs: dict[str, Run]
    failed: dict[str, str]


def measured(folder: Path) -> list[Measured]:
    """The tables with results, those with fewer rows first."""
    found = []
    for name in TABLES:
        store = Results(folder, "tables", name)
        runs = {system: Run(run) for system, run in store.runs.items() if "failed" not in run}
        failed = {system: run["failed"] for system, run in store.runs.items() if "failed" in run}
        if runs:
            found.append(Measured(name, store.shape, runs, failed))
    return sorted(found, key=lambda t: t.shape["rows"])


def write(folder: Path) -> None:
    """Fills bench/README.md."""
    tables = measured(folder)
    sections = {"tables losses": losses(tables), "tables": figures(tables)} if tables else {"tables losses": "", "tables": ""}
    readme.fill(sections, folder, nothing="Not measured yet: `make bench-tables`.")


def losses(tables: Sequence[Measured]) -> str:
    """Where the peers are better, then how aoso compares with each of them."""
    where, against = [], []
    for system in [system for system in SYSTEMS if system != "aoso"]:
        pairs = {t.name: (t.runs["aoso"], t.runs[system]) for t in tables if {"aoso", system} <= t.runs.keys()}
        if not pairs:
            continue
        title, count = SYSTEMS[system].title, len(pairs)
        ratios = {name: _loss_ratio(ours, peer) for name, (ours, peer) in pairs.items()}
        better = [name for name, (ours, peer) in pairs.items() if ours.mean("logloss") > peer.mean("logloss")]
        better.sort(key=lambda name: -ratios[name])
        where.append([title, f"{len(better)} of {count}", ", ".join(f"{name} {ratios[name]:.3f}" for name in better)])
        fewer = sum(ours.errors <= peer.errors for ours, peer in pairs.values())
        timed = [(ours, peer) for ours, peer in pairs.values() if ours.cpu == peer.cpu]
        predicting = [sum(run.mean("predict_seconds") for run in runs) for runs in zip(*timed)]
        against.append(
            [
                title,
                f"{sum(ours.mean('logloss') < peer.mean('logloss') for ours, peer in pairs.values())} of {count}",
                f"{statistics.mean(ratios.values()):.3f}",
                f"{statistics.median(ratios.values()):.3f}",
                f"{fewer} of {count}",
                f"{_geometric(timed, 'seconds'):.2f} ×" if timed else "–",
                f"{predicting[0] / predicting[1]:.2f} ×" if timed else "–",
                f"{_geometric(list(pairs.values()), 'bytes'):.2f} ×",
            ]
        )
    if not where:
        return ""
    head = ["aoso against", "lower log loss", "mean ratio of log losses", "median ratio", "fewer or as many errors"]
    head += ["CPU time of training", "CPU time of prediction", "model size"]
    return "\n\n".join(
        [
            table(["", "tables with the lower log loss", "aoso's log loss as a multiple"], where, left=3),
            table(head, against),
        ]
    )


def _loss_ratio(ours: Run, peer: Run) -> float:
    return max(ours.mean("logloss"), LEAST_LOSS) / max(peer.mean("logloss"), LEAST_LOSS)


def _geometric(pairs: Sequence[tuple[Run, Run]], figure: str) -> float:
    """The geometric mean of our figure as a multiple of the peer's."""
    return math.exp(statistics.mean(math.log(ours.mean(figure) / peer.mean(figure)) for ours, peer in pairs))


def figures(tables: Sequence[Measured]) -> str:
    """Log losses, errors and CPU times of all."""
    versions: dict[str, dict[str, None]] = {}
    machines = {}
    for t in tables:
        for system, run in t.runs.items():
            versions.setdefault(SYSTEMS[system].title, {})[run.version] = None
            machines[f"{t.name}, {system}"] = run.machine
    several = len({run.cpu for t in tables for run in t.runs.values()}) > 1
    failed = [f"{SYSTEMS[system].title} on {t.name}: {why}" for t in tables for system, why in t.failed.items()]
    return "\n\n".join(
        [
            "Log loss, the mean over the folds:",
            _table(tables, lambda run: run.mean("logloss"), "{:.4f}".format),
            "Errors, % of the rows:",
            _table(tables, lambda run: run.error_rate, lambda rate: f"{rate:.2f}"),
            "CPU seconds of training, the mean over the folds:",
            _table(tables, lambda run: run.mean("seconds"), number, timed=True),
            *["‡ Another machine measured it than aoso."] * several,
            *[f"Failed: {'; '.join(failed)}."] * bool(failed),
            "; ".join(f"{title} {', '.join(found)}" for title, found in sorted(versions.items())) + ".",
            "\n".join(machine_lines(machines, names=False)),
        ]
    )


def _table(tables: Sequence[Measured], figure: Callable[[Run], float], text: Callable[[float], str], timed: bool = False) -> str:
    """A column for each system. The least figure is bold, of times that of aoso's machine."""
    rows = []
    for t in tables:
        here = t.runs["aoso"].cpu if "aoso" in t.runs else None
        elsewhere = {system: timed and here is not None and run.cpu != here for system, run in t.runs.items()}
        least = min((figure(run) for system, run in t.runs.items() if not elsewhere[system]), default=None)
        cells = []
        for system in SYSTEMS:
            run = t.runs.get(system)
            if run is None:
                cells.append("failed" if system in t.failed else "–")
            elif elsewhere[system]:
                cells.append(text(figure(run)) + "‡")
            else:
                cells.append(f"**{text(figure(run))}**" if figure(run) == least else text(figure(run)))
        rows.append([t.name, f"{t.shape['rows']:,}", str(t.shape["classes"]), *cells])
    return table(["table", "rows", "classes", *(system.title for system in SYSTEMS.values())], rows)
