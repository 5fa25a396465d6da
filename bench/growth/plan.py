"""What is measured: shapes that differ in one size from the first, and sets on one and two threads."""

from __future__ import annotations

from dataclasses import dataclass, replace

SETTINGS = ("default", "suggested")
BASE = {"rows": 100_000, "features": 30, "classes": 10}
SIZES = {
    "rows": (100_000, 300_000, 1_000_000, 3_000_000),
    "features": (30, 100, 300, 1000),
    "classes": (2, 3, 5, 10, 30, 100, 300),
}
THREADS = (1, 2)
THREAD_SETS = ("noisy300k", "covertype93k")
THREAD_ROUNDS = 3  # with one thread and two in turn, as others may use the machine

# Trees that are grown before those that are measured, and how many these are.
WARM_UP, TREES = 3, 15


@dataclass(frozen=True)
class Job:
    """Trees to grow, on a set or on noisy rows of a size."""

    setting: str
    threads: int = 1
    set: str = ""
    rows: int = 0
    features: int = 0
    classes: int = 0
    round: int = 1
    trees: int = TREES

    @property
    def key(self) -> str:
        if self.set:
            return f"{self.set} {self.setting} threads={self.threads} round={self.round}"
        return f"{self.rows}x{self.features}x{self.classes} {self.setting}"


def jobs(quick: bool) -> list[Job]:
    """All of them, each once."""
    if quick:
        return [replace(sized(what, size, "default"), trees=2) for what, sizes in SIZES.items() for size in sizes[:2]]
    made = [sized(what, size, setting) for what, sizes in SIZES.items() for size in sizes for setting in SETTINGS]
    made += [
        Job(setting, threads, name, round=round)
        for name in THREAD_SETS
        for round in range(1, THREAD_ROUNDS + 1)
        for setting in SETTINGS
        for threads in THREADS
    ]
    return list(dict.fromkeys(made))


def sized(what: str, size: int, setting: str) -> Job:
    return Job(setting, **BASE | {what: size})
