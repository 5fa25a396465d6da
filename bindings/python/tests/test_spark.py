"""Training with Spark: executors that are processes of their own, and Spark Connect. Needs pyspark and Java 17: make test-spark."""

import contextlib
import functools
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from pathlib import Path

import faults
import numpy as np
import pytest
import ranks

import aoso
from aoso.errors import ArgumentError, CollectiveError, OutOfMemoryError

pytest.importorskip("pyspark")
import pandas as pd
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.evaluation import MulticlassClassificationEvaluator
from pyspark.ml.feature import VectorAssembler
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from aoso.spark import SparkAOSOClassifier, SparkAOSOClassifierModel, _slots

warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")
EXECUTORS = 2
SOURCE = os.pathsep.join([str(Path(aoso.__file__).parents[1]), str(Path(__file__).parent)])
os.environ["PYSPARK_PYTHON"] = sys.executable
LETTER = [f"x{j}" for j in range(16)]
MIXED = ["colour", "a", "b", "c"]


@pytest.fixture(scope="module")
def spark():
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.executor.memory": "600m",
        "spark.sql.shuffle.partitions": "4",
        "spark.executorEnv.PYTHONPATH": SOURCE,
    }
    builder = SparkSession.builder.master(f"local-cluster[{EXECUTORS},1,800]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def mixed_frame():
    return ranks.mixed_frame().astype({"label": float})


@pytest.fixture(scope="module")
def letters(spark):
    return spark.createDataFrame(ranks.letter_frame(3000)).cache()


def fitted(table, **options):
    given = {"features_col": LETTER, "row_id_col": "id", "num_workers": EXECUTORS, "n_estimators": 3, "timeout": 10}
    return SparkAOSOClassifier(**{**given, **options}).fit(table)


def alone(frame, names, params, **options):
    return aoso.train({**params, "nthread": 1}, aoso.Dataset(frame[names], frame["label"], row_id=frame["id"], **options)).fingerprint


@pytest.mark.parametrize("workers", [1, 2])
def test_one_model(spark, letters, workers):
    frame = ranks.letter_frame(3000)
    assert fitted(letters, num_workers=workers).get_booster().fingerprint == alone(frame, LETTER, {"n_estimators": 3})
    frame = mixed_frame()
    model = fitted(spark.createDataFrame(frame), features_col=MIXED, weight_col="weight", num_workers=workers)
    assert model.get_booster().fingerprint == alone(frame, MIXED, {"n_estimators": 3}, weight=frame["weight"])


def test_the_partitions_make_no_difference(spark):
    """Without ids too, also with equal rows and with null in different columns."""
    frame = pd.concat([mixed_frame().drop(columns="id")] * 2)
    frame.iloc[:200, 2] = None
    found = {
        fitted(spark.createDataFrame(some).repartition(parts), features_col=MIXED, row_id_col=None, num_workers=workers).get_booster().fingerprint
        for workers, parts, some in [(1, 1, frame), (2, 5, frame.sample(frac=1, random_state=1)), (2, 2, frame[::-1])]
    }
    assert len(found) == 1


def test_fewer_rows_than_workers(spark, letters):
    assert fitted(letters.where("id = 5")).classes == [ranks.letter(6)["y"][5]]
    with pytest.raises(ArgumentError, match="rows"):
        fitted(letters.where("id < 0"))


def test_vectors_and_arrays(spark, letters):
    vectors = VectorAssembler(inputCols=LETTER, outputCol="features").transform(letters)
    arrays = letters.withColumn("features", F.array(*LETTER))
    models = [fitted(table, features_col="features") for table in (vectors, arrays)]
    assert models[0].get_booster().fingerprint == models[1].get_booster().fingerprint
    for model, table in zip(models, (vectors, arrays)):
        rows = model.transform(table).orderBy("id").toPandas()
        x = ranks.letter_frame(3000)[LETTER].to_numpy()
        assert rows["prediction"].tolist() == model.get_booster().predict(x).tolist()
        np.testing.assert_array_equal(np.stack([v.toArray() for v in rows["probability"]]), model.get_booster().predict_proba(x))
        np.testing.assert_array_equal(np.stack([v.toArray() for v in rows["rawPrediction"]]), model.get_booster().predict_raw(x))


def test_validation_and_summary(letters):
    table = letters.withColumn("valid", F.col("id") % 4 == 0)
    model = fitted(table, validation_indicator_col="valid", early_stopping_rounds=2, n_estimators=6, learning_rate=1, preset="paper")
    assert len(model.training_summary["evals_result"]["valid"]["logloss"]) == model.training_summary["iterations"]
    assert set(model.get_feature_importances()) == set(LETTER)


def test_pipeline_and_files(spark, letters, tmp_path):
    stages = [VectorAssembler(inputCols=LETTER, outputCol="features"), SparkAOSOClassifier(n_estimators=2, class_weight={"A": 2.0})]
    pipeline = Pipeline(stages=stages)
    pipeline.save(str(tmp_path / "pipeline"))
    loaded = Pipeline.load(str(tmp_path / "pipeline"))
    model = loaded.fit(letters)
    assert model.stages[1].get_booster().fingerprint == pipeline.fit(letters).stages[1].get_booster().fingerprint
    model.save(str(tmp_path / "model"))
    again = PipelineModel.load(str(tmp_path / "model"))
    assert again.transform(letters).collect() == model.transform(letters).collect()
    model.stages[1].save(str(tmp_path / "alone"))
    alone = SparkAOSOClassifierModel.load(str(tmp_path / "alone"))
    assert alone.uid == model.stages[1].uid and alone.training_summary == model.stages[1].training_summary


def test_cross_validation(spark):
    table = spark.createDataFrame(mixed_frame())
    estimator = SparkAOSOClassifier(features_col=MIXED, num_workers=2, preset="paper", learning_rate=0.5)
    grid = ParamGridBuilder().addGrid(estimator.n_estimators, [1, 6]).build()
    evaluator = MulticlassClassificationEvaluator(metricName="accuracy")
    best = CrossValidator(estimator=estimator, estimatorParamMaps=grid, evaluator=evaluator, numFolds=2).fit(table)
    assert best.bestModel.get_booster().num_trees == [1, 6][int(np.argmax(best.avgMetrics))] and max(best.avgMetrics) > 0.9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_workers": EXECUTORS + 1}, f"num_workers is 3; allowed: 1 to {EXECUTORS}"),
        ({"num_workers": 0}, "num_workers is 0; allowed: at least 1"),
        ({"max_leaves": 1}, "max_leaves is 1"),
        ({"nthread": 3}, "nthread is 3; allowed with Spark"),
        ({"features_col": ["x0", "q"]}, "featuresCol has 'q'; allowed: columns of the data"),
        ({"features_col": "label"}, "featuresCol is 'label', a column of string; allowed: vectors"),
        ({"label_col": "y"}, "labelCol is 'y'; allowed: a column"),
        ({"weight_col": "id"}, None),
        ({"monotone_constraints": {"q": 1}}, "q"),
    ],
)
def test_errors(letters, options, message):
    """They come at once, in one sentence."""
    begin = time.monotonic()
    if message is None:
        assert fitted(letters, **options).classes
        return
    with pytest.raises(ArgumentError, match=message):
        fitted(letters, **options)
    assert time.monotonic() - begin < 60


