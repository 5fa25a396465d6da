"""The plan: the sets, the systems and the length of the measurements."""

from __future__ import annotations

from dataclasses import dataclass

SETS = ("letter", "mnist10k", "pendigits", "mixture30k")
SYSTEMS = ("aoso", "lightgbm", "xgboost", "xgboost-vector", "catboost")


@dataclass(frozen=True)
class Job:
    """The models of a set, trained for at most ``budget`` CPU seconds. All but aoso have their defaults."""

    set: str
    preset: str = "paper"  # of aoso; "auto" is its default
    systems: tuple[str, ...] = SYSTEMS
    iterations: int | None = None  # None: the library's default
    budget: float = 120
    rounds: int = 5
    seconds: float = 0.5  # CPU seconds of one measurement
    rows: int = 4000  # number of rows in a batch
    explained: int = 1000  # number of rows to compute SHAP values for


def full(name: str) -> Job:
    """All of a set. The SHAP values of 300 classes take the peers seconds a row. With so many classes, the default is to begin
    with linear scores, which preset=paper does not."""
    return Job(name, "auto", explained=10) if name == "mixture30k" else Job(name)


def quick(name: str) -> Job:
    return Job(name, iterations=10, budget=5, rounds=1, seconds=0.05, rows=500, explained=20)
