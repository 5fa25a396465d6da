"""A loss of the user's, for the C library."""

from __future__ import annotations

import ctypes as c
import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from . import _structs as structs
from . import errors
from ._apart import apart
from ._input import Array
from ._library import Handle, _create
from ._scalars import shown

# Raw scores and the training set to gradients and Hessians, each of shape (n_rows, n_classes).
Function = Callable[[Array, Any], tuple[Any, Any]]


def of_params(params: Any, objective: Function | None) -> tuple[Any, Function | None]:
    """Parameters without a loss, which LightGBM has among them, and the loss."""
    if not isinstance(params, Mapping) or not callable(params.get("objective")):
        return params, objective
    if objective is not None:
        raise errors.ArgumentError("objective is among params and an argument; allowed: one of them")
    return {name: value for name, value in params.items() if name != "objective"}, params["objective"]


class Objective:
    """Calls functions of the library that call the user's objective."""

    def __init__(self, function: Function, train_set: Any) -> None:
        if not callable(function):
            raise errors.ArgumentError(f"objective is a {type(function).__name__}; allowed: a callable")
        self._function, self._train_set = function, train_set
        self._failure: BaseException | None = None
        self._interrupted = False
        self.callback = structs.OBJECTIVE(self._guarded)

    def call(self, call: Callable[..., None], name: str, *arguments: Any) -> None:
        """Call a function of the library, by way of ``call``."""

        def work() -> None:
            try:
                call(name, *arguments)
            except errors.AosoError as e:
                raise self._failure or e from None

        apart(work, self._interrupt)

    def _interrupt(self) -> None:
        self._interrupted = True

    def create(self, call: Callable[..., None], name: str, *arguments: Any) -> Handle:
        return _create(name, *arguments, call=functools.partial(self.call, call))

    def _guarded(self, scores: int, rows: int, classes: int, gradient: int, hessian: int, _: Any) -> int:
        try:
            if self._interrupted:
                return 1
            shape = rows, classes
            found = self._function(_view(scores, shape).copy(), self._train_set)
            if not (isinstance(found, (tuple, list)) and len(found) == 2):
                raise errors.ArgumentError(f"objective has returned {shown(found)}; allowed: (gradient, hessian)")
            for kind, at, values in zip(("gradient", "hessian"), (gradient, hessian), found):
                _view(at, shape)[:] = _numbers(kind, values, shape)
            return 0
        except BaseException as e:
            self._failure = e
            return 1


def _numbers(kind: str, values: Any, shape: tuple[int, int]) -> Array:
    try:
        array = np.asarray(values)
        array = array.astype(np.float64) if array.dtype.kind == "O" else array
    except (TypeError, ValueError) as e:
        raise errors.ArgumentError(f"objective has returned a {kind} that is no array of numbers: {e}") from e
    if array.dtype.kind not in "biuf":
        raise errors.ArgumentError(f"objective has returned a {kind} of dtype {array.dtype}; allowed: numbers")
    if array.shape != shape:
        raise errors.ArgumentError(f"objective has returned a {kind} of shape {array.shape}; allowed: {shape}")
    return array


def _view(at: int | None, shape: tuple[int, int]) -> Array:
    if not at:  # a rank may have no rows
        return np.empty(shape)
    return np.ctypeslib.as_array((c.c_double * (shape[0] * shape[1])).from_address(at)).reshape(shape)