def test_a_script(spark, tmp_path, monkeypatch, capsys):
    """The script of a user of SparkXGBClassifier runs with another import."""
    monkeypatch.chdir(tmp_path)
    ranks.letter_frame(2500).drop(columns="id").rename(columns={"label": "lettr"}).to_csv(tmp_path / "letter.csv", index=False)
    text, changed = (Path(__file__).parent / "scripts/spark/cross_validation.py").read_text(), "from xgboost.spark import SparkXGBClassifier\n"
    assert text.count(changed) == text.count("xgboost.spark") == 1
    exec(text.replace(changed, "from aoso.spark import SparkAOSOClassifier as SparkXGBClassifier\n"), {"__name__": "script"})
    assert float(capsys.readouterr().out.split("accuracy ")[1]) > 0.5


def test_the_arguments_of_xgboost(spark, letters):
    """The arguments and methods of SparkXGBClassifier that its documents show."""
    train = VectorAssembler(inputCols=LETTER, outputCol="features").transform(letters)
    classifier = SparkAOSOClassifier(
        features_col="features", label_col="label", num_workers=2, max_depth=5, n_estimators=3, tree_method="hist", device="cpu", eval_metric="mlogloss",
        missing=float("nan"),
    )  # fmt: skip
    model = classifier.fit(train)
    model.transform(train).select("label", "prediction", "probability").first()
    assert model.get_booster().num_trees and len(model.get_feature_importances()) == 16


@pytest.mark.parametrize("phase", faults.PHASES)
@pytest.mark.parametrize("act", [faults.kill_worker, faults.stop_worker, faults.kill_executor])
def test_a_worker_is_lost(spark, letters, tmp_path, act, phase):
    """Spark tries again. The model is the same."""
    fault = faults.Fault(phase, 1, str(tmp_path), act, iteration=30)
    while _slots(spark) < EXECUTORS:  # Spark starts an executor again that was killed
        time.sleep(0.1)
    with faults.in_spark(fault):
        found = fitted(letters, n_estimators=60, timeout=3, checkpoint=str(tmp_path / "training")).get_booster().fingerprint
    assert fault.struck and fault.again
    assert found == alone(ranks.letter_frame(3000), LETTER, {"n_estimators": 60})


def test_another_version_on_a_worker(letters, tmp_path):
    """It is an error before the first tree."""
    fault = faults.Fault("start", 1, str(tmp_path), faults.change_version)
    try:
        with faults.in_spark(fault), pytest.raises(ArgumentError, match=r"^worker 1: the worker .* has aoso 0.0.0, the driver .*; allowed: the same$"):
            fitted(letters)
    finally:
        for process in ranks.workers("pyspark.daemon"):
            os.kill(process, signal.SIGKILL)


