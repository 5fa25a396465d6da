"""``python -m bench.growth`` measures how the time per tree grows with rows, features and classes, and how much a second
thread saves. It writes the tables of bench/README.md. It skips what bench/results already has.
"""

from __future__ import annotations

import math
import os
import statistics
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

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
# Threads of a training, and training runs at once. Two independent training runs show what a second core adds on this machine.
THREADS = ((1, 1), (2, 1), (1, 2))
THREAD_SETS = ("noisy300k", "covertype93k")
THREAD_ROUNDS = 3  # one and two threads alternate, because other programs may use the machine

# The number of trees that are grown before the measurement, and of those that are measured.
WARM_UP, TREES = 3, 15

# The aims: the time per tree as a multiple of linear growth, and how much faster two threads are.
GROWTH = {"rows": 1.15, "features": 1.15}
FASTER = {"noisy300k": 1.8, "covertype93k": 1.7}


@dataclass(frozen=True)
class Training:
    """A measured training, on a set or on noisy rows of the given size."""

    setting: str
    threads: int = 1
    set: str = ""
    rows: int = 0
    features: int = 0
    classes: int = 0
    round: int = 1
    trees: int = TREES
    at_once: int = 1  # training runs, in processes of their own

    @property
    def key(self) -> str:
        if self.set:
            at_once = f" at_once={self.at_once}" if self.at_once > 1 else ""
            return f"{self.set} {self.setting} threads={self.threads}{at_once} round={self.round}"
        return f"{self.rows}x{self.features}x{self.classes} {self.setting}"


def trainings() -> Iterator[Training]:
    yield from (sized(what, size, setting) for what, sizes in SIZES.items() for size in sizes for setting in SETTINGS)
    for name in THREAD_SETS:
        for round in range(1, THREAD_ROUNDS + 1):
            for setting in SETTINGS:
                yield from (Training(setting, threads, name, round=round, at_once=at_once) for threads, at_once in THREADS)


def quick_trainings() -> Iterator[Training]:
    return (replace(sized(what, size, SETTINGS[0]), trees=2) for what, sizes in SIZES.items() for size in sizes[:2])


def sized(what: str, size: int, setting: str) -> Training:
    return Training(setting, **BASE | {what: size})


class Growth(harness.Benchmark):
    name, worker = "growth", "bench.growth"
    quick = "measure only small sets"

    def jobs(self) -> Iterator[Job]:
        for it in dict.fromkeys(quick_trainings() if self.options.quick else trainings()):
            yield Job("trees", it.key, asdict(it), it.set, threads=it.threads)

    def measure(self, job: Job, run: dict[str, Any]) -> dict[str, Any]:
        """The slowest of the runs at once."""
        with ThreadPoolExecutor() as pool:
            at_once = [pool.submit(harness.work, self.worker, job.content, job.threads) for _ in range(job.content["at_once"])]
        return max((one.result() for one in at_once), key=lambda one: seconds(one, "wall"))

    def line(self, run: dict[str, Any]) -> str:
        return f"{1000 * seconds(run, 'cpu'):.1f} ms of CPU time per tree"

    def report(self, folder: Path) -> None:
        store = Results(folder, self.name, "trees")
        readme.fill({"growth": growth(store), "threads": threads(store)}, folder, nothing="Not measured yet: `make bench-growth`.")


def measure(job: dict[str, Any]) -> dict[str, Any]:
    """Grows some trees."""
    import aoso

    from bench.peers.systems.aoso import Aoso

    it = Training(**job)
    data = sets.load(it.set) if it.set else sets.noisy(it.rows, it.classes, it.features, test_rows=1)
    params = PRESET if it.setting == PAPER else Aoso().suggested(data)
    load, building, clock = os.getloadavg()[0], Clock(math.inf), Clock(math.inf)
    building.start()
    train_set = aoso.Dataset(data.x, data.y, nthread=it.threads)
    building.tick()
    clock.start()
    params_here = params | {"n_estimators": WARM_UP + it.trees, "nthread": it.threads}
    aoso.train(params_here, train_set, eval_every=2**31 - 1, callbacks=[lambda progress: clock.tick()])
    return {
        "version": Aoso.version,
        "params": params,
        "load": round(load, 2),
        "dataset": round(building.cpu[0], 4),
        "cpu": of_trees(clock.cpu),
        "wall": of_trees(clock.wall),
    }


def of_trees(ends: list[float]) -> list[float]:
    return [round(float(seconds), 5) for seconds in np.diff(ends)[WARM_UP - 1 :]]


def seconds(run: dict[str, Any], clock: str) -> float:
    """The median time per tree."""
    return statistics.median(run[clock])


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
                spent = seconds(run, "cpu")
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
    runs = {name: run for name, run in store.runs.items() if "threads=" not in name}
    versions = sorted({run["version"] for run in runs.values() if "version" in run})
    machines = readme.machine_lines({name: run["machine"] for name, run in runs.items()}, names=False)
    return ["\n".join([*machines, f"- aoso {', '.join(versions)}"])]


def threads(store: Results) -> str:
    """Wall time per tree with one thread, with two, and of two training runs at once."""
    rows = []
    for name in THREAD_SETS:
        for setting in SETTINGS:
            rounds = range(1, THREAD_ROUNDS + 1)
            walls = []
            for threads, at_once in THREADS:
                keys = [Training(setting, threads, name, round=i, at_once=at_once).key for i in rounds]
                walls.append([1000 * seconds(store.runs[key], "wall") for key in keys if key in store.runs])
            if all(walls):
                one, two, both = map(statistics.median, walls)
                cells = [number(one), number(two), number(both), f"{one / two:.2f} ×", f"{2 * one / both:.2f} ×"]
                rows.append([name, setting, *cells, f"{FASTER[name]} ×"])
    if not rows:
        return ""
    loads = [run["load"] for key, run in store.runs.items() if "threads=2" in key]
    head = ["set", "setting", "one thread, ms per tree", "two", "each of two runs at once", "two threads", "two runs", "aim"]
    load = f"Median load of the machine when the runs with two threads began: {statistics.median(loads):.1f}."
    return f"{table(head, rows, left=2)}\n\n{load}"


if __name__ == "__main__":
    Growth().main()
