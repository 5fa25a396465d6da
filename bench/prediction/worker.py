"""Measures all systems on a set."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import aoso
import numpy as np

from bench import results, sets
from bench.peers import systems
from bench.peers.clock import Clock
from bench.peers.worker import evaluate, stages
from bench.prediction import models, plan

SINGLE_ROWS = 500


class Trained:
    """A trained system and its test errors after some numbers of iterations."""

    def __init__(self, name: str, data: sets.Set, job: plan.Job) -> None:
        self.name, self.system = name, systems.make(name)
        clock = Clock(job.budget)
        params = {"preset": job.preset} if name == "aoso" else {}
        self.system.train(data.x, data.y, params, job.iterations, 1, clock)
        self.iterations = len(clock.cpu)
        self.stages = stages(self.iterations)
        self.errors = evaluate(self.system, data, self.stages)["errors"]

    @property
    def trees_per_iteration(self) -> int:
        return self.system.trees() // self.iterations

    def until(self, errors: int) -> int:
        """The number of iterations after which there are at most that many test errors."""
        return next(stage for stage, reached in zip(self.stages, self.errors) if reached <= errors)


def measure(content: dict[str, Any]) -> dict[str, Any]:
    job = plan.Job(**content)
    data = sets.load(job.set)
    ours, *peers = (Trained(name, data, job) for name in job.systems)
    found = {peer.name: against(peer, ours, data, job) for peer in peers}
    found[ours.name] = {
        "version": ours.system.version,
        "errors": ours.errors[-1],
        "trees": ours.system.trees(),
        "walked": walked(ours.system.model, data.x_test),
    }
    return {"shape": results.shape(data), "runs": found}


def against(peer: Trained, ours: Trained, data: sets.Set, job: plan.Job) -> dict[str, Any]:
    """Compares both models at a number of test errors that both reach, and at the same number of trees."""
    errors = max(min(peer.errors), min(ours.errors))
    trees = min(peer.system.trees(), ours.system.trees())
    alike = {
        "equal_errors": [(one, one.until(errors)) for one in (ours, peer)],
        "equal_trees": [(one, max(trees // one.trees_per_iteration, 1)) for one in (ours, peer)],
    }
    run: dict[str, Any] = {"version": peer.system.version, "errors": errors}
    for what, pair in alike.items():
        cut = [models.cut(one.name, one.system, iterations) for one, iterations in pair]
        used = [use(model, data.x_test, job) if what == "equal_errors" else {} for model in cut]
        rounds = [[model_round(model, data.x_test, job) for model in cut] for _ in range(job.rounds)]
        for i, (one, iterations) in enumerate(pair):
            used[i] |= {name: statistics.median(r[i][name] for r in rounds) for name in rounds[0][i]}
            used[i]["trees"] = iterations * one.trees_per_iteration
        run[what] = {"ours": used[0], "theirs": used[1]}
    return run


def model_round(model: models.Model, x: np.ndarray, job: plan.Job) -> dict[str, float]:
    """Microseconds per row to predict probabilities, in a batch and row by row."""
    many = np.ascontiguousarray(x[: job.rows])
    rows = list(x[:SINGLE_ROWS].astype(np.float64))
    predict = model.row()

    def singly() -> None:
        for row in rows:
            predict(row)

    return {
        "batch": repeated(lambda: model.batch(many), job.seconds) / len(many),
        "row": repeated(singly, job.seconds) / len(rows),
    }


def use(model: models.Model, x: np.ndarray, job: plan.Job) -> dict[str, Any]:
    """Model size, and the measurements that take long enough to be done once."""
    some = np.ascontiguousarray(x[: job.explained])
    used: dict[str, Any] = {"bytes": model.size, "load": repeated(model.load, job.seconds)}
    try:
        used["explain"] = repeated(lambda: model.explain(some), 0) / len(some)
    except Exception as e:
        used["unexplained"] = str(e).strip().splitlines()[0]
    return used


def repeated(call: Callable[[], Any], seconds: float) -> float:
    """The median CPU microseconds of a call. Calls are repeated for the given number of CPU seconds, at least once."""
    times: list[float] = []
    while not times or sum(times) < seconds:
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return 1e6 * statistics.median(times)


def walked(booster: aoso.Booster, x: np.ndarray) -> float:
    """The share of its trees that our model needs to determine the classes of the rows."""
    predictor = booster.row_predictor()
    for row in x.astype(np.float64):
        predictor.predict(row)
    return round(predictor.walked, 4)
