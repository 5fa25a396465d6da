"""``python -m bench.peers`` measures this library and its peers and writes the tables and pictures of bench/README.md.

It can be interrupted and started again: it skips what bench/results already has.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import harness, machine
from bench.peers import plan, report


class Peers(harness.Benchmark):
    name, worker = "peers", "bench.peers.worker"
    quick, quick_sets = "a few iterations on three sets", ("letter", "mixture30k", "noisy300k-2")

    def flags(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--budget", type=float, default=math.inf, help="maximum CPU seconds of a training, if below the plan's")
        parser.add_argument("--rounds", type=int, default=plan.REPEATS, help="number of rounds of the default and matched settings")
        parser.add_argument("--sizes", action="store_true", help="train again and replace only the sizes of model files")

    def jobs(self) -> Iterator[harness.Job]:
        """The jobs in rounds, so that repetitions of a job are far apart and the jobs of a setting are close together."""
        options = self.options
        jobs = (plan.quick_jobs if options.quick else plan.jobs)([*plan.REAL, *plan.TABLES, *plan.SYNTHETIC, *plan.NOISY, *plan.OF_PAPER])
        for round in range(1 if options.quick or options.sizes else options.rounds):
            for job in jobs:
                if round == 0 or job.kind in plan.REPEATED:
                    content = dataclasses.asdict(job) | {"budget": min(job.budget, options.budget)}
                    yield harness.Job(job.set, job.key, content, job.set, job.system, job.threads, round)

    def done(self, job: harness.Job, run: dict[str, Any]) -> bool:
        if self.options.sizes:
            return not run or "failed" in run
        return bool(run) and ("failed" in run or len(run["clocks"]) > job.round or run["clocks"][0]["cpu"][-1] > plan.REPEATED_SECONDS)

    def measure(self, job: harness.Job, run: dict[str, Any]) -> dict[str, Any]:
        if self.options.sizes:
            return self._resized(job, run)
        content = job.content
        if run.get("machine") == machine.describe():  # times of two machines have no median
            content = content | {"iterations": content["iterations"] and run["iterations"], "budget": 0}  # None: the library's default
        else:
            run = {}
        measured = harness.work(self.worker, content, job.threads)
        clock = measured.pop("clock")
        if not run:
            return measured | {"budget": content["budget"], "clocks": [clock]}
        if run["curve"] != measured["curve"]:
            print(f"{job.name}: warning: the errors differ from those of the first round")
        return run | {"shape": measured["shape"], "clocks": [*run["clocks"], clock]}

    def _resized(self, job: harness.Job, run: dict[str, Any]) -> dict[str, Any]:
        """The run with the size of the model's file if training gives the same model again. Times are of the machine that
        measured them."""
        measured = harness.work(self.worker, job.content, job.threads)
        same = measured["curve"] == run["curve"]
        print(f"{job.name}: {run['bytes']:,} bytes, now {measured['bytes']:,}{'' if same else ', of another model: not noted'}")
        return run | ({"bytes": measured["bytes"]} if same else {})

    def failed(self, job: harness.Job, why: str) -> dict[str, Any]:
        first = not (job.round or self.options.sizes)
        return {"params": job.content["params"], "failed": why, "clocks": []} if first else {}

    def line(self, run: dict[str, Any]) -> str:
        return f"{run['clocks'][-1]['cpu'][-1]:.1f} s, {run['iterations']} iterations, {min(run['curve']['errors'])} errors"

    def report(self, folder: Path) -> None:
        report.write(folder)


if __name__ == "__main__":
    Peers().main()
