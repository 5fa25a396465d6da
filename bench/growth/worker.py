"""Grows some trees: ``python -m bench.growth.worker JOB`` prints their times as JSON."""

from __future__ import annotations

import json
import math
import os
import sys
from typing import Any

import aoso
import numpy as np

from bench import sets
from bench.growth import plan
from bench.peers.clock import Clock
from bench.peers.plan import PAPER, PRESET
from bench.peers.systems.aoso import Aoso


def measure(job: plan.Job) -> dict[str, Any]:
    data = sets.load(job.set) if job.set else sets.noisy(job.rows, job.classes, job.features, test_rows=1)
    params = PRESET if job.setting == PAPER else Aoso().suggested(data)
    load, building, clock = os.getloadavg()[0], Clock(math.inf), Clock(math.inf)
    building.start()
    train_set = aoso.Dataset(data.x, data.y, threads=job.threads)
    building.tick()
    clock.start()
    aoso.train(
        params | {"trees": plan.WARM_UP + job.trees, "threads": job.threads},
        train_set,
        eval_every=2**31 - 1,
        callbacks=[lambda progress: clock.tick()],
    )
    return {
        "version": Aoso.version,
        "params": params,
        "load": round(load, 2),
        "dataset": round(building.cpu[0], 4),
        "cpu": of_trees(clock.cpu),
        "wall": of_trees(clock.wall),
    }


def of_trees(ends: list[float]) -> list[float]:
    return [round(float(seconds), 5) for seconds in np.diff(ends)[plan.WARM_UP - 1 :]]


if __name__ == "__main__":
    print(json.dumps(measure(plan.Job(**json.loads(sys.argv[1])))))
