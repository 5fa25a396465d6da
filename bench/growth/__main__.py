"""``python -m bench.growth`` measures how the time of a tree grows with rows, features and classes, and what a second
thread saves, and writes the tables of bench/README.md. What bench/results has is not measured again.
"""

from __future__ import annotations

import argparse
import dataclasses

from bench import process, sets
from bench.growth import plan, report
from bench.results import FOLDER, QUICK_FOLDER, Results


def main() -> None:
    options = arguments()
    store = Results(QUICK_FOLDER if options.quick else FOLDER, "growth", "trees")
    for job in () if options.report else plan.jobs(options.quick):
        if job.set and (why := sets.missing(job.set)):
            print(f"{job.set} is left out: {why}")
        elif options.again or job.key not in store.runs:
            run = process.run("bench.growth.worker", dataclasses.asdict(job), job.threads)
            print(f"{job.key}: {1000 * report.seconds(run, 'cpu'):.1f} ms of CPU time a tree")
            store.add(job.key, run)
    report.write(store)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.growth", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sets, into build/bench/quick")
    parser.add_argument("--again", action="store_true", help="measure anew what is in the results already")
    parser.add_argument("--report", action="store_true", help="measure nothing, write tables only")
    return parser.parse_args()


main()
