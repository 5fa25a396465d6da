"""Folds for cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._capi import Array
from .errors import ArgumentError


def stratified(y: Array, ids: Array | None, folds: int, seed: int) -> list[tuple[Array, Array]]:
    """Folds of about as many rows of each class. The fold of a row depends on its id and those of its class."""
    if not 2 <= folds <= len(y):
        raise ArgumentError(f"folds is {folds}; allowed: 2 to {len(y)}, the number of rows")
    _, codes = np.unique(y, return_inverse=True)
    order = np.lexsort((_hashes(np.arange(len(y)) if ids is None else ids, seed), codes))
    fold = np.empty(len(y), int)
    fold[order] = np.arange(len(y)) % folds
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(folds)]


def _hashes(ids: Array, seed: int) -> Array:
    """Numbers that look random, each of an id (S. Vigna's splitmix64)."""
    x = ids.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64((seed + 0x9E3779B97F4A7C15) % 2**64)
    x = (x ^ x >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ x >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return x ^ x >> np.uint64(31)


def meant(params: Any, others: dict[str, Any]) -> Any:
    """Parameters with LightGBM's and XGBoost's argument ``metrics``, and the other arguments without those of theirs."""
    for name in ("stratified", "shuffle"):
        if not others.pop(name, True):
            raise ArgumentError(f"{name} is False; allowed: True, or folds=KFold(...) or another splitter")
    for name in ("as_pandas", "eval_train_metric", "show_stdv"):
        if others.pop(name, False) and name != "show_stdv":
            raise ArgumentError(f"{name} is True; allowed: False, because the result is a dict of the metrics of the folds left out")
    metrics = others.pop("metrics", None) or None
    return params if metrics is None else {**(params or {}), "metric": metrics}
