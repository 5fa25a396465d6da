"""Measures one training run, and prints a line of JSON for each step.

A step is an iteration that is evaluated: the first, then those that end after at least 1.4 times the CPU time of the last
step, and the last.
"""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import log_softmax

from bench.many import data, systems
from bench.peers.clock import Clock

GROWTH = 1.4
TOP = 5


class Steps(Clock):
    """Calls ``look`` at each step, and ``begin`` where training begins again. What that takes does not count."""

    def __init__(self, budget: float, look: Callable[[int, float], None], begin: Callable[[], None]) -> None:
        super().__init__(budget)
        self._look, self._begin, self._next, self._seen = look, begin, 0.0, 0

    def start(self) -> None:
        super().start()
        print(json.dumps({"started": True}), flush=True)

    def tick(self) -> bool:
        ended = super().tick()
        if self.cpu[-1] >= self._next or ended:
            before = time.process_time()
            self.look()
            self._next = GROWTH * self.cpu[-1]
            self._cpu += time.process_time() - before
        return ended

    def forget(self) -> None:
        """Training begins again: it tries other settings, or trains on all rows. What it spent before counts."""
        super().forget()
        self._seen = 0
        self._begin()
        print(json.dumps({"forgotten": True}), flush=True)

    def look(self) -> None:
        """Looks at the last iteration, once."""
        if self._seen < len(self.cpu):
            self._seen = len(self.cpu)
            self._look(self._seen, self.cpu[-1])


def measure(job: dict[str, Any]) -> dict[str, str]:
    resource.setrlimit(resource.RLIMIT_DATA, (int(job["memory"]), int(job["memory"])))
    name = job["system"]
    x, y, x_test, y_test = data.load(job["data"], "words" if name in systems.OF_WORDS else "x")
    system = systems.make(name)
    live, steps = name in systems.LIVE, []

    def look(iteration: int, cpu: float) -> None:
        step = {"iteration": iteration, "cpu": cpu}
        if live:
            step |= evaluate(next(iter(system.staged(x_test, [iteration]))), y_test)
        else:
            steps.append(step)
        print(json.dumps(step), flush=True)

    clock = Steps(job["budget"], look, steps.clear)
    iterations = systems.UNBOUNDED if name in ("lightgbm", "xgboost", "xgboost-vector") else None
    system.train(x, y, systems.PARAMS[name], iterations, job["threads"], clock)
    clock.look()
    if not live:
        for step, scores in zip(steps, system.staged(x_test, [step["iteration"] for step in steps]), strict=True):
            print(json.dumps(step | evaluate(scores, y_test)), flush=True)
    return {"version": system.version}


def evaluate(scores: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """The shares of rows whose class is not the most likely, and not among the most likely five, and the mean log loss."""
    of_label = scores[np.arange(len(y)), y]
    above = (scores > of_label[:, None]).sum(axis=1)
    loss = -float(log_softmax(scores.astype(np.float64), axis=1)[np.arange(len(y)), y].mean())
    return {"error": float((above > 0).mean()), "top5": float((above >= TOP).mean()), "logloss": round(loss, 6)}
