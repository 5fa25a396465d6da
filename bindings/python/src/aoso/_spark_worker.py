"""What the tasks of Spark run: :mod:`aoso.spark` without its Spark ML, which they do not need."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ._capi import raw_to_proba, version
from ._input import Array
from .booster import Booster
from .callback import record_evaluation
from .collective import Collective
from .dataset import Dataset
from .errors import AosoError, ArgumentError, CollectiveError
from .tcp import TCPCollective
from .training import train

# What a task returns: the model in parts, what is known of the training, or an error that trying again does not mend.
MODEL, SUMMARY, ERROR = "model", "summary", "error"
SCHEMA = "kind string, number int, data binary"
_PART = 4 << 20  # bytes of the model in a row
_FEATURES, _LABEL, _WEIGHT, _VALID, _ID = "features", "label", "weight", "valid", "id"
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)

Row = tuple[str, int, bytes]


class Plan(NamedTuple):
    """A training, as the driver hands it to the tasks."""

    params: dict[str, Any]
    names: list[str] | None  # of the columns of the features; None: the column "features" holds arrays
    schema: pa.Schema
    weighted: bool
    validated: bool
    numbered: bool  # the ids are the user's; otherwise hashes of the rows
    size: int
    secret: str
    timeout: float
    checkpoint: str | None
    version: str


def train_rank(batches: Iterable[pa.RecordBatch], plan: Plan) -> Iterator[pa.RecordBatch]:
    """Train as a task of a barrier stage."""
    rows = list(_rows(batches, plan))
    columns = [pa.array(values, kind) for values, kind in zip(zip(*rows), (pa.string(), pa.int32(), pa.binary()))]
    for i in range(len(rows)):
        yield pa.RecordBatch.from_arrays([column.slice(i, 1) for column in columns], ["kind", "number", "data"])


def _rows(batches: Iterable[pa.RecordBatch], plan: Plan) -> Iterator[Row]:
    from pyspark import BarrierTaskContext

    context = BarrierTaskContext.get()
    rank = context.partitionId()
    if version() != plan.version:
        text = f"the worker {_host(context, rank)} has aoso {version()}, the driver {plan.version}; allowed: the same"
        _gathered(context, {"wrong": True}, plan.timeout)
        yield _error(rank, ArgumentError(text))
        return
    collective = TCPCollective(rank, plan.size, secret=plan.secret, timeout=plan.timeout)
    everyone = _gathered(context, {"port": collective.port}, plan.timeout)
    if any("wrong" in one for one in everyone):
        return
    try:
        collective.connect(f"{_host(context, 0)}:{everyone[0]['port']}")
        try:
            booster, summary = _trained(pa.Table.from_batches(batches, plan.schema), plan, collective, context.cpus())
        except BaseException as e:
            collective.abort(f"rank {rank}: {type(e).__name__}: {e}")
            raise
    except CollectiveError as e:
        if " gave up: " not in str(e):  # else that rank returns its error
            raise
        return
    except (AosoError, ValueError, TypeError) as e:
        yield _error(rank, e)
        return
    if rank == 0:
        data = booster.to_bytes()
        yield SUMMARY, 0, json.dumps(summary).encode()
        for number, first in enumerate(range(0, len(data), _PART)):
            yield MODEL, number, data[first : first + _PART]


def _gathered(context: Any, mine: dict[str, Any], timeout: float) -> list[Any]:
    """What each task says. Spark itself would wait for a year, so it is asked in a thread, which ends with the process."""
    texts: list[str] = []
    thread = threading.Thread(target=lambda: texts.extend(context.allGather(json.dumps(mine))), daemon=True)
    thread.start()
    thread.join(timeout)
    if not texts:
        raise CollectiveError(f"rank {context.partitionId()}: another worker has not begun in {timeout:g} s, or is lost")
    return [json.loads(text) for text in texts]


def _error(rank: int, e: Exception) -> Row:
    return ERROR, rank, json.dumps([type(e).__name__, str(e)]).encode()


def _host(context: Any, rank: int) -> str:
    """The host of a task, as Spark knows it: with its port, if there is one, cut off."""
    address: str = context.getTaskInfos()[rank].address
    host, _, port = address.rpartition(":")
    return host if host and port.isdecimal() and (host.endswith("]") or ":" not in host) else address


def _trained(table: pa.Table, plan: Plan, collective: Collective, nthread: int) -> tuple[Booster, dict[str, Any]]:
    x = _features(table, plan, collective)
    y = table[_LABEL].to_numpy()
    weight = table[_WEIGHT].to_numpy() if plan.weighted else None
    held = np.asarray(table[_VALID].to_numpy(), bool) if plan.validated else np.zeros(len(y), bool)
    ids = table[_ID].to_numpy().view(np.uint64)

    def part(rows: Array) -> tuple[Any, Array, Array | None]:
        if rows.all():
            return x, y, weight
        return x.filter(pa.array(rows)) if isinstance(x, pa.Table) else x[rows], y[rows], None if weight is None else weight[rows]

    x_train, y_train, w_train = part(~held)
    numbers = ids[~held] if plan.numbered else _distinct(ids[~held])
    params = {"nthread": nthread, **plan.params}
    seed = int(params.get("seed", 0))
    train_set = Dataset(
        x_train, y_train, weight=w_train, row_id=numbers, params=params, seed=seed, nthread=nthread, collective=collective
    )
    valid = None
    if plan.validated:
        x_valid, y_valid, w_valid = part(held)
        valid = train_set.aligned(x_valid, y_valid, weight=w_valid)
    history: dict[str, dict[str, list[float]]] = {}
    of_training = {name: value for name, value in params.items() if name not in ("max_bin", "sample_rows", "categorical_features")}
    booster = train(
        of_training, train_set, valid=valid, callbacks=[record_evaluation(history)], checkpoint=plan.checkpoint
    )
    result = booster.result
    assert result is not None
    summary = {name: value for name, value in result._asdict().items() if isinstance(value, (int, float, str))}
    return booster, {**summary, "evals_result": history}


def _features(table: pa.Table, plan: Plan, collective: Collective) -> Any:
    """The features: a table, or an array of which Arrow has the rows."""
    if plan.names is not None:
        return table.select([f"{_FEATURES}{j}" for j in range(len(plan.names))]).rename_columns(plan.names)
    column = table[_FEATURES].combine_chunks()
    column = column.chunk(0) if isinstance(column, pa.ChunkedArray) and column.num_chunks else column
    if column.null_count:
        raise ArgumentError("a row has null in place of its features; allowed: an array of numbers, in which null is a missing value")
    widths = np.unique(column.value_lengths().to_numpy(zero_copy_only=False)) if len(column) else np.zeros(1, np.int64)
    widest = np.array([widths.max()], np.int64)
    collective.all_reduce("max", widest)
    width = int(widest[0])
    if len(column) and (len(widths) > 1 or widths[0] != width):
        raise ArgumentError(f"rows have {', '.join(map(str, np.unique([*widths, width])))} features; allowed: the same number in all rows")
    return column.flatten().to_numpy(zero_copy_only=False).reshape(len(column), width) if len(column) else np.empty((0, width))


def _distinct(hashes: Array) -> Array:
    """Distinct ids for rows by their hashes. Equal rows are on one rank, where they are numbered: which of them is which makes no difference."""
    order = np.argsort(hashes, kind="stable")
    ordered, places = hashes[order], np.arange(len(hashes))
    first = np.ones(len(hashes), bool)
    first[1:] = ordered[1:] != ordered[:-1]
    repeated = places - np.maximum.accumulate(np.where(first, places, 0)) if len(hashes) else places
    ids = np.empty_like(hashes)
    ids[order] = ordered + repeated.astype(np.uint64) * _GOLDEN
    return ids


_kept: dict[bytes, Booster] = {}  # the model of this Python worker, which Spark uses for many tasks


def predicted(frames: Iterable[Any], model: bytes, digest: bytes, names: list[str] | None) -> Iterator[Any]:
    """Predictions for blocks of rows: pandas data frames of the features, or series of arrays."""
    import pandas as pd

    if (booster := _kept.get(digest)) is None:
        _kept.clear()
        booster = _kept[digest] = Booster.from_bytes(model)
    classes = booster.classes if booster.classes.dtype.kind in "OUT" else booster.classes.astype(float)
    for frame in frames:
        if len(frame) == 0:
            x: Any = np.empty((0, booster.num_features))
        elif names is None:
            x = np.stack(frame.iloc[:, 0].to_numpy()).astype(float)
        else:
            x = frame.set_axis(names, axis=1)
        raw = booster.predict_raw(x, nthread=1)
        odds = raw_to_proba(booster._handle, raw.copy())
        yield pd.DataFrame(
            {
                "prediction": classes[odds.argmax(axis=1)],
                "probability": list(odds),
                "raw": list(raw),
            }
        )
