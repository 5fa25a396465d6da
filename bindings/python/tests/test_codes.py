"""Columns of numbers that are codes, and columns that identify rows."""

import signal
import time
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import aoso
from aoso import AOSOClassifier


@pytest.fixture(scope="module")
def coded():
    """A column that is a code, one that is a measure, one with a fraction, one of two values."""
    rng = np.random.default_rng(5)
    x = pd.DataFrame({"job": rng.integers(100, 160, 900), "age": rng.integers(18, 60, 900), "size": rng.normal(size=900).round(3), "flag": rng.integers(0, 2, 900)})
    skilled, old = (rng.random(60) < 0.5)[x["job"] - 100], (x["age"] > 58).to_numpy()
    return x, np.where(skilled ^ old, "yes", "no")


def test_a_code_is_suggested(coded):
    x, y = coded
    found = aoso.suggest_codes(x, y)
    assert [(s.feature, s.name, s.values, s.suggested) for s in found] == [(0, "job", 60, True), (1, "age", 42, False)]
    assert found[0].gain > 2 * found[0].error > 0 > found[1].gain
    assert [s.name for s in aoso.suggest_codes(x.to_numpy(), y, categorical_features=[0])] == ["f1"]
    assert aoso.suggest_codes(x[["size", "flag"]], y) == []


def test_sparse_table_with_soft_labels(coded):
    x, y = coded
    found = aoso.suggest_codes(scipy.sparse.csr_matrix(x), np.eye(2)[(y == "yes").astype(int)])
    assert [(s.name, s.suggested) for s in found] == [("f0", True), ("f1", False)]


def test_interrupted(coded):
    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        begun = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            for _ in range(20):
                aoso.suggest_codes(*coded)
        assert time.monotonic() - begun < 5
    finally:
        signal.signal(signal.SIGALRM, before)


def test_auto(coded):
    x, y = coded
    with pytest.warns(UserWarning, match=r"categorical_features='auto' takes for categories: job \(60 values, log loss -0\.[0-9]+ ± 0\.[0-9]+\)"):
        model = AOSOClassifier(n_estimators=5, categorical_features="auto").fit(x, y)
    assert model.is_categorical_.tolist() == [True, False, False, False]
    assert model.booster_.fingerprint == AOSOClassifier(n_estimators=5, categorical_features=["job"]).fit(x, y).booster_.fingerprint
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not AOSOClassifier(n_estimators=5).fit(x, y).is_categorical_.any()
        AOSOClassifier(n_estimators=5, categorical_features="auto").fit(x[["size", "flag"]], y)
    with pytest.warns(UserWarning, match="job"):
        parts = AOSOClassifier(categorical_features="auto").partial_fit(x, y, classes=["no", "yes"])
    assert parts.partial_fit(x, y).is_categorical_.tolist() == [True, False, False, False]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("table", [pd.DataFrame, pa.Table.from_pandas, pl.from_pandas])
def test_auto_keeps_what_has_categories(coded, table):
    x, y = coded
    x = table(x.assign(town=np.array(["a", "b"])[x["flag"]]))
    with pytest.warns(UserWarning, match="job"):
        assert AOSOClassifier(n_estimators=5, categorical_features="auto").fit(x, y).is_categorical_.tolist() == [True, False, False, False, True]


def test_errors():
    with pytest.raises(aoso.AosoError, match="y has 2 labels; allowed: 1, one for each row of x"):
        aoso.suggest_codes([[1, 2]], [1, 2])
    assert aoso.suggest_codes(np.empty((0, 2)), []) == []


ROWS = 300


@pytest.mark.parametrize(
    ("column", "identifies"),
    [
        (np.arange(ROWS), True),
        (np.random.default_rng(0).permutation(ROWS).astype(float), True),
        (np.arange(ROWS) * 1_000_003 % 99_991, True),
        (np.where(np.arange(ROWS) % 50, np.arange(ROWS), np.nan), True),
        (np.arange(ROWS) // 2, False),
        (pd.date_range("2020-01-01", periods=ROWS), False),
        (np.arange(ROWS) + 0.5, False),
        (np.full(ROWS, np.nan), False),
        (np.array([f"animal {i}" for i in range(ROWS)], object), True),
        (np.array([f"town {i % 200}" for i in range(ROWS)], object), False),
    ],
)
def test_columns_that_identify_rows(column, identifies):
    x, y = pd.DataFrame({"of": np.arange(ROWS) % 7, "number": column}), np.arange(ROWS) % 3
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        aoso.Dataset(x, y)
        AOSOClassifier(n_estimators=1, calibration="none").fit(x, y)
    messages = [str(w.message) for w in caught if issubclass(w.category, UserWarning)]
    expected = "column 'number' has a different value in nearly every row, as row numbers and identifiers do; leave them out unless they are measured"
    assert messages == 2 * identifies * [expected]


def test_few_rows_may_differ():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        aoso.Dataset(np.arange(40).reshape(-1, 1), np.arange(40) % 2)
