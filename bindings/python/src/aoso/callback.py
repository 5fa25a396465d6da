"""Callbacks for training: early stopping, recording of metrics, checkpoints, a progress bar.

A callback is any callable that takes a :class:`aoso.training.Progress`. Training ends when it returns a true value. If
it has a method ``finish``, training calls it with the trained model.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from . import _capi
from ._progress import Step
from .booster import Booster

__all__ = ["checkpoint", "early_stopping", "progress", "record_evaluation"]


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
    set_shrinkage : callable
        ``set_shrinkage(0.05)`` changes the parameter ``shrinkage`` from the next iteration on.
    """

    def __init__(
        self,
        step: Step,
        metrics: dict[str, dict[str, float]],
        booster: Callable[[], Booster],
        set_shrinkage: Callable[[float], None],
    ) -> None:
        self.phase = step.phase
        self.iteration = step.iteration
        self.trees = step.trees
        self.max_trees = step.max_trees
        self.best_iteration = step.best
        self.seconds = step.seconds
        self.metrics = metrics
        self._booster = booster
        self.set_shrinkage = set_shrinkage

    def booster(self) -> Booster:
        """The model so far. In the hold-out phase, it has not seen the rows held out."""
        return self._booster()


Callback = Callable[[Progress], Any]


class EarlyStopping:
    """Sets the parameters ``early_stopping`` and ``metric``; the library itself does the work."""

    def __init__(self, rounds: int, metric: str) -> None:
        self.params = {"early_stopping": rounds, "metric": metric}

    def __call__(self, progress: Progress) -> None:
        pass


def early_stopping(rounds: int, metric: str = "logloss") -> EarlyStopping:
    """End training when the metric on the validation set stops improving; the model ends with the best iteration.

    Parameters
    ----------
    rounds : int
        Iterations without a better value after which training ends.
    metric : {"logloss", "error"}
    """
    return EarlyStopping(_capi.integer("rounds", rounds, 1), metric)


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
    >>> params = {"trees": 3, "shrinkage": 0.1}
    >>> booster = aoso.train(params, train_set, callbacks=[aoso.record_evaluation(history)])
    >>> [round(loss, 2) for loss in history["train"]["logloss"]]
    [0.6, 0.52, 0.46]
    """
    into.clear()

    def record(progress: Progress) -> None:
        for name, metrics in progress.metrics.items():
            for metric, value in metrics.items():
                into.setdefault(name, {}).setdefault(metric, []).append(value)

    return record


def checkpoint(path: str | os.PathLike[str], every: int = 100) -> Callback:
    """Save the model at intervals during training, and at the end. Models of the hold-out phase are not saved on the way.

    Parameters
    ----------
    path : path
        The file; ``{iteration}`` in it stands for the iteration. The file is always replaced completely: after a crash or
        Ctrl-C it has the last saved model.
    every : int, default 100
        Iterations between two saves.
    """
    return _Checkpoint(os.fspath(path), _capi.integer("every", every, 1))


class _Checkpoint:
    def __init__(self, path: str, every: int) -> None:
        self._path, self._every, self._last = path, every, 0

    def __call__(self, progress: Progress) -> None:
        self._last = progress.iteration
        if progress.phase == "train" and progress.iteration % self._every == 0:
            self._save(progress.booster())

    def finish(self, booster: Booster) -> None:
        self._save(booster)

    def _save(self, booster: Booster) -> None:
        booster.save(self._path.replace("{iteration}", str(self._last)))


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
