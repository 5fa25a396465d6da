"""Every dtype in every container at every entry point: the right numbers, or an error that names the column and its dtype."""

import datetime
import decimal
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import aoso
from aoso import AOSOClassifier

N = 12
A = np.arange(N) % 4.0
Y = np.arange(N) % 3
NAN = np.nan
DAY = datetime.date(2020, 1, 1)
NOW = datetime.datetime(2020, 1, 1)
HOUR = datetime.timedelta(hours=1)
SECONDS = [1577836800.0] * N  # from 1970 to 2020
arrow = pd.ArrowDtype


def times(values):
    return values * (N // len(values))


# ------------------------------------------------------------- columns of numbers

INTS, INTS_NAN = times([1.0, 2.0, 0.0]), times([1.0, 2.0, NAN])
BOOLS, BOOLS_NAN = times([1.0, 0.0]), times([1.0, NAN, 0.0])
SPARSE = pd.arrays.SparseArray
PANDAS_NUMBERS = {
    **{dtype: (pd.Series(INTS, dtype=dtype), INTS) for dtype in ("float16", "float64", "int8", "uint64", "Int64", "UInt8", "Float32")},
    **{dtype + " with NA": (pd.Series(times([1, 2, None]), dtype=dtype), INTS_NAN) for dtype in ("Int64", "UInt8", "Float64")},
    "bool": (pd.Series(times([True, False])), BOOLS),
    "boolean": (pd.Series(times([True, False]), dtype="boolean"), BOOLS),
    "boolean with NA": (pd.Series(times([True, None, False]), dtype="boolean"), BOOLS_NAN),
    "object": (pd.Series(times([1, 2.0, decimal.Decimal(0)]), dtype=object), INTS),
    "object with None": (pd.Series(times([1, 2.0, None]), dtype=object), INTS_NAN),
    "object with NA": (pd.Series(times([True, 2, pd.NA]), dtype=object), INTS_NAN),
    "int64[pyarrow]": (pd.Series(times([1, 2, None]), dtype=arrow(pa.int64())), INTS_NAN),
    "bool[pyarrow]": (pd.Series(times([True, None, False]), dtype=arrow(pa.bool_())), BOOLS_NAN),
    "Sparse[float64, nan]": (pd.Series(SPARSE(INTS_NAN)), INTS_NAN),
    "Sparse[float64, 0]": (pd.Series(SPARSE(INTS, fill_value=0.0)), INTS),
    "Sparse[int64, 0]": (pd.Series(SPARSE(np.array(INTS, int), fill_value=0)), INTS),
    "Sparse[int64, 1]": (pd.Series(SPARSE(np.array(INTS, int), fill_value=1)), INTS),
    "Sparse[bool]": (pd.Series(SPARSE(np.array(BOOLS, bool))), BOOLS),
    "object of dates": (pd.Series([DAY] * N, dtype=object), SECONDS),
    "object of timedelta64": (pd.Series([np.timedelta64(1, "s")] * N, dtype=object), [1.0] * N),
    "object with NaT": (pd.Series(times([1, 2, pd.NaT]), dtype=object), INTS_NAN),
    "datetime64": (pd.Series(pd.date_range("2020", periods=N)), np.array(SECONDS) + 86400 * np.arange(N)),
    "datetime64 with zone": (pd.Series(pd.date_range("2020", periods=N, tz="UTC")), np.array(SECONDS) + 86400 * np.arange(N)),
    "timedelta64": (pd.Series(pd.to_timedelta(np.arange(N), "s")), np.arange(N)),
    "decimal[pyarrow]": (pd.Series([decimal.Decimal(1)] * N, dtype=arrow(pa.decimal128(5, 2))), [1.0] * N),
    "timestamp[pyarrow]": (pd.Series([NOW] * N, dtype=arrow(pa.timestamp("us"))), SECONDS),
    "null[pyarrow]": (pd.Series([None] * N, dtype=arrow(pa.null())), [NAN] * N),
}
POLARS_NUMBERS = {
    "Int16": (pl.Series(times([1, 2, None]), dtype=pl.Int16), INTS_NAN),
    "UInt64": (pl.Series(times([1, 2, 0]), dtype=pl.UInt64), INTS),
    "Float32": (pl.Series(times([1, 2, NAN]), dtype=pl.Float32), INTS_NAN),
    "Boolean": (pl.Series(times([True, None, False])), BOOLS_NAN),
    "Date": (pl.Series([DAY] * N), SECONDS),
    "Datetime": (pl.Series([NOW] * N), SECONDS),
    "Duration": (pl.Series([HOUR] * N), [3600.0] * N),
    "Time": (pl.Series([datetime.time(1)] * N), [3600.0] * N),
    "Null": (pl.Series([None] * N), [NAN] * N),
    "Decimal": (pl.Series([decimal.Decimal(1)] * N), [1.0] * N),
}
PYARROW_NUMBERS = {
    "int8": (pa.array(times([1, 2, None]), pa.int8()), INTS_NAN),
    "double": (pa.array(times([1, 2, None]), pa.float64()), INTS_NAN),
    "bool": (pa.array(times([True, None, False])), BOOLS_NAN),
    "bool8": (pa.array(times([1, None, 0]), pa.int8()).cast(pa.bool8()), BOOLS_NAN),
    "timestamp": (pa.array([NOW] * N), SECONDS),
    "date": (pa.array([DAY] * N), SECONDS),
    "duration": (pa.array([HOUR] * N), [3600.0] * N),
    "null": (pa.nulls(N), [NAN] * N),
    "decimal": (pa.array([decimal.Decimal(1)] * N), [1.0] * N),
}
NUMPY_NUMBERS = {
    **{dtype: (np.array(INTS, dtype), INTS) for dtype in ("f2", "f4", "f8", "g", ">f8", ">i4", "u1", "i8", "?")},
    "object": (np.array(times([1, True, None]), object), times([1, 1, NAN])),
    "object with NA": (np.array(times([1, 2, pd.NA]), object), INTS_NAN),
    "masked ints": (np.ma.masked_equal(np.array(times([1, 2, 7])), 7), INTS_NAN),
    "masked floats": (np.ma.masked_equal(times([1.0, 2.0, 7.0]), 7), INTS_NAN),
    "masked objects": (np.ma.masked_array(np.array(times([1, 2, "?"]), object), times([0, 0, 1])), INTS_NAN),
    "object of dates": (np.array([NOW] * N, object), SECONDS),
    "datetime64": (np.arange(N).astype("M8[s]"), np.arange(N)),
    "timedelta64": (np.arange(N).astype("m8[s]"), np.arange(N)),
}
NUMPY_NUMBERS["?"] = (np.array(BOOLS, "?"), BOOLS)

# -------------------------------------------------------------- columns of others

STRINGS, DIGITS = times(["a", "b", "c"]), times(["1", "2", "3"])
PANDAS_OTHERS = {
    "object of bytes": (pd.Series(times([1, b"2", 3]), dtype=object), "object and holds b'2'"),
    "object of complex": (pd.Series([1j] * N, dtype=object), "object"),
    "object of complex128": (pd.Series([np.complex128(1j)] * N, dtype=object), "object"),
    "object of lists": (pd.Series([[1], [2]] * (N // 2), dtype=object), "object"),
    "object of huge ints": (pd.Series([10**400] * N, dtype=object), "object"),
    "period": (pd.Series(pd.period_range("2020", periods=N, freq="D")), r"period\[D\]"),
    "interval": (pd.Series(pd.interval_range(0, N, N)), "interval"),
    "complex": (pd.Series(A.astype(complex)), "complex128"),
}
POLARS_OTHERS = {
    "Int128": (pl.Series([1] * N, dtype=pl.Int128), "_pli128"),
    "Binary": (pl.Series([b"1"] * N), "vz"),
    "List": (pl.Series([[1]] * N), r"\+L"),
    "Struct": (pl.Series([{"c": 1}] * N), r"\+s"),
    "Object": (pl.Series([object()] * N, dtype=pl.Object), "w:"),
}
PYARROW_OTHERS = {
    "half": (pa.array(A.astype("f2")), "e"),
    "run-end encoded": (pa.RunEndEncodedArray.from_arrays([4, N], [1, 2]), r"\+r|run_end_encoded"),
    "list": (pa.array([[1]] * N), r"\+l"),
}
NUMPY_OTHERS = {
    "object of dicts": (np.array([{}] * N, object), "column 1 of x is of dtype object"),
    "complex": (A.astype(complex), "x is of dtype complex128|Complex data not supported"),
    "void": (np.zeros(N, "V8"), r"x is of dtype \|V8"),
    "structured": (np.zeros(N, [("c", "f8")]), r"x is of dtype \[\('c', '<f8'\)\]"),
}



# ------------------------------------------------------------------------- tables


def pandas_mixed(column):
    return pd.DataFrame({"a": A, "the column": column})


def pandas_alone(column):
    return pd.DataFrame({"the column": column, "b": column})


def numpy_array(column):
    two = np.ma.column_stack if isinstance(column, np.ma.MaskedArray) else np.column_stack
    return two([column, column]) if column.dtype.kind != "O" else two([A.astype(object), column])


def polars_frame(column):
    return pl.DataFrame({"a": A, "the column": column})


def pyarrow_table(column):
    return pa.table({"a": A, "the column": column})


def record_batch(column):
    return pa.record_batch({"a": A, "the column": column})


CONTAINERS = [
    (pandas_mixed, PANDAS_NUMBERS, PANDAS_OTHERS),
    (pandas_alone, PANDAS_NUMBERS, PANDAS_OTHERS),
    (polars_frame, POLARS_NUMBERS, POLARS_OTHERS),
    (pyarrow_table, PYARROW_NUMBERS, PYARROW_OTHERS),
    (record_batch, PYARROW_NUMBERS, PYARROW_OTHERS),
    (numpy_array, NUMPY_NUMBERS, NUMPY_OTHERS),
]


def cases(which):
    return [
        pytest.param(container, column, of_it, id=f"{container.__name__}, {dtype}")
        for container, *columns in CONTAINERS
        for dtype, (column, of_it) in columns[which].items()
    ]


# ------------------------------------------------------------------- entry points

PARAMS = {"n_estimators": 3, "nthread": 1}


class Models:
    """Trained on two columns, named as those of a table or not."""

    def __init__(self, names):
        rng = np.random.default_rng(0)
        x = rng.integers(0, 4, (60, 2)) + np.where(rng.random((60, 2)) < 0.2, np.nan, 0)
        y = np.nan_to_num(x).sum(axis=1).astype(int) % 3
        self.dataset = aoso.Dataset(x, y, feature_names=names)
        self.booster = aoso.train(PARAMS, self.dataset)
        self.estimator = AOSOClassifier(n_estimators=3).fit(x if names is None else pd.DataFrame(x, columns=names), y)


MODELS = {names: Models(names and list(names)) for names in (("a", "the column"), ("the column", "b"), None)}


def booster_of(x, models, **options):
    return aoso.train(PARAMS, aoso.Dataset(x, Y, **options))


ENTRIES = {
    "AOSOClassifier.fit": lambda x, m: AOSOClassifier(n_estimators=3).fit(x, Y).booster_.fingerprint,
    "AOSOClassifier.fit, weights": lambda x, m: AOSOClassifier(n_estimators=3).fit(x, Y, np.arange(N) % 5).booster_.fingerprint,
    "AOSOClassifier.fit, eval_set": lambda x, m: _evaluated(x, m),
    "AOSOClassifier.predict": lambda x, m: m.estimator.predict(x),
    "AOSOClassifier.predict_proba": lambda x, m: m.estimator.predict_proba(x),
    "Dataset": lambda x, m: aoso.train(PARAMS, aoso.Dataset(x, Y)).fingerprint,
    "Dataset, init_model": lambda x, m: aoso.train(PARAMS, aoso.Dataset(x, Y, init_model=m.booster)).fingerprint,
    "Dataset.aligned": lambda x, m: aoso.train({**PARAMS, "early_stopping_rounds": 1}, m.dataset, valid=m.dataset.aligned(x, Y)).result.valid,
    "cv": lambda x, m: aoso.cv(PARAMS, x, Y, folds=2)["logloss-mean"],
    "predict": lambda x, m: m.booster.predict(x),
    "predict_proba": lambda x, m: m.booster.predict_proba(x),
    "predict_raw": lambda x, m: m.booster.predict_raw(x),
    "predict_leaf": lambda x, m: m.booster.predict_leaf(x),
    "staged_proba": lambda x, m: list(m.booster.staged_proba(x)),
    "evaluate": lambda x, m: m.booster.evaluate(x, Y)["logloss"],
    "shap": lambda x, m: m.booster.shap(x),
    "shap, sparse": lambda x, m: m.booster.shap(x, sparse=True).values,
    "refit": lambda x, m: m.booster.refit(x, Y).fingerprint,
    "calibrated": lambda x, m: m.booster.calibrated(x, Y).temperature,
}


def _evaluated(x, models):
    again = AOSOClassifier(n_estimators=3)
    X = pd.DataFrame(np.column_stack([A, Y]), columns=models.dataset.feature_names)
    return again.fit(X, Y, eval_set=(x, Y)).evals_result_["valid_0"]["logloss"]


def entered(entry, container, x):
    names = {pandas_alone: ("the column", "b"), numpy_array: None}.get(container, ("a", "the column"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # scikit-learn's, of names that arrays do not have
        return ENTRIES[entry](x, MODELS[names])


@pytest.mark.sampled(15)
@pytest.mark.parametrize(("container", "column", "values"), cases(0))
def test_the_right_numbers(container, column, values):
    plain = {pandas_alone: pandas_alone, numpy_array: numpy_array}.get(container, pandas_mixed)(np.array(values, float))
    if container is numpy_array and column.dtype.kind == "O":
        plain[:, 0] = A
    for entry in ENTRIES:
        wanted = entered(entry, container, plain)
        np.testing.assert_array_equal(entered(entry, container, container(column)), wanted, err_msg=entry)


@pytest.mark.sampled(40)
@pytest.mark.parametrize(("container", "column", "dtype"), cases(1))
def test_an_error_that_names_the_column(container, column, dtype):
    message = rf"column (\d, )?['\"]the column['\"] is (of (dtype|Arrow type) )?({dtype})"
    if container is numpy_array:
        message = dtype
    elif "|" in dtype and container in (pyarrow_table, record_batch):  # whose rows pyarrow cannot pick
        message += "|a column of a type that is not allowed: .*" + dtype.split("|")[1]
    for entry in ENTRIES:
        with pytest.raises(ValueError) as error:
            entered(entry, container, container(column))
        text = str(error.value)
        assert re.search(message, text), f"{entry}: {text}"
        if not text.startswith("Complex data not supported"):  # scikit-learn's
            assert isinstance(error.value, aoso.AosoError), entry
            assert re.search("; allowed: .*(numbers|integers)", text), f"{entry}: {text}"


# -------------------------------------------------------------------- single rows

ROWS = np.array([[0.0] * N, [1.0] * N, [2.0] * N])
ROW_PREDICTOR = aoso.train(PARAMS, aoso.Dataset(np.repeat(ROWS, 5, axis=0), np.repeat(range(3), 5))).row_predictor()


def row_cases(which):
    """The columns, each once, as rows."""
    return [
        pytest.param(*param.values[1:], id=param.id) for param in cases(which) if param.values[0] not in (pandas_alone, record_batch)
    ]


@pytest.mark.parametrize(("row", "values"), row_cases(0))
def test_rows_of_numbers(row, values):
    wanted = ROW_PREDICTOR.predict_raw(np.array(values, float))
    np.testing.assert_array_equal(ROW_PREDICTOR.predict_raw(row), wanted)


# What numpy makes numbers of, as it should: missing values, decimal numbers, the values that are repeated or referred to.
ROWS_OF_NUMBERS = ("half", "run-end encoded")


@pytest.mark.parametrize(("row", "dtype"), row_cases(1))
def test_rows_of_others(request, row, dtype):
    kind = request.node.callspec.id.split(", ")[-1]
    if kind in ROWS_OF_NUMBERS and not isinstance(row, pd.Series):
        assert np.isfinite(ROW_PREDICTOR.predict_raw(row)).all()
        return
    refusal = pl.exceptions.InvalidOperationError if kind == "Int128" else aoso.AosoError
    with pytest.raises(refusal, match=r"row (is of dtype|is not|has shape) |cannot convert i128"):
        ROW_PREDICTOR.predict_raw(row)


# ------------------------------------------------------------------------- labels


def test_masked_labels():
    y = np.ma.masked_equal(Y, 2)
    x = A.reshape(-1, 1)
    for use in (aoso.Dataset, AOSOClassifier(n_estimators=1).fit):
        with pytest.raises(aoso.AosoError, match=r"y\[2\] is masked; allowed: a label in every row"):
            use(x, y)


@pytest.mark.parametrize("weight", [STRINGS, DIGITS, np.array(DIGITS, object), pd.Series(DIGITS, dtype="category")], ids=range(4))
def test_weights_that_are_text(weight):
    with pytest.raises(aoso.AosoError, match="weight is of dtype .*; allowed: numbers"):
        aoso.Dataset(A.reshape(-1, 1), Y, weight=weight)


def test_masked_weights():
    with pytest.raises(aoso.AosoError, match=r"weights\[2\] is NaN"):
        aoso.Dataset(A.reshape(-1, 1), Y, weight=np.ma.masked_equal(Y, 2))
