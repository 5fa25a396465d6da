"""The numbers in the paper's tables, from the CSV files in this folder.

P. Sun, M. D. Reid, J. Zhou: AOSO-LogitBoost: Adaptive One-Vs-One LogitBoost for Multi-Class Problem. ICML 2012. The
sizes in table3.csv are those of Table 1. Table 1 omits M-Rotate, which has the same size as the similar sets.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_type_hints


@dataclass(frozen=True)
class Cell:
    """Test errors on Mnist10k (Table 2)."""

    leaves: int
    shrinkage: float
    abc: int
    aoso: int


@dataclass(frozen=True)
class Row:
    """Test errors on a set (Table 3), with p-values. The best are the lowest over all J and v."""

    set: str
    classes: int
    features: int
    rows: int
    test_rows: int
    abc: int
    aoso: int
    p: float
    abc_best: int | None
    aoso_best: int | None
    p_best: float | None


@dataclass(frozen=True)
class Convergence:
    """Number of trees at convergence (Table 4): for ABC, and the fraction of it that AOSO needs."""

    set: str
    abc_trees: int
    ratio: float


@dataclass(frozen=True)
class ConvergenceCell:
    """The same on Mnist10k by J and v (Table 5)."""

    leaves: int
    shrinkage: float
    abc_trees: int
    ratio: float


def table2() -> list[Cell]:
    return _read("table2.csv", Cell)


def table3() -> list[Row]:
    return _read("table3.csv", Row)


def table4() -> list[Convergence]:
    return _read("table4.csv", Convergence)


def table5() -> list[ConvergenceCell]:
    return _read("table5.csv", ConvergenceCell)


def _read(name: str, kind: type[Any]) -> list[Any]:
    types = get_type_hints(kind)
    with Path(__file__).with_name(name).open() as f:
        return [kind(**{column: _value(text, types[column]) for column, text in row.items()}) for row in csv.DictReader(f)]


def _value(text: str, kind: Any) -> Any:
    if not text:
        return None
    return kind(text) if kind in (str, int, float) else float(text) if "." in text else int(text)
