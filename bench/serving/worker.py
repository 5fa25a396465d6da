"""Measures all systems on a set."""

from __future__ import annotations

import importlib.metadata
import statistics
import time
from typing import Any

import aoso
import lightgbm
import numpy as np

from bench import results, sets
from bench.serving import systems

PACKAGES = {"aoso": "", "libaoso_predict": "", "onnx": "onnxruntime", "lightgbm": "lightgbm", "tl2cgen": "tl2cgen", "lleaves": "lleaves"}


def measure(job: dict[str, Any]) -> dict[str, Any]:
    """Serves models of aoso with these numbers of trees, and models of LightGBM that make as many test errors, if it has such."""
    data = sets.load(job["set"])
    trained = aoso.train({"preset": "paper", "n_estimators": max(job["trees"])}, aoso.Dataset(data.x, data.y))
    peer = lightgbm.train(
        {"objective": "multiclass", "num_class": data.classes, "verbosity": -1, "num_threads": 1, "seed": 1}, lightgbm.Dataset(data.x, data.y), job["rounds"]
    )
    runs = {}
    for trees in job["trees"]:
        ours = trained.truncated(trees)
        theirs = reaching(peer, errors(ours.predict_proba(data.x_test), data), data, job["rounds"])
        runs |= {f"{trees} {name}": run for name, run in serve(ours, theirs, data, job).items()}
    return {"shape": results.shape(data), "runs": runs}


def errors(proba: np.ndarray, data: sets.Set) -> int:
    return int((proba.argmax(axis=1) != data.y_test).sum())


def reaching(booster: lightgbm.Booster, most: int, data: sets.Set, rounds: int) -> lightgbm.Booster:
    """The model of the first iterations that make at most ``most`` errors, or at most a twentieth more than the fewest of any stage."""
    stages = sorted({min(rounds, int(1.2**i) + i) for i in range(40)})
    made = {stage: errors(booster.predict(data.x_test, num_iteration=stage), data) for stage in stages}
    enough = max(most, 1.05 * min(made.values()))
    return first(booster, next(stage for stage in stages if made[stage] <= enough))


def first(booster: lightgbm.Booster, iterations: int) -> lightgbm.Booster:
    return lightgbm.Booster(model_str=booster.model_to_string(num_iteration=iterations))


def serve(ours: aoso.Booster, theirs: lightgbm.Booster, data: sets.Set, job: dict[str, Any]) -> dict[str, Any]:
    """The median over rounds in which the systems take turns."""
    x = np.ascontiguousarray(data.x_test[: job["rows"]], np.float64)
    models: dict[str, systems.System] = {name: make(ours) for name, make in systems.OURS.items()}
    trees = dict.fromkeys(models, ours.num_trees)
    for name, make in systems.THEIRS.items():
        if name != "lightgbm" and not job["compiled"]:
            continue
        own = theirs if name == "lightgbm" else first(theirs, min(theirs.current_iteration(), max(1, job["compiled"] // data.classes)))
        models[name], trees[name] = make(own), own.num_trees()
    everything = np.ascontiguousarray(data.x_test, np.float64)
    found: dict[str, Any] = {}
    for name, model in models.items():
        found[name] = {"trees": trees[name], "errors": errors(model.batch(everything), data), "version": version(name)}
        assert np.allclose(model.one(x[:100])[1], model.batch(x[:100]), atol=1e-4), f"{name} predicts rows and batches differently"
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in models}
    for _ in range(job["repeats"]):
        for name, model in models.items():
            one, _ = model.one(x[: job["single"]])
            start = time.thread_time()
            model.batch(x)
            taken[name].append((one, 1e6 * (time.thread_time() - start) / len(x)))
    for name, pairs in taken.items():
        found[name] |= {"one": statistics.median(one for one, _ in pairs), "batch": statistics.median(batch for _, batch in pairs)}
    return found


def version(name: str) -> str:
    package = PACKAGES[name]
    return f"{package} {importlib.metadata.version(package)}" if package else f"aoso {aoso.__version__}"
