"""The methods of the scikit-learn estimator that use probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _labels
from ._capi import Array
from .booster import Booster
from .confusion import Confusion
from .errors import ArgumentError
from .probability import Reliability, choices
from .suspicious import SuspiciousRows


_Estimator = TypeVar("_Estimator", bound="Decisions")


class Decisions:
    """Prediction sets, decisions under costs, the reliability of probabilities, and labels that are probably wrong."""

    booster_: Booster
    classes_: Array

    if TYPE_CHECKING:

        def _read(self, X: Any, *, reset: bool) -> Any: ...
        def _sorted(self, columns: Array, unseen: float = 0) -> Array: ...
        def _threads(self) -> int: ...

    def predict_top(self, X: Any, top: int = 5) -> tuple[Array, Array]:
        """The most likely classes of each row, the most likely first, and their probabilities.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
        top : int, default 5
            Number of classes, 1 to all.

        Returns
        -------
        labels : array of shape (n_samples, top)
            Labels of ``classes_``.
        proba : array of shape (n_samples, top), float64

        Raises
        ------
        ArgumentError
            If ``top`` is not in its range, or the columns are not those of :meth:`fit`.
        """
        check_is_fitted(self)
        return self.booster_.predict_top(self._read(X, reset=False), top, nthread=self._threads())

    def predict_set(
        self,
        X: Any,
        *,
        alpha: float = 0.1,
        method: str = "lac",
        class_conditional: bool = False,
        non_empty: bool = False,
    ) -> Array:
        """A set of classes for each row that misses the row's class with probability ``alpha``.

        See :meth:`aoso.Booster.predict_set`. The probability is nearly right after :meth:`fit`, and exact after
        :meth:`conformalize`, for rows that are drawn like those given there.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
        alpha : float, default 0.1
            Above 0 and below 1.
        method : {"lac", "aps", "raps"}, default "lac"
            "lac" makes the smallest sets on average; those of "aps" and "raps" are larger for rows that are hard.
        class_conditional : bool, default False
            Sets miss the rows of each class with probability ``alpha``.
        non_empty : bool, default False
            Put the most likely class into sets that would be empty.

        Returns
        -------
        array of shape (n_samples, n_classes), bool
            Whether the class, in the order of ``classes_``, is in the set.
        """
        check_is_fitted(self)
        options: dict[str, Any] = {
            "alpha": alpha,
            "method": method,
            "class_conditional": class_conditional,
            "non_empty": non_empty,
        }
        return self._sorted(self.booster_.predict_set(self._read(X, reset=False), **options, nthread=self._threads()))

    def conformalize(self: _Estimator, X: Any, y: Any, sample_weight: Any = None) -> _Estimator:
        """Take the scores for :meth:`predict_set` from rows that :meth:`fit` has not seen, which makes its probability exact.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), optional

        Returns
        -------
        AOSOClassifier
            The estimator itself. Its predictions and probabilities do not change.
        """
        check_is_fitted(self)
        X = self._read(X, reset=False)
        result = self.booster_.result
        self.booster_ = self.booster_.conformalized(X, y, weight=sample_weight, nthread=self._threads())
        self.booster_.result = result
        return self

    def decide(
        self, X: Any, costs: Any = None, *, abstain: float | None = None, decisions: Any = None, return_cost: bool = False
    ) -> Any:
        """The decision of least expected cost for each row.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
        costs : array of shape (n_classes, n_decisions), or pandas data frame, optional
            What each decision costs if the class of the row, in the order of ``classes_``, is the true one. The rows of a
            data frame may be in any order: its index has the classes. By default, decisions are the classes, and each error
            costs 1.
        abstain : float, optional
            What it costs not to decide, whatever the class is. The decision is then None where all others are expected to cost
            more.
        decisions : array of shape (n_decisions,), optional
            Names of the decisions, such as ``[*model.classes_, "ask"]``. By default the columns of a data frame, or
            ``classes_`` if there are as many decisions as classes, or 0, 1, ...
        return_cost : bool, default False
            Return the expected costs as well.

        Returns
        -------
        decisions : array of shape (n_samples,)
            The first one if decisions tie.
        expected : array of shape (n_samples,), float64
            The expected costs, if ``return_cost``.
        """
        check_is_fitted(self)
        matrix, names = choices(costs, abstain, decisions, self.classes_)
        rows = _labels.codes(self.booster_.classes, self.classes_)
        read = self._read(X, reset=False)
        return self.booster_.decide(read, matrix[rows], decisions=names, return_cost=return_cost, nthread=self._threads())

    def reliability(self, X: Any, y: Any, sample_weight: Any = None) -> Reliability:
        """Compare probabilities with labels: Brier score, expected calibration error and the bins of a reliability diagram.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), optional

        Returns
        -------
        aoso.probability.Reliability
            See there. :func:`aoso.plotting.plot_reliability` draws it.
        """
        check_is_fitted(self)
        return self.booster_.reliability(self._read(X, reset=False), y, weight=sample_weight, nthread=self._threads())

    def confusions(self, X: Any, y: Any, n: int = 10) -> list[Confusion]:
        """The pairs of classes that are confused most often.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        n : int, default 10
            The most pairs to return, at least 1.

        Returns
        -------
        list of aoso.confusion.Confusion
            Those with most rows first. See :meth:`aoso.Booster.confusions`.
        """
        check_is_fitted(self)
        return self.booster_.confusions(self._read(X, reset=False), y, n, nthread=self._threads())

    def suspicious_rows(self, n: int | None = None, *, others: Sequence[Any] = ()) -> SuspiciousRows:
        """The rows of :meth:`fit` whose labels are probably wrong.

        Parameters
        ----------
        n : int, optional
            The number of rows to return, those whose labels are least likely. By default all that are ``suspected``.
        others : sequence of models, optional
            Models of the same rows, fitted with another ``random_state``. Several models find more wrong labels.

        Returns
        -------
        aoso.suspicious.SuspiciousRows
            See :meth:`aoso.Booster.suspicious_rows`. Positions are those of the rows of ``X``.
        """
        check_is_fitted(self)
        return self.booster_.suspicious_rows(n, others=others)
