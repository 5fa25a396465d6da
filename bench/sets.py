"""The data sets: real ones from files, and synthetic ones.

AOSO_DATA names the folder with the files. The default is ../shared/data. ``python -m bench.fetch`` prints where the files
come from. The Letter data are part of this repository.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from bench import digits, poker

ROOT = Path(__file__).resolve().parents[1]
LETTER = ROOT / "testdata/letter.csv.gz"


@dataclass(frozen=True)
class Set:
    """Training rows and test rows. The labels are 0 to ``classes`` - 1."""

    x: np.ndarray
    y: np.ndarray
    x_test: np.ndarray
    y_test: np.ndarray
    note: str = ""

    @property
    def classes(self) -> int:
        return int(self.y.max()) + 1


class NotAvailable(Exception):
    """A file of the set does not exist."""


def folder() -> Path | None:
    """The folder with the files, or None if it does not exist."""
    path = Path(os.environ.get("AOSO_DATA") or ROOT.parent / "shared/data")
    return path if path.is_dir() else None


def file(part: str) -> Path:
    """The file of a part such as "mnist.train". Raises NotAvailable if it does not exist."""
    place = folder()
    path = place / f"{part}.csv.gz" if place else None
    if path is None or not path.is_file():
        raise NotAvailable(f"{part}.csv.gz is not in {place}" if place else "there is no data folder; set AOSO_DATA")
    return path


def load(name: str) -> Set:
    """The set with the given name. Raises NotAvailable if a file is missing."""
    return BUILT[name]() if name in BUILT else _of_parts(f"{name}.train", f"{name}.test")


def missing(name: str) -> str:
    """The reason why a set is not available, or ""."""
    if name in BUILT and name not in PARTS:
        return ""
    try:
        for part in PARTS.get(name, (f"{name}.train", f"{name}.test")):
            file(part)
    except NotAvailable as e:
        return str(e)
    return ""


def _read(part: str) -> tuple[np.ndarray, np.ndarray]:
    table = pd.read_csv(file(part), header=None, dtype=np.float32).to_numpy()
    return np.ascontiguousarray(table[:, :-1]), table[:, -1].astype(np.int32)


def _of_parts(train: str, test: str, note: str = "") -> Set:
    return Set(*_read(train), *_read(test), note)


def _letter(train: slice, test: slice) -> Set:
    table = pd.read_csv(LETTER)
    x = table.iloc[:, :-1].to_numpy(np.float32)
    y = table.iloc[:, -1].map(lambda letter: ord(letter) - ord("A")).to_numpy(np.int32)
    return Set(x[train], y[train], x[test], y[test])


def mixture(rows: int, test_rows: int, features: int = 20, classes: int = 300) -> Set:
    """Draws each class from a Gaussian with unit variance. The centres have standard deviation 1.1."""
    rng = np.random.default_rng(1)
    centres = 1.1 * rng.standard_normal((classes, features))
    y = rng.integers(classes, size=rows + test_rows, dtype=np.int32)
    x = (centres[y] + rng.standard_normal((len(y), features))).astype(np.float32)
    return Set(x[:rows], y[:rows], x[rows:], y[rows:])


def noisy(rows: int, classes: int, features: int = 30, test_rows: int = 100_000) -> Set:
    """Draws labels from the class scores of a small network of sines. The lowest possible log loss is that of the noise."""
    rng = np.random.default_rng(1)
    w = rng.normal(scale=features**-0.5, size=(features, 24)).astype(np.float32)
    v = rng.normal(scale=3, size=(24, classes)).astype(np.float32)
    x = rng.standard_normal((rows + test_rows, features), dtype=np.float32)
    scores = np.sin(2 * (x @ w)) @ v + rng.gumbel(size=(len(x), classes))
    y = scores.argmax(axis=1).astype(np.int32)
    return Set(x[:rows], y[:rows], x[rows:], y[rows:])


# The paper's Poker sets use the two halves of the testing file. They test on the first half and train on the training file
# together with some rows of the second half.
HALF = 500_000


def _poker(more: int, second: bool = False) -> Set:
    (x, y, trained), (x_test, y_test, tested) = _poker_training(), _poker_testing()
    first, other = slice(HALF), slice(HALF, 2 * HALF)
    x, y = np.vstack([x, x_test[other][:more]]), np.concatenate([y, y_test[other][:more]])
    half = other if second else first
    return Set(x, y, x_test[half], y_test[half], f"training file {trained}, testing rows {tested}")


def _poker_training() -> tuple[np.ndarray, np.ndarray, str]:
    try:
        return *_poker_file("poker.train"), "real"
    except NotAvailable:
        return *_poker_drawn(25_010, seed=1), "generated"


def _poker_testing() -> tuple[np.ndarray, np.ndarray, str]:
    try:
        x, y = _poker_file("poker.test")
    except NotAvailable:
        y = ()
    return (x, y, "real") if len(y) >= 2 * HALF else (*_poker_drawn(2 * HALF, seed=2), "generated")


def _poker_file(part: str) -> tuple[np.ndarray, np.ndarray]:
    x, y = _read(part)
    suits, ranks = x[:, 0::2].astype(int), x[:, 1::2].astype(int)
    if (poker.classes(suits, ranks) != y).any():
        raise ValueError(f"{part}: the labels do not follow the rules of poker")
    return poker.features(suits, ranks), y


def _poker_drawn(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    drawn = poker.hands(count, seed)
    return poker.features(*drawn), poker.classes(*drawn).astype(np.int32)


def _digits(name: str) -> Set:
    """A variation on MNIST: the authors' files, or else one made by their recipe."""
    try:
        return _of_parts(f"{name}.train", f"{name}.test", "real")
    except NotAvailable:
        pass
    images, labels = (np.concatenate(parts) for parts in zip(_read("mnist.train"), _read("mnist.test")))
    chosen, x = digits.vary(name, images)
    y, rows = labels[chosen], digits.VARIATIONS[name][0]
    return Set(x[:rows], y[:rows], x[rows:], y[rows:], "made by the recipe from MNIST")


