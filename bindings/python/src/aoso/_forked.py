"""What models do in children created by ``fork``: they predict, and nothing else.

Go cannot run in such a child. Before a fork, each model therefore gets a twin, which ``libaoso_predict`` predicts with. The
children share its memory. A process that never forks has no twins."""

from __future__ import annotations

import ctypes as c
import os
from typing import Any, Protocol

import numpy as np

from . import _library, errors
from ._input import Array, Matrix
from ._library import Handle
from ._living import Living
from ._serving import Twin


class _Predictor(Protocol):
    def serve(self) -> None: ...


# All row predictors, which a child changes to twins.
predictors: Living[_Predictor] = Living()


def _before_fork() -> None:
    for model in _library.models:
        if model.twin is None and model._as_parameter_:
            try:
                model.twin = Twin(_library._bytes("model_encode", model))
            except (errors.AosoError, MemoryError):
                return  # the library cannot be used; in the child, that is a ForkError


def _in_child() -> None:
    for predictor in predictors:
        predictor.serve()


os.register_at_fork(before=_before_fork, after_in_child=_in_child)


def twin(model: Handle, error: errors.ForkError) -> Twin:
    """The twin of a model, after the model's own call has failed with the error."""
    if model.twin is None:
        raise error
    found: Twin = model.twin
    return found


def decoded(data: bytes) -> Handle:
    """A model from the bytes of a model file, in a child: nothing but a twin."""
    model = Handle.__new__(Handle)
    model._as_parameter_, model.twin = c.c_void_p(), Twin(data)
    return model


def decide(model: Twin, x: Matrix, costs: Array) -> tuple[Array, Array]:
    """As :func:`aoso._capi.decide`."""
    if not np.isfinite(costs).all():
        raise errors.ArgumentError("costs has a number that is not finite; allowed: finite numbers")
    expected = np.zeros((x.shape[0], costs.shape[1]))
    for p, cost in zip(model.predict("proba", x, len(model.classes), 0).T, costs):  # in this order, so that sums round alike
        expected += p[:, np.newaxis] * cost
    best: Any = expected.argmin(axis=1)
    return best.astype(np.int32), np.take_along_axis(expected, best[:, np.newaxis], 1)[:, 0]
