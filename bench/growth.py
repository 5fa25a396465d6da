"""``python -m bench.growth`` measures how the time per tree grows with rows, features and classes, and how training speeds up
with threads. It writes the tables of bench/README.md. It skips what bench/results already has.
"""

from __future__ import annotations

import math
import os
import statistics
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import aoso
import numpy as np

from bench import harness, readme, sets
from bench.harness import Job
from bench.peers.clock import Clock
from bench.peers.plan import PAPER, PRESET
from bench.readme import number, table
from bench.results import Results

SETTINGS = ("preset=paper", "suggested")
BASE = {"rows": 100_000, "features": 30, "classes": 10}
SIZES = {
    "rows": (100_000, 300_000, 1_000_000, 3_000_000),
    "features": (30, 100, 300, 1000),
    "classes": (2, 3, 5, 10, 30, 100, 300),
}
# Numbers of threads. Those above the number of cores are left out.
THREADS = (1, 2, 4, 8, 16)
# The sets with more than 40,000 rows. Whole fits with the defaults take long on the noisy ones. With few rows, they are ensembles.
THREAD_SETS = ("covertype93k", "diabetes130", "mixture270k", "noisy300k-2", "noisy300k", "noisy1m")
WHOLE_SETS = (*THREAD_SETS[:-2], "higgs7k", "letter", "pendigits", "zipcode")
WHOLE = "default"
THREAD_ROUNDS = 3  # the numbers of threads alternate, because other programs may use the machine

# The number of trees that are grown before the measurement, and of those that are measured.
WARM_UP, TREES = 3, 15

# The aims: the time per tree as a multiple of linear growth.
GROWTH = {"rows": 1.15, "features": 1.15}


@dataclass(frozen=True)
class Training:
    """A measured training on noisy rows of the given size; or, on a set, training with one thread, with two, and so on."""

    setting: str
    set: str = ""
    rows: int = 0
    features: int = 0
    classes: int = 0
    trees: int = TREES

    @property
    def key(self) -> str:
        if self.set:
            return f"{self.set} {self.setting} threads"
        return f"{self.rows}x{self.features}x{self.classes} {self.setting}"


def trainings() -> Iterator[Training]:
    yield from (sized(what, size, setting) for what, sizes in SIZES.items() for size in sizes for setting in SETTINGS)
    for name in dict.fromkeys((*THREAD_SETS, *WHOLE_SETS)):
        if name in WHOLE_SETS:
            yield Training(WHOLE, name)
        if name in THREAD_SETS:
            yield from (Training(setting, name) for setting in SETTINGS)


def quick_trainings() -> Iterator[Training]:
    return (replace(sized(what, size, SETTINGS[0]), trees=2) for what, sizes in SIZES.items() for size in sizes[:2])


def sized(what: str, size: int, setting: str) -> Training:
    return Training(setting, **BASE | {what: size})


class Growth(harness.Benchmark):
    name, worker = "growth", "bench.growth"
    quick = "measure only small sets"

    def jobs(self) -> Iterator[Job]:
        for it in dict.fromkeys(quick_trainings() if self.options.quick else trainings()):
            yield Job("trees", it.key, asdict(it), it.set)

    def line(self, run: dict[str, Any]) -> str:
        if "threads" in run:
            return ", ".join(f"{threads} threads: {speed_up(run, threads):.2f} ×" for threads in run["threads"])
        return f"{1000 * seconds(run):.1f} ms of CPU time per tree"

    def report(self, folder: Path) -> None:
        store = Results(folder, self.name, "trees")
        readme.fill({"growth": growth(store), "threads": threads(store)}, folder, nothing="Not measured yet: `make bench-growth`.")


def measure(job: dict[str, Any]) -> dict[str, Any]:
    """Grows some trees."""
    from bench.peers.systems.aoso import Aoso

    it = Training(**job)
    data = sets.load(it.set) if it.set else sets.noisy(it.rows, it.classes, it.features, test_rows=1)
    params = Aoso().suggested(data) if it.setting == "suggested" else PRESET if it.setting == PAPER else {}
    run = {"version": Aoso.version, "params": params, "load": round(os.getloadavg()[0], 2)}
    if it.set:
        return run | by_threads(it, data, params)
    building = Clock(math.inf)
    building.start()
    train_set = aoso.Dataset(data.x, data.y, nthread=1)
    building.tick()
    clock = grow(train_set, params, it.trees, 1)
    return run | {"dataset": round(building.cpu[0], 4), "cpu": of_trees(clock.cpu)}


