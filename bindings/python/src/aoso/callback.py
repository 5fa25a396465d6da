"""Callbacks for training: early stopping, recording and logging of metrics, checkpoints, a progress bar.

A callback is any callable that takes a :class:`aoso.Progress`. Training ends when it returns a true value. If
it has a method ``finish``, training calls it with the trained model. Those of this module can be pickled; ``functools.partial`` or
a class makes others that can, where a function in a function cannot.
"""

from __future__ import annotations

import functools
import logging
import os
import time
import warnings
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from . import _capi
from ._others import OURS
from ._progress import Step
from ._scalars import shown
from .booster import Booster
from .errors import ArgumentError, FileError

__all__ = ["checkpoint", "early_stopping", "log_evaluation", "progress", "record_evaluation", "reset_parameter"]

_log = logging.getLogger("aoso")


class Progress:
    """The state of training after an iteration, for callbacks.

    Attributes
    ----------
    phase : {"holdout", "train"}
        "holdout" comes first, if at all: it trains without some of the rows, to choose parameters and to calibrate the model.
        "train" trains the model itself.
    iteration : int
        From 1 in each phase.
    trees : int
        Trees in the model that is in training.
    max_trees : int
        The most trees that it can have.
    best_iteration : int
        With early stopping, the iteration of the best evaluation; 0: none.
    seconds : float
        Since training began.
    metrics : dict
        A number by set and metric ("logloss", "error"); empty if this iteration was not evaluated. The sets are "holdout",
        the rows held out, in the hold-out phase, then "train", which has only "logloss", and "valid". All are of raw scores,
        without a temperature.
    first_rank : bool
        Whether this is rank 0 of a collective, or the only machine.
    set_learning_rate : callable
        ``set_learning_rate(0.05)`` changes the parameter ``learning_rate`` from the next iteration on.
    evaluation_result_list : list of tuple
        The metrics as LightGBM lists them: set, metric, value, and whether higher is better.
    """

    def __init__(
        self,
        step: Step,
        metrics: dict[str, dict[str, float]],
        booster: Callable[[], Booster],
        local_booster: Callable[[], Booster],
        first: bool,
        set_learning_rate: Callable[[float], None],
    ) -> None:
        self.phase = step.phase
        self.iteration = step.iteration
        self.trees = step.trees
        self.max_trees = step.max_trees
        self.best_iteration = step.best
        self.seconds = step.seconds
        self.metrics = metrics
        self._booster, self._local_booster = booster, local_booster
        self.first_rank = first
        self.set_learning_rate = set_learning_rate

    @property
    def evaluation_result_list(self) -> list[tuple[str, str, float, bool]]:
        """The metrics as LightGBM lists them."""
        rising = _capi.metrics()
        return [(name, metric, value, rising.get(metric, False)) for name, of in self.metrics.items() for metric, value in of.items()]

    def booster(self) -> Booster:
        """The model so far. In the hold-out phase, it has not seen the rows held out. With a collective, all ranks ask for it."""
        return self._booster()

    def local_booster(self) -> Booster:
        """The model so far without a look at the rows: a rank can ask for it by itself.

        It has no :class:`Result`, and its temperature is that of the last evaluation that training made for itself.
        """
        return self._local_booster()


Callback = Callable[[Progress], Any]
_Callback = TypeVar("_Callback")
_State = TypeVar("_State")


def call_all(callbacks: Iterable[Callable[[_State], Any]], state: _State) -> bool:
    """Call all callbacks. Return whether one of them ends training."""
    stop = False
    for j, callback in enumerate(callbacks):
        answer = callback(state)
        try:
            stop = bool(answer) or stop
        except (TypeError, ValueError) as e:
            raise ArgumentError(f"callbacks[{j}] has returned {shown(answer)}; allowed: True to end training, or None") from e
    return stop


