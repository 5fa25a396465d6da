"""Tables with categorical columns, as pandas frames: real ones, and generated ones whose classes depend on subsets of categories."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bench import sets

ROWS = 50_000  # of a generated table, and as many to test on
SUITS = tuple(range(0, 10, 2))  # columns of a poker hand


@dataclass(frozen=True)
class Frames:
    x: pd.DataFrame
    y: np.ndarray
    x_test: pd.DataFrame
    y_test: np.ndarray

    @property
    def categorical(self) -> list[str]:
        return [name for name in self.x if isinstance(self.x[name].dtype, pd.CategoricalDtype)]


def load(name: str) -> Frames:
    """Raises sets.NotAvailable if a file is missing."""
    return BUILT[name]()


def _with_categories(x: np.ndarray, x_test: np.ndarray, columns: list[int]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Numbers in some columns become names, in both tables of the same type."""
    frames = tuple(pd.DataFrame(table).rename(columns="f{}".format) for table in (x, x_test))
    for name in (f"f{j}" for j in columns):
        named = [frame[name].map(lambda v: None if np.isnan(v) else f"c{int(v)}") for frame in frames]
        kind = pd.CategoricalDtype(sorted({*named[0].dropna()}))
        for frame, column in zip(frames, named, strict=True):
            frame[name] = column.astype(kind)
    return frames


def _real(name: str, columns: list[int] | None = None) -> Frames:
    data = sets.load(name)
    if columns is None:
        described = json.loads(sets.file(f"{name}.train").with_name(f"{name}.meta.json").read_text())["columns"]
        columns = [j for j, column in enumerate(described[: data.x.shape[1]]) if column["type"] == "categorical"]
    x, x_test = _with_categories(data.x, data.x_test, columns)
    return Frames(x, data.y, x_test, data.y_test)


def _generated(categories: int, classes: int = 3, columns: int = 3) -> Frames:
    """Each category of each column raises or lowers the score of each class. Some categories are e⁴ times as frequent as others.
    Beside them there are two columns of numbers, one of which says something."""
    rng = np.random.default_rng(categories)
    effect = rng.choice([-1.2, 1.2], size=(columns, categories, classes))
    share = np.exp(rng.uniform(0, 4, size=(columns, categories)))
    share /= share.sum(axis=1, keepdims=True)
    codes = np.stack([rng.choice(categories, size=2 * ROWS, p=p) for p in share], axis=1)
    numbers = rng.normal(size=(2 * ROWS, 2))
    scores = sum(effect[j][codes[:, j]] for j in range(columns)) + rng.gumbel(size=(2 * ROWS, classes))
    scores[:, 0] += numbers[:, 0]
    y = scores.argmax(axis=1).astype(np.int32)
    x = np.column_stack([codes, numbers]).astype(np.float32)
    return Frames(*_split(x, y, list(range(columns))))


def _split(x: np.ndarray, y: np.ndarray, columns: list[int]) -> tuple[pd.DataFrame, np.ndarray, pd.DataFrame, np.ndarray]:
    train, test = _with_categories(x[:ROWS], x[ROWS:], columns)
    return train, y[:ROWS], test, y[ROWS:]


# The sets that the real tables are made of.
SETS = {"adult": "adult", "diabetes130": "diabetes130", "soybean": "soybean", "poker25k, suits": "poker25k"}

BUILT: dict[str, Callable[[], Frames]] = {
    "adult": functools.partial(_real, "adult"),
    "diabetes130": functools.partial(_real, "diabetes130"),
    "soybean": functools.partial(_real, "soybean"),
    "poker25k, suits": functools.partial(_real, "poker25k", list(SUITS)),
    "20 categories": functools.partial(_generated, 20),
    "200 categories": functools.partial(_generated, 200),
    "20,000 categories": functools.partial(_generated, 20_000),
}
