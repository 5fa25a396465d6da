"""Predicting row after row."""

from __future__ import annotations

import ctypes as c
import functools
import weakref

import numpy as np

from . import _forked, errors
from ._capi import _predict_options
from ._input import Array
from ._input import address as _address
from ._library import Handle, _call, _create


class Predictor:
    """Predicts ``row``, for one thread at a time: ``find_class`` into ``number``, the others into ``scores``."""

    def __init__(self, model: Handle, features: int, classes: int, trees: int) -> None:
        self.row, self.scores, self.number = np.zeros(features), np.empty(classes), np.empty(1, np.int32)
        self._model, self._trees, self._served = model, trees, False
        try:
            self._handle = _create("predictor_create", model, _predict_options(trees, 0))
        except errors.ForkError as e:
            _forked.twin(model, e)
            self.serve()
            return
        of_row = self._handle, _address(self.row), features
        into_scores = *of_row, _address(self.scores), classes
        self._of_row = of_row
        self.find_class = functools.partial(_call, "predictor_class", *of_row, _address(self.number))
        self.proba = functools.partial(_call, "predictor_proba", *into_scores)
        self.raw = functools.partial(_call, "predictor_raw", *into_scores)
        _forked.predictors.add(weakref.ref(self))

    def serve(self) -> None:
        """Predict with the model's twin from now on: this is a child created by ``fork``."""
        if self._model.twin is not None:
            self._served = True
            calls = (("", self.number), ("proba", self.scores), ("raw", self.scores))
            self.find_class, self.proba, self.raw = (
                self._model.twin.row_call(kind, self.row, out, self._trees) for kind, out in calls
            )

    def raw_of(self, numbers: Array) -> Array:
        """The scores of some classes, given as int32."""
        if self._served:
            self.raw()
            return self.scores[numbers]
        out = np.empty(len(numbers))
        _call("predictor_raw_of", *self._of_row, _address(numbers), len(numbers), _address(out))
        return out

    def walked(self) -> float:
        if self._served:
            return 1.0  # a twin walks through all trees
        out = c.c_double()
        _call("predictor_walked", self._handle, c.byref(out))
        return out.value
