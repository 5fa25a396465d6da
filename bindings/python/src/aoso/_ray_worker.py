"""What the workers of Ray run: :mod:`aoso.ray` without Ray Train."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import ray
import ray.data  # which has types of its own for the schemas of Arrow

from . import _others
from ._input import Array
from ._table_rank import Columns, Rows, arrays, decided, distinct, rows, trained
from .booster import Booster
from .collective import Collective
from .errors import ArgumentError

_AT_ONCE = 1 << 22  # hashes of all ranks that they exchange in a call
_ODD = np.uint64(0xBF58476D1CE4E5B9)


class Settings(NamedTuple):
    """The train_loop_config of the default training function."""

    label_column: str
    params: dict[str, Any] = {}
    feature_columns: list[str] | str | None = None
    weight_column: str | None = None
    row_id_column: str | None = None
    checkpoint: str | None = None


def settings(config: dict[str, Any]) -> Settings:
    """The settings in a train_loop_config, checked."""
    for name in config:
        if name not in Settings._fields:
            raise ArgumentError(f"train_loop_config has {name!r}; allowed: {', '.join(Settings._fields)}")
    if "label_column" not in config:
        raise ArgumentError("train_loop_config has no 'label_column'; allowed: the name of the column of the classes")
    given = Settings(**config)
    meant = _others.parameters(given.params)
    return given._replace(params={**meant.training, **meant.dataset})


def train_rank(given: Settings, collective: Collective, train: Any, valid: Any, threads: int) -> tuple[Booster, dict[str, Any]]:
    """Train on a worker's shards of the datasets. Return the model, and what is known of the training."""
    table = _table(train, collective)
    columns = _columns(given, table.schema.names)
    mine = rows(table, columns, collective)
    if given.row_id_column is None:
        hashes = _hashes(table, columns, mine)
        ids = distinct(hashes, _earlier(hashes, collective))
    else:
        ids = table[given.row_id_column].to_numpy()
    valid_rows = None
    if valid is not None:
        held = _table(valid, collective)
        _check(columns, held.schema.names)
        valid_rows = rows(held, columns, collective)
    return trained(mine, ids, valid_rows, {"nthread": threads, **given.params}, collective, given.checkpoint)


def _table(shard: Any, collective: Collective) -> pa.Table:
    """The rows of a shard, with the columns of all ranks: a rank may have no rows, and blocks may differ in types."""
    blocks = [block.replace_schema_metadata() for block in shard.iter_batches(batch_size=None, batch_format="pyarrow")]
    mine = {block.schema.serialize().to_pybytes().hex() for block in blocks}
    found = {text for part in collective.all_gather(" ".join(mine).encode()) for text in part.decode().split()}
    if not found:
        raise ArgumentError("a dataset has no rows; allowed: at least one")
    schemas = [pa.ipc.read_schema(pa.py_buffer(bytes.fromhex(text))) for text in sorted(found)]
    try:
        schema = pa.unify_schemas(schemas, promote_options="permissive")
        return pa.concat_tables([schema.empty_table(), *blocks], promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError) as e:
        raise ArgumentError(f"the blocks of a dataset have columns of types that do not go together: {e}") from e


def _columns(given: Settings, names: list[str]) -> Columns:
    """The columns of features, and the others that training needs."""
    other = {given.label_column, given.weight_column, given.row_id_column}
    features = given.feature_columns
    if not isinstance(features, str):
        features = [name for name in names if name not in other] if features is None else list(features)
    columns = Columns(features if isinstance(features, str) else {name: name for name in features}, given.label_column, given.weight_column)
    _check(columns, names)
    if given.row_id_column not in [None, *names]:
        raise ArgumentError(f"row_id_column is {given.row_id_column!r}; allowed: a column of the rows, such as {', '.join(names[:5])}")
    return columns


def _check(columns: Columns, names: list[str]) -> None:
    features = [columns.features] if isinstance(columns.features, str) else list(columns.features)
    for argument, wanted in (("label_column", [columns.label]), ("weight_column", [columns.weight]), ("feature_columns", features)):
        for name in wanted:
            if name not in [None, *names]:
                raise ArgumentError(f"{argument} has {name!r}; allowed: columns of the rows, such as {', '.join(names[:5])}")


def _hashes(table: pa.Table, columns: Columns, mine: Rows) -> Array:
    """A hash of the values of each row, which does not depend on where it is."""
    features = list(mine.x.T) if isinstance(mine.x, np.ndarray) else mine.x.columns
    others = [table[name] for name in (columns.label, columns.weight) if name is not None]
    hashes = np.zeros(len(table), np.uint64)
    for column in [*features, *others]:
        values = column.astype(float) if isinstance(column, np.ndarray) else _values(column)
        hashes = hashes * _ODD + pd.util.hash_array(values, categorize=False)
    return hashes


def _values(column: pa.ChunkedArray) -> Array:
    """Numbers as float64, of whatever type they are in this block; and strings."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return np.asarray(column.to_numpy(), object)
    if pa.types.is_temporal(column.type):
        column = column.cast(pa.int64())
    return np.asarray(column.cast(pa.float64(), safe=False).to_numpy())


def _earlier(hashes: Array, collective: Collective) -> Array:
    """How many rows on lower ranks have the hash of each row."""
    total = np.array([len(hashes)], np.int64)
    collective.all_reduce("sum", total)
    parts = 1 + int(total[0]) // _AT_ONCE
    numbers = hashes % np.uint64(parts)
    earlier = np.zeros(len(hashes), np.uint64)
    for number in range(parts):
        here = numbers == number
        given = collective.all_gather(hashes[here].tobytes())[: collective.rank]
        lower = np.sort(np.frombuffer(b"".join(given), np.uint64))
        earlier[here] = np.searchsorted(lower, hashes[here], "right") - np.searchsorted(lower, hashes[here], "left")
    return earlier


class Predictor:
    """Adds predictions to the batches of ``map_batches``."""

    def __init__(self, model: Any, features: str | None, prediction: str, probability: str | None) -> None:
        self._booster = Booster.from_bytes(ray.get(model))
        self._features, self._prediction, self._probability = features, prediction, probability

    def __call__(self, batch: pa.Table) -> pa.Table:
        """The batch with predictions."""
        names = self._booster.feature_names if self._features is None else [self._features]
        if missing := [name for name in names if name not in batch.schema.names]:
            text = f"such as {', '.join(batch.schema.names[:5])}; feature_columns names a column of arrays"
            raise ArgumentError(f"the rows have no column {missing[0]!r}; allowed: {text}")
        x = batch.select(names) if self._features is None else arrays(batch[self._features])
        prediction, odds, _ = decided(self._booster, x)
        added = {self._prediction: pa.array(prediction)}
        if self._probability is not None:
            added[self._probability] = pa.FixedSizeListArray.from_arrays(pa.array(odds.ravel()), odds.shape[1])
        batch = batch.drop_columns([name for name in added if name in batch.schema.names])
        for name, column in added.items():
            batch = batch.append_column(name, column)
        return batch