def by_threads(it: Training, data: sets.Set, params: dict[str, Any]) -> dict[str, Any]:
    """Wall time by the number of threads: of a whole fit, or the median per tree, in several rounds."""
    counts = [n for n in THREADS if n <= (os.cpu_count() or 1)]
    if it.setting == WHOLE:
        return {"threads": {str(n): [fit(data, params | {"nthread": n})] for n in counts}}
    train_set = aoso.Dataset(data.x, data.y, nthread=counts[-1])
    walls: dict[str, list[float]] = {str(n): [] for n in counts}
    for _ in range(THREAD_ROUNDS):
        for n in counts:
            wall = statistics.median(of_trees(grow(train_set, params, it.trees, n).wall))
            walls[str(n)].append(round(wall, 5))
    return {"threads": walls}


def fit(data: sets.Set, params: dict[str, Any]) -> float:
    start = time.perf_counter()
    aoso.train(params, aoso.Dataset(data.x, data.y, nthread=params["nthread"]))
    return round(time.perf_counter() - start, 3)


def grow(train_set: aoso.Dataset, params: dict[str, Any], trees: int, threads: int) -> Clock:
    clock = Clock(math.inf)
    clock.start()
    params_here = params | {"n_estimators": WARM_UP + trees, "nthread": threads}
    aoso.train(params_here, train_set, eval_every=2**31 - 1, callbacks=[lambda progress: clock.tick()])
    return clock


def of_trees(ends: list[float]) -> list[float]:
    return [round(float(seconds), 5) for seconds in np.diff(ends)[WARM_UP - 1 :]]


def seconds(run: dict[str, Any]) -> float:
    """The median CPU time per tree."""
    return statistics.median(run["cpu"])


def speed_up(run: dict[str, Any], threads: str) -> float:
    """How much faster training is with that number of threads than with one."""
    return statistics.median(run["threads"]["1"]) / statistics.median(run["threads"][threads])


def growth(store: Results) -> str:
    """CPU time per tree for each size, and as a multiple of linear growth from the first size."""
    text = []
    for what, sizes in SIZES.items():
        rows, first, most = [], {}, {}
        for size in sizes:
            cells, built, suggested = [], [], "–"
            for setting in SETTINGS:
                run = store.runs.get(sized(what, size, setting).key)
                if not run:
                    cells += ["–", "–"]
                    continue
                spent = seconds(run)
                built.append(run["dataset"])
                linear = spent / first.setdefault(setting, spent / size) / size
                if size != sizes[0]:
                    most[setting] = max(most.get(setting, 0), linear)
                if setting == "suggested":
                    suggested = " ".join(f"{name}={value}" for name, value in run["params"].items())
                cells += [number(1000 * spent), f"{linear:.2f}"]
            if built:
                rows.append([f"{size:,}", number(statistics.median(built)), *cells, suggested])
        if not rows:
            continue
        others = ", ".join(f"{BASE[name]:,} {name}" for name in SIZES if name != what)
        aim = f" The aim: at most {GROWTH[what]}." if what in GROWTH else ""
        head = [what, "dataset, CPU s"]
        head += [title for setting in SETTINGS for title in (f"{setting}, CPU ms per tree", "× linear")] + ["suggested"]
        text += [f"By {what} ({others}):", table(head, rows)]
        if most:
            text.append(f"At most {', '.join(f'{ratio:.2f} × linear ({setting})' for setting, ratio in most.items())}.{aim}")
    return "\n\n".join(text + conditions(store)) if text else ""


def conditions(store: Results) -> list[str]:
    """The machines and the versions of aoso that the result files name."""
    runs = {name: run for name, run in store.runs.items() if "threads" not in run}
    versions = sorted({run["version"] for run in runs.values() if "version" in run})
    machines = readme.machine_lines({name: run["machine"] for name, run in runs.items()}, names=False)
    return ["\n".join([*machines, f"- aoso {', '.join(versions)}"])]


def threads(store: Results) -> str:
    """Wall time with one thread, and how much faster more threads are."""
    runs = {it.key: (it, store.runs[it.key]) for it in trainings() if it.set and it.key in store.runs}
    if not runs:
        return ""
    counts = sorted({int(n) for _, run in runs.values() for n in run["threads"]} - {1})
    rows = []
    for it, run in runs.values():
        one = statistics.median(run["threads"]["1"])
        cells = [f"{speed_up(run, str(n)):.2f} ×" if str(n) in run["threads"] else "–" for n in counts]
        rows.append([it.set, it.setting, f"{number(one)} s" if it.setting == WHOLE else f"{number(1000 * one)} ms", *cells])
    machines = readme.machine_lines({it.set: run["machine"] for it, run in runs.values()})
    versions = ", ".join(sorted({run["version"] for _, run in runs.values()}))
    head = ["set", "setting", "one thread", *(f"{n} threads" for n in counts)]
    return "\n\n".join([table(head, rows, left=2), "\n".join([*machines, f"- aoso {versions}"])])


if __name__ == "__main__":
    Growth().main()
