"""Trains one library with its defaults on the folds of a table, and measures how well it does."""

from __future__ import annotations

import importlib.metadata
import resource
import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from bench import machine
from bench.tables import frames
from bench.tables.systems import SYSTEMS, System

MOST_SECONDS = 600  # of CPU time, for a fold


def measure(job: dict[str, Any]) -> dict[str, Any]:
    warnings.simplefilter("ignore")  # the last line of stderr says why a run failed
    table, y = frames.load(job["table"])
    system = SYSTEMS[job["system"]]
    names, x = frames.texts(table), system.prepare(table)
    folds = []
    for seed in job["seeds"] if len(y) < frames.FEW_ROWS else job["seeds"][:1]:
        for train, test in StratifiedKFold(frames.FOLDS, shuffle=True, random_state=seed).split(x, y):
            model = system.make(names)
            limit = int(time.process_time()) + MOST_SECONDS  # beyond it, the system ends the process
            resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
            folds.append(one_fold(system, model, x, y, train, test))
    return {
        "shape": {"rows": len(y), "features": x.shape[1], "categorical": len(names), "classes": int(y.max()) + 1},
        "version": version(system),
        "folds": folds,
    }


def one_fold(system: System, model: Any, x: pd.DataFrame, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> dict[str, Any]:
    x_train, x_test = x.iloc[train], x.iloc[test]
    machine.forget_peak()
    memory, start = machine.resident(), time.process_time()
    model.fit(x_train, y[train])
    fitted, peak = time.process_time(), machine.peak()
    proba = np.asarray(model.predict_proba(x_test), dtype=float)
    predicted = time.process_time()
    if proba.shape != (len(test), y.max() + 1):
        raise ValueError(f"probabilities of shape {proba.shape}")
    of_label = np.clip(proba[np.arange(len(test)), y[test]], 1e-15, 1)
    return {
        "logloss": round(float(-np.log(of_label).mean()), 9) + 0.0,  # not -0
        "errors": int((proba.argmax(axis=1) != y[test]).sum()),
        "test_rows": len(test),
        "seconds": round(fitted - start, 4),
        "predict_seconds": round(predicted - fitted, 5),
        "memory": peak - memory if peak and memory else None,
        "bytes": system.size(model),
    }


def version(system: System) -> str:
    if system.package != "aoso":
        return importlib.metadata.version(system.package)
    return machine.version()
