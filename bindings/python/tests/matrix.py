"""Every set on 1 to 4 ranks of every engine, with default parameters. The models must be those of one machine.

    python matrix.py --sets letter,mixed --engines mpi --sizes 2,4 --trees 30

covertype93k is in the data folder (AOSO_DATA, by default ../shared/data); without it, it is left out.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import ranks

import aoso

DATA = Path(os.environ.get("AOSO_DATA") or ranks.LETTER.parents[2] / "shared/data")


def covertype93k():
    table = pd.read_csv(DATA / "covertype93k.train.csv.gz", header=None, dtype="float32")
    return {"x": table.iloc[:, :-1].to_numpy(), "y": table.iloc[:, -1].astype(int).to_numpy()}


SETS = {"letter": lambda: ranks.letter(20000), "mixed": lambda: ranks.mixed(5000), "covertype93k": covertype93k}


def table(name):
    """The rows of a set as data frames, which have no ids."""
    data = SETS[name]()
    x = pd.DataFrame(data["x"], columns=[f"f{j}" for j in range(data["x"].shape[1])]).infer_objects()
    columns = {"x": x, "y": pd.Series(data["y"])}
    return columns | ({"weight": pd.Series(data["weight"])} if "weight" in data else {})


def trained(name, params, collective=None):
    """The fingerprint of the model, or of that of a rank."""
    data = table(name)
    if collective is not None:
        data = ranks.part(data, collective.rank, collective.size)
    return aoso.train(params, aoso.Dataset(**data, collective=collective, nthread=1)).fingerprint


class Patient(ranks.LocalCollective):
    seconds = 300


def threads(name, params, size):
    return ranks.on_threads(size, lambda collective: trained(name, params, collective), Patient)


def mpi(name, params, size):
    mpiexec = shutil.which("mpiexec", path=str(Path(sys.executable).parent)) or shutil.which("mpiexec")
    command = [mpiexec, "-n", str(size), sys.executable, __file__, "--rank", name, json.dumps(params)]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split()


def dask(name, params, size):
    import dask.dataframe as dd
    import distributed

    import aoso.dask

    with (
        distributed.LocalCluster(n_workers=size, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        workers = sorted(client.nthreads())
        columns = {}
        for key, values in table(name).items():
            blocks = [values[len(values) * i // (2 * size) : len(values) * (i + 1) // (2 * size)] for i in range(2 * size)]
            held = [client.scatter(block, workers=[workers[i % size]], hash=False) for i, block in enumerate(blocks)]
            columns[key] = dd.from_delayed(held, meta=values[:0], verify_meta=False)
        return [aoso.dask.train(client, params, **columns, timeout=300).fingerprint]


ENGINES = {"threads": threads, "mpi": mpi, "dask": dask}


def main(sets, engines, sizes, params):
    wrong = 0
    for name in sets:
        if name == "covertype93k" and not (DATA / "covertype93k.train.csv.gz").exists():
            print(f"covertype93k is not in {DATA}")
            continue
        start = time.monotonic()
        want = trained(name, params)
        print(f"{name}, one machine: {want} in {time.monotonic() - start:.0f} s", flush=True)
        for engine in engines:
            for size in sizes:
                start = time.monotonic()
                got = ENGINES[engine](name, params, size)
                right = len(got) in (1, size) and set(got) == {want}
                wrong += not right
                print(f"{name}, {size} x {engine}: {'equal' if right else got} in {time.monotonic() - start:.0f} s", flush=True)
    return wrong


if __name__ == "__main__":
    parser = argparse.ArgumentParser()

    def names(text):
        return text.split(",")

    parser.add_argument("--sets", type=names, default=list(SETS))
    parser.add_argument("--engines", type=names, default=list(ENGINES))
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in names(text)], default=[1, 2, 3, 4])
    parser.add_argument("--trees", type=int, help="at most this many trees, to take less time")
    parser.add_argument("--rank", nargs=2)
    given = parser.parse_args()
    if given.rank:
        import aoso.mpi

        ranks.say(trained(given.rank[0], json.loads(given.rank[1]), aoso.mpi.MPICollective(timeout=300)))
    elif main(given.sets, given.engines, given.sizes, {"nthread": 1} | ({"n_estimators": given.trees} if given.trees else {})):
        sys.exit("some models are not those of one machine")
