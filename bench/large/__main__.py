"""``python -m bench.large`` measures training on more rows than fit into memory.

It writes rows to a CSV and a Parquet file, makes a dataset file of each with ``aoso bin`` and trains 20 trees on it, with and
without a limit of memory. Then other libraries train on the same rows. It skips what bench/results already has.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.large import report
from bench.large.measure import Limits, run
from bench.results import FOLDER, Results
from bench.sets import ROOT

TREES = 20
FORMATS = ("csv", "parquet")
PEERS = ("lightgbm", "xgboost", "xgboost-external")
PEER_LIMITS = Limits(memory=24 * 2**30, cpu=1800)  # 15 minutes of two cores


def main() -> None:
    options = arguments()
    if options.report:
        report.write(report.read(FOLDER, options.rows))
        return
    folder = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    for program in ("./bench/large", "./cmd/aoso"):
        subprocess.run(["go", "build", "-o", folder, program], cwd=ROOT, check=True)
    store = Results(FOLDER, "large", f"{options.rows}")
    store.shape = {"rows": options.rows, "features": 50, "classes": 10}
    for job in jobs(options):
        if options.again or job not in store.runs:
            measured = measure(job, options)
            print(job, measured, flush=True)
            store.add(job, measured)
    report.write(store)


def jobs(options: argparse.Namespace) -> list[str]:
    """The names of the measurements: a format, a preset and "limited" or "free", or another library."""
    own = [f"{f} {preset} {limit}" for f in FORMATS for preset in ("auto", "paper") for limit in ("limited", "free")]
    return [job for job in [*own, *PEERS] if not options.only or any(word in job for word in options.only)]


def measure(job: str, options: argparse.Namespace) -> dict[str, Any]:
    if job in PEERS:
        script = str(Path(__file__).with_name("peers.py"))
        measured = run([sys.executable, script, str(rows(options, "parquet")), job], PEER_LIMITS)
        lines = [line for line in measured.pop("output").splitlines() if line.startswith("{")]
        return measured | {"iterations": [json.loads(line) for line in lines]}
    name, preset, limited = job.split()
    limits = Limits(memory=options.limit if limited == "limited" else 0)
    program, dataset, model = options.folder / "aoso", options.folder / f"{name}.aosod", options.folder / "model.aoso"
    steps = {
        "bin": [program, "bin", "--data", rows(options, name), "--out", dataset, "--json"],
        "train": [program, "train", "--data", dataset, "--preset", preset, "--trees", TREES, "--model", model, "--json"],
    }
    measured = {}
    for step, command in steps.items():
        one = run([str(word) for word in command], limits)
        output = one.pop("output")
        measured[step] = one
        if one["ended"] != "done":
            break
        one["fingerprint"] = json.loads(output.splitlines()[-1]).get("fingerprint")
    dataset.unlink(missing_ok=True)
    return measured


def rows(options: argparse.Namespace, form: str) -> Path:
    """The file of the rows, which is made if it is not there."""
    path: Path = options.folder / f"{options.rows}.{form}"
    if not path.exists():
        new = path.with_suffix(".new")
        subprocess.run([options.folder / "large", "-rows", str(options.rows), form, new], check=True)
        new.rename(path)
    return path


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.large", description=__doc__)
    parser.add_argument("--folder", type=Path, default=ROOT / "build/bench/large", help="of the files: 1 kB for 5 rows while it runs")
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--limit", type=float, default=2.5e9, help="of memory, in bytes")
    parser.add_argument("--only", nargs="*", help="measure only jobs whose names have one of these words")
    parser.add_argument("--again", action="store_true", help="measure again what the results already have")
    parser.add_argument("--report", action="store_true", help="only write the tables")
    return parser.parse_args()


main()
