"""Prediction sets in children created by ``fork``: what ``internal/conformal`` does, with the same bits."""

from __future__ import annotations

import numpy as np

from . import errors
from ._input import Array, Matrix
from ._serving import Twin


def predict_set(model: Twin, x: Matrix, alpha: float, method: str, class_conditional: bool, non_empty: bool) -> Array:
    """As :func:`aoso._capi.predict_set`."""
    if not 0 < alpha < 1:
        raise errors.ArgumentError(f"alpha is {alpha}; allowed: above 0 and below 1")
    if "conformal" not in model.meta:
        raise errors.ArgumentError("model is without conformity scores; allowed: one that has been conformalized")
    penalty = (
        np.maximum(0, np.arange(len(model.classes)) + 1 - model.meta["conformal"]["free"]) * model.meta["conformal"]["lambda"]
    )
    limits = _limits(model, penalty, alpha, method, class_conditional)
    p = model.predict("proba", x, len(model.classes), 0)
    best = p.argmax(axis=1)
    scores = _lac(p, best) if method == "lac" else _aps(p, penalty if method == "raps" else 0 * penalty)
    sets: Array = scores <= limits
    if non_empty:
        empty = np.flatnonzero(~sets.any(axis=1))
        sets[empty, best[empty]] = True
    return sets


def _limits(model: Twin, penalty: Array, alpha: float, method: str, class_conditional: bool) -> Array:
    """By class: the worst score of a class in a set."""
    of = model.conformal
    first = model.meta["conformal"]["tuning"] if method == "raps" else 0
    labels = of["conformal_labels"][first:]
    scores = of["conformal_lac" if method == "lac" else "conformal_aps"][first:].astype(np.float64)
    if method == "raps":
        scores += penalty[of["conformal_ranks"][first:]]
    weights = of.get("conformal_weights", np.ones(first + len(labels)))[first:].astype(np.float64)
    if not class_conditional:
        return np.full(len(model.classes), _threshold(scores, weights, alpha))
    return np.array([_threshold(scores[labels == k], weights[labels == k], alpha) for k in range(len(model.classes))])


def _threshold(scores: Array, weights: Array, alpha: float) -> float:
    """The least score that is not exceeded by 1 - alpha of the weight of all rows and of one more, of their mean weight."""
    if len(scores) == 0:
        return np.inf
    order = np.lexsort((weights, scores))
    sums, n = np.cumsum(weights[order]), len(scores)
    need = (1 - alpha) * sums[-1] * ((n + 1) / n) * (1 - 1e-12)
    reached = np.flatnonzero(sums >= need)
    return float(scores[order[reached[0]]]) if len(reached) else np.inf


def _lac(p: Array, best: Array) -> Array:
    """1 - p; that of the most likely class is the sum of the others."""
    others = np.zeros(len(p))
    for k in range(p.shape[1]):
        others += np.where(best == k, 0, p[:, k])
    scores = 1 - p
    scores[np.arange(len(p)), best] = np.minimum(others, 1)
    return scores.astype(np.float32).astype(np.float64)


def _aps(p: Array, penalty: Array) -> Array:
    """The probability of likelier classes, a part of the class's own, and the penalty of its rank."""
    mixed = np.zeros(len(p), np.uint64)
    for column in p.T:
        mixed = _mix(mixed ^ np.ascontiguousarray(column).view(np.uint64))
    part = (mixed >> np.uint64(11)) * 2.0**-53
    order = np.argsort(-p, axis=1, kind="stable")
    mass = (np.take_along_axis(p, order, 1) * 2.0**53).astype(np.uint64)
    above = (np.cumsum(mass, axis=1) - mass) * 2.0**-53
    own = part[:, np.newaxis] * np.take_along_axis(p, order, 1)
    ranked = np.minimum(above + own, 1).astype(np.float32) + penalty
    scores = np.empty_like(p)
    np.put_along_axis(scores, order, ranked, 1)
    return scores


def _mix(x: Array) -> Array:
    """S. Vigna's splitmix64."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Array = x ^ (x >> np.uint64(31))
    return mixed