def callables(callbacks: Iterable[_Callback] | None) -> list[_Callback]:
    """The callbacks as a list, or an ArgumentError that names the first that cannot be called."""
    callbacks = list(callbacks or ())
    for j, callback in enumerate(callbacks):
        if not callable(callback):
            raise ArgumentError(f"callbacks[{j}] is a {type(callback).__name__}; allowed: a callable")
    return callbacks


class EarlyStopping:
    """Sets parameters of early stopping; the library itself does the work."""

    def __init__(self, params: dict[str, Any], verbose: bool) -> None:
        self.params, self._verbose = params, verbose

    def __call__(self, progress: Progress) -> None:
        pass

    def finish(self, booster: Booster) -> None:
        """Report the best iteration of ``booster``."""
        result = booster.result
        if self._verbose and result is not None and result.stopped_by == "early_stopping":
            _report(f"early stopping: the best iteration is {result.best_iteration} of {result.iterations}")


def early_stopping(
    stopping_rounds: int, first_metric_only: bool = False, verbose: bool = True, min_delta: float = 0.0, *, metric: str | None = None
) -> EarlyStopping:
    """End training when the metric on the validation set stops improving; the model ends with the best iteration.

    Parameters
    ----------
    stopping_rounds : int
        Iterations without a better value after which training ends.
    first_metric_only : bool
        Has no effect: early stopping watches one metric.
    verbose : bool, default True
        Report the best iteration at the end: see :func:`log_evaluation`.
    min_delta : float, default 0
        A value is better only if it has improved by more than this.
    metric : str, optional
        By default, the parameter ``metric``.
    """
    params: dict[str, Any] = {"early_stopping_rounds": _capi.integer("stopping_rounds", stopping_rounds, 1)}
    if metric is not None:
        params["metric"] = metric
    if min_delta:
        params["min_delta"] = min_delta
    return EarlyStopping(params, verbose)


def log_evaluation(period: int = 1, show_stdv: bool = True) -> Callback:
    """Report the metrics at intervals.

    Reports go to the logger ``aoso`` at level INFO if it is enabled, else they are printed.

    Parameters
    ----------
    period : int, default 1
        Iterations between two reports; 0: none.
    show_stdv : bool
        Has no effect.
    """
    return _Log(_capi.integer("period", period, 0))


class _Log:
    def __init__(self, period: int) -> None:
        self._period = period

    def __call__(self, progress: Progress) -> None:
        if self._period and progress.metrics and (progress.iteration == 1 or progress.iteration % self._period == 0):
            values = (f"{name} {metric}: {value:.6g}" for name, metric, value, _ in progress.evaluation_result_list)
            phase = "hold-out, " if progress.phase == "holdout" else ""
            _report(f"[{phase}{progress.iteration}] " + ", ".join(values))


def reset_parameter(**schedules: Any) -> Callback:
    """Change the learning rate during training.

    Parameters
    ----------
    **schedules
        ``learning_rate`` or ``eta``, as a list with a value for each iteration, or a function of the iteration,
        which counts from 0. Only phase "train" is changed; set ``learning_rate`` to the first value.
    """
    (name, schedule), *others = schedules.items() or (("", None),)
    if others or OURS.get(name) != "learning_rate":
        raise ArgumentError(f"reset_parameter has {', '.join(schedules) or 'nothing'}; allowed: learning_rate or eta")
    return _Reset(schedule if callable(schedule) else dict(enumerate(schedule or ())).get)


class _Reset:
    def __init__(self, schedule: Callable[[int], float | None]) -> None:
        self._schedule = schedule

    def __call__(self, progress: Progress) -> None:
        rate = self._schedule(progress.iteration)
        if progress.phase == "train" and rate is not None:
            progress.set_learning_rate(rate)


def _report(line: str) -> None:
    if _log.isEnabledFor(logging.INFO):
        _log.info(line)
    else:
        print(line, flush=True)


