"""Time and memory of other libraries on the rows that bench/large makes.

    go run ./bench/large -rows 2000000 parquet rows.parquet
    python bench/large/peers.py rows.parquet lightgbm|xgboost|xgboost-external|aoso

Each training has 20 iterations and default parameters otherwise. A line of JSON follows
each iteration: its number, and the seconds and CPU seconds since the values were there,
as an array of float32 in memory. Two training runs read them in blocks, within that time.
"""

import json
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from pyarrow.parquet import ParquetFile

ITERATIONS = 20


def blocks(path, rows=1 << 18):
    for batch in ParquetFile(path).iter_batches(rows):
        *features, label = batch.columns
        values = np.empty((batch.num_rows, len(features)), np.float32)
        for j, column in enumerate(features):
            values[:, j] = column
        yield values, label.to_numpy()


def whole(path):
    shape = ParquetFile(path).metadata
    x, y = np.empty((shape.num_rows, shape.num_columns - 1), np.float32), np.empty(shape.num_rows, np.int32)
    rows = 0
    for values, labels in blocks(path):
        end = rows + len(labels)
        x[rows:end], y[rows:end] = values, labels
        rows = end
    return x, y


class Clock:
    """Prints how long each iteration took."""

    def __init__(self):
        self.begin, self.cpu = time.perf_counter(), time.process_time()

    def __call__(self, iteration):
        seconds, cpu = time.perf_counter() - self.begin, time.process_time() - self.cpu
        peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(json.dumps({"iteration": iteration, "seconds": seconds, "cpu": cpu, "peak": peak}), flush=True)


def lightgbm(path):
    import lightgbm as lgb

    x, y = whole(path)
    clock = Clock()
    data = lgb.Dataset(x, y).construct()
    clock(0)
    params = {"objective": "multiclass", "num_class": int(y.max()) + 1, "verbose": -1}
    lgb.train(params, data, ITERATIONS, callbacks=[lambda e: clock(e.iteration + 1)])


def xgboost(path):
    x, y = whole(path)
    clock = Clock()
    train_xgboost(clock, lambda xgb: xgb.QuantileDMatrix(x, y), int(y.max()) + 1)


def xgboost_external(path):
    clock, classes = Clock(), 1 + max(labels.max() for _, labels in blocks(path))

    def read(xgb):
        class Blocks(xgb.DataIter):
            def __init__(self):
                super().__init__(cache_prefix=f"{folder}/cache")
                self.reset()

            def next(self, give):
                for x, y in self.source:
                    give(data=x, label=y)
                    return True
                return False

            def reset(self):
                self.source = blocks(path)

        return xgb.ExtMemQuantileDMatrix(Blocks())

    with tempfile.TemporaryDirectory(dir=Path(path).parent) as folder:
        train_xgboost(clock, read, int(classes))


def train_xgboost(clock, read, classes):
    import xgboost as xgb

    class Watch(xgb.callback.TrainingCallback):
        def after_iteration(self, _model, epoch, _log):
            clock(epoch + 1)
            return False

    data = read(xgb)
    clock(0)
    params = {"objective": "multi:softprob", "num_class": classes, "tree_method": "hist"}
    xgb.train(params, data, ITERATIONS, callbacks=[Watch()])


def aoso(path):
    import aoso

    clock = Clock()
    with tempfile.TemporaryDirectory(dir=Path(path).parent) as folder:
        data = aoso.Dataset.from_blocks(lambda: blocks(path), path=f"{folder}/rows.aosod")
        clock(0)
        aoso.train({"n_estimators": ITERATIONS}, data)
        clock(ITERATIONS)


def main():
    path, name = sys.argv[1:]
    globals()[name.replace("-", "_")](path)


if __name__ == "__main__":
    main()
