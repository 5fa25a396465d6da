"""The most likely classes of rows."""

from __future__ import annotations

import numpy as np

from . import _capi, _forked, errors
from ._input import Array, Matrix
from ._input import address as _address
from ._library import _call
from ._serving import Twin


def predict_top(model: _capi.Handle, x: Matrix, top: int, trees: int, nthread: int) -> tuple[Array, Array]:
    """The numbers of the most likely classes and their probabilities, rows × top."""
    top = _capi.integer("top", top)
    classes, proba = np.empty((x.shape[0], max(top, 0)), np.int32), np.empty((x.shape[0], max(top, 0)))
    out = (_address(classes), _address(proba), classes.size)
    try:
        _call("model_predict_top", model, x.struct, _capi._predict_options(trees, nthread), top, *out)
    except errors.ForkError as e:
        return _of_twin(_forked.twin(model, e), x, top, trees)
    return classes, proba


def _of_twin(model: Twin, x: Matrix, top: int, trees: int) -> tuple[Array, Array]:
    """In a child created by ``fork``."""
    if not 1 <= top <= len(model.classes):
        raise errors.ArgumentError(f"top is {top}; allowed: 1 to {len(model.classes)}")
    raw = model.predict("raw", x, len(model.classes), trees)
    classes = np.argsort(-raw, axis=1, kind="stable")[:, :top]
    model.raw_to_proba(raw)
    return classes.astype(np.int32), np.take_along_axis(raw, classes, 1)
