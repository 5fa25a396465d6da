"""Rows of many classes that no linear model fits: each class has several places, and the features fold, multiply and skew them.

The number of rows of a class falls as 1/rank (Zipf's law). Four of the columns are categories: a region of the space, a code
that tells the class of six rows in ten, noise, and a coarse product.
"""

from __future__ import annotations

import numpy as np

from bench.sets import Set

CATEGORICAL = [24, 25, 26, 27]
PLACES, LATENT, CODES, REGIONS = 3, 12, 300, 60
NOISE = 0.55  # standard deviation around a place


def rows(classes: int, most: int) -> dict[str, np.ndarray]:
    """Arrays by the names of their files. Classes without training rows are left out."""
    made = make(classes, most)
    found, y = np.unique(made.y, return_inverse=True)
    known = np.isin(made.y_test, found)
    test = made.x_test[known], np.searchsorted(found, made.y_test[known])
    return dict(zip(("train.x", "train.y", "test.x", "test.y"), (made.x, y, *test), strict=True))


def make(classes: int, rows: int, test_rows: int = 10_000, seed: int = 0) -> Set:
    rng = np.random.default_rng(seed)
    places = 1.3 * rng.standard_normal((classes, PLACES, LATENT))
    mix = 1.5 * rng.standard_normal((LATENT, 14)) / np.sqrt(LATENT)
    directions = rng.standard_normal((LATENT, REGIONS))
    share = 1 / np.arange(1, classes + 1)
    names, codes = rng.permutation(classes), rng.integers(CODES, size=classes)

    def draw(n: int) -> tuple[np.ndarray, np.ndarray]:
        y = rng.choice(classes, n, p=share / share.sum())
        z = places[y, rng.integers(PLACES, size=n)] + NOISE * rng.standard_normal((n, LATENT))
        h = z @ mix
        known = np.tanh(h[:, :8]) + 0.1 * rng.standard_normal((n, 8))
        noisy = 0.8 * known[:, :2] + 0.2 * rng.standard_normal((n, 2))
        columns = [known, np.abs(h[:, 8:]), z[:, :4] * z[:, 4:8], np.exp(z[:, 8:]), noisy]
        code = np.where(rng.random(n) < 0.6, codes[y], rng.integers(CODES, size=n))
        product = np.floor(3 * np.abs(z[:, 0] * z[:, 1])).clip(0, 9)
        categories = [(z @ directions).argmax(axis=1), code, rng.integers(1000, size=n), product]
        return np.column_stack(columns + categories).astype(np.float32), names[y].astype(np.int32)

    return Set(*draw(rows), *draw(test_rows))
