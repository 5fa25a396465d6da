"""Arrow data in batches and chunks of any number and size are the same table in one piece."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import aoso
from aoso import AOSOClassifier

PARAMS = {"n_estimators": 5, "nthread": 1}
RNG = np.random.default_rng(0)
X = np.where(RNG.random((60, 3)) < 0.1, np.nan, RNG.integers(0, 7, (60, 3)))
Y = np.nan_to_num(X).sum(axis=1).astype(int) % 3
NAMES = ["a", "b", "c"]
COLUMNS = [pa.array(X[:, 0], from_pandas=True), pa.array(np.nan_to_num(X[:, 1]), pa.int8()), pa.array(np.nan_to_num(X[:, 2]) > 3)]
WHOLE = pa.table(COLUMNS, NAMES)
PLAIN = np.column_stack([X[:, 0], np.nan_to_num(X[:, 1]), np.nan_to_num(X[:, 2]) > 3])
BOOSTER = aoso.train(PARAMS, aoso.Dataset(WHOLE, Y))


def parts(*sizes):
    """A table of batches of this many rows; the rest in a last one."""
    ends = np.cumsum(sizes)
    batches = [batch for at, n in zip(ends - sizes, sizes) for batch in WHOLE.slice(at, n).to_batches() or [empty_batch()]]
    return pa.Table.from_batches(batches + WHOLE.slice(int(ends[-1])).to_batches(), WHOLE.schema)


def empty_batch():
    return pa.RecordBatch.from_pylist([], WHOLE.schema)


def chunks(*cuts):
    """A table each of whose columns is cut at other rows."""
    columns = []
    for column, at in zip(COLUMNS, cuts):
        ends = [*at, len(column)]
        pieces = [column.slice(start, end - start) for start, end in zip([0, *at], ends)]
        columns.append(pa.chunked_array(pieces, column.type))
    return pa.table(columns, NAMES)


def polars_parts(*sizes):
    whole, at, frames = pl.from_arrow(WHOLE), 0, []
    for n in (*sizes, 60 - sum(sizes)):
        frames.append(whole.slice(at, n))
        at += n
    return pl.concat(frames, rechunk=False)


class OnlyStream:
    """What has the Arrow PyCapsule interface and a length, and nothing else: its batches come as they are."""

    def __init__(self, table):
        self.table = table

    def __len__(self):
        return len(self.table)

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.to_reader().__arrow_c_stream__(requested_schema)


TABLES = {
    "whole": WHOLE,
    "empty first": parts(0),
    "empty in the middle": parts(20, 0, 7),
    "empty last": parts(20, 40, 0),
    "many empty": parts(0, 0, 1, 0, 0, 30, 0, 29, 0, 0),
    "batches of one row": parts(*[1] * 60),
    "one row, one empty": parts(*[1, 0] * 59),
    "columns cut apart": chunks([10, 20], [15], [1, 2, 3, 59]),
    "empty chunks": chunks([0, 0, 10, 10], [0, 60], [30, 30, 30]),
    "chunks of one row": chunks(range(1, 60), [], range(1, 60)),
    "sliced": pa.concat_tables([WHOLE.slice(0, 13), WHOLE.slice(13, 0), WHOLE.slice(13)]),
    "polars, empty parts": polars_parts(0, 20, 0, 10, 0),
    "polars, parts of one row": polars_parts(*[1] * 59),
    "stream": OnlyStream(parts(0, 1, 0, 30, 0)),
}
ENTRIES = {
    "Dataset": lambda x: aoso.train(PARAMS, aoso.Dataset(x, Y)).fingerprint,
    "Dataset.aligned": lambda x: aoso.train(
        {**PARAMS, "early_stopping_rounds": 3}, train := aoso.Dataset(WHOLE, Y), valid=train.aligned(x, Y)
    ).result.valid,
    "AOSOClassifier": lambda x: AOSOClassifier(n_estimators=5).fit(x, Y, eval_set=(x, Y)).predict_proba(x),
    "predict": BOOSTER.predict,
    "predict_proba": BOOSTER.predict_proba,
    "predict_raw": lambda x: BOOSTER.predict_raw(x, nthread=3),
    "predict_leaf": BOOSTER.predict_leaf,
    "staged_raw": lambda x: list(BOOSTER.staged_raw(x, every=2)),
    "evaluate": lambda x: BOOSTER.evaluate(x, Y)["logloss"],
    "shap": BOOSTER.shap,
    "shap, sparse": lambda x: BOOSTER.shap(x, sparse=True, top=1).values,
    "refit": lambda x: BOOSTER.refit(x, Y).fingerprint,
    "calibrated": lambda x: BOOSTER.calibrated(x, Y).temperature,
}


@pytest.fixture(scope="module")
def of_the_whole():
    return {name: entry(WHOLE) for name, entry in ENTRIES.items()}


def test_the_whole_is_its_array(of_the_whole):
    assert of_the_whole["Dataset"] == aoso.train(PARAMS, aoso.Dataset(PLAIN, Y, feature_names=NAMES)).fingerprint
    np.testing.assert_array_equal(of_the_whole["predict_raw"], BOOSTER.predict_raw(PLAIN))


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("table", TABLES)
def test_parts_are_the_whole(of_the_whole, table, entry):
    np.testing.assert_array_equal(ENTRIES[entry](TABLES[table]), of_the_whole[entry])


def test_the_same_table_many_times():
    """A table of a thousand batches, most of them empty, again and again: what is kept of one call is none of the next."""
    table = pa.concat_tables([parts(*[0, 1] * 59)] * 17)
    wanted = np.tile(BOOSTER.predict_raw(WHOLE), (17, 1))
    for _ in range(3):
        np.testing.assert_array_equal(BOOSTER.predict_raw(table), wanted)


NO_ROWS = {
    "table without batches": WHOLE.schema.empty_table(),
    "table of an empty batch": pa.Table.from_batches([empty_batch()]),
    "table of empty batches": pa.Table.from_batches([empty_batch()] * 3),
    "record batch": empty_batch(),
    "slice": WHOLE.slice(60),
    "polars": pl.from_arrow(WHOLE).head(0),
    "pandas": pd.DataFrame(PLAIN, columns=NAMES).head(0),
}


@pytest.mark.parametrize("table", NO_ROWS)
def test_no_rows(table):
    x = NO_ROWS[table]
    assert BOOSTER.predict(x).shape == (0,) and BOOSTER.predict_proba(x).shape == (0, 3)
    assert BOOSTER.predict_leaf(x).shape == (0, 5) and BOOSTER.shap(x).shape == (0, 3, 4)
    assert BOOSTER.shap(x, sparse=True).indptr.tolist() == [0]
    assert [stage.shape for stage in BOOSTER.staged_raw(x, every=5)] == [(0, 3)]
    assert BOOSTER.refit(x, []).num_trees == 5
    for use in (aoso.Dataset, AOSOClassifier(n_estimators=3).fit):
        with pytest.raises(aoso.AosoError, match="0 × 3.*; allowed: at least one row"):
            use(x, [])


def test_no_columns():
    with pytest.raises(aoso.AosoError, match="allowed: at least one row and one column|0 columns"):
        aoso.Dataset(pa.table({}), [])
    with pytest.raises(aoso.AosoError, match="missing: 'a', 'b', 'c'"):
        BOOSTER.predict(pa.table({}))
