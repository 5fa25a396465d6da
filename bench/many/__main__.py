"""``python -m bench.many`` trains on a thousand classes with aoso and other libraries, each with a limit of memory and of CPU
time, and writes the tables of bench/README.md.

The classes are Gaussians in a hierarchy (``--data mixture``), or the words of a text (``--data words``). Training ends with
the first iteration after ``--budget`` CPU seconds. A process that takes a quarter more, and a minute for evaluation, is stopped.
It skips what bench/results already has.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from bench.large.measure import Limits
from bench.large.measure import run as run_limited
from bench.many import data, report, systems
from bench.results import FOLDER, QUICK_FOLDER, Results
from bench.sets import ROOT

QUICK = {"classes": 20, "rows": 2000, "budget": 2.0}
FULL = {"classes": 1000, "rows": 1_000_000, "budget": 3600.0}
GRACE = (1.25, 60)
FULL_MEMORY = 0.9  # share of the limit from which a training that fails has failed for want of memory
OUT_OF_MEMORY = ("MemoryError", "bad_alloc", "bad allocation", "Cannot allocate memory", "Unable to allocate", "out of memory")


def main() -> None:
    options = arguments()
    folder = QUICK_FOLDER if options.quick else FOLDER
    for name in () if options.report else options.systems:
        store = Results(folder, "many", f"{options.data}-{options.classes}-{options.rows}")
        if (name in store.runs and not options.again) or (name in systems.OF_WORDS and options.data != "words"):
            continue
        rows = data.make(options.data, options.classes, options.rows, options.folder)
        x, _, _, y_test = data.load(str(rows))
        store.shape = {"classes": options.classes, "rows": len(x), "features": x.shape[1], "test_rows": len(y_test)}
        run = measure(name, rows, options)
        print(f"{name}: {run['ended']}; {run['steps'][-1:]}", flush=True)
        store.runs = Results(folder, "many", store.set).runs  # another process may have added some
        store.add(name, run)
    report.write(folder)


def measure(name: str, rows: Path, options: argparse.Namespace) -> dict[str, Any]:
    """The steps of a training, how it ended, and the most memory that it took, without mapped files."""
    memory = options.memory * 2**30
    job = {"system": name, "data": str(rows), "budget": options.budget, "threads": options.threads, "memory": memory}
    environment = ["env", f"OMP_NUM_THREADS={options.threads}", f"OPENBLAS_NUM_THREADS={options.threads}"]
    command = [*environment, sys.executable, "-m", "bench.many.worker", json.dumps(job)]
    run = run_limited(command, Limits(cpu=int(GRACE[0] * options.budget + GRACE[1])))
    output = run.pop("output")
    lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    if run["ended"] != "done" and not run["ended"].startswith("stopped"):
        said = [line for line in output.splitlines() if line and not line.startswith("{")] or ["ended without a message"]
        full = any(word in output for word in OUT_OF_MEMORY) or run["peaks"]["anonymous"] > FULL_MEMORY * memory
        run["ended"] = "out of memory" if full else said[-1]
    begun = max((i for i, line in enumerate(lines) if "forgotten" in line), default=0)
    steps = {line["iteration"]: line for line in lines[begun:] if "iteration" in line}
    version = next((line["version"] for line in lines if "version" in line), "")
    limits = {"budget": options.budget, "threads": options.threads, "limit": memory}
    return run | limits | {"steps": list(steps.values()), "version": version}


def arguments() -> argparse.Namespace:
    def words(text: str) -> list[str]:
        return text.split(",")

    parser = argparse.ArgumentParser(prog="python -m bench.many", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="20 classes for two seconds; results go to build/bench/quick")
    parser.add_argument("--data", choices=("mixture", "words"), default="mixture")
    parser.add_argument("--classes", type=int, help="1000 if not given")
    parser.add_argument("--rows", type=int, help="to train on; 1,000,000 if not given")
    parser.add_argument("--budget", type=float, help="CPU seconds of a training; an hour if not given")
    parser.add_argument("--memory", type=float, default=16, help="private memory of a training in GiB")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--systems", type=words, default=list(systems.PARAMS), help="only these, separated by commas")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/bench/many", help="of the rows")
    parser.add_argument("--again", action="store_true", help="measure again what the results already have")
    parser.add_argument("--report", action="store_true", help="only write the tables")
    options = parser.parse_args()
    for name, value in (QUICK if options.quick else FULL).items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    if unknown := set(options.systems) - set(systems.PARAMS):
        parser.error(f"unknown systems: {', '.join(sorted(unknown))}; allowed: {', '.join(systems.PARAMS)}")
    return options


main()
