"""Measured runs, as the tables and plots use them."""

from __future__ import annotations

import math
import statistics
from typing import Any

from bench.peers import plan
from bench.results import Results

TITLES = {
    "aoso": "aoso",
    "lightgbm": "LightGBM",
    "xgboost": "XGBoost",
    "xgboost-vector": "XGBoost, vector leaves",
    "catboost": "CatBoost",
    "sklearn": "scikit-learn",
}


class Run:
    """A run. Its times are the medians over its rounds."""

    def __init__(self, key: str, content: dict[str, Any], shape: dict[str, Any]) -> None:
        self.system, self.setting = key.split(" ", 1)
        self.title = TITLES[self.system]
        self.content, self.test_rows = content, shape["test_rows"]
        self.iterations: list[int] = content["curve"]["iterations"]
        self.errors: list[int] = content["curve"]["errors"]
        self.logloss = [math.inf if loss is None else loss for loss in content["curve"]["logloss"]]
        self.brier: float | None = content["curve"].get("brier", [None])[-1]
        self.machine: dict[str, str] = content["machine"]
        self.cpu = [statistics.median(times) for times in zip(*(clock["cpu"] for clock in content["clocks"]))]

    @property
    def best(self) -> int:
        """The fewest test errors after any number of iterations."""
        return min(self.errors)

    @property
    def last(self) -> int:
        """Test errors after the last iteration."""
        return self.errors[-1]

    @property
    def lowest(self) -> float:
        """The lowest test log loss after any number of iterations."""
        return min(self.logloss)

    @property
    def seconds(self) -> float:
        """CPU seconds of the whole training."""
        return self.cpu[-1]

    @property
    def cut(self) -> bool:
        """Whether the training ended because its time budget was used up."""
        return self.seconds >= self.content["budget"]

    def reach(self, errors: int) -> float | None:
        """CPU seconds until there are at most that many test errors, or None if that never happens."""
        return next((t for t, e in zip(self.cpu, self.errors) if e <= errors), None)

    def reach_loss(self, loss: float) -> float | None:
        """CPU seconds until the test log loss is at most that low, or None if that never happens."""
        return next((t for t, reached in zip(self.cpu, self.logloss) if reached <= loss), None)

    def median(self, name: str) -> float:
        """The median of a measurement over the rounds."""
        return statistics.median(clock[name] for clock in self.content["clocks"])


def deviation(errors: int, rows: int) -> float:
    """The standard deviation of a number of errors with a binomial distribution."""
    share = errors / rows
    return math.sqrt(rows * share * (1 - share))


class Measured:
    """All runs on a set."""

    def __init__(self, store: Results) -> None:
        self.name, self.store = store.set, store
        runs = {key: content for key, content in store.runs.items() if "failed" not in content}
        self.failed = {key: content["failed"] for key, content in store.runs.items() if "failed" in content}
        self.runs = [Run(key, content, store.shape) for key, content in runs.items()]

    def find(self, system: str, setting: str) -> Run | None:
        return next((run for run in self.runs if (run.system, run.setting) == (system, setting)), None)

    def peers(self, setting: str) -> list[Run]:
        return [run for run in self.runs if run.setting == setting and run.system != "aoso"]

    def best(self) -> dict[str, Run]:
        """By system, the run with the fewest errors after any number of iterations, without those of single parameters."""
        found: dict[str, Run] = {}
        for system in TITLES:
            if runs := [run for run in self.runs if run.system == system and run.setting not in plan.VARIANTS]:
                found[system] = min(runs, key=lambda run: (run.best, run.reach(run.best)))
        return found
