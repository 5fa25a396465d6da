"""Training with Ray, whose workers are processes of their own. Needs ray: make test-ray."""

import functools
import os
import signal
import threading
import time
from pathlib import Path

import faults
import numpy as np
import pytest
import ranks
from ranks import letter_frame, mixed_frame

import aoso
from aoso.errors import AosoError, ArgumentError, CollectiveError, OutOfMemoryError

pytest.importorskip("ray")
import pandas as pd
import pyarrow as pa
import ray.data
from ray.train import FailureConfig, RunConfig, ScalingConfig

from aoso import _ray_worker
from aoso.ray import AOSOConfig, AOSOTrainer, get_booster, get_collective, predict, report

WORKERS = 4
LETTER = [f"x{j}" for j in range(16)]


@pytest.fixture(scope="module")
def cluster():
    environment = {"PYTHONPATH": os.pathsep.join([str(Path(aoso.__file__).parents[1]), str(Path(__file__).parent)])}
    ray.init(num_cpus=WORKERS + 1, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": environment})
    yield
    ray.shutdown()


def trainer(frame, workers, loop=None, timeout=20, retries=0, tmp="/tmp", **config):
    """A trainer over rows in three blocks."""
    config = {"label_column": "label", "row_id_column": "id", "params": {"n_estimators": 3}, **config}
    train = ray.data.from_pandas([frame[i::3] for i in range(3)]) if isinstance(frame, pd.DataFrame) else frame
    return AOSOTrainer(
        loop,
        train_loop_config=config,
        aoso_config=AOSOConfig(timeout=timeout),
        scaling_config=ScalingConfig(num_workers=workers),
        run_config=RunConfig(failure_config=FailureConfig(max_failures=retries), storage_path=str(tmp)),
        datasets={"train": train},
    )


def alone(frame, params, **options):
    x = frame.drop(columns=["label", "id", "weight"], errors="ignore")
    return aoso.train({**params, "nthread": 1}, aoso.Dataset(x, frame["label"], row_id=frame["id"], **options))


class Shard:
    """Blocks of a worker, as Ray Data has them."""

    def __init__(self, blocks):
        self.blocks = blocks

    def iter_batches(self, **_):
        return self.blocks


def on_threads(size, blocks, valid=None, **config):
    """The model that threads of this process train, each with some of the blocks."""
    given = _ray_worker.settings({"label_column": "label", "params": {"n_estimators": 3}, **config})

    def work(collective):
        mine, held = (None if all_ is None else Shard(all_[collective.rank :: size]) for all_ in (blocks, valid))
        try:
            return _ray_worker.train_rank(given, collective, mine, held, 1)
        except Exception as e:
            collective.abort(str(e))
            raise

    results = ranks.on_threads(size, work)
    errors = [result for result in results if isinstance(result, Exception)]
    if errors:
        raise next((e for e in errors if isinstance(e, ArgumentError)), errors[0])
    assert len({booster.fingerprint for booster, _ in results}) == 1
    return results[0]


def test_the_blocks_make_no_difference():
    """Without ids too, with equal rows, ranks without rows, and blocks that have other types or another order of the columns."""
    frame = pd.concat([mixed_frame().drop(columns="id")] * 2).assign(n=np.arange(1800) // 7 % 3)
    frame.iloc[:200, 2] = None
    table = pa.Table.from_pandas(frame, preserve_index=False)
    shuffled = table.take(np.random.default_rng(1).permutation(1800))
    nulls = table.slice(0, 100).drop_columns(["a", "weight"]).append_column("a", pa.nulls(100)).append_column("weight", table["weight"].slice(0, 100))
    n = table.schema.get_field_index("n")
    floats = table.slice(1000).set_column(n, "n", table["n"].slice(1000).cast(pa.float64()))
    found = {
        on_threads(size, blocks, weight_column="weight")[0].fingerprint
        for size, blocks in [
            (1, [table]),
            (3, [table.slice(i, 100) for i in range(0, 1800, 100)]),
            (2, [shuffled.slice(0, 5), shuffled.slice(5)]),
            (4, [table]),
            (2, [table.slice(0, 1000), floats]),
        ]
    }
    assert len(found) == 1
    found = {
        on_threads(size, blocks, weight_column="weight")[0].fingerprint
        for size, blocks in [(1, [nulls, table.slice(100)]), (2, [table.slice(100), nulls]), (3, [nulls, table.slice(100, 300), table.slice(400)])]
    }
    assert len(found) == 1


def test_arrays_and_validation():
    frame = letter_frame(600)
    x = pa.FixedSizeListArray.from_arrays(pa.array(frame[LETTER].to_numpy().ravel()), 16)
    table = pa.table({"x": x, "label": frame["label"], "id": frame["id"]})
    options = {"feature_columns": "x", "row_id_column": "id", "params": {"n_estimators": 4, "early_stopping_rounds": 2}}
    booster, summary = on_threads(3, [table.slice(0, 400)], [table.slice(400, 100), table.slice(500)], **options)
    again, _ = on_threads(1, [table.slice(0, 400)], [table.slice(400)], **options)
    assert booster.fingerprint == again.fingerprint and len(summary["evals_result"]["valid"]["logloss"]) == summary["iterations"]
    with pytest.raises(ArgumentError, match="rows have 3, 16 features"):
        on_threads(2, [table, pa.table({"x": [[1.0, 2.0, 3.0]], "label": ["A"], "id": [-1]})], **options)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"label_column": "q"}, "label_column has 'q'; allowed: columns of the rows, such as x0"),
        ({"weight_column": "q"}, "weight_column has 'q'"),
        ({"row_id_column": "q"}, "row_id_column is 'q'"),
        ({"feature_columns": ["x0", "q"]}, "feature_columns has 'q'"),
        ({"feature_columns": "x0"}, "one column of double; allowed: arrays"),
        ({"params": {"monotone_constraints": {"q": 1}}}, "q"),
    ],
)
def test_wrong_columns(config, message):
    with pytest.raises(ArgumentError, match=message):
        on_threads(2, [pa.Table.from_pandas(letter_frame(50))], **config)
    with pytest.raises(ArgumentError, match="no rows"):
        on_threads(2, [], **config)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"label": "label"}, "train_loop_config has 'label'; allowed: label_column"),
        ({"params": {"max_leaves": 1}}, "max_leaves is 1"),
        ({"timeout": 0}, "timeout is 0; allowed: above 0"),
        ({"workers": 0}, "num_workers is 0; allowed: at least 1"),
    ],
)
def test_wrong_arguments(change, message):
    """They are errors before Ray starts anything."""
    with pytest.raises(ArgumentError, match=message):
        trainer(**{"frame": None, "workers": 2, **change})


