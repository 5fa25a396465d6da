"""``python -m bench.spark`` trains on two executors of Spark: this library and XGBoost. It writes the table of docs/spark.md.

It measures the seconds of ``fit`` in pairs, one library after the other, in one session of Spark. The executors have a core each. The rows are
cached there before, and each library has trained a little before the first pair, so that the Python processes of Spark exist. Needs pyspark,
xgboost, scikit-learn and Java 17.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench import harness, readme, sets
from bench.results import Results, shape

SET = "covertype93k"
PAGE = sets.ROOT / "docs/spark.md"
EXECUTORS = 2
TITLES = {"aoso": "aoso.spark", "xgboost": "xgboost.spark"}
EQUAL = {"n_estimators": 100}
SETTINGS: dict[str, dict[str, dict[str, Any]]] = {  # the parameters of each library
    "100 iterations": {"aoso": EQUAL, "xgboost": EQUAL},
    "100 iterations, no calibration": {"aoso": {**EQUAL, "calibration": "none"}, "xgboost": EQUAL},
}


class Spark(harness.Benchmark):
    name, worker = "spark", "bench.spark"
    quick = "a single pair"

    def flags(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--pairs", type=int, default=3, help="how often each library trains")

    def jobs(self) -> Iterator[harness.Job]:
        for setting, params in SETTINGS.items():
            yield harness.Job(SET, setting, {"params": params, "pairs": 1 if self.options.quick else self.options.pairs}, SET)

    def line(self, run: dict[str, Any]) -> str:
        return "; ".join(f"{system}: {run[system]['errors']} errors, {', '.join(f'{s:.1f}' for s in run[system]['seconds'])} s" for system in TITLES)

    def report(self, folder: Path) -> None:
        runs = Results(folder, self.name, SET).runs
        rows = [
            [setting, title, f"{statistics.median(run[system]['seconds']):.1f}", f"{run[system]['errors']:,}", f"{run[system]['logloss']:.3f}"]
            for setting in SETTINGS
            if (run := runs.get(setting))
            for system, title in TITLES.items()
        ]
        readme.fill({"spark": readme.table(["setting", "library", "seconds", "test errors", "log loss"], rows, left=2)}, folder, PAGE)


def aoso(params: dict[str, Any]) -> Any:
    from aoso.spark import SparkAOSOClassifier

    return SparkAOSOClassifier(num_workers=EXECUTORS, **params)


def xgboost(params: dict[str, Any]) -> Any:
    from xgboost.spark import SparkXGBClassifier

    return SparkXGBClassifier(num_workers=EXECUTORS, **params)


SYSTEMS = {"aoso": aoso, "xgboost": xgboost}


def measure(job: dict[str, Any]) -> dict[str, Any]:
    """Trains in a session of Spark that lasts as long as this measurement."""
    import aoso
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.memory": "2g",
        "spark.executor.memory": "2g",
        "spark.executorEnv.PYTHONPATH": str(Path(aoso.__file__).parents[1]),
        "spark.executorEnv.OMP_NUM_THREADS": "1",
    }
    data = sets.load(SET)
    spark = SparkSession.builder.master(f"local-cluster[{EXECUTORS},1,2500]").config(map=settings).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    try:
        return {**pairs(spark, data, job), "shape": shape(data)}
    finally:
        spark.stop()


def pairs(spark: Any, data: sets.Set, job: dict[str, Any]) -> dict[str, Any]:
    from pyspark.sql import functions as F

    tables = [table(spark, x, y).repartition(EXECUTORS).cache() for x, y in ((data.x, data.y), (data.x_test, data.y_test))]
    for rows in tables:
        rows.agg(F.count("*")).collect()
    runs: dict[str, Any] = {system: {"seconds": []} for system in SYSTEMS}
    for pair in range(-1, job["pairs"]):
        for system, made in SYSTEMS.items():
            estimator = made(job["params"][system] if pair >= 0 else {"n_estimators": 2})
            start = time.perf_counter()
            model = estimator.fit(tables[0])
            if pair >= 0:
                runs[system]["seconds"].append(time.perf_counter() - start)
            if pair == 0:
                runs[system] |= tested(model.transform(tables[1]).select("label", "probability").collect())
    return runs


def table(spark: Any, x: np.ndarray, y: np.ndarray) -> Any:
    """Rows with a vector of features, as VectorAssembler makes it."""
    import pandas as pd
    from pyspark.ml.feature import VectorAssembler

    names = [f"x{j}" for j in range(x.shape[1])]
    frame = pd.DataFrame(x.astype(float), columns=names).assign(label=y.astype(float))
    return VectorAssembler(inputCols=names, outputCol="features").transform(spark.createDataFrame(frame)).select("features", "label")


def tested(rows: list[Any]) -> dict[str, Any]:
    odds = np.array([row.probability.toArray() for row in rows])
    y = np.array([row.label for row in rows], int)
    loss = -np.log(np.maximum(odds[np.arange(len(y)), y], 1e-15)).mean()
    return {"errors": int(np.sum(odds.argmax(axis=1) != y)), "logloss": float(loss)}


if __name__ == "__main__":
    Spark().main()
