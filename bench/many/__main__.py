"""``python -m bench.many`` trains on a thousand classes with aoso and other libraries, each with a limit of memory and of CPU
time, and writes the tables of bench/README.md.

The classes are Gaussians in a hierarchy (``--data mixture``), the words of a text (``--data words``), or have several places each
(``--data places``). Training ends with the first iteration after ``--budget`` CPU seconds. A process that takes a quarter more,
and a minute for evaluation, is stopped. It skips what bench/results already has.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import harness, readme
from bench.large.measure import Limits
from bench.large.measure import run as run_limited
from bench.many import data
from bench.many.systems import PARAMS, TITLES, suits
from bench.readme import machine_lines, number, table
from bench.results import Results
from bench.sets import ROOT

KINDS = ("mixture", "words", "places")
PAGE = ROOT / "docs/many-classes.md"
QUICK = {"classes": 20, "rows": 2000, "budget": 2.0}
FULL = {"classes": 1000, "rows": 1_000_000, "budget": 3600.0}
GRACE = (1.25, 60)
FULL_MEMORY = 0.9  # share of the limit from which a training that fails has failed for want of memory
OUT_OF_MEMORY = ("MemoryError", "bad_alloc", "bad allocation", "Cannot allocate memory", "Unable to allocate", "out of memory")
HEAD = ["system", "errors", "not in the top 5", "log loss", "iterations", "CPU s", "peak MB", "how it ended"]


class Many(harness.Benchmark):
    name, worker = "many", "bench.many.worker"
    quick = "20 classes for two seconds"

    def flags(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--data", choices=KINDS, default="mixture")
        parser.add_argument("--classes", type=int, help="1000 if not given")
        parser.add_argument("--rows", type=int, help="to train on; 1,000,000 if not given")
        parser.add_argument("--budget", type=float, help="CPU seconds of a training; an hour if not given")
        parser.add_argument("--memory", type=float, default=16, help="private memory of a training in GiB")
        parser.add_argument("--threads", type=int, default=1)
        parser.add_argument("--folder", type=Path, default=ROOT / "build/bench/many", help="of the rows")

    def jobs(self) -> Iterator[harness.Job]:
        options = self.options
        given = {name: value for name, value in vars(options).items() if value is not None}
        size = (QUICK if options.quick else FULL) | given
        for system in PARAMS:
            if suits(system, options.data):
                content = {"system": system, "budget": size["budget"], "threads": options.threads, "memory": options.memory * 2**30}
                content |= {"classes": size["classes"], "rows": size["rows"]}
                yield harness.Job(f"{options.data}-{size['classes']}-{size['rows']}", system, content, "", system, options.threads)

    def measure(self, job: harness.Job, run: dict[str, Any]) -> dict[str, Any]:
        """The steps of a training, how it ended, and the most memory that it took, without mapped files."""
        size, memory, options = job.content, job.content["memory"], self.options
        rows = data.make(options.data, size["classes"], size["rows"], options.folder)
        x, _, _, y_test = data.load(str(rows))
        shape = {"classes": size["classes"], "rows": len(x), "features": x.shape[1], "test_rows": len(y_test)}
        environment = ["env", f"OMP_NUM_THREADS={job.threads}", f"OPENBLAS_NUM_THREADS={job.threads}"]
        command = [*environment, *harness.command(self.worker, size | {"data": str(rows)})]
        found = run_limited(command, Limits(cpu=int(GRACE[0] * size["budget"] + GRACE[1])))
        output = found.pop("output")
        lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
        if found["ended"] != "done" and not found["ended"].startswith("stopped"):
            said = [line for line in output.splitlines() if line and not line.startswith("{")] or ["ended without a message"]
            full = any(word in output for word in OUT_OF_MEMORY) or found["peaks"]["anonymous"] > FULL_MEMORY * memory
            found["ended"] = "out of memory" if full else said[-1]
        begun = max((i for i, line in enumerate(lines) if "forgotten" in line), default=0)
        steps = {line["iteration"]: line for line in lines[begun:] if "iteration" in line}
        version = next((line["version"] for line in lines if "version" in line), "")
        limits = {"budget": size["budget"], "threads": job.threads, "limit": memory}
        return found | limits | {"shape": shape, "steps": list(steps.values()), "version": version}

    def line(self, run: dict[str, Any]) -> str:
        return f"{run['ended']}; {run['steps'][-1:]}"

    def report(self, folder: Path) -> None:
        """The tables of all results of a folder, by the kind of data. The page has the one of most systems."""
        sections = {f"many {kind}": "\n\n".join(map(one, stores(folder, kind))) for kind in KINDS}
        readme.fill(sections, folder, nothing="Not measured yet: `make bench-many`.")
        if places := stores(folder, "places"):
            readme.fill({"places": one(max(places, key=lambda store: len(store.runs)))}, folder, PAGE)


def stores(folder: Path, kind: str) -> list[Results]:
    found = [Results(folder, "many", path.stem.removeprefix("many-")) for path in folder.glob(f"many-{kind}-*.json")]
    return sorted((store for store in found if store.runs), key=lambda store: (-store.shape["classes"], -store.shape["rows"]))


def one(store: Results) -> str:
    """The table of a set: those that ended with the least log loss first, then those that have no result."""
    shape, runs = (store.shape, {name: store.runs[name] for name in TITLES if name in store.runs})
    rows = [[TITLES[name], *cells(run)] for name, run in sorted(runs.items(), key=lambda item: loss(item[1]))]
    sizes = (
        f"{shape['classes']:,} classes, {shape['rows']:,} rows, {shape['features']} features, {shape['test_rows']:,} test rows"
    )
    some = next(iter(runs.values()))
    *most, last = (f"{budget:,.0f}" for budget in sorted({run["budget"] for run in runs.values()}))
    budgets = f"{', '.join(most)} or {last}" if most else last
    limits = f"{some['limit'] / 2**30:g} GiB of memory and {budgets} CPU s on {some['threads']} thread{'s'[: some['threads'] > 1]} for each"
    missing = [TITLES[name] for name in TITLES if name not in runs and suits(name, store.set.split("-")[0])]
    machines = "\n".join(machine_lines({TITLES[name]: run["machine"] for name, run in runs.items()}))
    return f"{sizes}; {limits}:\n\n{table(HEAD, rows)}\n\n{machines}" + (f"\n\nNot measured yet: {'; '.join(missing)}." if missing else "")


def loss(run: dict[str, Any]) -> float:
    steps = evaluated(run)
    return steps[-1]["logloss"] if steps else float("inf")


def evaluated(run: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for step in run["steps"] if "logloss" in step]


def cells(run: dict[str, Any]) -> list[str]:
    """The last step that was evaluated, and what became of the training."""
    peak = f"{run['peaks']['anonymous'] / 1e6:,.0f}"
    steps = evaluated(run)
    if not steps:
        return ["–", "–", "–", "0", number(run["cpu"]), peak, f"{run['ended']} before the first iteration"]
    last = steps[-1]
    ended = run["ended"]
    if ended == "done" and last["cpu"] >= run["budget"]:
        ended = "time over"
    shares = [f"{100 * last[what]:.2f} %" for what in ("error", "top5")]
    return [*shares, f"{last['logloss']:.4f}", f"{last['iteration']:,}", number(last["cpu"]), peak, ended]


if __name__ == "__main__":
    Many().main()
