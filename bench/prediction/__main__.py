"""``python -m bench.prediction`` measures trained models in use, beside those of the peers, and writes the tables of
bench/README.md.

A set is a process of its own, in which the systems take turns. What bench/results has is not measured again.
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
            print(f"{name} is left out: {why}")
            continue
        store = Results(folder, "prediction", name)
        if options.again or not store.runs:
            measure(plan.quick(name) if options.quick else plan.Job(name), store)
    report.write(folder)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.prediction", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small models of one set, into build/bench/quick")
    parser.add_argument("--sets", type=lambda text: text.split(","), help="these sets only, separated by commas")
    parser.add_argument("--again", action="store_true", help="measure anew what is in the results already")
    parser.add_argument("--report", action="store_true", help="measure nothing, write tables only")
    return parser.parse_args()


def measure(job: plan.Job, store: Results) -> None:
    print(f"{job.set}: ", end="", flush=True)
    measured = process.run("bench.prediction.worker", dataclasses.asdict(job), threads=1)
    store.shape = measured["shape"]
    for system, run in measured["systems"].items():
        store.add(system, run)
    print(", ".join(f"{system} {run['errors']} errors" for system, run in measured["systems"].items()))


main()
