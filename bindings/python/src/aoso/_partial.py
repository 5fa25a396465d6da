"""Training of the scikit-learn estimator in batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from . import _labels, _rows
from ._capi import Array
from ._compatible import restoring
from .booster import Booster
from .dataset import Dataset
from .errors import ArgumentError
from .training import train

_Estimator = TypeVar("_Estimator", bound="Partial")

_TREES = 20  # in a call of partial_fit


class _Batch(Dataset):
    """Rows that may all be of classes that the model has not seen, because the estimator knows them."""

    _takes_new_classes = True


class Partial:
    """Training in batches."""

    booster_: Booster
    classes_: Array

    if TYPE_CHECKING:

        def _meant(self, check: bool = True, **arguments: Any) -> tuple[dict[str, Any], dict[str, Any]]: ...
        def _categories(self, spec: Any, before: Booster | None, X: Any, y: Any, weight: Any, seed: int, nthread: int) -> Any: ...
        def _read(self, X: Any, *, reset: bool) -> Any: ...
        def _take(self, booster: Booster) -> None: ...

    @restoring
    def partial_fit(self: _Estimator, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> _Estimator:
        """Add trees that are trained on a batch of rows.

        A call adds ``n_estimators`` trees, or 20 if that is unset, and looks at no rows but those of the batch. It holds none
        out: the number of trees is not chosen, and the probabilities are not calibrated, unless ``calibration`` is "holdout" or
        "folds". Other parameters that are unset have the values for the size of the batch. The first batch determines which
        features are categorical, and their categories. A class that a batch lacks keeps its scores. A class that no batch has had
        yet has probability 0. After :meth:`fit`, the trees are added to its model.

        All rows at once, in :meth:`fit`, give a better model. So do large batches, which have rows of all classes.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            As for :meth:`fit`.
        y : array of shape (n_samples,)
            Labels of ``classes``.
        classes : array, optional
            All classes that any batch has. The first call needs them, and later ones may repeat them.
        sample_weight : array of shape (n_samples,), optional

        Returns
        -------
        AOSOClassifier
            The estimator itself.

        Raises
        ------
        ArgumentError
            If the first call has no ``classes``, a later one has others, or ``y`` has a label that is none of them.
        """
        before = getattr(self, "booster_", None)
        params, own = self._meant()
        if params.get("n_estimators") is None:
            params["n_estimators"] = _TREES
        if params.get("calibration", "auto") == "auto":
            params["calibration"] = "none"
        known = self._known(classes)
        X, y = self._read(X, reset=before is None), _rows.labels(y)
        of_class = _labels.codes(y, known)
        if (of_class < 0).any():
            raise ArgumentError(
                f"y has the label {np.asarray(y)[of_class < 0][0].item()!r}; allowed: {_labels.listed(known)}, the classes of the first call "
                "(fit with init_model adds others)"
            )
        weight = _rows.weights(y, sample_weight, None)
        if (by_label := own["class_weight"]) is not None:
            if isinstance(by_label, str):
                raise ArgumentError(f"class_weight is {by_label!r}; allowed for partial_fit: a dict, because a batch has some of the rows")
            weight = _labels.class_weights(known, by_label)[of_class] * (1 if weight is None else weight)
        X, y, weight, _ = _rows.without_weightless(X, y, weight)
        seed, nthread = _rows.seed(own["random_state"]), _rows.threads(own["n_jobs"])
        batch = _Batch(
            X,
            y,
            weight=weight,
            feature_names=list(getattr(self, "feature_names_in_", ())) or None,
            categorical_features=self._categories(own["categorical_features"], before, X, y, weight, seed, nthread),
            max_bin=own["max_bin"],
            sample_rows=own["sample_rows"],
            seed=seed,
            nthread=nthread,
            init_model=before,
            free_raw_data=True,
        )
        self._take(train({**params, "seed": seed, "nthread": nthread}, batch))
        self.classes_ = known
        return self

    def _known(self, classes: Any) -> Array:
        """All classes, sorted."""
        before: Array | None = getattr(self, "classes_", None)
        if classes is None:
            if before is None:
                raise ArgumentError("classes is None; allowed in the first call of partial_fit: all classes that any batch has")
            return before
        known: Array = np.unique(_labels.array(classes))
        if before is not None and not np.array_equal(known, before):
            raise ArgumentError(f"classes are {_labels.listed(known)}; allowed: None, or those of the first call: {_labels.listed(before)}")
        return known