def test_it_refuses_to_run_unconnected():
    with pytest.raises(CollectiveError, match="this process is not connected; allowed: within the train_loop_per_worker"):
        get_collective()


@pytest.mark.parametrize("workers", [1, 2, WORKERS])
def test_one_model(cluster, workers, tmp_path):
    frame = letter_frame(2000)
    result = trainer(frame, workers, tmp=tmp_path).fit()
    assert get_booster(result.checkpoint).fingerprint == alone(frame, {"n_estimators": 3}).fingerprint
    assert result.metrics["iterations"] == 3
    frame = mixed_frame()
    booster = get_booster(trainer(frame, workers, tmp=tmp_path, weight_column="weight").fit().checkpoint)
    assert booster.fingerprint == alone(frame, {"n_estimators": 3}, weight=frame["weight"]).fingerprint


@pytest.mark.parametrize(("act", "phase"), [*((faults.kill_worker, phase) for phase in faults.PHASES), (faults.stop_worker, "first")])
def test_a_worker_is_lost(cluster, tmp_path, act, phase):
    """Ray tries again. The model is the same."""
    frame, params = letter_frame(2000), {"n_estimators": 60}
    fault = faults.Fault(phase, 1, str(tmp_path), act, iteration=30)
    config = {"params": params, "checkpoint": str(tmp_path / "training")}
    result = trainer(frame, 2, faults.ray_loop(fault), timeout=5, retries=1, tmp=tmp_path, **config).fit()
    assert fault.struck and fault.again
    assert get_booster(result.checkpoint).fingerprint == alone(frame, params).fingerprint


