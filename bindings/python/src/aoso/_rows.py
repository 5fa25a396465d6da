"""The rows that the scikit-learn estimator trains and evaluates on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from joblib.parallel import get_active_backend
from sklearn.model_selection import train_test_split
from sklearn.utils import assert_all_finite, check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

from . import _labels, _matrix, _soft
from ._capi import Array
from ._scalars import integer, number, plain, shown
from .dataset import Dataset
from .errors import ArgumentError

try:
    from sklearn.utils.validation import validate_data as _validate_data
except ImportError:  # before 1.6

    def _validate_data(estimator: Any, X: Any, *, reset: bool, skip_check_array: bool = False, **check: Any) -> Any:
        if not skip_check_array:
            return estimator._validate_data(X, reset=reset, force_all_finite=check.pop("ensure_all_finite"), **check)
        estimator._check_feature_names(X, reset=reset)
        estimator._check_n_features(X, reset=reset)
        return X


def features(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Features for a Dataset or a Booster, checked as scikit-learn requires."""
    X = _matrix.known(X)
    if _matrix.is_frame(X):  # check_array would convert all columns to one array, even categories
        _matrix.check_distinct(_matrix.column_names(X))
        return _validate_data(estimator, X, reset=reset, skip_check_array=True)
    if not _matrix.is_arrow(X):
        X, numeric = _matrix.checkable(X)
        if not numeric:
            return _validate_data(estimator, X, reset=reset, skip_check_array=True)
        return _validate_data(estimator, X, reset=reset, accept_sparse=("csr", "csc"), ensure_all_finite=False)
    matrix = _matrix.read(X)
    if reset:
        vars(estimator).pop("feature_names_in_", None)
        estimator.n_features_in_ = matrix.shape[1]
        if matrix.names is not None:
            estimator.feature_names_in_ = np.array(matrix.names, dtype=object)
    elif matrix.names is not None and hasattr(estimator, "feature_names_in_"):
        _matrix.check_names(matrix.names, list(estimator.feature_names_in_))
    return X


def labels(y: Any) -> Any:
    """Labels for a Dataset, checked as scikit-learn requires. Soft labels are left to the library."""
    if _soft.given(y):
        return _matrix.known(y)
    if _matrix.is_frame(y) and y.shape[1] == 1:
        y = _labels.array(y.iloc[:, 0]).reshape(-1, 1)
    y = _labels.array(y)
    if y.dtype.kind != "f" and y.ndim:  # for which scikit-learn has its own words
        _labels.check_missing(y.ravel())
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
    if y.dtype.kind not in "biu":  # which it would copy and sort to find them allowed
        check_classification_targets(y)
    checked: Array = y
    return checked


def seed(random_state: Any) -> int:
    given = plain(random_state)
    if isinstance(given, int):
        return given
    try:
        return int(check_random_state(random_state).randint(2**31))
    except ValueError as e:
        raise ArgumentError(f"random_state is {shown(random_state)}; allowed: an integer, a RandomState or None") from e


def threads(n_jobs: Any) -> int:
    if n_jobs is not None and (integer("n_jobs", n_jobs, -(2**31), 2**31 - 1) == 0):
        raise ArgumentError("n_jobs is 0; allowed: None, a number of threads, or -1 for all cores")
    if n_jobs is None:
        backend, jobs = get_active_backend()
        if jobs is None:  # of no joblib context; a worker of joblib has one core
            n_jobs = 1 if backend.nesting_level else -1
    found: int = effective_n_jobs(plain(n_jobs))
    return found


def weights(y: Any, sample_weight: Any, class_weight: Any) -> Array | None:
    if _soft.given(y):  # training takes class weights to the shares
        return None if sample_weight is None else _matrix.weights(sample_weight, _soft.table(y).shape[0])
    if class_weight is None and sample_weight is None:
        return None
    if hasattr(sample_weight, "__len__") and getattr(sample_weight, "ndim", 1) == 1:
        sample_weight = _matrix.vector(sample_weight, len(sample_weight), "sample_weight", "")
    weights: Array = _check_sample_weight(sample_weight, y, dtype=np.float64)
    if class_weight is not None:
        weights = weights * _labels.row_weights(y, class_weight)
    return weights


