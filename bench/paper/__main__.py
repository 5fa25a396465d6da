"""``python -m bench.paper`` trains the models of the paper's tables and writes the tables of bench/README.md.

It can be interrupted and started again: it skips training runs that bench/results already has.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from bench import harness
from bench.paper import figures, plan, report

QUICK_JOBS, QUICK_TREES = 5, 100


class Paper(harness.Benchmark):
    name, worker = "paper", "bench.paper.worker"
    quick, quick_sets = f"only a few training runs of {QUICK_TREES} trees", ("letter2k", "poker25kt1")

    def flags(self, parser: argparse.ArgumentParser) -> None:
        help = "number of training runs at a time, each on one thread"
        parser.add_argument("--jobs", dest="at_once", type=int, default=os.cpu_count(), help=help)

    def jobs(self) -> Iterator[harness.Job]:
        """The small sets first."""
        for row in sorted(figures.table3(), key=lambda row: row.rows + row.test_rows):
            name = row.set.lower()
            for key, params, trees in islice(plan.trainings(row), QUICK_JOBS if self.options.quick else None):
                trees = max(QUICK_TREES, row.classes) if self.options.quick else trees
                yield harness.Job(name, key, {"set": name, "params": params, "trees": trees}, name)

    def line(self, run: dict[str, Any]) -> str:
        return f"{run['errors']} errors, {run['trees']} trees, {run['cpu']:.0f} s"

    def report(self, folder: Path) -> None:
        report.write(folder)


if __name__ == "__main__":
    Paper().main()
