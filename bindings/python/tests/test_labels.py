"""Labels of any kind: their classes, their order, and the model they make."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import aoso

X = np.arange(60.0).reshape(-1, 1) % 6
CODES = (X[:, 0] // 2).astype(int)


def trained(y):
    return aoso.train({"trees": 20, "leaves": 3}, aoso.Dataset(X, y))


@pytest.mark.parametrize(
    "labels",
    [
        np.array([-7, 0, 12]),
        np.array([1, 2, 3], np.uint8),
        np.array([2**63 - 3, 2**63 - 2, 2**63 - 1]),
        np.array([2**64 - 3, 2**64 - 2, 2**64 - 1], np.uint64),
        np.array([0.5, 1.5, 10.25]),
        np.array([1.0, 2.0, 10.0], np.float32),
        np.array(["blue", "green", "red"]),
        np.array(["ä", "ö", "ü"]),
        np.array(["9", "10", "é"]),
        np.array(["a", "b", "c"], object),
        np.array([1, 2, 3], object),
        np.array([False, True, True], object),
        np.array([0.25, 0.5, 1.0], object),
        np.array([b"a", b"b", b"c"]),
        np.array([False, True, True]),
        np.array(["2020-01-01", "2020-01-02", "2021-01-01"], "M8[D]"),
        np.array(["2020-01-01T12", "2020-01-02", "2021-01-01"], "M8[ns]"),
    ],
    ids=str,
)
def test_any_labels(labels):
    y = labels[CODES]
    booster = trained(y)
    assert booster.classes.dtype == labels.dtype
    np.testing.assert_array_equal(np.sort(booster.classes), np.unique(labels))
    np.testing.assert_array_equal(booster.predict(X), y)
    assert booster.predict_proba(X).argmax(axis=1).tolist() == [booster.classes.tolist().index(label) for label in y.tolist()]
    for model in (aoso.Booster.from_bytes(booster.to_bytes()), aoso.Booster.from_bytes(booster.truncated(3).to_bytes())):
        assert model.classes.dtype == labels.dtype
        assert model.classes.tolist() == booster.classes.tolist()
        assert list(map(type, model.classes.tolist())) == list(map(type, booster.classes.tolist()))


def test_equal_models_of_equal_labels():
    assert trained(CODES).fingerprint == trained(CODES.astype(float)).fingerprint == trained(CODES.astype(str)).fingerprint
    names = np.array(["a", "b", "c"])[CODES]
    wanted = trained(names).fingerprint
    for y in (
        names.tolist(),
        pd.Series(names),
        pd.Series(names, dtype="category"),
        pl.Series(names),
        pa.array(names),
        pa.chunked_array([names[:7], names[7:]]),
    ):
        assert trained(y).fingerprint == wanted


def test_strings_of_digits_are_in_the_order_of_their_values():
    booster = trained(np.array(["9", "10", "11"])[CODES])
    assert booster.classes.tolist() == ["9", "10", "11"]
    assert aoso.Booster.from_bytes(booster.to_bytes()).classes.tolist() == ["9", "10", "11"]


def test_classes_of_models_from_files():
    for labels, wanted in ((["b", "a", "c"], ["a", "b", "c"]), ([3, -1, 2], [-1, 2, 3]), (["01", "2", "3"], ["01", "2", "3"])):
        classes = aoso.Booster.from_bytes(trained(np.array(labels)[CODES]).to_bytes()).classes
        assert classes.tolist() == wanted


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (CODES[:59], "y has 59 labels; allowed: 60, one for each row of x"),
        (np.column_stack([CODES, CODES]), r"y has shape \(60, 2\); allowed: one label per row"),
        (np.where(X[:, 0] == 3, np.nan, X[:, 0]), r"y\[3\] is nan; allowed: a label in every row"),
        (["a", None] * 30, r"y\[1\] is None; allowed: a label in every row"),
        (["a", float("nan")] * 30, r"y\[1\] is nan; allowed: a label in every row"),
        ([1, "a"] * 30, "y has labels of types int, str"),
        (pd.Series([1, None] * 30, dtype="Int64"), r"y\[1\] is (nan|<NA>); allowed: a label in every row"),
        (np.array([1.0, np.nan] * 30, object), r"y\[1\] is nan; allowed: a label in every row"),
        (np.array(["2020", "NaT"] * 30, "M8[Y]"), r"y\[1\] is NaT; allowed: a label in every row"),
        (np.array([b"a", b"\xff"] * 30), r"label b'\\xff' is not UTF-8; allowed: text"),
        (["a", "\udc80"] * 30, r"label '\\udc80' has half a surrogate pair; allowed: text"),
        (["a", ""] * 30, "label"),
        (["a", "b\0c"] * 30, "null character"),
        (5, r"y has shape \(\)"),
    ],
    ids=range(14),
)
def test_bad_labels(y, message):
    with pytest.raises(ValueError, match=message) as error:
        trained(y)
    assert isinstance(error.value, aoso.AosoError)


@pytest.mark.parametrize("dtype", ["i1", "i4", "i8", "u1", "u8", ">i2", "?"])
def test_codes_of_integers_are_those_of_a_sort(dtype):
    info = np.iinfo(dtype) if dtype != "?" else None
    ends = [0, 1, 1, 0] if info is None else [info.min, info.min + 3, info.min + 1, info.min]
    for y in (np.array(ends * 50, dtype), np.array([*ends, 1, 1 if info is None else info.max], dtype)):
        classes, codes = aoso._labels._unique(y)
        wanted, positions = np.unique(y, return_inverse=True)
        np.testing.assert_array_equal(classes, wanted)
        np.testing.assert_array_equal(codes, positions)
        assert classes.dtype == wanted.dtype


def test_dates():
    days = [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2), datetime.date(2021, 1, 1)]
    booster = trained([days[k] for k in CODES])
    assert booster.predict([[0], [5]]).tolist() == [days[0], days[2]]
