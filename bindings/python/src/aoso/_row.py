"""Prediction of single rows."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from . import _capi, _labels, _matrix
from ._capi import Array
from ._predictor import Predictor
from .errors import ArgumentError

__all__ = ["RowPredictor"]


class RowPredictor:
    """Predicts single rows as fast as possible. :meth:`aoso.Booster.row_predictor` creates it.

    A row is an array of shape (n_features,), or anything that numpy converts to one; float64 arrays are fastest. NaN is
    missing. A category is its name, or its position in the model's ``categories``. Predictions equal those of the
    :class:`aoso.Booster`, bit for bit. Only one thread at a time may use a predictor: create one per thread, which costs little.

    Examples
    --------
    >>> import aoso, numpy as np
    >>> x = np.arange(20.0).reshape(-1, 1)
    >>> booster = aoso.train({"n_estimators": 10}, aoso.Dataset(x, np.where(x[:, 0] < 7, "low", "high")))
    >>> predictor = booster.row_predictor()
    >>> str(predictor.predict([3])), predictor.predict_proba([3]).round(2).tolist()
    ('low', [0.06, 0.94])
    """

    def __init__(self, model: _capi.Handle, features: list[str], classes: Array, trees: int) -> None:
        self._model, self._features = model, features
        self._predictor = Predictor(model, len(features), len(classes), trees)
        self._row, self._scores, self._number = self._predictor.row, self._predictor.scores, self._predictor.number
        self._classes = classes

    def predict(self, row: Any) -> Any:
        """The most likely class. Stops as soon as no other class can catch up.

        Parameters
        ----------
        row : array of shape (n_features,)

        Returns
        -------
        label
            Of the type of the model's ``classes``.
        """
        self._load(row)
        self._predictor.find_class()
        return self._classes[self._number[0]]

    def predict_proba(self, row: Any) -> Array:
        """The probability of each class.

        Parameters
        ----------
        row : array of shape (n_features,)

        Returns
        -------
        array of shape (n_classes,), float64
        """
        self._load(row)
        self._predictor.proba()
        return self._scores.copy()

    def predict_raw(self, row: Any, classes: Any = None) -> Array:
        """The raw score of each class, or only of the given classes.

        Parameters
        ----------
        row : array of shape (n_features,)
        classes : array of shape (n,), optional
            Labels of the model.

        Returns
        -------
        array of shape (n_classes,) or (n,), float64
        """
        if classes is None:
            self._load(row)
            self._predictor.raw()
            return self._scores.copy()
        numbers = _labels.codes(classes, self._classes)
        if (numbers < 0).any():
            unknown = _labels.array(classes).tolist()[numbers.argmin()]
            raise ArgumentError(f"classes has {unknown!r}; allowed: {_labels.listed(self._classes)}")
        self._load(row)
        return self._predictor.raw_of(np.ascontiguousarray(numbers, np.int32))

    @property
    def walked(self) -> float:
        """The share of the trees that :meth:`predict` needed so far."""
        return self._predictor.walked()

    def _load(self, row: Any) -> None:
        if type(row) is not np.ndarray or row.dtype != np.float64 or row.shape != self._row.shape:
            row = _matrix.vector(self._by_position(row), len(self._row), "row", "one value per feature")
        self._row[:] = row

    @functools.cached_property
    def _positions(self) -> dict[int, dict[str, int]]:
        """The position of each category, by the number of its feature and its name."""
        categories = _capi.categories("model", self._model, self._features)
        return {self._features.index(name): {text: k for k, text in enumerate(texts)} for name, texts in categories.items()}

    def _by_position(self, row: Any) -> Any:
        """The row with positions in place of the names of categories."""
        known = isinstance(row, (list, tuple)) or getattr(getattr(row, "dtype", None), "kind", "") in "OUST"
        if not known or not self._positions:
            return row
        values = list(row)
        for j, positions in self._positions.items():
            if j < len(values) and isinstance(values[j], str):
                values[j] = positions.get(values[j], -1) if values[j] else None
        return values
