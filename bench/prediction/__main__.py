"""``python -m bench.prediction`` measures prediction with trained models, of this library and of its peers, and writes the
tables of bench/README.md.

Each set is measured in one process, in which the systems take turns. It skips what bench/results already has.
"""

from __future__ import annotations

import argparse
import dataclasses

from bench import process, sets
from bench.prediction import plan, report
from bench.results import FOLDER, QUICK_FOLDER, Results


def main() -> None:
    options = arguments()
    folder = QUICK_FOLDER if options.quick else FOLDER
    names = options.sets or (plan.QUICK_SETS if options.quick else plan.SETS)
    for name in () if options.report else names:
        if why := sets.missing(name):
            print(f"{name} is skipped: {why}")
            continue
        store = Results(folder, "prediction", name)
        if options.again or not store.runs:
            measure(plan.quick(name) if options.quick else plan.full(name), store)
    report.write(folder)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.prediction", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only small models of one set; results go to build/bench/quick")
    parser.add_argument("--sets", type=lambda text: text.split(","), help="only these sets, separated by commas")
    parser.add_argument("--again", action="store_true", help="measure again what the results already have")
    parser.add_argument("--report", action="store_true", help="only write the tables")
    return parser.parse_args()


def measure(job: plan.Job, store: Results) -> None:
    print(f"{job.set}: ", end="", flush=True)
    measured = process.run("bench.prediction.worker", dataclasses.asdict(job), threads=1)
    store.shape = measured["shape"]
    for system, run in measured["systems"].items():
        store.add(system, run)
    print(", ".join(f"{system} {run['errors']} errors" for system, run in measured["systems"].items()))


main()