# Sets that are not simply read from NAME.train and NAME.test, and the files that some of them need.
BUILT: dict[str, Callable[[], Set]] = {
    "letter": functools.partial(_letter, slice(16_000), slice(16_000, None)),
    "letter15k": functools.partial(_letter, slice(15_000), slice(15_000, None)),
    "letter4k": functools.partial(_letter, slice(16_000, None), slice(16_000)),
    "letter2k": functools.partial(_letter, slice(18_000, None), slice(18_000)),
    "mnist10k": functools.partial(_of_parts, "mnist.test", "mnist.train"),
    "mixture30k": functools.partial(mixture, 30_000, 10_000),
    "mixture270k": functools.partial(mixture, 270_000, 30_000),
    "noisy300k": functools.partial(noisy, 300_000, 10),
    "noisy300k-2": functools.partial(noisy, 300_000, 2),
    "noisy1m": functools.partial(noisy, 1_000_000, 10),
    "noisy1m-2": functools.partial(noisy, 1_000_000, 2),
    "poker25k": functools.partial(_of_parts, "poker.train", "poker.test"),
    "poker525k": functools.partial(_poker, 500_000),
    "poker275k": functools.partial(_poker, 250_000),
    "poker150k": functools.partial(_poker, 125_000),
    "poker100k": functools.partial(_poker, 75_000),
    "poker25kt1": functools.partial(_poker, 0),
    "poker25kt2": functools.partial(_poker, 0, second=True),
} | {name: functools.partial(_digits, name) for name in digits.VARIATIONS}
PARTS = {"poker25k": ("poker.train", "poker.test")} | dict.fromkeys(("mnist10k", *digits.VARIATIONS), ("mnist.test", "mnist.train"))
