"""Time and memory of other libraries on the rows that bench/large makes.

    go run ./bench/large -rows 2000000 csv rows.csv
    python bench/large/peers.py rows.csv lightgbm|xgboost|xgboost-external|aoso

Each training has 20 iterations and default parameters otherwise. The values are read
before as float32; "peak" is the most memory that the process had, the values included
(rows x features x 4 bytes), except where they are read in blocks.
"""

import resource
import sys
import tempfile
import time

import numpy as np
import pandas as pd

ITERATIONS = 20


def blocks(path, rows=1 << 18):
    for frame in pd.read_csv(path, chunksize=rows, dtype=np.float32):
        values = frame.to_numpy()
        yield np.ascontiguousarray(values[:, :-1]), values[:, -1].astype(np.int32)


def whole(path):
    parts = list(blocks(path))
    return np.concatenate([x for x, _ in parts]), np.concatenate([y for _, y in parts])


def lightgbm(path, start):
    import lightgbm as lgb

    x, y = whole(path)
    start()
    lgb.train({"objective": "multiclass", "num_class": int(y.max()) + 1, "verbose": -1}, lgb.Dataset(x, y), ITERATIONS)


def xgboost(path, start):
    import xgboost as xgb

    x, y = whole(path)
    start()
    params = {"objective": "multi:softprob", "num_class": int(y.max()) + 1}
    xgb.train(params, xgb.QuantileDMatrix(x, y), ITERATIONS)


def xgboost_external(path, start):
    import xgboost as xgb

    class Blocks(xgb.DataIter):
        def __init__(self, folder):
            super().__init__(cache_prefix=f"{folder}/cache")
            self.reset()

        def next(self, give):
            for x, y in self.source:
                give(data=x, label=y)
                return True
            return False

        def reset(self):
            self.source = blocks(path)

    start()
    with tempfile.TemporaryDirectory() as folder:
        data = xgb.ExtMemQuantileDMatrix(Blocks(folder))
        params = {"objective": "multi:softprob", "num_class": int(data.get_label().max()) + 1, "tree_method": "hist"}
        xgb.train(params, data, ITERATIONS)


def aoso(path, start):
    import aoso

    start()
    with tempfile.TemporaryDirectory() as folder:
        data = aoso.Dataset.from_blocks(lambda: blocks(path), path=f"{folder}/rows.aosod")
        aoso.train({"trees": ITERATIONS}, data)


def main():
    path, name = sys.argv[1:]
    begin = 0.0

    def start():
        nonlocal begin
        begin = time.perf_counter()

    globals()[name.replace("-", "_")](path, start)
    seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{name}: {seconds:.1f} s, peak {peak:.2f} GB")


if __name__ == "__main__":
    main()
