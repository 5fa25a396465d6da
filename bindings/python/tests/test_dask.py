"""Ranks that are workers of a Dask cluster."""

import itertools
import os
import signal
import threading
import time

import numpy as np
import pytest
import ranks
from test_collective import wanted

import aoso
from aoso.errors import AosoError, CollectiveError

distributed = pytest.importorskip("distributed")
import dask
import dask.array as da
import dask.dataframe as dd
import pandas as pd

import aoso.dask


@pytest.fixture(scope="module")
def client():
    with dask.config.set({"distributed.worker.memory.terminate": False, "distributed.comm.timeouts.connect": "5s"}):
        with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:
            with distributed.Client(cluster) as client:
                yield client


def spread(client, size, array, rows):
    """A Dask array in blocks, on the first workers of the cluster."""
    workers = sorted(client.nthreads())[:size]
    blocks = [array[i : i + rows] for i in range(0, len(array), rows)]
    futures = [client.scatter(block, workers=[workers[i % size]], hash=False) for i, block in enumerate(blocks)]
    parts = [da.from_delayed(dask.delayed(f), b.shape, b.dtype) for f, b in zip(futures, blocks)]
    return da.concatenate(parts)


@pytest.mark.parametrize("size", [1, 2])
def test_letter(client, size):
    data = ranks.letter()
    x, y = (spread(client, size, data[name], 900) for name in ("x", "y"))
    booster = aoso.dask.train(client, ranks.PARAMS["letter"], x, y)
    assert booster.fingerprint == wanted("letter")
    assert booster.classes.tolist() == np.unique(data["y"]).tolist()


def frames():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {"size": rng.normal(size=800), "colour": rng.choice(["red", "blue", None], 800), "n": rng.integers(0, 9, 800)}
    )
    frame.loc[::11, "size"] = np.nan
    y = pd.Series(np.where(frame["colour"] == "red", "a", np.where(frame["n"] > 4, "b", "c")), name="y")
    return frame, y, pd.Series(rng.random(800) + 0.5, name="w")


def test_frames_with_categories_weights_and_missing_values(client):
    x, y, weight = frames()
    params = {"n_estimators": 3, "calibration": "holdout"}
    want = aoso.train(params, aoso.Dataset(x, y, weight=weight)).fingerprint
    parts = [dd.from_pandas(data, npartitions=5) for data in (x, y, weight)]
    assert aoso.dask.train(client, params, parts[0], parts[1], weight=parts[2]).fingerprint == want


def test_classifier(client):
    x, y, _ = frames()
    want = aoso.AOSOClassifier(n_estimators=3, calibration="none").fit(x, y)
    X, Y = dd.from_pandas(x, npartitions=4), dd.from_pandas(y, npartitions=4)
    model = aoso.dask.DaskAOSOClassifier(n_estimators=3, calibration="none").fit(X, Y)
    assert model.booster_.fingerprint == want.booster_.fingerprint
    np.testing.assert_array_equal(model.predict(X).compute(), want.predict(x))
    np.testing.assert_array_equal(model.predict_proba(X).compute(), want.predict_proba(x))
    np.testing.assert_array_equal(model.predict(x), want.predict(x))


def test_errors(client):
    x, y = spread(client, 2, np.ones((60, 2)), 20), spread(client, 2, np.arange(60) % 2, 20)
    with pytest.raises(AosoError, match="no parameter"):
        aoso.dask.train(client, {"nonsense": 3}, x, y)
    with pytest.raises(AosoError, match="allowed: a dask array"):
        aoso.dask.train(client, None, x, np.arange(60))


def test_a_cluster_without_workers():
    with distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as cluster, distributed.Client(cluster) as client:
        with pytest.raises(CollectiveError, match="no workers for 1 s"):
            aoso.dask.train(client, {}, da.ones((4, 2)), da.ones(4), timeout=1)


def test_a_worker_that_is_killed(client):
    """The cluster starts another worker in its place."""
    rng = np.random.default_rng(1)
    x = spread(client, 2, rng.normal(size=(9000, 10)), 1000)
    y = spread(client, 2, rng.integers(0, 10, 9000), 1000)
    killer = threading.Thread(target=kill, args=(client, sorted(client.nthreads())[1]))
    killer.start()
    start = time.monotonic()
    with pytest.raises(CollectiveError, match="rank 1"):
        aoso.dask.train(client, {"n_estimators": 10**6, "stop_loss": 0, "calibration": "none", "time_limit": 60.0}, x, y)
    assert time.monotonic() - start < 60
    killer.join()


def kill(client, address, ready=lambda: True):
    """Kill a worker in a training, a second after all workers are in it or when it is ready."""
    pid = client.run(os.getpid)[address]
    while not all(client.run(lambda dask_worker: bool(getattr(dask_worker, "_aoso_connections", None))).values()):
        time.sleep(0.1)
    time.sleep(1)
    while not ready():
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)


@pytest.mark.long
def test_a_training_begins_again(client, tmp_path):
    """The data of the lost worker are computed again. Training goes on from the checkpoint."""
    client.wait_for_workers(2)
    data, params, file = ranks.letter(), {"n_estimators": 60, "calibration": "none", "nthread": 1}, tmp_path / "training"
    x, y = da.from_array(data["x"], chunks=(500, -1)), da.from_array(data["y"], chunks=500)
    killer = threading.Thread(target=kill, args=(client, sorted(client.nthreads())[1], file.exists))
    killer.start()
    booster = aoso.dask.train(client, params, x, y, retries=3, checkpoint=file, checkpoint_seconds=0.1)
    killer.join()
    assert booster.fingerprint == aoso.train(params, aoso.Dataset(data["x"], data["y"])).fingerprint


@pytest.mark.long
def test_an_adaptive_cluster(tmp_path):
    """It loses workers during trainings, and wins others. The models are the same."""
    data, params = ranks.letter(), {"n_estimators": 1000, "calibration": "none", "nthread": 1}
    want = aoso.train(params, aoso.Dataset(data["x"], data["y"])).fingerprint
    x, y = da.from_array(data["x"], chunks=(500, -1)), da.from_array(data["y"], chunks=500)
    ended, reached = threading.Event(), []
    with distributed.LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address=":0") as cluster, distributed.Client(cluster) as client:

        def adapt():
            for size in itertools.cycle([1, 3]):
                cluster.adapt(minimum=size, maximum=size, interval="100ms")
                while len(client.scheduler_info()["workers"]) != size:
                    if ended.wait(0.1):
                        return
                reached.append(size)
                if ended.wait(1):
                    return

        adapting = threading.Thread(target=adapt)
        adapting.start()
        try:
            while reached[:3] != [1, 3, 1]:
                checkpoint = tmp_path / f"training{len(reached)}"
                booster = aoso.dask.train(client, params, x, y, retries=20, checkpoint=checkpoint, checkpoint_seconds=0.1)
                assert booster.fingerprint == want
                checkpoint.unlink(missing_ok=True)
        finally:
            ended.set()
            adapting.join()
