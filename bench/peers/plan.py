"""The plan: the sets, the systems and their settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from bench import digits

THREADS = 1
MAX_MEMORY = 16 << 30  # bytes; a training that needs more fails before the machine does

REAL = ("letter", "pendigits", "optdigits", "zipcode", "isolet", "mnist10k", "covertype93k")
LARGE = "mixture270k"
SYNTHETIC = ("mixture30k", LARGE)
NOISY = ("noisy300k", "noisy300k-2", "noisy1m", "noisy1m-2")
POKER = ("poker25kt1", "poker25kt2", "poker100k", "poker150k", "poker275k", "poker525k")
OF_PAPER = ("letter15k", "letter4k", "letter2k", *digits.VARIATIONS, *POKER)  # the page about the paper shows them
TABLES = ("vowel", "soybean", "higgs7k", "shuttle", "poker25k", "adult", "diabetes130")
SYSTEMS = ("aoso", "lightgbm", "xgboost", "xgboost-vector", "catboost", "sklearn")

# The kinds of training runs in the order in which they run, with their limits in CPU seconds. Runs of the kinds in REPEATED
# run in several rounds, unless they take longer than REPEATED_SECONDS.
BUDGET = {"default": 2000, "table": 2000, "matched": 120, "variant": 120, "grid": 30, "large": 150, "noisy": 600, "paper": 120}
REPEATED = ("default", "matched", "noisy")
REPEATS = 3
REPEATED_SECONDS = 10

# The maximum number of iterations for settings other than the defaults. These systems grow a tree for each class in an
# iteration; the others grow one tree.
TREE_A_CLASS = ("lightgbm", "xgboost", "sklearn")
MAX_ITERATIONS = {True: 3000, False: 10_000}

# Leaves and learning rate of the matched settings and of the grid.
MATCHED = (20, 0.1)
MATCHED_NOISY = (64, 0.3)
GRID = ((20, 0.3), (64, 0.1), (64, 0.3))

# The setting with the parameters that aoso tries first on data of a set's size. It holds no rows out.
SUGGESTED = "suggested"

# The preset that the other settings of aoso start from. It holds no rows out either.
PAPER = "preset=paper"
PRESET = {"preset": "paper"}

# Settings of aoso that differ from that preset, most of them in one parameter. The preset itself, as their base, is measured
# with them, and again with the defaults, because times of different sessions are not comparable.
BASE = "base"
VARIANTS: dict[str, dict[str, Any]] = {
    BASE: {},
    "algorithm 1": {"leaf": "pair", "pairs": 1, "trim": 0},
    "leaf=pair": {"leaf": "pair"},
    "pairs=1": {"pairs": 1},
    "pairs=2": {"pairs": 2},
    "pairs=8": {"pairs": 8},
    "max_leaves=10": {"max_leaves": 10},
    "max_leaves=40": {"max_leaves": 40},
    "learning_rate=0.05": {"learning_rate": 0.05},
    "learning_rate=0.2": {"learning_rate": 0.2},
    "min_samples_leaf=5": {"min_samples_leaf": 5},
    "min_samples_leaf=20": {"min_samples_leaf": 20},
    "trim=0": {"trim": 0},
    "trim=0.2": {"trim": 0.2},
    "max_bin=63": {"max_bin": 63},
    "max_bin=127": {"max_bin": 127},
}

# The settings that keep the library's own number of iterations.
DEFAULT_ITERATIONS = ("default", SUGGESTED, PAPER, *VARIANTS)


@dataclass(frozen=True)
class Job:
    """A training to measure. If ``iterations`` is None, the library's default applies."""

    set: str
    system: str
    setting: str
    kind: str
    params: dict[str, Any] = field(default_factory=dict)
    iterations: int | None = None
    budget: float = 0
    threads: int = THREADS

    @property
    def key(self) -> str:
        return f"{self.system} {self.setting}"


