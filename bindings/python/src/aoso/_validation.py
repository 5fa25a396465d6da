"""Validation sets, and the metrics that are computed on them in training."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

import numpy as np

from . import _capi
from ._capi import Array, Ranks
from ._scalars import number, plain, shown
from .dataset import Dataset
from .errors import ArgumentError

# A custom metric: probabilities (raw scores, with a custom objective) and data set to (name, value, whether higher is better), or to a list of them.
Metric = Callable[[Array, Dataset], Any]


class ValidSets:
    """The validation sets of a training, with their names. The first that is not the training set decides."""

    def __init__(self, train_set: Dataset, sets: Mapping[str, Any]) -> None:
        self.deciding: str | None = None
        self.sets: dict[str, Dataset] = {}
        others: dict[str, Dataset] = {}
        for name, given in sets.items():
            dataset = _dataset(train_set, name, given)
            if dataset is train_set or self.deciding is not None:
                others[name] = dataset
            else:
                self.deciding, self.sets[name] = name, dataset
        self.sets.update(others)

    def handles(self) -> tuple[_capi.Handle | None, list[_capi.Handle]]:
        """The set that decides, and the others."""
        handles = [dataset._handle for dataset in self.sets.values()]
        return (None, handles) if self.deciding is None else (handles[0], handles[1:])


def _dataset(train_set: Dataset, name: str, given: Any) -> Dataset:
    if isinstance(given, Dataset):
        return given._aligned_with(train_set, name)
    if isinstance(given, tuple) and len(given) in (2, 3):
        return train_set.aligned(*given[:2], weight=given[2] if len(given) == 3 else None)
    raise ArgumentError(f"{name} is a {type(given).__name__}; allowed: a Dataset, (x, y) or (x, y, weight)")


def named_sets(train_set: Dataset, valid: Any, valid_name: str, valid_sets: Any, valid_names: Any) -> dict[str, Any]:
    """The validation sets by name: ``valid``, then those of ``valid_sets``."""
    named = {} if valid is None else {valid_name: valid}
    if isinstance(valid_sets, Mapping):
        if valid_names is not None:
            raise ArgumentError("valid_names is given; allowed: None, because valid_sets is a dict with names")
        names, sets = list(valid_sets), list(valid_sets.values())
    else:
        sets = _listed(valid_sets)
        names = [_name(train_set, j, given) for j, given in enumerate(sets)] if valid_names is None else _listed(valid_names)
    if len(names) != len(sets):
        raise ArgumentError(f"valid_names has {len(names)} names; allowed: {len(sets)}, one for each of valid_sets")
    for name, given in zip(names, sets):
        if name in named or not isinstance(name, str):
            raise ArgumentError(f"valid_names has {name!r}; allowed: texts, no two the same")
        named[name] = given
    return named


def _name(train_set: Dataset, number: int, given: Any) -> str:
    return "training" if given is train_set else f"valid_{number}"


def _listed(values: Any) -> list[Any]:
    if values is None:
        return []
    return [values] if isinstance(values, (Dataset, tuple, str)) else list(values)


class CustomMetrics:
    """The metrics that the user's functions compute, and the one of them that early stopping watches, if any."""

    def __init__(
        self,
        functions: Metric | Iterable[Metric] | None,
        watched: str | None,
        deciding: str | None,
        raw: bool = False,
        ranks: Ranks | None = None,
    ) -> None:
        self._functions = [functions] if callable(functions) else list(functions or ())
        for j, function in enumerate(self._functions):
            if not callable(function):
                raise ArgumentError(f"feval[{j}] is a {type(function).__name__}; allowed: a callable")
        self._watched, self._deciding, self._raw, self._ranks = watched, deciding, raw, ranks
        self.value: float | None = None  # of the metric that early stopping watches: lower is better

    def __bool__(self) -> bool:
        return bool(self._functions)

    def of(self, name: str, scores: Array, dataset: Dataset) -> dict[str, float]:
        """The metrics of a validation set with these raw scores, by name."""
        found: dict[str, float] = {}
        for metric, value, higher_is_better in self._all(scores, dataset):
            if name == self._deciding and self._watched in (metric, "custom") and not (self._watched == "custom" and found):
                if value != value:
                    raise ArgumentError(f"the metric {metric!r} is NaN; allowed: a number, because early stopping watches it")
                self.value = -value if higher_is_better else value
            found[metric] = value
        return found

    def _all(self, scores: Array, dataset: Dataset) -> list[tuple[str, float, bool]]:
        """What all functions return, on all ranks."""
        predictions = scores if self._raw else _softmax(scores)
        if self._ranks is None:
            return [result for function in self._functions for result in _results(function(predictions, dataset))]
        weight = float(dataset.get_weight().sum())
        results = [result for function in self._functions if weight > 0 for result in _results(function(predictions, dataset))]
        return self._ranks.mean(results, weight)

    def take(self) -> float:
        """The value that early stopping is told."""
        if self.value is None:
            raise ArgumentError(f"metric is {self._watched!r}; allowed: a metric of the library, or one that feval returns")
        value, self.value = self.value, None
        return value


def _results(given: Any) -> list[tuple[str, float, bool]]:
    results = given if isinstance(given, list) else [given]
    return [_result(*result) if isinstance(result, tuple) and len(result) == 3 else _refuse(result) for result in results]


def _refuse(result: Any) -> NoReturn:
    raise ArgumentError(f"feval has returned {shown(result)}; allowed: (name, value, whether higher is better), or a list of them")


def _result(name: Any, value: Any, higher_is_better: Any) -> tuple[str, float, bool]:
    rising = plain(higher_is_better)
    if not isinstance(name, str) or not isinstance(rising, int) or rising not in (0, 1):
        _refuse((name, value, higher_is_better))
    return name, number(f"the metric {name!r}", value), bool(rising)


def _softmax(scores: Array) -> Array:
    e: Array = np.exp(scores - scores.max(axis=1, keepdims=True))
    e /= e.sum(axis=1, keepdims=True)
    return e
