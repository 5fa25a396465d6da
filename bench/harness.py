"""Runs the benchmarks: ``python -m bench.NAME`` measures what the results lack, and writes the tables.

Each job runs in a process of its own: ``python -m bench.harness MODULE JOB`` calls the function ``measure`` of a module with the
job, and prints its result as JSON.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import sets
from bench.results import FOLDER, QUICK_FOLDER, Results


class Failed(Exception):
    """A process failed. The message is the last line that it wrote to stderr."""


@dataclass(frozen=True)
class Job:
    """A measurement that becomes a run in the results."""

    store: str  # the name of the results: the file is BENCHMARK-STORE.json
    key: str  # the name of the run; "": the job measures all runs of the file, and returns them as "runs"
    content: dict[str, Any]  # what the worker takes
    set: str = ""  # the data set that it needs
    system: str = "aoso"
    threads: int = 1
    round: int = 0  # rounds after the first add to its run

    @property
    def name(self) -> str:
        return ": ".join(filter(None, (self.store, self.key))) + f", round {self.round + 1}" * bool(self.round)


class Benchmark:
    """What a benchmark declares. The help text of its program is the docstring of its module."""

    name: str  # also how the names of its results begin
    worker: str  # the module whose function ``measure`` measures a job
    quick = ""  # help text of --quick; "": there is none
    quick_sets: tuple[str, ...] = ()  # the sets that --quick measures if --sets names none; (): all
    options = argparse.Namespace(quick=False)

    def flags(self, parser: argparse.ArgumentParser) -> None:
        """Adds the flags that other benchmarks do not have."""

    def jobs(self) -> Iterable[Job]:
        """All jobs in the order in which they run."""
        raise NotImplementedError

    def missing(self, name: str) -> str:
        """The reason why a set is not available, or ""."""
        return sets.missing(name)

    def done(self, job: Job, run: dict[str, Any]) -> bool:
        """Reports whether the results need no more than this run of the job; {} if there is none."""
        return bool(run)

    def measure(self, job: Job, run: dict[str, Any]) -> dict[str, Any]:
        """The run to note, with the "shape" of the data; ``run`` is the one that the results have, or {}."""
        return work(self.worker, job.content, job.threads)

    def failed(self, job: Job, why: str) -> dict[str, Any]:
        """The run to note if the process of a job failed; {}: none, so that the job runs again the next time."""
        return {}

    def line(self, run: dict[str, Any]) -> str:
        """The most important figures of a run, for the line that says that it is done."""
        raise NotImplementedError

    def report(self, folder: Path) -> None:
        """Writes the tables of the results in the folder."""
        raise NotImplementedError

    def main(self) -> None:
        """Measures what the arguments choose and writes the tables. The exit status is 1 if a job failed and left no run."""
        parser = argparse.ArgumentParser(prog=f"python -m bench.{self.name}", description=sys.modules[type(self).__module__].__doc__)
        if self.quick:
            parser.add_argument("--quick", action="store_true", help=f"{self.quick}; results go to build/bench/quick")
        parser.add_argument("--sets", type=_words, help="only these sets, separated by commas")
        parser.add_argument("--systems", type=_words, help="only these systems, separated by commas")
        parser.add_argument("--only", nargs="+", metavar="WORDS", help="only jobs with one of these in their names, as whole words")
        parser.add_argument("--again", action="store_true", help="measure again what the results already have")
        parser.add_argument("--report", action="store_true", help="only write the tables")
        parser.set_defaults(quick=False, at_once=1)
        self.flags(parser)
        self.options = parser.parse_args()
        self.folder = QUICK_FOLDER if self.options.quick else FOLDER
        lost = [] if self.options.report else self._measure_all(self._chosen(parser))
        self.report(self.folder)
        if lost:
            sys.exit(f"failed: {'; '.join(lost)}")

    def _chosen(self, parser: argparse.ArgumentParser) -> list[Job]:
        """The jobs that the arguments choose and whose sets are available."""
        jobs, options = list(self.jobs()), self.options
        for flag, asked in (("set", options.sets or (options.quick and self.quick_sets)), ("system", options.systems)):
            if not asked:
                continue
            allowed = dict.fromkeys(getattr(job, flag) for job in jobs if getattr(job, flag))
            if unknown := set(asked) - set(allowed):
                parser.error(f"--{flag}s: there is no {', '.join(sorted(unknown))}; allowed: {', '.join(allowed) or 'none'}")
            jobs = [job for job in jobs if getattr(job, flag) in asked]
        if options.only:
            jobs = [job for job in jobs if any(f" {words} " in f" {job.store} {job.key} " for words in options.only)]
        absent = {name: why for name in dict.fromkeys(job.set for job in jobs) if name and (why := self.missing(name))}
        for name, why in absent.items():
            print(f"{name} is skipped: {why}")
        return [job for job in jobs if job.set not in absent]

    def _measure_all(self, jobs: list[Job]) -> list[str]:
        """Measures the jobs that are not done. Returns the names of those that failed and left no run."""
        lock, lost = threading.Lock(), []

        def one(job: Job) -> None:
            runs = Results(self.folder, self.name, job.store).runs
            known = runs.get(job.key, {}) if job.key else runs
            again = self.options.again and not job.round
            if not again and self.done(job, known):
                return
            if self.options.at_once == 1:
                print(f"{job.name} …", flush=True)
            try:
                run = self.measure(job, {} if again else known)
                line = self.line(run)
            except Failed as e:
                run, line = self.failed(job, str(e)), f"failed: {e}"
            with lock:
                print(f"{job.name}: {line}", flush=True)
                store = Results(self.folder, self.name, job.store)  # another process may have added some
                store.shape |= run.pop("shape", {})
                found = {job.key: run} if job.key and run else run.get("runs", {})
                for key, one_run in found.items():
                    store.add(key, one_run)
                if not found:
                    lost.append(job.name)

        if self.options.at_once == 1:
            for job in jobs:
                one(job)
        else:
            with ThreadPoolExecutor(self.options.at_once) as pool:
                list(pool.map(one, jobs))  # which cancels the rest if one raises
        return lost

def work(worker: str, content: dict[str, Any], threads: int) -> dict[str, Any]:
    """The result of a worker's ``measure`` in a process of its own."""
    done = subprocess.run(command(worker, content), cwd=sets.ROOT, env=environment(threads), capture_output=True, text=True)
    if done.returncode:
        raise Failed((done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1])
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def command(worker: str, content: dict[str, Any]) -> list[str]:
    """The command that measures a job."""
    return [sys.executable, "-m", "bench.harness", worker, json.dumps(content)]


def environment(threads: int) -> dict[str, str]:
    """The environment of a worker whose libraries may use that many threads."""
    return os.environ | {"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": "1"}


def _words(text: str) -> list[str]:
    return text.split(",")


if __name__ == "__main__":
    print(json.dumps(importlib.import_module(sys.argv[1]).measure(json.loads(sys.argv[2]))))
