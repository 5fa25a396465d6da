"""``python -m bench.paper`` trains the models of the paper's tables and writes the tables of bench/README.md.

It can be interrupted and started again: it skips training runs that bench/results already has.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from bench import process, sets
from bench.paper import figures, plan, report
from bench.results import FOLDER, QUICK_FOLDER, Results

QUICK_SETS = ("Letter2k", "Poker25kT1")
QUICK_JOBS, QUICK_TREES = 5, 100


def main() -> None:
    options = arguments()
    folder = QUICK_FOLDER if options.quick else FOLDER
    if not options.report:
        train(options, folder)
    report.write(folder)


def arguments() -> argparse.Namespace:
    def words(text: str) -> list[str]:
        return text.split(",")

    parser = argparse.ArgumentParser(prog="python -m bench.paper", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help=f"only a few training runs of {QUICK_TREES} trees; results go to build/bench/quick"
    )
    parser.add_argument("--sets", type=words, help="only these sets, separated by commas")
    parser.add_argument("--keys", type=words, help='only these training runs, such as "preset=paper,root,J=20 v=0.1"')
    parser.add_argument("--again", action="store_true", help="train again what the results already have")
    parser.add_argument("--report", action="store_true", help="only write the tables and pictures")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="number of training runs at a time, each on one thread")
    return parser.parse_args()


def train(options: argparse.Namespace, folder: Path) -> None:
    jobs: list[tuple[plan.Job, Results]] = []
    for row in sorted(figures.table3(), key=lambda row: row.rows + row.test_rows):
        if (options.sets and row.set not in options.sets) or (options.quick and row.set not in QUICK_SETS):
            continue
        if why := sets.missing(row.set.lower()):
            print(f"{row.set} is skipped: {why}")
            continue
        store = Results(folder, "paper", row.set.lower())
        wanted = list(plan.jobs(row))
        if options.quick:
            wanted = [dataclasses.replace(job, trees=max(QUICK_TREES, row.classes)) for job in wanted[:QUICK_JOBS]]
        for job in wanted:
            if (not options.keys or job.key in options.keys) and (options.again or job.key not in store.runs):
                jobs.append((job, store))
    with ThreadPoolExecutor(options.jobs) as pool:
        running = {pool.submit(process.run, "bench.paper.worker", dataclasses.asdict(job), 1): (job, at) for job, at in jobs}
        try:
            for done in as_completed(running):
                job, store = running[done]
                try:
                    keep(job, store, done.result())
                except process.Failed as e:
                    print(f"{job.set}: {job.key}: failed: {e}")
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def keep(job: plan.Job, store: Results, run: dict) -> None:
    store.shape = run.pop("shape")
    store.add(job.key, run | {"params": job.params})
    print(f"{job.set}: {job.key}: {run['errors']} errors, {run['trees']} trees, {run['cpu']:.0f} s", flush=True)


main()
