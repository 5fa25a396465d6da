"""The plan: data of different sizes, each varying one dimension of a base size, and sets on one and on two threads."""

from __future__ import annotations

from dataclasses import dataclass, replace

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


@dataclass(frozen=True)
class Job:
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


def jobs(quick: bool) -> list[Job]:
    """All jobs, without duplicates."""
    if quick:
        return [replace(sized(what, size, SETTINGS[0]), trees=2) for what, sizes in SIZES.items() for size in sizes[:2]]
    made = [sized(what, size, setting) for what, sizes in SIZES.items() for size in sizes for setting in SETTINGS]
    made += [
        Job(setting, threads, name, round=round, at_once=at_once)
        for name in THREAD_SETS
        for round in range(1, THREAD_ROUNDS + 1)
        for setting in SETTINGS
        for threads, at_once in THREADS
    ]
    return list(dict.fromkeys(made))


def sized(what: str, size: int, setting: str) -> Job:
    return Job(setting, **BASE | {what: size})
