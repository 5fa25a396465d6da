"""Columns of numbers that are codes of categories."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from . import _capi, _identifiers, _labels, _matrix
from ._capi import Array
from .dataset import Dataset
from .errors import ArgumentError
from .training import train

__all__ = ["CodeSuggestion", "suggest_codes"]

# Codes have at least 3 values, because 2 have no order, and so few that each category has a code of its own. At most _COLUMNS
# columns are tried on one split into folds, on at most _ROWS rows, and the best _PROMISING of them on all splits.
_LEAST, _MOST, _COLUMNS, _PROMISING, _ROWS = 3, 100, 20, 5, 10_000

_FOLDS, _SPLITS, _TREES = 3, 4, 60


class CodeSuggestion(NamedTuple):
    """What it brings to take a column of numbers for codes of categories."""

    feature: int  # number of the column
    name: str  # of the feature
    values: int  # number of different values
    gain: float  # by how much the log loss of rows held out falls, as a mean over the rows
    error: float  # standard error of the gain
    suggested: bool  # the gain is above its standard error in four splits


def suggest_codes(
    x: Any,
    y: Any,
    *,
    weight: Any = None,
    categorical_features: Any = "from_dtype",
    seed: int = 0,
    nthread: int = 0,
) -> list[CodeSuggestion]:
    """Find columns of whole numbers that are codes without an order, such as of a profession, by what that gains on held-out rows.

    Columns of 3 to 100 different whole numbers are tried one by one, in three folds, with 60 trees: as numbers, and as categories.
    The best five are then tried in four splits into folds, the best first, and added to one another. Of more than 10,000 rows,
    10,000 are drawn; of more than 20 columns, the 20 that matter most to a model are tried.

    Parameters
    ----------
    x : table of shape (n_rows, n_features)
        An array of numbers, a list of rows, or a data frame of pandas.
    y : array of shape (n_rows,)
    weight : array of shape (n_rows,), optional
    categorical_features : optional
        Columns that are known to be categorical, as for :class:`Dataset`.
    seed : int, default 0
        Of the folds.
    nthread : int, default 0
        As for :func:`train`.

    Returns
    -------
    list of CodeSuggestion
        All columns that were tried, those suggested first. The gain of a column that is suggested is in addition to those before it.

    Raises
    ------
    ArgumentError
        If ``x`` is sparse or an Arrow table, or ``y`` does not suit it.

    Examples
    --------
    >>> import aoso, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.integers(0, 60, (1000, 2))  # the first column is a code
    >>> y = (rng.random(60) < 0.5)[x[:, 0]]
    >>> [s.name for s in aoso.suggest_codes(x, y) if s.suggested]
    ['f0']
    """
    matrix = _matrix.read(x)
    if not _identifiers.readable(matrix):
        raise ArgumentError(f"x is a {type(x).__name__}; allowed: an array, rows, or a data frame of pandas")
    known = sorted({*_matrix.categorical(categorical_features, matrix), *matrix.categorical})
    trial = _Trial(x, y, weight, matrix.names, seed, nthread)
    tried = {j: len(values) for j, values in _whole(matrix) if j not in known and _LEAST <= len(values) <= min(_MOST, trial.rows / 10)}
    if not tried:
        return []
    names = matrix.names or [f"f{j}" for j in range(matrix.shape[1])]
    base, importance = trial.losses(known, 1)
    columns = sorted(sorted(tried, key=lambda j: -importance[j])[:_COLUMNS])
    alone = [CodeSuggestion(j, names[j], tried[j], *trial.gain(base, known, j, 1)[:2], False) for j in columns]
    alone.sort(key=lambda s: -s.gain)
    found: list[CodeSuggestion] = []
    left: list[CodeSuggestion] = []
    for i, s in enumerate(alone):
        if i < _PROMISING and s.gain > 0:
            base = trial.losses(known, _SPLITS)[0] if i == 0 else base
            gain, error, losses = trial.gain(base, known, s.feature, _SPLITS)
            s = s._replace(gain=gain, error=error, suggested=gain > error)
            if s.suggested:
                base, known = losses, sorted([*known, s.feature])
        (found if s.suggested else left).append(s)
    return found + sorted(left, key=lambda s: -s.gain)


def chosen(x: Any, y: Any, weight: Any, seed: int, nthread: int) -> list[int]:
    """The columns of numbers that are taken for categories; a warning names them."""
    found = [s for s in suggest_codes(x, y, weight=weight, seed=seed, nthread=nthread) if s.suggested]
    if found:
        listed = ", ".join(f"{s.name} ({s.values} values, log loss -{s.gain:.4f} ± {s.error:.4f})" for s in found)
        warnings.warn(f"categorical_features='auto' takes for categories: {listed}", stacklevel=4)
    return sorted({*_matrix.read(x).categorical, *(s.feature for s in found)})


class _Part(Dataset):
    """Rows of a trial."""

    _warns = False


class _Trial:
    """Rows in folds, on which columns are tried as categories."""

    def __init__(self, x: Any, y: Any, weight: Any, names: list[str] | None, seed: int, nthread: int) -> None:
        y, rng = _labels.array(y), np.random.default_rng(seed)
        _matrix.check_length(x, y)
        weight = _matrix.weights(weight, len(y))
        order = rng.permutation(len(y))[:_ROWS]
        self.rows, self.names, self.nthread = len(order), names, nthread
        self.x, self.y, self.weight = x, y, np.ones(len(y)) if weight is None else weight
        self.splits = [rng.permutation(order) for _ in range(_SPLITS)]

    def losses(self, categorical: list[int], splits: int) -> tuple[Array, Array]:
        """By row, the log loss where it is held out, with its weight, as a mean over the splits; and by feature the gain of its splits."""
        losses, importance, nthread = np.zeros(len(self.y)), np.zeros(0), self.nthread
        params = {"n_estimators": _TREES, "learning_rate": 0.1, "calibration": "none", "nthread": nthread}
        for order in self.splits[:splits]:
            for fold in range(_FOLDS):
                outside = order[fold::_FOLDS]
                inside = np.setdiff1d(order, outside)
                options: dict[str, Any] = {"feature_names": self.names, "categorical_features": categorical, "nthread": nthread}
                rows = _Part(_matrix.take(self.x, inside), self.y[inside], weight=self.weight[inside], free_raw_data=True, **options)
                model = train(params, rows)
                proba = model.predict_proba(_matrix.take(self.x, outside), nthread=nthread)
                of_class = _labels.codes(self.y[outside], model.classes)
                p = np.where(of_class < 0, 1, proba[np.arange(len(proba)), of_class])
                losses[outside] -= np.log(np.maximum(p, 1e-15)) * self.weight[outside] / splits
                importance = model.importance("gain") + (importance if len(importance) else 0)
        return losses[self.splits[0]], importance

    def gain(self, base: Array, categorical: list[int], j: int, splits: int) -> tuple[float, float, Array]:
        """By how much the loss is below ``base`` if column j is categorical as well, the standard error, and the losses."""
        losses, _ = self.losses(sorted([*categorical, j]), splits)
        less = (base - losses) / self.weight.mean()
        return float(less.mean()), float(less.std() / np.sqrt(len(less))), losses


def _whole(matrix: _capi.Matrix) -> Iterator[tuple[int, Array]]:
    """The columns of whole numbers, with their different values."""
    for j, column in _identifiers.numbers(matrix):
        values = np.unique(column[~np.isnan(column)] if column.dtype.kind == "f" else column)
        if len(values) and (values.dtype.kind != "f" or (values % 1 == 0).all()):
            yield j, values