def set_apart(
    X: Any, y: Array, weight: Array | None, fraction: float, seed: int
) -> tuple[Any, Array, Array | None, Array, dict[str, Any]]:
    """The other rows with their positions, and those set apart as the evaluation set."""
    allowed = "a share of the rows, above 0 and below 1"
    fraction = number("validation_fraction", fraction, allowed)
    if not 0 < fraction < 1:
        raise ArgumentError(f"validation_fraction is {fraction:g}; allowed: {allowed}")
    label = _soft.nearest(y) if _soft.given(y) else y
    if math.ceil(fraction * len(label)) >= len(label):
        raise ArgumentError(f"validation_fraction is {fraction:g}; allowed: a share that leaves some of the {len(label)} rows")
    each = np.unique(label, return_counts=True)[1]
    stratify = label if each.min() > 1 and min(fraction, 1 - fraction) * len(label) >= len(each) + 1 else None
    rows, apart = train_test_split(np.arange(len(label)), test_size=fraction, stratify=stratify, random_state=seed % 2**32)
    weights, apart_weights = (None, None) if weight is None else (weight[rows], weight[apart])
    return _matrix.take(X, rows), _matrix.take(y, rows), weights, rows, {"valid_0": (_matrix.take(X, apart), _matrix.take(y, apart), apart_weights)}


def without_weightless(X: Any, y: Array, weight: Array | None) -> tuple[Any, Any, Any, Array]:
    """Leave out rows of weight 0, which would influence the bins, unless a class has no other rows. The last result is the positions of the rows left."""
    label = _soft.nearest(y) if _soft.given(y) else y
    if weight is None or weight.all():
        return X, y, weight, np.arange(len(label))
    keep = np.flatnonzero((weight != 0) | ~np.isin(label, label[weight != 0]))
    return _matrix.take(X, keep), _matrix.take(y, keep), weight[keep], keep


def evaluation_sets(
    eval_set: Any, eval_names: Iterable[str] | None, eval_X: Any, eval_y: Any, eval_sample_weight: Any
) -> dict[str, tuple[Any, Any, Any]]:
    """Evaluation sets (X, y, weight or None) by name."""
    if eval_X is not None or eval_y is not None:
        if eval_set is not None or eval_X is None or eval_y is None:
            raise ArgumentError("eval_X or eval_y is given; allowed: both, and no eval_set")
        if not isinstance(eval_X, tuple):
            eval_X, eval_y = (eval_X,), (eval_y,)
            eval_sample_weight = None if eval_sample_weight is None else [eval_sample_weight]
        if not isinstance(eval_y, tuple) or len(eval_X) != len(eval_y):
            raise ArgumentError(f"eval_X has {len(eval_X)} tables; allowed: a tuple of as many labels in eval_y")
        eval_set = list(zip(eval_X, eval_y))
    if eval_set is None:
        return {}
    single = isinstance(eval_set, tuple) and not all(isinstance(one, tuple) for one in eval_set)
    sets = [eval_set] if single else list(eval_set)
    for j, one in enumerate(sets):
        if not isinstance(one, (tuple, list)) or len(one) not in (2, 3):
            raise ArgumentError(f"eval_set[{j}] is a {type(one).__name__}; allowed: (X, y) or (X, y, weight)")
    names = [f"valid_{j}" for j in range(len(sets))] if eval_names is None else list(eval_names)
    if len(names) != len(sets) or len(set(names)) != len(names):
        raise ArgumentError(f"eval_names is {names}; allowed: {len(sets)} different names, one for each set")
    if eval_sample_weight is None:
        return {name: (*one, None)[:3] for name, one in zip(names, sets)}
    if len(eval_sample_weight) != len(sets):
        raise ArgumentError(f"eval_sample_weight has {len(eval_sample_weight)} arrays; allowed: {len(sets)}, one for each set")
    return {name: (*one[:2], weight) for name, one, weight in zip(names, sets, eval_sample_weight)}


def last_first(sets: dict[str, tuple[Any, Any, Any]], X: Any) -> dict[str, tuple[Any, Any, Any]]:
    """The sets, but first the one that decides: the last one that is not what the model is trained on."""
    names = [name for name in sets if sets[name][0] is not X] or list(sets)
    return {name: sets[name] for name in dict.fromkeys([*names[-1:], *sets])}


def metric_of(params: dict[str, Any]) -> Callable[[Array, Dataset], Any] | None:
    """A metric that is a function of labels and probabilities, as training wants it. Early stopping is to watch it."""
    metric = params.get("metric")
    if not callable(metric):
        return None
    params["metric"] = "custom"

    def evaluate(probabilities: Array, dataset: Dataset) -> Any:
        found = metric(dataset.get_label(), probabilities)
        return found if isinstance(found, (tuple, list)) else (getattr(metric, "__name__", "custom"), number("eval_metric", found), False)

    return evaluate