def record_evaluation(into: dict[str, dict[str, list[float]]]) -> Callback:
    """Record the metrics of every evaluation.

    Parameters
    ----------
    into : dict
        It is emptied, then filled by set and metric with lists that have one number per evaluation: "holdout" in the hold-out
        phase, if there is one, "train" and "valid" after it.

    Examples
    --------
    >>> import aoso
    >>> history = {}
    >>> train_set = aoso.Dataset([[0], [1], [2], [3]], ["a", "a", "b", "b"])
    >>> params = {"n_estimators": 3, "learning_rate": 0.1}
    >>> booster = aoso.train(params, train_set, callbacks=[aoso.record_evaluation(history)])
    >>> [round(loss, 2) for loss in history["train"]["logloss"]]
    [0.6, 0.52, 0.46]
    """
    into.clear()
    return _Record(into)


class _Record:
    def __init__(self, into: dict[str, dict[str, list[float]]]) -> None:
        self._into = into

    def __call__(self, progress: Progress) -> None:
        for name, metrics in progress.metrics.items():
            for metric, value in metrics.items():
                self._into.setdefault(name, {}).setdefault(metric, []).append(value)


def checkpoint(path: str | os.PathLike[str], every: int = 100, seconds: float | None = None) -> Callback:
    """Save the model at intervals during training, and at the end. Models of the hold-out phase are not saved on the way.

    If it cannot be saved, a warning says so, and training goes on. With a collective, rank 0 alone saves it. To go on with a training that was interrupted, use the argument ``checkpoint``
    of :func:`aoso.train`, whose file is not a model.

    Parameters
    ----------
    path : path
        The file; ``{iteration}`` in it stands for the iteration. The file is always replaced completely: after a crash or
        Ctrl-C it has the last saved model.
    every : int, default 100
        Iterations between two saves.
    seconds : float, optional
        The model is saved as well when so much time has gone by since the last save.
    """
    return _Checkpoint(os.fspath(path), _capi.integer("every", every, 1), None if seconds is None else _capi.seconds("seconds", seconds))


class _Checkpoint:
    def __init__(self, path: str, every: int, seconds: float | None) -> None:
        self._path, self._every, self._seconds, self._last = path, every, seconds, 0
        self._saved, self._saves = time.monotonic(), True

    def __call__(self, progress: Progress) -> None:
        self._last, self._saves = progress.iteration, progress.first_rank
        due = self._seconds is not None and time.monotonic() - self._saved >= self._seconds
        if self._saves and progress.phase == "train" and (due or progress.iteration % self._every == 0):
            self._save(progress.local_booster())
            self._saved = time.monotonic()

    def finish(self, booster: Booster) -> None:
        if self._saves:
            self._save(booster)

    def _save(self, booster: Booster) -> None:
        try:
            booster.save(self._path.replace("{iteration}", str(self._last)))
        except FileError as e:
            warnings.warn(f"the model so far is not saved: {e}", stacklevel=4)


def progress(**options: Any) -> Callback:
    """Show a progress bar with the metrics: one for each phase of training. Needs the package tqdm.

    Parameters
    ----------
    **options
        Passed to tqdm.
    """
    return _Bar(options)


class _Bar:
    def __init__(self, options: dict[str, Any]) -> None:
        from tqdm.auto import tqdm

        self._tqdm, self._options = tqdm, options
        self._bar: Any = None
        self._phase = ""

    def __call__(self, progress: Progress) -> None:
        if progress.phase != self._phase:
            self._begin(progress)
        metrics = {f"{name} {metric}": value for name, of in progress.metrics.items() for metric, value in of.items()}
        if metrics:
            self._bar.set_postfix(metrics, refresh=False)
        done = progress.iteration if progress.phase == "holdout" else progress.trees
        self._bar.update(done - self._bar.n)

    def _begin(self, progress: Progress) -> None:
        self._close()
        self._phase = progress.phase
        if progress.phase == "holdout":  # it may try several settings, each of which begins without trees
            shown: dict[str, Any] = {"desc": "hold-out"}
        else:
            shown = {"desc": "training", "unit": "tree", "total": progress.max_trees}
        self._bar = self._tqdm(**{**shown, **self._options})

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()

    def finish(self, booster: Booster) -> None:
        self._close()
        self._bar, self._phase = None, ""
