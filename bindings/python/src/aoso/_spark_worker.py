"""What the tasks of Spark run: :mod:`aoso.spark` without its Spark ML, which they do not need."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ._capi import version
from ._table_rank import Columns, decided, distinct, rows, trained
from ._watchdog import watched
from .booster import Booster
from .collective import Collective
from .errors import AosoError, ArgumentError, CollectiveError
from .tcp import TCPCollective

# What a task returns: the model in parts, what is known of the training, or an error that trying again does not mend.
MODEL, SUMMARY, ERROR = "model", "summary", "error"
SCHEMA = "kind string, number int, data binary"
_PART = 4 << 20  # bytes of the model in a row
_OWN = (AosoError, ValueError, TypeError, MemoryError)  # errors that trying again does not mend
_FEATURES, _LABEL, _WEIGHT, _VALID, _ID = "features", "label", "weight", "valid", "id"

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
    with watched(plan.timeout):
        results = list(_results(batches, plan))
    columns = [pa.array(values, kind) for values, kind in zip(zip(*results), (pa.string(), pa.int32(), pa.binary()))]
    for i in range(len(results)):
        yield pa.RecordBatch.from_arrays([column.slice(i, 1) for column in columns], ["kind", "number", "data"])


def _results(batches: Iterable[pa.RecordBatch], plan: Plan) -> Iterator[Row]:
    from pyspark import BarrierTaskContext

    context = BarrierTaskContext.get()
    rank = context.partitionId()
    try:
        if version() != plan.version:
            text = f"the worker {_host(context, rank)} has aoso {version()}, the driver {plan.version}; allowed: the same"
            raise ArgumentError(text)
        collective = TCPCollective(rank, plan.size, secret=plan.secret, timeout=plan.timeout)
        port = collective.port
    except _OWN as e:
        _gathered(context, {"wrong": True}, plan.timeout)
        yield _error(rank, e)
        return
    everyone = _gathered(context, {"port": port}, plan.timeout)
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
    except _OWN as e:
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
    name = "OutOfMemoryError" if isinstance(e, MemoryError) else type(e).__name__
    return ERROR, rank, json.dumps([name, str(e)]).encode()


def _host(context: Any, rank: int) -> str:
    """The host of a task, as Spark knows it: with its port, if there is one, cut off."""
    address: str = context.getTaskInfos()[rank].address
    host, _, port = address.rpartition(":")
    return host if host and port.isdecimal() and (host.endswith("]") or ":" not in host) else address


def _trained(table: pa.Table, plan: Plan, collective: Collective, nthread: int) -> tuple[Booster, dict[str, Any]]:
    names = _FEATURES if plan.names is None else {f"{_FEATURES}{j}": name for j, name in enumerate(plan.names)}
    columns = Columns(names, _LABEL, _WEIGHT if plan.weighted else None)
    valid = None
    if plan.validated:
        held = table[_VALID].fill_null(False)
        valid, table = rows(table.filter(held), columns, collective), table.filter(pc.invert(held))
    ids = table[_ID].to_numpy().view(np.uint64)
    return trained(
        rows(table, columns, collective),
        ids if plan.numbered else distinct(ids),  # rows that are equal are on one rank
        valid,
        {"nthread": nthread, **plan.params},
        collective,
        plan.checkpoint,
    )


_kept: dict[bytes, Booster] = {}  # the model of this Python worker, which Spark uses for many tasks


def predicted(frames: Iterable[Any], model: bytes, digest: bytes, names: list[str] | None) -> Iterator[Any]:
    """Predictions for blocks of rows: pandas data frames of the features, or series of arrays."""
    import pandas as pd

    if (booster := _kept.get(digest)) is None:
        _kept.clear()
        booster = _kept[digest] = Booster.from_bytes(model)
    for frame in frames:
        if len(frame) == 0:
            x: Any = np.empty((0, booster.num_features))
        elif names is None:
            x = np.stack(frame.iloc[:, 0].to_numpy()).astype(float)
        else:
            x = frame.set_axis(names, axis=1)
        prediction, odds, raw = decided(booster, x)
        if prediction.dtype.kind not in "OUT":
            prediction = prediction.astype(float)
        yield pd.DataFrame({"prediction": prediction, "probability": list(odds), "raw": list(raw)})
