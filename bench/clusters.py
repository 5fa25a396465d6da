"""``python -m bench.clusters`` trains on two workers of a Dask cluster: this library, LightGBM and XGBoost. It writes the table of
docs/distributed.md.

It measures the seconds of a training and the bytes that cross the loopback interface meanwhile, from /proc/net/dev: nothing else
should use it, as in a network namespace of its own (``unshare -n sh -c "ip link set lo up; python -m bench.clusters"``). The
data are with the workers before. Needs dask, distributed, lightgbm and xgboost. The systems have their defaults and as many
iterations, each on one thread a worker.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench import harness, readme, sets
from bench.results import Results, shape

SETS = ("letter", "covertype93k")
PAGE = sets.ROOT / "docs/distributed.md"
TITLES = {"aoso": "aoso.dask", "lightgbm": "LightGBM", "xgboost": "XGBoost"}
WORKERS = 2


class Clusters(harness.Benchmark):
    name, worker = "clusters", "bench.clusters"
    quick = "few iterations"

    def flags(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--trees", type=int, default=10, help="iterations")

    def jobs(self) -> Iterator[harness.Job]:
        trees = 3 if self.options.quick else self.options.trees
        for name in SETS:
            for system in TITLES:
                yield harness.Job(name, system, {"set": name, "system": system, "trees": trees}, name, system)

    def line(self, run: dict[str, Any]) -> str:
        return f"{run['errors']} errors, {run['seconds']:.1f} s, {run['bytes']:,} bytes"

    def report(self, folder: Path) -> None:
        """Bytes and errors. The seconds of a run on a shared machine say little."""
        stores = [Results(folder, self.name, name) for name in SETS]
        rows = [
            [store.set, TITLES[system], f"{run['bytes'] / 1e6:,.0f}", f"{run['errors']:,}"]
            for store in stores
            for system in TITLES
            if (run := store.runs.get(system))
        ]
        readme.fill({"clusters": readme.table(["set", "library", "MB over the loopback interface", "test errors"], rows, left=2)}, folder, PAGE)


def aoso(client: Any, x: Any, y: Any, trees: int) -> Callable[[Any], Any]:
    import aoso.dask

    return aoso.dask.train(client, {"n_estimators": trees, "calibration": "none", "nthread": 1}, x, y).predict


def lightgbm(client: Any, x: Any, y: Any, trees: int) -> Callable[[Any], Any]:
    import lightgbm

    model = lightgbm.DaskLGBMClassifier(client=client, n_estimators=trees, n_jobs=1, tree_learner="data", verbose=-1)
    return model.fit(x, y).to_local().predict


def xgboost(client: Any, x: Any, y: Any, trees: int) -> Callable[[Any], Any]:
    import xgboost.dask

    data = xgboost.dask.DaskDMatrix(client, x, y)
    params = {"objective": "multi:softmax", "num_class": int(y.max().compute()) + 1, "tree_method": "hist", "nthread": 1}
    booster = xgboost.dask.train(client, params, data, num_boost_round=trees)["booster"]
    return booster.inplace_predict


SYSTEMS = {"aoso": aoso, "lightgbm": lightgbm, "xgboost": xgboost}


def loopback() -> int:
    """Bytes that the loopback interface has received."""
    lines = Path("/proc/net/dev").read_text().splitlines()
    return next(int(line.split(":")[1].split()[0]) for line in lines if line.strip().startswith("lo:"))


def measure(job: dict[str, Any]) -> dict[str, Any]:
    """Trains on the workers of a cluster that lasts as long as this measurement."""
    from distributed import Client, LocalCluster

    data = sets.load(job["set"])
    with LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        return train(client, job["system"], data, job["trees"]) | {"shape": shape(data)}


def train(client: Any, system: str, data: sets.Set, trees: int) -> dict[str, Any]:
    """Trains on rows that are spread over the workers."""
    import dask
    import dask.array as da
    from distributed import wait

    rows = -(-len(data.y) // WORKERS)
    workers = sorted(client.nthreads())
    parts = []
    for values in (data.x, data.y):
        blocks = [values[first : first + rows] for first in range(0, len(values), rows)]
        futures = [client.scatter(block, workers=[worker], hash=False) for block, worker in zip(blocks, workers)]
        parts.append(da.concatenate([da.from_delayed(dask.delayed(f), b.shape, b.dtype) for f, b in zip(futures, blocks)]).persist())
    wait(parts)
    bytes_before, start = loopback(), time.perf_counter()
    predict = SYSTEMS[system](client, parts[0], parts[1], trees)
    seconds, traffic = time.perf_counter() - start, loopback() - bytes_before
    errors = int(np.sum(np.asarray(predict(data.x_test)).astype(int) != data.y_test))
    return {"system": system, "iterations": trees, "workers": WORKERS, "seconds": seconds, "bytes": traffic, "errors": errors}


if __name__ == "__main__":
    Clusters().main()
