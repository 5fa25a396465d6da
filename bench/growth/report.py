"""Writes the tables of how the time per tree grows."""

from __future__ import annotations

import statistics
from typing import Any

from bench import readme
from bench.growth import plan
from bench.readme import number, table
from bench.results import Results

NOTHING = "Not measured yet: `make bench-growth`."

# The aims: the time per tree as a multiple of linear growth, and how much faster two threads are.
GROWTH = {"rows": 1.15, "features": 1.15}
FASTER = {"noisy300k": 1.8, "covertype93k": 1.7}


def write(store: Results) -> None:
    sections = {"growth": growth(store), "threads": threads(store)}
    readme.fill({name: section or NOTHING for name, section in sections.items()}, store.path.parent)


def seconds(run: dict[str, Any], clock: str) -> float:
    """The median time per tree."""
    return statistics.median(run[clock])


def growth(store: Results) -> str:
    """CPU time per tree for each size, and as a multiple of linear growth from the first size."""
    text = []
    for what, sizes in plan.SIZES.items():
        rows, first, most = [], {}, {}
        for size in sizes:
            cells, built, suggested = [], [], "–"
            for setting in plan.SETTINGS:
                run = store.runs.get(plan.sized(what, size, setting).key)
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
        others = ", ".join(f"{plan.BASE[name]:,} {name}" for name in plan.SIZES if name != what)
        aim = f" The aim: at most {GROWTH[what]}." if what in GROWTH else ""
        head = [what, "dataset, CPU s"]
        head += [title for setting in plan.SETTINGS for title in (f"{setting}, CPU ms per tree", "× linear")] + ["suggested"]
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
    for name in plan.THREAD_SETS:
        for setting in plan.SETTINGS:
            rounds = range(1, plan.THREAD_ROUNDS + 1)
            walls = []
            for threads, at_once in plan.THREADS:
                keys = [plan.Job(setting, threads, name, round=i, at_once=at_once).key for i in rounds]
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
