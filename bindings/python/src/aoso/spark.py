"""Training and prediction with Spark, also over Spark Connect.

:class:`SparkAOSOClassifier` is an estimator of ``pyspark.ml``::

    from aoso.spark import SparkAOSOClassifier

    model = SparkAOSOClassifier(features_col="features", label_col="label", num_workers=4).fit(table)
    model.transform(table)

Each worker is a task of one barrier stage, and has some of the rows. The model is the same, to the last bit, for any partitions and number
of workers. All executors need aoso. The tasks connect by TCP: see :mod:`aoso.tcp`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import time
from collections.abc import Iterable, Iterator
from typing import Any

from . import _others, errors
from ._capi import version
from ._parameters import TYPES
from .booster import Booster
from .errors import AosoError, ArgumentError, CollectiveError, OutOfMemoryError

try:
    from pyspark.ml import Estimator, Model
    from pyspark.ml.functions import array_to_vector, vector_to_array
    from pyspark.ml.linalg import VectorUDT
    from pyspark.ml.param import Param, Params, TypeConverters
    from pyspark.ml.param.shared import HasFeaturesCol, HasLabelCol, HasPredictionCol, HasProbabilityCol, HasRawPredictionCol, HasWeightCol
    from pyspark.ml.util import (
        DefaultParamsReadable,
        DefaultParamsReader,
        DefaultParamsWritable,
        DefaultParamsWriter,
        MLReadable,
        MLReader,
        MLWritable,
        MLWriter,
    )
    from pyspark.sql import functions as F
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import ArrayType, BooleanType, NumericType, StringType, StructType

    from . import _spark_worker
except ImportError as e:
    raise ImportError(f"aoso.spark needs pyspark 3.5 or later, pandas and pyarrow: pip install 'aoso[spark]' ({e})") from e

__all__ = ["SparkAOSOClassifier", "SparkAOSOClassifierModel"]

_STARTING = 30.0  # seconds in which an application gets its executors

# The parameters of training that are params of the estimator. Threads are the cores of a task.
_CONVERTERS = {int: TypeConverters.toInt, float: TypeConverters.toFloat, str: TypeConverters.toString}
_TRAINING: dict[str, Any] = {name: _CONVERTERS[kind] for name, kind in TYPES.items() if name != "nthread"}
_TRAINING.update(
    dict.fromkeys(("monotone_constraints", "interaction_constraints", "categorical_features", "class_weight")),
    max_bin=TypeConverters.toInt,
    sample_rows=TypeConverters.toInt,
)


def _columns(value: Any) -> Any:
    """The converter of featuresCol."""
    return TypeConverters.toString(value) if isinstance(value, str) else TypeConverters.toListString(value)


def _pairs(value: Any) -> Any:
    """The converter of class_weight: a dict as a list, because the keys of JSON are strings."""
    return [list(pair) for pair in value.items()] if isinstance(value, dict) else value


def _param(name: str, doc: str, converter: Any) -> Any:
    return Param(Params._dummy(), name, doc, converter or TypeConverters.identity)


class _Columns(HasFeaturesCol, HasLabelCol, HasWeightCol, HasPredictionCol, HasProbabilityCol, HasRawPredictionCol):  # type: ignore[misc]
    """The params of the estimator and of its models."""

    featuresCol = _param("featuresCol", "a column of vectors or of arrays of numbers, or a list of columns, also of strings", _columns)
    validationIndicatorCol = _param("validationIndicatorCol", "a column of bools: true for rows to validate on", TypeConverters.toString)
    rowIdCol = _param("rowIdCol", "a column of whole numbers, all different; by default, hashes of the rows", TypeConverters.toString)
    num_workers = _param("num_workers", "tasks that train, each with some of the rows", TypeConverters.toInt)
    timeout = _param("timeout", "seconds that a task waits for the others", TypeConverters.toFloat)
    checkpoint = _param("checkpoint", "a file, which all executors reach, that keeps how far training has come", TypeConverters.toString)

    def __init__(self) -> None:
        super().__init__()
        self._setDefault(num_workers=1, timeout=600.0)


for _name, _converter in _TRAINING.items():
    _doc = f"the parameter {_name} of aoso.AOSOClassifier"
    setattr(_Columns, _name, _param(_name, _doc, _pairs if _name == "class_weight" else _converter))


class SparkAOSOClassifier(Estimator, _Columns, DefaultParamsWritable, DefaultParamsReadable):  # type: ignore[misc]
    """The estimator of Spark ML that trains a :class:`aoso.Booster`.

    Parameters
    ----------
    features_col : str or list of str, default "features"
        A column of vectors or of arrays of numbers; or columns of numbers, bools, strings and dates, in which strings are categories.
        NaN and null are missing values.
    label_col : str, default "label"
        Numbers, strings or bools. Predictions of numbers and bools are doubles, as the evaluators of Spark need them.
    weight_col, validation_indicator_col, row_id_col : str, optional
        Weights; bools that are true for rows to validate on; whole numbers that are all different. What is drawn from the rows depends
        on their ids, which are by default hashes of the rows.
    prediction_col : str, default "prediction"
        The column of the predicted class, which ``transform`` adds.
    probability_col : str, default "probability"
        The column of the vector of probabilities, in the order of ``model.classes``.
    raw_prediction_col : str, default "rawPrediction"
        The column of the vector of raw scores.
    num_workers : int, default 1
        Tasks that train, at the same time. Each has ``spark.task.cpus`` threads.
    timeout : float, default 600
        Seconds that a task waits for the others.
    checkpoint : str, optional
        A file that keeps how far training has come, under a path that all executors reach. If Spark tries again, training goes on
        from there.
    **params
        The parameters of :class:`aoso.AOSOClassifier`, also by the names of other libraries, except for threads. Each is a param too,
        such as ``estimator.max_leaves`` for a ``ParamGridBuilder``.
    """

    def __init__(
        self,
        *,
        features_col: str | list[str] = "features",
        label_col: str = "label",
        weight_col: str | None = None,
        validation_indicator_col: str | None = None,
        row_id_col: str | None = None,
        prediction_col: str = "prediction",
        probability_col: str = "probability",
        raw_prediction_col: str = "rawPrediction",
        num_workers: int = 1,
        timeout: float = 600,
        checkpoint: str | None = None,
        **params: Any,
    ) -> None:
        super().__init__()
        given = {
            "featuresCol": features_col,
            "labelCol": label_col,
            "weightCol": weight_col,
            "validationIndicatorCol": validation_indicator_col,
            "rowIdCol": row_id_col,
            "predictionCol": prediction_col,
            "probabilityCol": probability_col,
            "rawPredictionCol": raw_prediction_col,
            "num_workers": num_workers,
            "timeout": timeout,
            "checkpoint": checkpoint,
        }
        meant = _others.parameters(params)
        if "nthread" in meant.training:
            raise ArgumentError(f"nthread is {meant.training['nthread']}; allowed with Spark: spark.task.cpus, the cores of a task")
        self._set(**{name: value for name, value in {**given, **meant.training, **meant.dataset}.items() if value is not None})

    def _fit(self, dataset: Any) -> SparkAOSOClassifierModel:
        workers = self.getOrDefault(self.num_workers)
        if workers < 1:
            raise ArgumentError(f"num_workers is {workers}; allowed: at least 1")
        table, names = self._table(dataset, workers)
        _check_slots(table.sparkSession, workers)
        plan = _spark_worker.Plan(
            params=self._training(),
            names=names,
            schema=to_arrow_schema(table.schema),
            weighted=self.isDefined(self.weightCol),
            validated=self.isDefined(self.validationIndicatorCol),
            numbered=self.isDefined(self.rowIdCol),
            size=workers,
            secret=secrets.token_hex(),
            timeout=self.getOrDefault(self.timeout),
            checkpoint=self.getOrDefault(self.checkpoint) if self.isDefined(self.checkpoint) else None,
            version=version(),
        )

        train_rank = _spark_worker.train_rank

        def task(batches: Iterable[Any]) -> Iterator[Any]:
            return train_rank(batches, plan)

        try:
            # Spark does not try a barrier stage again whose results go to the driver, so they go through another stage.
            rows = table.mapInArrow(task, _spark_worker.SCHEMA, barrier=True).repartition(1).collect()
        except Exception as e:
            if cause := _cause(str(e), self.getOrDefault(self.timeout)):
                raise cause from e
            raise
        if not rows:
            raise ArgumentError("the data have no rows; allowed: at least one")
        model: SparkAOSOClassifierModel = self._copyValues(SparkAOSOClassifierModel(*_result(rows)))
        return model

    def _table(self, dataset: Any, workers: int) -> tuple[Any, list[str] | None]:
        """The columns that training needs, by names of its own, in a partition for each worker; and the names of the features."""
        features, names = _features(dataset, self.getOrDefault(self.featuresCol))
        columns = [*features, _column(dataset, self, self.labelCol).alias("label")]
        if self.isDefined(self.weightCol):
            columns.append(_column(dataset, self, self.weightCol).cast("double").alias("weight"))
        if self.isDefined(self.validationIndicatorCol):
            columns.append(_column(dataset, self, self.validationIndicatorCol).cast("boolean").alias("valid"))
        table = dataset.select(*columns, *([_column(dataset, self, self.rowIdCol).alias("id")] if self.isDefined(self.rowIdCol) else []))
        _check_types(table.schema)
        if not self.isDefined(self.rowIdCol):
            table = table.withColumn("id", _hash(table))
        table = table.withColumn("id", F.col("id").cast("long"))
        return table.repartition(workers, "id"), names

    def _training(self) -> dict[str, Any]:
        """The parameters of training that are set."""
        params = {name: self.getOrDefault(name) for name in _TRAINING if self.isSet(name)}
        if isinstance(params.get("class_weight"), list):
            params["class_weight"] = {label: weight for label, weight in params["class_weight"]}
        return params


class SparkAOSOClassifierModel(Model, _Columns, MLReadable, MLWritable):  # type: ignore[misc]
    """A model that :class:`SparkAOSOClassifier` has trained.

    Attributes
    ----------
    classes : list
        The classes, in the order of probabilities and raw predictions.
    training_summary : dict
        ``iterations``, ``best_iteration``, ``stopped_by``, ``seconds`` and ``evals_result``, the metrics of each iteration.
    """

    def __init__(self, model: bytes = b"", summary: dict[str, Any] | None = None) -> None:
        super().__init__()
        self._bytes, self.training_summary = model, summary or {}

    def get_booster(self) -> Booster:
        """The model, for all that Spark does not need, such as ``get_booster().save("model.aoso")``."""
        return Booster.from_bytes(self._bytes)

    @property
    def classes(self) -> list[Any]:
        """The classes, in the order of probabilities and raw predictions."""
        return list(self.get_booster().classes.tolist())

    def get_feature_importances(self, importance_type: str = "gain") -> dict[str, float]:
        """The importance of each feature by name. ``importance_type`` is "gain", "split" or "cover"."""
        booster = self.get_booster()
        return dict(zip(booster.feature_names, booster.importance(importance_type).tolist()))

    def _transform(self, dataset: Any) -> Any:
        model, digest = self._bytes, hashlib.sha256(self._bytes).digest()
        features, names = _features(dataset, self.getOrDefault(self.featuresCol))
        kind = "string" if self.get_booster().classes.dtype.kind in "OUT" else "double"

        def predict(frames: Iterator[Any]) -> Iterator[Any]:
            return _spark_worker.predicted(frames, model, digest, names)

        made = f"prediction {kind}, probability array<double>, raw array<double>"
        predict.__annotations__ = {}  # which pandas_udf would read
        udf = F.pandas_udf(predict, made, functionType=F.PandasUDFType.SCALAR_ITER)
        added = f"_{self.uid}"
        out = dataset.withColumn(added, udf(F.struct(*features)))
        for param, field in ((self.rawPredictionCol, "raw"), (self.probabilityCol, "probability")):
            if name := self.getOrDefault(param):
                out = out.withColumn(name, array_to_vector(F.col(f"{added}.{field}")))
        if name := self.getOrDefault(self.predictionCol):
            out = out.withColumn(name, F.col(f"{added}.prediction"))
        return out.drop(added)

    def write(self) -> MLWriter:
        """The writer of the model, as ``save`` uses it."""
        return _Writer(self)

    @classmethod
    def read(cls) -> MLReader:
        """The reader of a model, as ``load`` uses it."""
        return _Reader()


class _Writer(MLWriter):  # type: ignore[misc]
    def __init__(self, model: SparkAOSOClassifierModel) -> None:
        super().__init__()
        self._model = model

    def saveImpl(self, path: str) -> None:
        spark, data, size = self.sparkSession, self._model._bytes, 1 << 22
        DefaultParamsWriter.saveMetadata(self._model, path, _session(spark), {"summary": self._model.training_summary})
        parts = [(number, bytearray(data[at : at + size])) for number, at in enumerate(range(0, len(data), size))]
        spark.createDataFrame(parts, "number int, data binary").coalesce(1).write.parquet(os.path.join(path, "model"))


class _Reader(MLReader):  # type: ignore[misc]
    def load(self, path: str) -> SparkAOSOClassifierModel:
        spark = self.sparkSession
        metadata = DefaultParamsReader.loadMetadata(path, _session(spark))
        parts = spark.read.parquet(os.path.join(path, "model")).orderBy("number").collect()
        model = SparkAOSOClassifierModel(b"".join(bytes(part.data) for part in parts), metadata["summary"])
        model._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(model, metadata)
        return model


def _session(spark: Any) -> Any:
    """What pyspark reads and writes metadata with: before version 4, a SparkContext."""
    import pyspark

    return spark if int(pyspark.__version__.split(".")[0]) >= 4 else spark.sparkContext


def _column(dataset: Any, params: Any, param: Any) -> Any:
    """The column that a param names."""
    name = params.getOrDefault(param)
    if name not in dataset.columns:
        raise ArgumentError(f"{param.name} is {name!r}; allowed: a column of the data, such as {', '.join(dataset.columns[:5])}")
    return dataset[name]


def _features(dataset: Any, given: Any) -> tuple[list[Any], list[str] | None]:
    """The columns of features by names of their own, and their names; None: a single column of arrays."""
    for name in [given] if isinstance(given, str) else given:
        if name not in dataset.columns:
            raise ArgumentError(f"featuresCol has {name!r}; allowed: columns of the data, such as {', '.join(dataset.columns[:5])}")
    if not isinstance(given, str):
        return [dataset[name].alias(f"features{j}") for j, name in enumerate(given)], list(given)
    kind, column = dataset.schema[given].dataType, dataset[given]
    if isinstance(kind, VectorUDT):
        return [vector_to_array(column).alias("features")], None
    if isinstance(kind, ArrayType) and isinstance(kind.elementType, (NumericType, BooleanType)):
        missing = F.lit(float("nan"))
        return [F.transform(column, lambda value: F.coalesce(value.cast("double"), missing)).alias("features")], None
    raise ArgumentError(f"featuresCol is {given!r}, a column of {kind.simpleString()}; allowed: vectors, arrays of numbers, or a list of columns")


def _check_types(schema: StructType) -> None:
    for name, allowed, kinds in (
        ("label", "numbers, strings or bools", (NumericType, StringType, BooleanType)),
        ("id", "whole numbers", (NumericType,)),
    ):
        if name in schema.names and not isinstance(schema[name].dataType, kinds):
            raise ArgumentError(f"the column of the {name} is of {schema[name].dataType.simpleString()}; allowed: {allowed}")


def _hash(table: Any) -> Any:
    """A hash of the values of a row, which does not depend on how the rows are ordered and partitioned. Null does not change a hash, so it
    is told apart."""
    columns = [F.col(f"`{name}`") for name in table.columns]
    return F.xxhash64(*columns, *[F.isnull(column) for column in columns])


def _check_slots(spark: Any, workers: int) -> None:
    """Raise an error if the tasks cannot run at the same time. Spark would wait for ten minutes."""
    while (slots := _slots(spark)) < workers:
        if not _starting(spark):
            raise ArgumentError(f"num_workers is {workers}; allowed: 1 to {slots}, the tasks that the executors can run at the same time")
        time.sleep(0.2)


def _starting(spark: Any) -> bool:
    """Whether executors may still be about to start."""
    try:
        return bool(time.time() - spark.sparkContext.startTime / 1000 < _STARTING)
    except Exception:  # of Spark Connect, which does not say
        return False


def _slots(spark: Any) -> int:
    """How many tasks can run at the same time."""
    try:
        context = spark.sparkContext
    except Exception:  # of Spark Connect, which has none: the default number of partitions is that of cores
        cores = spark.range(1 << 16).select(F.spark_partition_id()).distinct().count()
        return int(cores) // int(spark.conf.get("spark.task.cpus", "1"))
    java = context._jsc.sc()
    return int(java.maxNumConcurrentTasks(java.resourceProfileManager().defaultResourceProfile()))


def _cause(text: str, timeout: float) -> AosoError | None:
    """The error that ended the last try, of the text of Spark's."""
    if found := re.search(r"CollectiveError: (.*)", text):
        return CollectiveError(found[1])
    if re.search(r"MemoryError|failed to map segment|[Cc]annot allocate memory", text):
        return OutOfMemoryError("a worker has too little memory to begin; allowed: spark.executor.pyspark.memory unset, or at least 4g for each core of an executor")
    if found := re.search(r"barrier task \w+\(\d+, (\d+)\)(?s:.*)(?:Python worker exited|ExecutorLostFailure)", text):
        ended = f"worker {found[1]} has ended (it may have needed more memory than its executor has)"
        return CollectiveError(f"{ended}, or was stopped for longer than {timeout:g} s")
    if "No module named 'aoso'" in text:
        return CollectiveError("a worker has no aoso; allowed: the same version in the Python of all executors as on the driver")
    return None


def _result(rows: list[Any]) -> tuple[bytes, dict[str, Any]]:
    """The model and its summary, of what the tasks have returned."""
    wrong = sorted((row.number, row.data) for row in rows if row.kind == _spark_worker.ERROR)
    if wrong:
        rank, data = wrong[0]
        name, text = json.loads(bytes(data))
        raise getattr(errors, name, ArgumentError)(f"worker {rank}: {text}")
    parts = sorted((row.number, bytes(row.data)) for row in rows if row.kind == _spark_worker.MODEL)
    if not parts:
        raise CollectiveError("the workers have returned no model")
    summary = next(json.loads(bytes(row.data)) for row in rows if row.kind == _spark_worker.SUMMARY)
    return b"".join(data for _, data in parts), summary
