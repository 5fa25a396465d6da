"""Training rows whose labels are probably wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ._capi import Array
from ._scalars import integer
from .errors import ArgumentError

__all__ = ["SuspiciousRows"]


class SuspiciousRows(NamedTuple):
    """Training rows as models that were trained without them see their labels, the least likely labels first.

    ``pandas.DataFrame(rows._asdict())`` makes a table of them.

    Attributes
    ----------
    row : array of int64
        Positions in the training data, from 0. With a collective, positions among the rows of this rank.
    label : array
        The labels of the rows.
    proba : array of float64
        Their probabilities.
    other : array
        The most likely other class of each row.
    other_proba : array of float64
        Its probability.
    suspected : array of bool
        Whether the label is probably wrong: the other class is likelier, and at least as likely as it is on average for the
        rows that have it as label.
    """

    row: Array
    label: Array
    proba: Array
    other: Array
    other_proba: Array
    suspected: Array

    def _taken(self, which: Array | slice) -> SuspiciousRows:
        return SuspiciousRows(*(column[which] for column in self))


class Suspecting:
    """The method of :class:`aoso.Booster` that finds labels that are probably wrong."""

    _held_out: SuspiciousRows | None = None  # all held-out rows

    def suspicious_rows(self, n: int | None = None, *, others: Sequence[Any] = ()) -> SuspiciousRows:
        """The training rows whose labels are probably wrong.

        The probabilities are those of models that were trained without the row. Training has them anyway, for the rows that
        it held out: every row if the model is an ensemble, as by default with fewer than 20,000 rows, or with
        ``calibration="folds"``; else a fifth of the rows, at most 50,000.

        Parameters
        ----------
        n : int, optional
            The number of rows to return, those whose labels are least likely. By default all that are ``suspected``, as
            confident learning suspects them (C. Northcutt, L. Jiang, I. Chuang, *Confident learning: estimating uncertainty
            in dataset labels*, 2021).
        others : sequence of models, optional
            Models of the same rows, trained with other seeds. What several models say finds more wrong labels. "proba" is then the geometric
            mean over the models that held a row out, "other" the class that is most likely to one of them, with its probability there, and
            "suspected" whether most of them suspect the row.

        Returns
        -------
        SuspiciousRows

        Raises
        ------
        ArgumentError
            If training held no rows out, as with a validation set. Models that were saved, pickled or derived from others
            do not keep the rows either.

        Examples
        --------
        >>> import aoso, numpy as np
        >>> x = np.arange(300.0).reshape(-1, 1) // 100
        >>> y = np.where(x[:, 0] < 1, "low", "high")
        >>> y[7] = "high"
        >>> booster = aoso.train({"n_estimators": 10}, aoso.Dataset(x, y))
        >>> booster.suspicious_rows().row.tolist()
        [7]
        """
        found = [model._held_out for model in (self, *(getattr(other, "booster_", other) for other in others))]
        if any(rows is None for rows in found):
            raise ArgumentError(
                f"{'booster' if found[0] is None else 'a model of others'} is without held-out rows; allowed: one that train or fit has just made, "
                "with rows held out, as by default without a validation set"
            )
        rows = _averaged(found) if others else found[0]
        return rows._taken(rows.suspected) if n is None else rows._taken(slice(integer("n", n, 1)))


def _averaged(found: list[SuspiciousRows]) -> SuspiciousRows:
    """What several models say of the same rows."""
    every = SuspiciousRows(*(np.concatenate(column) for column in zip(*found)))
    row, first, of = np.unique(every.row, return_index=True, return_inverse=True)
    label, times = every.label[first], np.bincount(of)
    if (every.label != label[of]).any():
        wrong = row[of[(every.label != label[of]).argmax()]]
        raise ArgumentError(f"others has another label for row {wrong}; allowed: models of the same rows and labels")
    losses = np.bincount(of, -np.log(np.maximum(every.proba, np.finfo(float).tiny))) / times
    votes = np.bincount(of, every.suspected) / times
    by_other = np.argsort(every.other_proba, kind="stable")
    most_likely = np.empty(len(row), np.intp)
    most_likely[of[by_other]] = by_other  # the last one counts
    merged = SuspiciousRows(row, label, np.exp(-losses), every.other[most_likely], every.other_proba[most_likely], votes > 0.5)
    return merged._taken(np.argsort(-losses, kind="stable"))
