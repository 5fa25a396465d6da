"""The classes that a model finds hardest to tell apart."""

from __future__ import annotations

import ctypes as c
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _capi
from . import _structs as structs
from ._input import address as _address
from ._library import _call
from .errors import ArgumentError

__all__ = ["Confusion"]


class Confusion(NamedTuple):
    """Two classes that a model takes for one another.

    Attributes
    ----------
    first, second : label
        The classes, in the order of the model's classes.
    first_as_second, second_as_first : int
        The rows of one class that the model predicts to be of the other.
    first_rows, second_rows : int
        The rows of each class in all.
    """

    first: Any
    second: Any
    first_as_second: int
    second_as_first: int
    first_rows: int
    second_rows: int


class Confusing:
    """The method of :class:`aoso.Booster` that tells which classes it confuses."""

    classes: _capi.Array
    _handle: _capi.Handle

    if TYPE_CHECKING:

        def _read(self, x: Any, *, labelled: bool = False) -> _capi.Matrix: ...
        def _read_labels(self, y: Any, weight: Any, x: _capi.Matrix) -> tuple[_capi.Labels, _capi.Array | None]: ...

    def confusions(self, x: Any, y: Any, n: int = 10, *, nthread: int = 0) -> list[Confusion]:
        """The pairs of classes that are confused most often.

        It needs memory for the wrong rows. A confusion matrix needs it for all pairs of classes, which is too much for
        thousands of classes.

        Parameters
        ----------
        x : table of shape (n_rows, n_features)
        y : array of shape (n_rows,)
            Rows of labels that the model does not know do not count.
        n : int, default 10
            The most pairs to return, at least 1.
        nthread : int, default 0

        Returns
        -------
        list of Confusion
            Those with most rows first, by the sum of both directions. Equal ones have the order of the model's classes.

        Examples
        --------
        >>> import aoso, numpy as np
        >>> x = np.arange(300.0).reshape(-1, 1)
        >>> y = np.where(x[:, 0] < 100, "low", "high")
        >>> booster = aoso.train({"n_estimators": 10}, aoso.Dataset(x, y))
        >>> y[:3] = "high"
        >>> booster.confusions(x, y)
        [Confusion(first='high', second='low', first_as_second=3, second_as_first=0, first_rows=203, second_rows=97)]
        """
        matrix = self._read(x, labelled=True)
        labels, _ = self._read_labels(y, None, matrix)
        if not isinstance(n, (int, np.integer)) or n < 1:
            raise ArgumentError(f"n is {n!r}; allowed: at least 1")
        pairs, count = np.empty(min(n, matrix.shape[0] + 1), structs.CONFUSION), c.c_int64()
        options = _capi._predict_options(0, nthread)
        _call(
            "model_confusions", self._handle, matrix.struct, labels.struct, options, _address(pairs), len(pairs), c.byref(count)
        )
        return [
            Confusion(*self.classes[pair["classes"]].tolist(), *pair["mistaken"].tolist(), *pair["rows"].tolist())
            for pair in pairs[: count.value]
        ]
