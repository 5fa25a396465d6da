"""What is measured: the sets, the systems and how long."""

from __future__ import annotations

from dataclasses import dataclass

SETS = ("letter", "mnist10k", "pendigits")
QUICK_SETS = ("letter",)
SYSTEMS = ("aoso", "lightgbm", "xgboost", "xgboost-vector", "catboost")


@dataclass(frozen=True)
class Job:
    """The models of a set: every system with its own defaults, or as far as it comes in so many CPU seconds."""

    set: str
    systems: tuple[str, ...] = SYSTEMS
    iterations: int | None = None  # None: the library's default
    budget: float = 120
    rounds: int = 5
    seconds: float = 0.5  # CPU seconds of a measurement
    rows: int = 4000  # predicted at once
    explained: int = 1000  # rows whose SHAP values are computed


def quick(name: str) -> Job:
    return Job(name, iterations=10, budget=5, rounds=1, seconds=0.05, rows=500, explained=20)
