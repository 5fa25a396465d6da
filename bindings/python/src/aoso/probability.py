"""What to do with probabilities: prediction sets, decisions under costs, and how reliable probabilities are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from . import _capi, _labels
from ._capi import Array
from ._scalars import number
from ._top import predict_top
from .errors import ArgumentError

__all__ = ["Probability", "Reliability", "cost_weights"]

_Model = TypeVar("_Model", bound="Probability")


class Reliability(NamedTuple):
    """How good probabilities are.

    Attributes
    ----------
    brier : float
        The Brier score: the weighted mean of the squared differences between the probabilities and 1 for the row's class, 0
        for the others, summed over the classes. 0 to 2. Rows whose label the model does not know do not count.
    ece : float
        The expected calibration error: the mean of ``abs(confidence - accuracy)`` over the bins, weighted by ``share``.
    bins : structured array
        At most 15 bins of equal weight, in the order of confidence, as in a reliability diagram. The fields are ``rows``;
        ``share``, of the weight of all rows; ``confidence``, the mean probability of the most likely class; and ``accuracy``,
        the share of the rows that have this class.
    """

    brier: float
    ece: float
    bins: Array


class Probability:
    """The methods of :class:`aoso.Booster` that use probabilities."""

    classes: Array
    calibration: _capi.Calibration | None
    _handle: _capi.Handle
    _info: _capi.ModelInfo

    if TYPE_CHECKING:

        def __init__(self, handle: _capi.Handle, classes: Array, *, calibration: _capi.Calibration | None) -> None: ...
        def _read(self, x: Any, *, labelled: bool = False) -> _capi.Matrix: ...
        def _read_labels(self, y: Any, weight: Any, x: _capi.Matrix) -> tuple[_capi.Labels, Array | None]: ...

    def predict_top(self, x: Any, top: int = 5, *, trees: int = 0, nthread: int = 0) -> tuple[Array, Array]:
        """The most likely classes of each row, the most likely first, and their probabilities.

        With sparse leaves and start=zero, it takes time by the classes that a row's leaves move, not by all classes.

        Parameters
        ----------
        x : table of shape (n_rows, n_features)
        top : int, default 5
            Number of classes, 1 to all.
        trees : int, default 0
            Use only the first trees; 0: all.
        nthread : int, default 0

        Returns
        -------
        labels : array of shape (n_rows, top)
            Of the type of ``classes``. Of classes that tie, the first one comes first.
        proba : array of shape (n_rows, top), float64
            As :meth:`predict_proba` returns; with sparse leaves, but for rounding.

        Raises
        ------
        ArgumentError
            If ``top`` is not in its range, or the columns are not the model's features.
        """
        numbers, proba = predict_top(self._handle, self._read(x), top, trees, nthread)
        return np.asarray(self.classes[numbers]), proba

    def calibrated(self: _Model, x: Any, y: Any, *, weight: Any = None, nthread: int = 0) -> _Model:
        """The model with the temperature that minimizes the log loss of the given rows.

        Raw scores and predicted classes do not change.

        Parameters
        ----------
        x : table of shape (n_rows, n_features)
            Rows that the model was not trained on.
        y : array of shape (n_rows,) or (n_rows, n_classes)
            Labels; or soft labels, as for :class:`Dataset`, whose cross-entropy is then least.
        weight : array of shape (n_rows,), optional
        nthread : int, default 0

        Returns
        -------
        Booster
            Its ``calibration`` has the temperature and the mean log loss before and after.
        """
        matrix = self._read(x, labelled=True)
        handle, calibration = _capi.calibrate(self._handle, matrix, *self._read_labels(y, weight, matrix), nthread)
        return type(self)(handle, self.classes, calibration=calibration)

    def predict_set(
        self,
        x: Any,
        *,
        alpha: float = 0.1,
        method: str = "lac",
        class_conditional: bool = False,
        non_empty: bool = False,
        nthread: int = 0,
    ) -> Array:
        """A set of classes for each row that misses the row's class with probability ``alpha`` (split conformal prediction).

        A class is in the set if its score is no worse than those of the true classes of all but a share ``alpha`` of other
        rows. By default these are the rows held out in training. The probability is then nearly right: the model has learnt
        from them since. After :meth:`conformalized` it is exact for rows that are drawn like those given there.

        Parameters
        ----------
        x : table of shape (n_rows, n_features)
            As for :meth:`predict`.
        alpha : float, default 0.1
            The probability that a set misses the class of its row, above 0 and below 1.
        method : {"lac", "aps", "raps"}, default "lac"
            The score of a class. "lac": 1 - its probability, which makes the smallest sets on average [1]_. "aps": the
            probability of all classes that are likelier and a part of its own; sets are larger for rows that are hard [2]_.
            "raps": the same with a penalty for each class beyond the most likely ones, which keeps sets small [3]_.
        class_conditional : bool, default False
            Sets miss the rows of each class with probability ``alpha``, not only those of all classes together. A class with
            fewer than ``1 / alpha - 1`` other rows is in every set.
        non_empty : bool, default False
            Put the most likely class into sets that would be empty. Sets then miss less often than ``alpha``. Without it, a
            model that errs less often than ``alpha`` must leave some sets empty.
        nthread : int, default 0

        Returns
        -------
        array of shape (n_rows, n_classes), bool
            Whether the class of the column, in the order of ``classes``, is in the set of the row.

        Raises
        ------
        ArgumentError
            If the model has no scores: it was trained without rows held out and without a validation set, or it was made by
            :meth:`truncated`, :meth:`refit`, :func:`aoso.merge` or continued training. Use :meth:`conformalized`.

        References
        ----------
        .. [1] M. Sadinle, J. Lei, L. Wasserman, Least ambiguous set-valued classifiers with bounded error levels, 2019.
        .. [2] Y. Romano, M. Sesia, E. Candès, Classification with valid and adaptive coverage, 2020.
        .. [3] A. Angelopoulos, S. Bates, J. Malik, M. Jordan, Uncertainty sets for image classifiers using conformal
           prediction, 2021.

        Examples
        --------
        >>> import aoso, numpy as np
        >>> x = np.arange(200.0).reshape(-1, 1)
        >>> booster = aoso.train({"n_estimators": 10}, aoso.Dataset(x, np.where(x[:, 0] < 70, "low", "high")))
        >>> booster.predict_set([[3], [150]], alpha=0.1, non_empty=True).tolist()
        [[False, True], [True, False]]
        """
        if method not in _capi.SET_METHODS:
            raise ArgumentError(f"method is {method!r}; allowed: {', '.join(_capi.SET_METHODS)}")
        if not isinstance(alpha, (int, float, np.integer, np.floating)):
            raise ArgumentError(f"alpha is {alpha!r}; allowed: a number above 0 and below 1")
        options = (alpha, method, class_conditional, non_empty, nthread)
        return _capi.predict_set(self._handle, self._read(x), len(self.classes), *options)

    @property
    def conformal_rows(self) -> int:
        """Rows whose scores the model keeps for :meth:`predict_set`; 0: none."""
        return self._info.conformal_rows

    def conformalized(self: _Model, x: Any, y: Any, *, weight: Any = None, nthread: int = 0) -> _Model:
        """The model with the scores of the given rows for :meth:`predict_set`.

        If the model has not seen these rows, sets miss the class of a further row that is drawn like them with a probability
        of at most ``alpha``. Predictions and probabilities do not change.

        Parameters
        ----------
        x : table of shape (n_rows, n_features)
            Rows that the model was not trained on. Of more than 20,000, that many are drawn at random.
        y : array of shape (n_rows,)
        weight : array of shape (n_rows,), optional
        nthread : int, default 0

        Returns
        -------
        Booster
        """
        matrix = self._read(x, labelled=True)
        handle = _capi.conformalize(self._handle, matrix, *self._read_labels(y, weight, matrix), nthread)
        return type(self)(handle, self.classes, calibration=self.calibration)

    def decide(
        self,
        x: Any,
        costs: Any = None,
        *,
        abstain: float | None = None,
        decisions: Any = None,
        return_cost: bool = False,
        nthread: int = 0,
    ) -> Any:
        """The decision of least expected cost for each row.

        Parameters
        ----------
        x : table of shape (n_rows, n_features)
            As for :meth:`predict`.
        costs : array of shape (n_classes, n_decisions), or pandas data frame, optional
            What each decision costs if the class of the row, in the order of ``classes``, is the true one. Costs may be
            negative. The rows of a data frame may be in any order: its index has the classes. By default, decisions are the
            classes, and each error costs 1.
        abstain : float, optional
            What it costs not to decide, whatever the class is. The decision is then None where all others are expected to cost
            more.
        decisions : array of shape (n_decisions,), optional
            Names of the decisions, such as ``[*booster.classes, "ask"]``. By default the columns of a data frame, or ``classes``
            if there are as many decisions as classes, or 0, 1, ...
        return_cost : bool, default False
            Return the expected costs as well.
        nthread : int, default 0

        Returns
        -------
        decisions : array of shape (n_rows,)
            The first one if decisions tie.
        expected : array of shape (n_rows,), float64
            The expected costs, if ``return_cost``.

        Examples
        --------
        >>> import aoso, numpy as np
        >>> x = np.arange(200.0).reshape(-1, 1)
        >>> booster = aoso.train({"n_estimators": 10}, aoso.Dataset(x, np.where(x[:, 0] < 70, "low", "high")))
        >>> costs = [[0, 1, 0.2], [5, 0, 0.2]]
        >>> booster.decide([[3], [150]], costs, decisions=["high", "low", "ask"]).tolist()
        ['low', 'high']
        >>> booster.decide([[3], [150]], abstain=0.01).tolist()
        [None, None]
        """
        matrix, names = choices(costs, abstain, decisions, self.classes)
        best, expected = _capi.decide(self._handle, self._read(x), matrix, nthread)
        return (names[best], expected) if return_cost else names[best]

    def reliability(self, x: Any, y: Any, *, weight: Any = None, nthread: int = 0) -> Reliability:
        """Compare probabilities with labels.

        The expected calibration error is that of the most likely class [1]_, in bins of equal weight rather than equal width:
        the confidences of a good model are almost all in one bin of equal width [2]_.

        Parameters
        ----------
        x : table of shape (n_rows, n_features)
        y : array of shape (n_rows,)
            Labels that the model does not know count as errors and not for the Brier score.
        weight : array of shape (n_rows,), optional
        nthread : int, default 0

        Returns
        -------
        Reliability

        References
        ----------
        .. [1] C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger, On calibration of modern neural networks, 2017.
        .. [2] J. Nixon, M. Dusenberry, L. Zhang, G. Jerfel, D. Tran, Measuring calibration in deep learning, 2019.
        """
        matrix = self._read(x, labelled=True)
        return Reliability(*_capi.reliability(self._handle, matrix, *self._read_labels(y, weight, matrix), nthread))


def choices(costs: Any, abstain: float | None, decisions: Any, classes: Array) -> tuple[Array, Array]:
    """The costs as a contiguous matrix of float64, classes × decisions, and the names of the decisions."""
    if hasattr(costs, "columns") and decisions is None:
        decisions = costs.columns.to_numpy()
    matrix = cost_matrix(costs, classes)
    if decisions is None:
        decisions = classes if matrix.shape[1] == len(classes) else np.arange(matrix.shape[1])
    names = _labels.array(decisions)
    if names.shape != (matrix.shape[1],):
        raise ArgumentError(f"decisions has shape {names.shape}; allowed: {matrix.shape[1]} names, one for each column of costs")
    if abstain is not None:
        matrix = np.column_stack([matrix, np.full(len(matrix), number("abstain", abstain))])
        names = np.array([*names.tolist(), None], dtype=object)
    return np.ascontiguousarray(matrix), names


def cost_matrix(costs: Any, classes: Array) -> Array:
    """The costs as a matrix, its rows in the order of the classes; None is the cost of errors, 1 each."""
    if costs is None:
        return 1 - np.eye(len(classes))
    if hasattr(costs, "index") and hasattr(costs, "columns"):
        if sorted(map(str, costs.index)) != sorted(map(str, classes)):
            raise ArgumentError(f"costs has the index {list(costs.index)}; allowed: the classes {classes.tolist()}")
        costs = costs.iloc[_labels.codes(classes, costs.index.to_numpy())]
    try:
        matrix = np.asarray(costs, dtype=np.float64)
    except (TypeError, ValueError) as e:
        raise ArgumentError(f"costs is {costs!r}; allowed: numbers, a row for each class and a column for each decision") from e
    if matrix.ndim != 2 or len(matrix) != len(classes) or matrix.shape[1] == 0:
        raise ArgumentError(
            f"costs has shape {matrix.shape}; allowed: {len(classes)} rows, one for each class, and a column for each decision"
        )
    return matrix


def cost_weights(costs: Any, classes: Any) -> dict[Any, float]:
    """The class weights that make ``predict`` choose the class of least expected cost, for ``class_weight`` in training.

    Such weights exist if what an error costs depends on the true class only, as it always does with two classes. The weight of a
    class is then proportional to the cost of its errors. With other costs, only :meth:`aoso.Booster.decide` is right.

    Parameters
    ----------
    costs : array of shape (n_classes, n_classes), or pandas data frame
        A row for each true class and a column for each predicted class.
    classes : array of shape (n_classes,)
        The classes, in the order of the rows and columns. Those of a data frame are in any order.

    Returns
    -------
    dict
        The weight of each class. Their mean is 1.

    Raises
    ------
    ArgumentError
        If no weights have the same effect as the costs.

    Examples
    --------
    >>> from aoso.probability import cost_weights
    >>> cost_weights([[0, 1], [4, 0]], ["healthy", "ill"])
    {'healthy': 0.4, 'ill': 1.6}
    """
    names = _labels.array(classes)
    if hasattr(costs, "columns"):
        if sorted(map(str, costs.columns)) != sorted(map(str, names)):
            raise ArgumentError(f"costs has the columns {list(costs.columns)}; allowed: the classes {names.tolist()}")
        costs = costs[[next(c for c in costs.columns if str(c) == str(name)) for name in names.tolist()]]
    matrix = cost_matrix(costs, names)
    if len(names) < 2 or matrix.shape[1] != len(names):
        raise ArgumentError(f"costs has shape {matrix.shape}; allowed: a row and a column for each of at least two classes")
    if not np.isfinite(matrix).all():
        raise ArgumentError("costs is not finite; allowed: finite numbers")
    errors = matrix - matrix.diagonal()[:, np.newaxis]
    apart = errors[~np.eye(len(names), dtype=bool)].reshape(len(names), -1)
    for name, row in zip(names.tolist(), apart):
        if np.ptp(row) > 1e-9 * np.abs(row).max():
            raise ArgumentError(f"costs of class {name!r} differ between errors; allowed: equal ones, or decide in place of weights")
        if row[0] <= 0:
            raise ArgumentError(f"costs of class {name!r} are no greater for errors; allowed: errors that cost more than no error")
    weights = apart.mean(axis=1)
    return dict(zip(names.tolist(), (weights / weights.mean()).tolist()))