@pytest.mark.parametrize("spare", [32 << 20, 1 << 20])
def test_a_worker_near_its_limit_of_memory(spark, letters, tmp_path, spare):
    """Where the library foresees it, it is an error at once. Else the process dies, and Spark tries again."""
    fault = faults.Fault("binning", 1, str(tmp_path), functools.partial(faults.starve, spare))
    try:
        with faults.in_spark(fault):
            found = fitted(letters).get_booster().fingerprint
        assert fault.again and found == alone(ranks.letter_frame(3000), LETTER, {"n_estimators": 3})
    except OutOfMemoryError as e:
        assert re.search(r"^worker 1: the dataset needs .* GB; the limits of the process .* leave", str(e))
    finally:
        for process in ranks.workers("pyspark.daemon"):  # Spark would use it again
            os.kill(process, signal.SIGKILL)


def test_too_little_memory_to_begin():
    """Spark's own limit, of an application of its own."""
    program = """
        import aoso
        from pyspark.sql import SparkSession
        from aoso.spark import SparkAOSOClassifier
        builder = SparkSession.builder.master("local-cluster[1,1,800]").config("spark.executor.memory", "600m")
        for name in ("spark.driver.bindAddress", "spark.driver.host"):
            builder = builder.config(name, "127.0.0.1")
        spark = builder.config("spark.ui.enabled", "false").config("spark.executor.pyspark.memory", "100m").getOrCreate()
        spark.sparkContext.setLogLevel("OFF")
        table = spark.range(30).selectExpr("id", "cast(id as double) x", "id % 3 label")
        try:
            SparkAOSOClassifier(features_col=["x"], num_workers=1).fit(table)
        except aoso.AosoError as e:
            print(e)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=300, env={**os.environ, "PYTHONPATH": SOURCE}
    )
    assert "a worker has too little memory to begin; allowed: spark.executor.pyspark.memory unset" in done.stdout, done.stderr[-3000:]


@contextlib.contextmanager
def striking(strike, pause):
    """Calls strike with the workers again and again, whenever all are there."""
    ended = threading.Event()

    def work():
        while not ended.wait(pause):
            if len(found := ranks.workers("pyspark.daemon")) == EXECUTORS:
                strike(found)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def test_a_worker_is_stopped_every_time(spark, letters):
    """The driver does not wait without end: it says which worker did not answer."""

    def strike(found):
        if not any("T (stopped)" in Path(f"/proc/{process}/status").read_text() for process in found):
            os.kill(found[0], signal.SIGSTOP)

    reason = r"rank \d .*(has not answered in 3s|has not connected|has not reached|has not begun|is lost)"
    with striking(strike, 0.05), pytest.raises(CollectiveError, match=reason):
        fitted(letters, n_estimators=2000, preset="paper", timeout=3)


def test_all_workers_are_stopped(spark, letters):
    """Nobody is left who could say so: each has a watchdog."""
    hit = set()

    def strike(found):
        for process in found:
            os.kill(process, signal.SIGSTOP)
        hit.update(found)

    with striking(strike, 0.2), pytest.raises(CollectiveError, match=r"worker \d has ended .*, or was stopped for longer than 3 s"):
        fitted(letters, n_estimators=2000, preset="paper", timeout=3)
    assert len(hit) > EXECUTORS  # Spark has tried again


def test_spark_connect(tmp_path):
    """A server of its own: fit, transform, files, an error."""
    program = f"""
        import sys, warnings
        warnings.filterwarnings("ignore")
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        import numpy as np, pandas as pd, ranks, aoso
        from pyspark.sql import SparkSession
        from aoso.spark import SparkAOSOClassifier, SparkAOSOClassifierModel
        spark = SparkSession.builder.remote("local[2]").getOrCreate()
        data, names = ranks.letter(2000), [f"x{{j}}" for j in range(16)]
        frame = pd.DataFrame(data["x"], columns=names).assign(label=data["y"], id=np.arange(2000))
        table = spark.createDataFrame(frame)
        estimator = SparkAOSOClassifier(features_col=names, row_id_col="id", num_workers=2, n_estimators=3)
        model = estimator.fit(table)
        assert type(table).__module__.startswith("pyspark.sql.connect"), type(table)
        want = aoso.train({{"n_estimators": 3, "nthread": 1}}, aoso.Dataset(frame[names], frame["label"], row_id=frame["id"]))
        assert model.get_booster().fingerprint == want.fingerprint
        model.save({str(tmp_path / "model")!r})
        again = SparkAOSOClassifierModel.load({str(tmp_path / "model")!r})
        rows = again.transform(table).orderBy("id").toPandas()
        assert rows["prediction"].tolist() == want.predict(frame[names]).tolist()
        try:
            SparkAOSOClassifier(features_col=names, num_workers=50).fit(table)
        except aoso.AosoError as e:
            assert "num_workers is 50; allowed: 1 to 2" in str(e)
        print("connected")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=300, env={**os.environ, "PYTHONPATH": SOURCE}
    )
    assert done.stdout.endswith("connected\n"), done.stderr[-3000:]
