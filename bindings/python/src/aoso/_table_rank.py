"""A rank that trains on the rows of an Arrow table, as those of Spark and Ray do."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ._capi import raw_to_proba
from ._input import Array
from .booster import Booster
from .callback import record_evaluation
from .collective import Collective
from .dataset import Dataset
from .errors import ArgumentError
from .training import train

_OF_DATASET = ("max_bin", "sample_rows", "categorical_features")
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class Columns(NamedTuple):
    """The columns of a table that training needs."""

    features: dict[str, str] | str  # the names of the features by column; or a column of arrays of numbers
    label: str
    weight: str | None = None


class Rows(NamedTuple):
    """Rows of a training or validation set."""

    x: Any
    y: Array
    weight: Array | None


def rows(table: pa.Table, columns: Columns, collective: Collective) -> Rows:
    """The rows of a table, which all ranks read at the same time."""
    if isinstance(columns.features, str):
        x: Any = arrays(table[columns.features], collective)
    else:
        x = table.select(list(columns.features)).rename_columns(list(columns.features.values()))
    return Rows(x, table[columns.label].to_numpy(), None if columns.weight is None else table[columns.weight].to_numpy())


def arrays(given: pa.ChunkedArray, collective: Collective | None = None) -> Array:
    """A column of arrays, of equal length on all ranks, as an array of two dimensions."""
    column = given.combine_chunks()
    column = column.chunk(0) if isinstance(column, pa.ChunkedArray) and column.num_chunks else column
    column = column.storage if isinstance(column, pa.ExtensionArray) else column
    if column.null_count:
        raise ArgumentError("a row has null in place of its features; allowed: an array of numbers, in which null is a missing value")
    if not pa.types.is_list(column.type) and not pa.types.is_large_list(column.type) and not pa.types.is_fixed_size_list(column.type):
        raise ArgumentError(f"the features are in one column of {given.type}; allowed: arrays of numbers")
    widths = np.unique(column.value_lengths().to_numpy(zero_copy_only=False)) if len(column) else np.zeros(1, np.int64)
    widest = np.array([widths.max()], np.int64)
    if collective is not None:
        collective.all_reduce("max", widest)
    width = int(widest[0])
    if len(column) and (len(widths) > 1 or widths[0] != width):
        raise ArgumentError(f"rows have {', '.join(map(str, np.unique([*widths, width])))} features; allowed: the same number in all rows")
    return column.flatten().to_numpy(zero_copy_only=False).reshape(len(column), width) if len(column) else np.empty((0, width))


def trained(
    rows: Rows, ids: Array, valid: Rows | None, params: dict[str, Any], collective: Collective, checkpoint: str | None
) -> tuple[Booster, dict[str, Any]]:
    """Train on the rows of all ranks. Return the model, and what is known of the training."""
    seed, nthread = int(params.get("seed", 0)), params["nthread"]
    train_set = Dataset(rows.x, rows.y, weight=rows.weight, row_id=ids, params=params, seed=seed, nthread=nthread, collective=collective)
    valid_set = None if valid is None else train_set.aligned(valid.x, valid.y, weight=valid.weight)
    history: dict[str, dict[str, list[float]]] = {}
    of_training = {name: value for name, value in params.items() if name not in _OF_DATASET}
    booster = train(of_training, train_set, valid=valid_set, callbacks=[record_evaluation(history)], checkpoint=checkpoint)
    result = booster.result
    assert result is not None
    summary = {name: value for name, value in result._asdict().items() if isinstance(value, (int, float, str))}
    return booster, {**summary, "evals_result": history}


def distinct(hashes: Array, earlier: Array | int = 0) -> Array:
    """Distinct ids for rows by their hashes. Which of equal rows has which id makes no difference.

    ``earlier`` is how many rows on lower ranks have the hash of each row.
    """
    order = np.argsort(hashes, kind="stable")
    ordered, places = hashes[order], np.arange(len(hashes))
    first = np.ones(len(hashes), bool)
    first[1:] = ordered[1:] != ordered[:-1]
    repeated = np.empty_like(hashes)
    repeated[order] = places - np.maximum.accumulate(np.where(first, places, 0)) if len(hashes) else places
    return hashes + (repeated + np.asarray(earlier, np.uint64)) * _GOLDEN


def decided(booster: Booster, x: Any) -> tuple[Array, Array, Array]:
    """The predicted classes of rows, their probabilities and their raw scores."""
    raw = booster.predict_raw(x, nthread=1)
    odds = raw_to_proba(booster._handle, raw.copy())
    return booster.classes[odds.argmax(axis=1)], odds, raw
