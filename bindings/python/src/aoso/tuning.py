"""The search for the parameters that suit the data."""

from __future__ import annotations

import csv
import io
import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from . import _capi, _tuner
from ._capi import Array
from ._progress import Search
from ._split import split
from .booster import Booster
from .callback import call_all, callables
from .dataset import Dataset
from .errors import ArgumentError, FileError
from .training import _check_sets, _parameters

__all__ = ["Search", "Tuning", "tune"]

_INTEGERS = ("trial", "rung", "trained", "best_iteration", "iterations", "errors")


class Tuning(NamedTuple):
    """The outcome of a search.

    Attributes
    ----------
    booster : Booster
        The model with the best parameters, trained on all rows. If ``booster.result.phase`` is "search", the search was ended
        before that, and the model has not seen the rows held out.
    params : dict
        The parameters found. :func:`aoso.train` with them trains such a model, without a search.
    trials : dict
        The trials table by column, for ``pandas.DataFrame``: "trial" from 1, "rung" of successive halving from 1, "trained"
        (iterations so far), "best_iteration" (the one of the least refined loss), "iterations" of the model that the parameters
        would lead to, "refined_loss" (the least so far), then after "iterations": "log_loss" without a temperature, "errors",
        and the "temperature" that suits the rows held out; "seconds" of training, and "params" as text.
    """

    booster: Booster
    params: dict[str, Any]
    trials: dict[str, Array]


def tune(
    params: Mapping[str, Any] | None,
    train_set: Dataset,
    *,
    valid: Dataset | None = None,
    groups: Any = None,
    times: Any = None,
    trials: int | None = None,
    table: str | os.PathLike[str] | None = None,
    callbacks: Iterable[Callable[[Search], Any]] | None = None,
) -> Tuning:
    """Search for the parameters that suit the data, and train a model with them.

    The search tries parameters by successive halving: several train for a while, the best of them train on. It begins with
    those that :func:`aoso.train` tries, and draws others near the best so far. Rows that are held out judge them by the refined
    loss: the log loss with the temperature that suits these rows best. Parameters that are given stay as they are.

    The search ends after ``trials`` trials, or when the parameter ``time_limit`` leaves just enough time to train the model
    itself, on all rows. With ``trials`` and without ``time_limit``, equal data, parameters and seed give the same model with any
    number of threads. Ctrl-C ends the search with a warning, and gives the best model so far.

    Parameters
    ----------
    params : dict or None
        As for :func:`aoso.train`. Among them is ``time_limit``, in seconds.
    train_set : Dataset
        The data. A dataset that continues a model needs a validation set.
    valid : Dataset, optional
        A validation set, from :meth:`Dataset.aligned` of the training set. It takes the place of the rows held out.
    groups, times : array of shape (n_rows,), optional
        As for :func:`aoso.train`.
    trials : int, optional
        The most parameters to try. By default as many as ``time_limit`` allows, or 50 without one.
    table : path, optional
        A CSV file for the trials table, written as the search goes on. If it has the trials of an earlier search, this one goes
        on from there; the data, the seed and the parameters given must be the same.
    callbacks : iterable of callables, optional
        Each is called with a :class:`Search` after every iteration. The search ends if one returns a true value.

    Returns
    -------
    Tuning

    Raises
    ------
    ArgumentError
        If a parameter is unknown or its value is not allowed, or if the table is that of another search.

    References
    ----------
    K. Jamieson and A. Talwalkar, Non-stochastic best arm identification and hyperparameter optimization, 2016.

    Examples
    --------
    >>> import aoso, numpy as np
    >>> x = np.arange(60.0).reshape(-1, 1) % 6
    >>> tuning = aoso.tune({"max_leaves": 3, "nthread": 1}, aoso.Dataset(x, x[:, 0] // 2), trials=2)
    >>> tuning.params["max_leaves"], int(max(tuning.trials["trial"]))
    (3, 2)
    """
    _check_sets(train_set, valid)
    callbacks = callables(callbacks)
    limit = 0 if trials is None else _capi.integer("trials", trials, 1)
    params = _parameters(params, train_set)
    if "class_weight" in params:
        raise ArgumentError("class_weight is given; write Dataset(x, y, class_weight=...)")
    checked = _capi.Params(params)
    judge = None if valid is None else valid._aligned_with(train_set, "valid")._handle
    tuner = _tuner.create(train_set._handle, checked, judge, limit, table, split(groups, times, train_set.num_rows))
    try:
        _run(tuner, callbacks)
    except KeyboardInterrupt:
        warnings.warn("the search was interrupted: the model is the best so far", stacklevel=2)
    handle, result = _tuner.model(tuner)
    return Tuning(Booster(handle, train_set.classes, result), _tuner.found(tuner), _columns(_tuner.trials(tuner)))


def _run(tuner: _capi.Handle, callbacks: list[Callable[[Search], Any]]) -> None:
    stop = False
    while not stop:
        try:
            step = _tuner.step(tuner)
        except FileError as e:
            warnings.warn(f"the trials table is not complete: {e}", stacklevel=3)
            continue
        stop = bool(step.stopped_by)
        stop = call_all(callbacks, step) or stop


def _columns(text: str) -> dict[str, Array]:
    """A trials table in CSV, by column."""
    names, *lines = csv.reader(io.StringIO(text))
    columns = dict(zip(names, zip(*lines))) if lines else {name: () for name in names}
    types = {name: np.int64 if name in _INTEGERS else np.float64 for name in names}
    return {name: np.array(cells, object if name == "params" else types[name]) for name, cells in columns.items()}
