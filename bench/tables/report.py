"""The tables of the comparison on twenty tables."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any


def mean_loss(run: dict[str, Any]) -> float:
    return statistics.mean(fold["logloss"] for fold in run["folds"])


def seconds(run: dict[str, Any]) -> float:
    return statistics.mean(fold["seconds"] for fold in run["folds"])


def write(folder: Path) -> None:
    pass
