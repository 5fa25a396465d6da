"""Labels of any kind: their classes, their order, and the model they make."""

import datetime
import subprocess

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.utils.multiclass import type_of_target

import aoso

from conftest import ROOT

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


@pytest.mark.parametrize(
    "labels",
    [
        [9, 10, 100],
        np.array([-9, -10, 3], np.int16),
        np.array([2**64 - 1, 9, 10], np.uint64),
        [9.5, 0.25, 10.25],
        [9.0, 10.0, 100.0],
        [9.0, 1e-5, 10.0],
        np.array([0.1, 9.5, 10.25], np.float32),
        [True, False, True],
        ["b", "é", "B"],
        ["9", "10", "-1"],
        ["9", "1.0", "10.0"],
        ["9", "10", "x"],
        np.array([9, 10, 11], object),
        pd.Categorical(["9", "10", "é"], categories=["é", "9", "10"], ordered=True),
        pd.Categorical([10, 9, 11], categories=[11, 9, 10]),
    ],
    ids=lambda labels: f"{np.asarray(labels).dtype} {labels}".replace("\n", " "),
)
def test_one_order_of_classes(labels, tmp_path):
    """Numbers by value, texts by their bytes: in the estimator, in a booster and in the command."""
    y = labels[CODES] if hasattr(labels, "take") else np.array(labels)[CODES]
    params = {"trees": 12, "leaves": 3, "preset": "paper"}
    booster = aoso.train(params, aoso.Dataset(X, y))
    wanted = np.unique(np.asarray(y))
    for classes in (booster.classes, aoso.Booster.from_bytes(booster.to_bytes()).classes):
        assert classes.tolist() == wanted.tolist() and classes.dtype == wanted.dtype
    if type_of_target(y) in ("binary", "multiclass"):  # as scikit-learn sees it: no fractions, and no integers as objects
        model = aoso.AOSOClassifier(**params).fit(X, y)
        assert model.classes_.tolist() == model.booster_.classes.tolist() == wanted.tolist()
        assert model.booster_.fingerprint == booster.fingerprint
        np.testing.assert_array_equal(model.predict_proba(X), booster.predict_proba(X))

    data, file = tmp_path / "data.csv", tmp_path / "model.aoso"
    pd.DataFrame({"f0": X[:, 0], "label": y}).to_csv(data, index=False)
    texts = ["--text-labels"] * isinstance(wanted[0], str)
    flags = [text for name, value in params.items() for text in (f"--{name}", str(value))]
    subprocess.run([ROOT / "bin/aoso", "train", "--data", data, "--model", file, *flags, *texts], check=True, capture_output=True)
    of_command = aoso.Booster(file)
    assert of_command.fingerprint == booster.fingerprint
    np.testing.assert_array_equal(of_command.predict_proba(X), booster.predict_proba(X))
    tested = subprocess.run([ROOT / "bin/aoso", "eval", "--data", data, "--model", file], check=True, capture_output=True, text=True)
    assert "unknown" not in tested.stdout + tested.stderr


def test_numbers_in_files_of_other_languages():
    """Their order tells numbers from texts."""
    for names, wanted in ((["9", "10"], [9, 10]), (["10", "9"], ["10", "9"]), (["0.5", "10"], [0.5, 10.0]), (["1.50", "2"], ["1.50", "2"])):
        assert aoso._labels.from_names(names).tolist() == wanted


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
