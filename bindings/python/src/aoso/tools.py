"""Callbacks for mlflow and Optuna, for :func:`aoso.train` and ``AOSOClassifier.fit``. Each needs its package."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .callback import Callback, Progress
from .errors import ArgumentError
from .training import automatic

if TYPE_CHECKING:
    from .booster import Booster

__all__ = ["mlflow_autolog", "mlflow_tracking", "optuna_pruning"]


def mlflow_tracking(every: int = 1) -> Callback:
    """Record parameters and metrics in the active run of mlflow, or in a new one.

    Metrics have names such as ``valid_0-logloss``, and the iteration as their step. Those of the hold-out phase are
    ``holdout-logloss`` and ``holdout-error``. The parameters, which come last, are those that the model was trained with.

    Parameters
    ----------
    every : int, default 1
        Iterations between two records.

    Returns
    -------
    callable
    """
    if not isinstance(every, int) or every < 1:
        raise ArgumentError(f"every is {every!r}; allowed: an integer, at least 1")
    return _Tracking(every)


def mlflow_autolog(*, every: int = 1, log_models: bool = True, disable: bool = False) -> None:
    """Record every training from now on, of :func:`aoso.train` and ``AOSOClassifier.fit``, as ``mlflow.lightgbm.autolog`` does.

    A training records what :func:`mlflow_tracking` does, the importance of the features and the model, in the active run. If there
    is none, it has a run of its own. A second training in one run keeps the parameters of the first, and warns if its own differ.

    Parameters
    ----------
    every : int, default 1
        Iterations between two records.
    log_models : bool, default True
        Whether to log the model, an ``AOSOClassifier``, in the flavour of scikit-learn. Needs scikit-learn.
    disable : bool, default False
        Record trainings no more.
    """
    mlflow_tracking(every)  # checks the argument, and that mlflow is there

    @contextlib.contextmanager
    def recorder() -> Iterator[_Tracking]:
        import mlflow

        with contextlib.nullcontext() if mlflow.active_run() else mlflow.start_run():
            yield _Autolog(every, log_models)

    automatic.clear()
    if not disable:
        automatic.append(recorder)


class _Tracking:
    def __init__(self, every: int) -> None:
        import mlflow

        self._mlflow, self._every = mlflow, every

    def __call__(self, progress: Progress) -> None:
        if progress.first_rank and progress.metrics and progress.iteration % self._every == 0:
            metrics = {
                f"{name}-{metric}".replace("@", "_at_"): float(value)
                for name, of in progress.metrics.items()
                for metric, value in of.items()
            }
            self._mlflow.log_metrics(metrics, step=progress.iteration)

    def finish(self, booster: Booster) -> None:
        if booster.result is not None:
            self._mlflow.log_metric("best_iteration", booster.result.best_iteration)
        self._mlflow.log_params(booster.params)


class _Autolog(_Tracking):
    def __init__(self, every: int, log_models: bool) -> None:
        super().__init__(every)
        self._log_models = log_models

    def finish(self, booster: Booster) -> None:
        try:
            super().finish(booster)
        except self._mlflow.MlflowException as e:
            warnings.warn(f"mlflow did not record the parameters: {e}", stacklevel=4)
        gains = booster.importance().tolist()
        self._mlflow.log_dict(dict(zip(booster.feature_names, gains)), "feature_importance_gain.json")
        if self._log_models:
            import sklearn

            from . import __version__
            from .sklearn import AOSOClassifier

            requirements = [f"aoso=={__version__}", f"scikit-learn=={sklearn.__version__}", "cloudpickle"]
            self._mlflow.sklearn.log_model(
                AOSOClassifier.from_booster(booster),
                name="model",
                serialization_format="cloudpickle",
                pip_requirements=requirements,
            )


def optuna_pruning(trial: Any, metric: str = "logloss", valid_name: str | None = None, every: int = 1) -> Callback:
    """Report a metric to a trial of Optuna after each iteration, and end training if Optuna prunes the trial.

    Parameters
    ----------
    trial : optuna.trial.Trial
    metric : str, default "logloss"
        A metric of the set. The direction of the study must suit it: "minimize" for the log loss.
    valid_name : str, optional
        The set that is evaluated, such as "valid_0". By default the last one, or the rows held out if there is none.
    every : int, default 1
        Iterations between two reports.

    Returns
    -------
    callable
        It raises ``optuna.TrialPruned``.
    """
    import optuna

    def report(progress: Progress) -> None:
        sets = [name for name in progress.metrics if name != "train"]
        if not sets or progress.iteration % every != 0:
            return
        name = sets[-1] if valid_name is None else valid_name
        if metric not in progress.metrics.get(name, {}):
            if progress.phase == "holdout" and valid_name is not None:
                return
            known = sorted(f"{metric} of {name}" for name in sets for metric in progress.metrics[name])
            raise ArgumentError(f"metric is {metric!r} of {name!r}; allowed: {', '.join(known)}")
        trial.report(float(progress.metrics[name][metric]), step=progress.iteration)
        if trial.should_prune():
            raise optuna.TrialPruned(f"trial {trial.number} was pruned at iteration {progress.iteration}")

    return report
