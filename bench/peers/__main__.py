"""``python -m bench.peers`` measures this library and its peers and writes the tables and pictures of bench/README.md.

It can be interrupted and started again: it skips what bench/results already has.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import sys
from pathlib import Path

from bench import machine, process, sets
from bench.peers import plan, report
from bench.results import FOLDER, QUICK_FOLDER, Results


def main() -> None:
    options = arguments()
    folder = QUICK_FOLDER if options.quick else FOLDER
    names = options.sets or (["letter", "mixture30k", "noisy300k-2"] if options.quick else [*plan.REAL, *plan.TABLES, *plan.SYNTHETIC, *plan.NOISY])
    if not sets.folder():
        print("There is no data folder (set AOSO_DATA): only Letter and the synthetic sets are measured.")
    if not options.report:
        measure(names, options, folder)
    report.write(folder)


def arguments() -> argparse.Namespace:
    def words(text: str) -> list[str]:
        return text.split(",")

    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few iterations on three sets; results go to build/bench/quick")
    parser.add_argument("--sets", type=words, help="only these sets, separated by commas")
    parser.add_argument("--systems", type=words, help="only these systems, separated by commas")
    parser.add_argument("--settings", type=words, help="only these settings, separated by commas")
    parser.add_argument("--budget", type=float, default=math.inf, help="maximum CPU seconds of a training, if below the plan's")
    parser.add_argument("--rounds", type=int, default=plan.REPEATS, help="number of rounds of the default and matched settings")
    parser.add_argument("--again", action="store_true", help="measure again what the results already have")
    parser.add_argument("--sizes", action="store_true", help="train again and replace only the sizes of model files")
    parser.add_argument("--report", action="store_true", help="only write the tables and pictures")
    return parser.parse_args()


def measure(names: list[str], options: argparse.Namespace, folder: Path) -> None:
    """Runs all jobs in rounds, so that repetitions of a job are far apart and the jobs of a setting are close together."""
    stores = {}
    for name in names:
        if why := sets.missing(name):
            print(f"{name} is skipped: {why}")
        else:
            stores[name] = Results(folder, "peers", name)
    jobs = [
        dataclasses.replace(job, budget=min(job.budget, options.budget))
        for job in (plan.quick_jobs if options.quick else plan.jobs)(list(stores))
        if (not options.systems or job.system in options.systems) and (not options.settings or job.setting in options.settings)
    ]
    if options.sizes:
        for job in jobs:
            measure_size(job, stores[job.set])
        return
    for repeat in range(1 if options.quick else options.rounds):
        for job in jobs:
            if repeat == 0 or job.kind in plan.REPEATED:
                run_once(job, stores[job.set], repeat, options.again and repeat == 0)


def measure_size(job: plan.Job, store: Results) -> None:
    """Replaces the size of a model's file if training gives the same model again. Times are of the machine that measured them."""
    run = store.runs.get(job.key)
    if not run or "failed" in run:
        return
    measured = process.run("bench.peers.worker", dataclasses.asdict(job), job.threads)
    same = measured["curve"] == run["curve"]
    print(f"{job.set}: {job.key}: {run['bytes']:,} bytes, now {measured['bytes']:,}{'' if same else ', of another model: not noted'}", flush=True)
    if same:
        store.add(job.key, run | {"bytes": measured["bytes"]})


def run_once(job: plan.Job, store: Results, repeat: int, again: bool) -> None:
    """Runs a job and adds it to the results, unless they already have this round."""
    run = None if again else store.runs.get(job.key)
    if run and ("failed" in run or len(run["clocks"]) > repeat or run["clocks"][0]["cpu"][-1] > plan.REPEATED_SECONDS):
        return
    if run and run["machine"] != machine.describe():
        run = None  # times of two machines have no median
    if run:
        job = dataclasses.replace(job, iterations=run["iterations"], budget=0)
    print(f"{job.set}: {job.key}, round {repeat + 1}: ", end="", flush=True)
    try:
        measured = process.run("bench.peers.worker", dataclasses.asdict(job), job.threads)
    except process.Failed as e:
        print(f"failed: {e}")
        store.add(job.key, {"params": job.params, "failed": str(e), "clocks": []})
        return
    clock = measured.pop("clock")
    print(f"{clock['cpu'][-1]:.1f} s, {measured['iterations']} iterations, {min(measured['curve']['errors'])} errors")
    store.shape = measured.pop("shape")
    if run:
        if run["curve"] != measured["curve"]:
            print("  warning: the errors differ from those of the first round", file=sys.stderr)
        run["clocks"].append(clock)
    else:
        run = measured | {"budget": job.budget, "clocks": [clock]}
    store.add(job.key, run)


main()
