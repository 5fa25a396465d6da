"""``python -m bench.growth`` measures how the time per tree grows with rows, features and classes, and how much a second
thread saves. It writes the tables of bench/README.md. It skips what bench/results already has.
"""

from __future__ import annotations

import argparse
import dataclasses
from concurrent.futures import ThreadPoolExecutor

from bench import process, sets
from bench.growth import plan, report
from bench.results import FOLDER, QUICK_FOLDER, Results


def main() -> None:
    options = arguments()
    store = Results(QUICK_FOLDER if options.quick else FOLDER, "growth", "trees")
    for job in () if options.report else plan.jobs(options.quick):
        if job.set and (why := sets.missing(job.set)):
            print(f"{job.set} is skipped: {why}")
        elif options.again or job.key not in store.runs:
            with ThreadPoolExecutor() as pool:
                runs = [pool.submit(process.run, "bench.growth.worker", dataclasses.asdict(job), job.threads) for _ in range(job.at_once)]
            run = max((run.result() for run in runs), key=lambda run: report.seconds(run, "wall"))
            print(f"{job.key}: {1000 * report.seconds(run, 'cpu'):.1f} ms of CPU time per tree")
            store.add(job.key, run)
    report.write(store)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.growth", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="measure only small sets; results go to build/bench/quick")
    parser.add_argument("--again", action="store_true", help="measure again what the results already have")
    parser.add_argument("--report", action="store_true", help="only write the tables")
    return parser.parse_args()


main()
