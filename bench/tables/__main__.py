"""``python -m bench.tables`` trains each library with its defaults, on one thread, on twenty tables of other people by
cross-validation, and writes the tables of bench/README.md. It skips what bench/results already has.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import harness
from bench.tables import frames
from bench.tables.report import Run, write
from bench.tables.systems import SYSTEMS


class Tables(harness.Benchmark):
    name, worker = "tables", "bench.tables.worker"
    quick, quick_sets = "two small tables with one seed", ("glass", "eucalyptus")

    def jobs(self) -> Iterator[harness.Job]:
        seeds = [0] if self.options.quick else [0, 1, 2]
        for name in frames.TABLES:
            for system in SYSTEMS:
                yield harness.Job(name, system, {"table": name, "system": system, "seeds": seeds}, name, system)

    def missing(self, name: str) -> str:
        return frames.missing(name)

    def failed(self, job: harness.Job, why: str) -> dict[str, Any]:
        return {"failed": "more CPU time than the limit" if why == "exit status -24" else why}

    def line(self, run: dict[str, Any]) -> str:
        found = Run(run)
        return f"log loss {found.mean('logloss'):.4f}, {found.error_rate:.2f} % errors, {found.mean('seconds'):.2f} CPU s a fold"

    def report(self, folder: Path) -> None:
        write(folder)


if __name__ == "__main__":
    Tables().main()
