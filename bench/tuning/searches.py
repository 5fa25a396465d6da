"""The searches that are compared: each has so many seconds on one thread, for trials and for the last training on all rows.

Each returns a function that predicts probabilities, and the number of trials.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from bench import results, sets

Search = tuple[Callable[[np.ndarray], np.ndarray], int]


def aoso(x: np.ndarray, y: np.ndarray, seconds: float) -> Search:
    """``aoso.tune`` with its defaults."""
    import aoso as library

    tuning = library.tune({"time_limit": seconds, "nthread": 1}, library.Dataset(x, y, nthread=1))
    return tuning.booster.predict_proba, int(max(tuning.trials["trial"], default=0))


def flaml(x: np.ndarray, y: np.ndarray, seconds: float) -> Search:
    """FLAML with its learners for LightGBM and XGBoost, its defaults otherwise."""
    from flaml import AutoML

    search = AutoML()
    search.fit(
        x, y, task="classification", metric="log_loss", estimator_list=["lgbm", "xgboost"],
        time_budget=seconds, n_jobs=1, seed=0, verbose=0,
    )  # fmt: skip
    return search.predict_proba, len(search.config_history)


def optuna(x: np.ndarray, y: np.ndarray, seconds: float) -> Search:
    """Optuna's TPE over LightGBM's parameters: a fifth of the rows is held out, training stops early by their log loss, and the
    best parameters are trained on all rows."""
    import lightgbm
    import optuna as library
    from sklearn.model_selection import train_test_split

    start = time.perf_counter()
    library.logging.set_verbosity(library.logging.ERROR)
    x_train, x_held, y_train, y_held = train_test_split(x, y, test_size=0.2, random_state=0, stratify=_splittable(y))
    classes = int(y.max()) + 1
    fixed = {"objective": "multiclass", "num_class": classes, "num_threads": 1, "verbosity": -1, "seed": 0, "metric": "multi_logloss"}
    best: dict[str, Any] = {"loss": np.inf, "params": fixed, "trees": 1, "seconds": 0.0}

    def left(needed: float) -> float:
        return seconds - (time.perf_counter() - start) - needed

    def objective(trial: library.Trial) -> float:
        params = fixed | drawn(trial)
        began = time.perf_counter()

        def in_time(env: Any) -> None:
            loss = env.evaluation_result_list[0][2]
            spent = time.perf_counter() - began
            if loss < best["loss"]:
                best.update(loss=loss, params=params, trees=env.iteration + 1, seconds=spent)
            if left(1.4 * best["seconds"]) <= 0:
                raise lightgbm.callback.EarlyStopException(env.iteration, env.evaluation_result_list)

        stop = lightgbm.early_stopping(50, verbose=False)
        data = lightgbm.Dataset(x_train, y_train)
        model = lightgbm.train(params, data, 5000, valid_sets=[data.create_valid(x_held, y_held)], callbacks=[in_time, stop])
        return float(model.best_score["valid_0"]["multi_logloss"])

    study = library.create_study(sampler=library.samplers.TPESampler(seed=0))
    study.enqueue_trial(DEFAULTS)
    while left(1.4 * best["seconds"]) > 0:
        study.optimize(objective, n_trials=1, catch=(lightgbm.basic.LightGBMError,))
    model = lightgbm.train(best["params"], lightgbm.Dataset(x, y), best["trees"])
    return model.predict, len(study.trials)


# LightGBM's defaults, which Optuna tries first.
DEFAULTS = {
    "learning_rate": 0.1, "num_leaves": 31, "min_child_samples": 20, "feature_fraction": 1.0, "bagging_fraction": 1.0,
    "lambda_l1": 1e-8, "lambda_l2": 1e-8,
}  # fmt: skip


def drawn(trial: Any) -> dict[str, Any]:
    """The ranges of Optuna's own integration with LightGBM, and the learning rate."""
    return {
        "learning_rate": trial.suggest_float("learning_rate", 0.01, 0.3, log=True),
        "num_leaves": trial.suggest_int("num_leaves", 4, 256, log=True),
        "min_child_samples": trial.suggest_int("min_child_samples", 1, 100, log=True),
        "feature_fraction": trial.suggest_float("feature_fraction", 0.4, 1.0),
        "bagging_fraction": trial.suggest_float("bagging_fraction", 0.4, 1.0),
        "bagging_freq": 1,
        "lambda_l1": trial.suggest_float("lambda_l1", 1e-8, 10.0, log=True),
        "lambda_l2": trial.suggest_float("lambda_l2", 1e-8, 10.0, log=True),
    }


def _splittable(y: np.ndarray) -> np.ndarray | None:
    """The labels, unless a class has a single row."""
    return y if np.bincount(y)[np.unique(y)].min() > 1 else None


def versions(name: str) -> str:
    packages = {"flaml": ("flaml", "lightgbm", "xgboost"), "optuna": ("optuna", "lightgbm")}
    if name == "aoso":
        from bench.peers.systems.aoso import Aoso

        return Aoso.version
    found = []
    for package in packages[name]:
        for distribution in (package, f"{package}-cpu"):
            try:
                found.append(f"{package} {version(distribution)}")
                break
            except ModuleNotFoundError:
                continue
    return ", ".join(found)


SEARCHES = {"aoso": aoso, "flaml": flaml, "optuna": optuna}


def measure(job: dict[str, Any]) -> dict[str, Any]:
    """The test errors and losses of one search, and its trials and times."""
    warnings.simplefilter("ignore")
    data = sets.load(job["set"])
    version = versions(job["search"])
    load, cpu, wall = os.getloadavg()[0], time.process_time(), time.perf_counter()
    proba, trials = SEARCHES[job["search"]](data.x, data.y, job["seconds"])
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return {
        "shape": results.shape(data),
        "version": version,
        "seconds": job["seconds"],
        "trials": trials,
        "cpu": round(cpu, 2),
        "wall": round(wall, 2),
        "load": round(load, 2),
        **evaluate(np.asarray(proba(data.x_test), np.float64), data.y_test),
    }


def evaluate(p: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """Errors, mean log loss, and the refined log loss: with the temperature that suits these rows best. Probabilities are at least
    1e-15."""
    log_p = np.log(np.maximum(p, 1e-15))
    rows = np.arange(len(y))

    def loss(log_factor: float) -> float:
        return -float(log_softmax(np.exp(log_factor) * log_p, axis=1)[rows, y].mean())

    best = minimize_scalar(loss, bounds=(-4, 4), method="bounded", options={"xatol": 1e-4})
    return {
        "errors": int((p.argmax(axis=1) != y).sum()),
        "logloss": round(loss(0), 6),
        "refined": round(min(float(best.fun), loss(0)), 6),
    }