@pytest.mark.parametrize("spare", [48 << 20, 1 << 20])
def test_a_worker_near_its_limit_of_memory(cluster, tmp_path, spare):
    """Where the library foresees it, the worker says so. Else its process dies, and the other one says so."""
    fault = faults.Fault("binning", 1, str(tmp_path), functools.partial(faults.starve, spare))
    foreseen, died = r"^worker 1: the dataset needs .* GB; the limits of the process .* leave", r"^worker \d.* has ended.* may have needed more memory"
    with pytest.raises((OutOfMemoryError, CollectiveError), match=f"{foreseen}|{died}"):
        trainer(letter_frame(20000), 2, faults.ray_loop(fault), tmp=tmp_path).fit()


def test_another_parameter_on_a_worker(cluster, tmp_path):
    """It is an error before the first tree."""

    def loop(config):
        rows = ray.train.get_dataset_shard("train").materialize().to_pandas()
        ids, y = rows.pop("id"), rows.pop("label")
        collective = get_collective()
        aoso.train({"n_estimators": 3 + collective.rank}, aoso.Dataset(rows, y, row_id=ids, collective=collective))

    with pytest.raises(AosoError, match=r'^worker \d: params is "others than on rank \d"; allowed: the same on all ranks'):
        trainer(letter_frame(200), 2, loop, tmp=tmp_path).fit()


def test_all_workers_are_stopped(cluster, tmp_path):
    """The driver does not wait without end."""

    def strike():
        while len(found := ranks.workers("RayTrainWorker")) < 2:
            time.sleep(0.02)
        time.sleep(4)
        for process in found:
            os.kill(process, signal.SIGSTOP)

    threading.Thread(target=strike, daemon=True).start()
    with pytest.raises(CollectiveError, match=r"worker \d"):
        trainer(letter_frame(2000), 2, timeout=5, tmp=tmp_path, params={"n_estimators": 5000}).fit()


def test_own_loop(cluster, tmp_path):
    """That of the page."""

    def loop(config):
        rows = ray.train.get_dataset_shard("train").materialize().to_pandas()
        ids, y = rows.pop("id"), rows.pop("label")
        train = aoso.Dataset(rows, y, weight=rows.pop("weight"), row_id=ids, collective=get_collective())
        report(aoso.train(config["params"], train))

    frame = mixed_frame()
    booster = get_booster(trainer(frame, 2, loop, tmp=tmp_path).fit().checkpoint)
    assert booster.fingerprint == alone(frame, {"n_estimators": 3}, weight=frame["weight"]).fingerprint


def test_unconnected_loop(cluster, tmp_path):
    """Workers that have trained on their own rows alone are an error."""

    def loop():
        assert list(ray.train.get_dataset_shard("train").iter_batches(batch_size=None))

    with pytest.raises(CollectiveError, match=r"worker \d: train_loop_per_worker has not called aoso.ray.get_collective, so 2 workers"):
        trainer(letter_frame(100), 2, loop, tmp=tmp_path).fit()


def test_an_error_of_a_worker(cluster, tmp_path):
    with pytest.raises(ArgumentError, match=r"worker \d: weight"):
        trainer(letter_frame(100).assign(weight=-1.0), 2, tmp=tmp_path, weight_column="weight").fit()


def test_predict(cluster):
    frame = letter_frame(300)
    booster = alone(frame, {"n_estimators": 2})
    rows = ray.data.from_pandas([frame.iloc[i::2, ::-1] for i in range(2)])
    found = predict(rows, booster, batch_size=64).to_pandas().sort_values("id")
    assert found["prediction"].tolist() == booster.predict(frame[LETTER]).tolist()
    np.testing.assert_array_equal(np.stack(found["probability"]), booster.predict_proba(frame[LETTER]))
    assert set(frame.columns) < set(found.columns)
    table = pa.table({"x": frame[LETTER].to_numpy().tolist()})
    predictor = _ray_worker.Predictor(ray.put(booster.to_bytes()), "x", "class", None)
    assert predictor(table)["class"].to_pylist() == booster.predict(frame[LETTER].to_numpy()).tolist()
    with pytest.raises(ArgumentError, match="the rows have no column 'y'"):
        _ray_worker.Predictor(ray.put(booster.to_bytes()), "y", "class", None)(table)
    with pytest.raises(ArgumentError, match="booster is a str; allowed: a Booster"):
        predict(rows, "model.aoso")