def jobs(names: list[str]) -> list[Job]:
    """The jobs on some sets, sorted by kind and then by set."""
    order = list(BUDGET)
    made = [
        replace(job, budget=BUDGET[job.kind], iterations=max_iterations(job))
        for name in names
        for job in jobs_of(name)
    ]
    return sorted(made, key=lambda job: order.index(job.kind))


def jobs_of(name: str) -> Iterator[Job]:
    if name in TABLES:
        return table_jobs(name)
    if name in OF_PAPER:
        return paper_jobs(name)
    return (large_jobs if name == LARGE else noisy_jobs if name in NOISY else usual_jobs)(name)


def usual_jobs(name: str) -> Iterator[Job]:
    for system in SYSTEMS:
        yield Job(name, system, "default", "default")
        yield Job(name, system, "matched", "matched", tree_shape(system, *MATCHED))
    yield Job(name, "aoso", PAPER, "default", PRESET)
    for setting, params in VARIANTS.items():
        yield Job(name, "aoso", setting, "variant", PRESET | params)
    yield many_classes_job(name, "grid")
    for leaves, rate in GRID:
        for system in SYSTEMS:
            yield Job(name, system, f"J={leaves} v={rate}", "grid", tree_shape(system, leaves, rate))


def table_jobs(name: str) -> Iterator[Job]:
    for system in SYSTEMS:
        yield Job(name, system, "default", "table")
    yield Job(name, "aoso", PAPER, "table", PRESET)


def paper_jobs(name: str) -> Iterator[Job]:
    for system in SYSTEMS:
        yield Job(name, system, "default", "table")
        yield Job(name, system, "matched", "paper", tree_shape(system, *MATCHED))


def large_jobs(name: str) -> Iterator[Job]:
    for system in SYSTEMS:
        yield Job(name, system, "default", "default")
        yield Job(name, system, "matched", "large", tree_shape(system, *MATCHED))
    yield Job(name, "aoso", SUGGESTED, "large")
    yield Job(name, "aoso", PAPER, "large", PRESET)
    yield many_classes_job(name, "large")


def noisy_jobs(name: str) -> Iterator[Job]:
    """Every library uses its own default number of iterations."""
    for setting in ("default", SUGGESTED):
        yield Job(name, "aoso", setting, "noisy")
    yield Job(name, "aoso", PAPER, "noisy", PRESET)
    for system in ("lightgbm", "xgboost"):
        yield Job(name, system, "default", "noisy")
        yield Job(name, system, "matched", "noisy", tree_shape(system, *MATCHED_NOISY))


def many_classes_job(name: str, kind: str) -> Job:
    """With its default minimum Hessian, LightGBM diverges if there are many classes."""
    params = tree_shape("lightgbm", *MATCHED) | {"min_sum_hessian_in_leaf": 1}
    return Job(name, "lightgbm", "min_sum_hessian=1", kind, params)


def max_iterations(job: Job) -> int | None:
    if job.kind in ("noisy", "table") or job.setting in DEFAULT_ITERATIONS:
        return None
    return MAX_ITERATIONS[job.system in TREE_A_CLASS]


def tree_shape(system: str, leaves: int, rate: float) -> dict[str, Any]:
    """Each library's parameters for trees with at most that many leaves, grown best first. All others have their defaults."""
    if system == "aoso":
        return PRESET | {"max_leaves": leaves, "learning_rate": rate}
    if system == "lightgbm":
        return {"num_leaves": leaves, "learning_rate": rate}
    if system in ("xgboost", "xgboost-vector"):
        return {"grow_policy": "lossguide", "max_leaves": leaves, "max_depth": 0, "learning_rate": rate}
    if system == "catboost":
        return {"grow_policy": "Lossguide", "max_leaves": leaves, "learning_rate": rate}
    return {"max_leaf_nodes": leaves, "learning_rate": rate, "early_stopping": False}


def quick_jobs(names: list[str]) -> list[Job]:
    """Jobs of a few seconds, as a test of the programs."""
    few = [job for job in jobs(names) if job.kind in REPEATED or job.setting == "algorithm 1"]
    return [replace(job, iterations=10, budget=1) for job in few]
