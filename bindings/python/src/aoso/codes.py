"""Columns of numbers that are codes of categories."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

from . import _capi, _labels, _matrix

__all__ = ["CodeSuggestion", "suggest_codes"]


class CodeSuggestion(NamedTuple):
    """What it brings to take a column of numbers for codes of categories."""

    feature: int  # number of the column
    name: str  # of the feature
    values: int  # number of different values
    gain: float  # by how much the log loss of rows held out falls, as a mean over the rows
    error: float  # standard error of the gain
    suggested: bool  # the gain is above its standard error in eight splits


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
    The best five are then tried in eight splits into folds, the best first, and added to one another. Of more than 10,000 rows,
    10,000 are drawn; of more than 20 columns, the 20 that matter most to a model are tried.

    Parameters
    ----------
    x, y
        As for :class:`Dataset`.
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
        If ``y`` does not suit ``x``.

    Examples
    --------
    >>> import aoso, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.integers(0, 60, (1000, 2))  # a code and a measure
    >>> y = (rng.random(60) < 0.5)[x[:, 0]] ^ (x[:, 1] > 50)
    >>> [s.name for s in aoso.suggest_codes(x, y) if s.suggested]
    ['f0']
    """
    matrix = _matrix.read(x)
    labels, classes = _labels.read(y, matrix.shape[0])
    known = _matrix.categorical(categorical_features, matrix)
    options = _capi.DatasetOptions(matrix, known, seed=seed, nthread=nthread, text_labels=_labels.are_texts(classes))
    names = matrix.names or [f"f{j}" for j in range(matrix.shape[1])]
    tried = _capi.suggest_codes(matrix.coded(known), labels, _matrix.weights(weight, matrix.shape[0]), options)
    return [CodeSuggestion(j, names[j], values, gain, error, bool(suggested)) for j, values, gain, error, suggested, _ in tried.tolist()]


def chosen(x: Any, y: Any, weight: Any, seed: int, nthread: int) -> list[int]:
    """The columns of numbers that are taken for categories; a warning names them."""
    found = [s for s in suggest_codes(x, y, weight=weight, seed=seed, nthread=nthread) if s.suggested]
    if found:
        listed = ", ".join(f"{s.name} ({s.values} values, log loss -{s.gain:.4f} ± {s.error:.4f})" for s in found)
        warnings.warn(f"categorical_features='auto' takes for categories: {listed}", stacklevel=4)
    return sorted({*_matrix.read(x).categorical, *(s.feature for s in found)})
