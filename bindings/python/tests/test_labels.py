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
    return aoso.train({"n_estimators": 20, "max_leaves": 3}, aoso.Dataset(X, y))


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
    params = {"n_estimators": 12, "max_leaves": 3, "preset": "paper"}
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
        (np.column_stack([CODES, CODES]), "the (share of class|sum of the shares)"),
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


BITS = CODES > 0
SPELLINGS = {
    "bool": BITS,
    "int8": BITS.astype(np.int8),
    "uint64": BITS.astype(np.uint64),
    "float": BITS.astype(float),
    "float32": BITS.astype(np.float32),
    "objects of bools": BITS.astype(object),
    "objects of numpy's bools": np.array([np.bool_(bit) for bit in BITS], object),
    "objects of ints": np.array([int(bit) for bit in BITS], object),
    "a list of bools": BITS.tolist(),
    "a tuple of ints": tuple(map(int, BITS)),
    "boolean": pd.Series(BITS).astype("boolean"),
    "Int8": pd.Series(BITS).astype("Int8"),
    "Float64": pd.Series(BITS.astype(float)).astype("Float64"),
    "bool[pyarrow]": pd.Series(BITS).astype("bool[pyarrow]"),
    "a category of bools": pd.Series(BITS).astype("category"),
    "a category of Int64": pd.Series(pd.Categorical(pd.array(BITS.astype(int), "Int64"))),
    "polars' bools": pl.Series(BITS),
    "pyarrow's ints": pa.array(BITS.astype(int)),
    "a chunked array of bools": pa.chunked_array([BITS[:7], BITS[7:]]),
}


def uses(booster, train_set, y):
    """What every function that compares labels with classes returns."""
    yield "evaluate", booster.evaluate(X, y, metrics=["kappa", "brier"])
    yield "evaluate every 5", booster.evaluate(X, y, every=5)
    yield "reliability", booster.reliability(X, y)[:2]
    yield "confusions", booster.confusions(X, y)
    yield "calibrated", booster.calibrated(X, y).temperature
    yield "conformalized", booster.conformalized(X, y).predict_set(X).tolist()
    yield "refit", booster.refit(X, y).fingerprint
    yield "aligned", train_set.aligned(X, y).get_label().tolist()
    for valid in (train_set.aligned(X, y), (X, y)):
        history = {}
        aoso.train({"n_estimators": 3}, train_set, valid_sets=[valid], callbacks=[aoso.record_evaluation(history)])
        yield "valid_sets", history
    yield "init_model", aoso.train({"n_estimators": 3}, aoso.Dataset(X, y, init_model=booster)).fingerprint
    yield "row_predictor", booster.row_predictor().predict_raw(X[0], y[:2].tolist() if hasattr(y, "tolist") else y[:2]).tolist()


@pytest.mark.parametrize("trained_on", ["bool", "int8", "float", "objects of bools"])
def test_labels_equal_by_value_are_the_same(trained_on):
    """True is 1 and 1.0, whatever the types in training and afterwards: they were unknown labels, without a word."""
    y = SPELLINGS[trained_on]
    train_set = aoso.Dataset(X, y)
    booster = aoso.train({"n_estimators": 5, "calibration": "none"}, train_set)
    wanted = dict(uses(booster, train_set, y))
    estimator = aoso.AOSOClassifier(n_estimators=5, early_stopping_rounds=3)
    try:
        histories = {"": estimator.fit(X, y, eval_set=[(X[::2], y[::2])]).evals_result_}
    except ValueError:  # scikit-learn does not take Python's bools and ints as objects
        histories = {}
    for name, other in SPELLINGS.items():
        got = dict(uses(booster, train_set, other))
        for use, value in wanted.items():
            assert repr(got[use]) == repr(value), (name, use)
        part = other.iloc[::2] if hasattr(other, "iloc") else other[::2] if not hasattr(other, "take") else other.take(np.arange(0, 60, 2))
        if histories:
            assert estimator.fit(X, y, eval_set=[(X[::2], part)]).evals_result_ == histories[""], name


def test_unknown_labels():
    train_set = aoso.Dataset(X, BITS)
    booster = aoso.train({"n_estimators": 3}, train_set)
    wrong = np.where(BITS, "yes", "no")
    for use in (
        lambda y: booster.evaluate(X, y),
        lambda y: booster.evaluate(X, y, every=1),
        lambda y: booster.reliability(X, y),
        lambda y: booster.confusions(X, y),
        lambda y: booster.calibrated(X, y),
        lambda y: booster.conformalized(X, y),
        lambda y: train_set.aligned(X, y),
        lambda y: aoso.train({"n_estimators": 3}, train_set, valid_sets=[(X, y)]),
        lambda y: aoso.AOSOClassifier(n_estimators=3).fit(X, BITS.astype(str), eval_set=[(X, y)]),
    ):
        with pytest.raises(ValueError, match="y has 60 labels, none of which is known, such as 'no'; allowed: '?False'?, '?True"):
            use(wrong)
        with pytest.warns(UserWarning, match="59 of the 60 labels in y are unknown, such as 'no'; known are '?False"):
            use(np.array(["True", *wrong[1:]]))
    assert train_set.aligned(X, np.where(X[:, 0] == 5, "?", BITS.astype(str))).num_unknown == 10  # without a warning


NULLABLE = {
    "Int64": (pd.Series(CODES).astype("Int64"), int),
    "Int8": (pd.Series(CODES).astype("Int8"), int),
    "UInt8": (pd.Series(CODES).astype("UInt8"), int),
    "int64[pyarrow]": (pd.Series(CODES).astype("int64[pyarrow]"), int),
    "an extension array": (pd.array(CODES, "UInt16"), int),
    "boolean": (pd.Series(BITS).astype("boolean"), bool),
    "bool[pyarrow]": (pd.Series(BITS).astype("bool[pyarrow]"), bool),
    "a frame of Int64": (pd.DataFrame({"y": pd.array(CODES, "Int64")}), int),
    "polars' UInt8": (pl.Series(CODES, dtype=pl.UInt8), int),
    "polars' bools": (pl.Series(BITS), bool),
    "pyarrow's int8": (pa.array(CODES, pa.int8()), int),
    "pyarrow's bools": (pa.array(BITS), bool),
    "string": (pd.Series(CODES.astype(str)).astype("string"), str),
}


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
@pytest.mark.parametrize("name", NULLABLE)
def test_nullable_labels_keep_their_type(name):
    y, kind = NULLABLE[name]
    model = aoso.AOSOClassifier(n_estimators=20, max_leaves=3).fit(X, y)
    for labels in (model.classes_, model.predict(X), model.booster_.predict(X)):
        assert {type(label) for label in labels.tolist()} == {kind}
    wanted = np.asarray(y).ravel()
    assert model.predict(X).tolist() == wanted.tolist() and model.score(X, wanted) == 1
    if name != "a frame of Int64":
        assert trained(y).classes.tolist() == model.classes_.tolist()


@pytest.mark.parametrize(
    "y",
    [pd.Series(values, dtype=dtype) for dtype, values in (
        ("Int64", [1, 2, None]), ("boolean", [True, False, None]), ("string", ["a", "b", None]), ("Float64", [1, 2, None]),
        ("int8[pyarrow]", [1, 2, None]), ("bool[pyarrow]", [True, False, None]), (object, ["a", "b", float("nan")]), ("category", ["a", "b", None]),
    )] + [pl.Series([1, 2, None]), pl.Series([True, False, None]), pa.array([1, 2, None]), pa.array(["a", "b", None])],
    ids=lambda y: str(getattr(y, "dtype", getattr(y, "type", ""))),
)
def test_a_missing_label_names_y(y):
    x = X[:3]
    for use in (lambda: aoso.Dataset(x, y), lambda: aoso.AOSOClassifier(n_estimators=2).fit(x, y), lambda: aoso.cv({"n_estimators": 2}, x, y, folds=2)):
        with pytest.raises(ValueError, match=r"y\[2\] is (None|nan|<NA>)|Input y contains NaN"):
            use()


def test_complex_labels_are_refused():
    for y in (CODES + 1j, (CODES + 1j).astype(np.complex64), (CODES + 1j).tolist(), (CODES + 1j).astype(object), [1j] * 60):
        for use in (lambda: aoso.Dataset(X, y), lambda: aoso.AOSOClassifier(n_estimators=2).fit(X, y)):
            with pytest.raises(aoso.errors.ArgumentError, match="y is of dtype .* and has complex numbers; allowed: ints"):
                use()


def test_numpy_scalars_come_back():
    labels = np.array([np.int8(5), np.int8(6), np.int8(7)], object)
    booster = trained(labels[CODES])
    for model in (booster, aoso.Booster.from_bytes(booster.to_bytes())):
        assert model.classes.tolist() == [5, 6, 7] and {type(label) for label in model.classes.tolist()} == {np.int8}


def test_blocks_of_one_kind_of_labels():
    blocks = [(X[:30], BITS[:30]), (X[30:], BITS[30:].astype(int))]
    with pytest.raises(ValueError, match="block 1 has labels that are numbers; allowed: bools, as before"):
        aoso.Dataset.from_blocks(blocks)
    blocks[1] = (X[30:], pd.Series(BITS[30:]).astype("boolean"))
    assert aoso.Dataset.from_blocks(blocks).classes.tolist() == [False, True]
    mixed = [(X[:30], CODES[:30].astype(np.int8)), (X[30:], CODES[30:].astype(float))]
    assert aoso.Dataset.from_blocks(mixed).classes.tolist() == [0, 1, 2]


@pytest.mark.parametrize("labels", [["1", "2", "3"], ["10", "2", "9"], ["0.5", "1.0", "2e0"], ["a", "b", "c"], [4, 5, 6]], ids=str)
def test_class_weights_in_all_places(labels):
    y, by_label = np.array(labels)[CODES], dict(zip(labels, (1, 2, 5)))
    params = {"n_estimators": 5, "calibration": "none"}
    wanted = aoso.train(params, aoso.Dataset(X, y, weight=np.array([1, 2, 5])[CODES])).fingerprint
    for weights in (by_label, {np.array([label])[0]: weight for label, weight in by_label.items()}, {**by_label, "lacked": 9}):
        assert aoso.train(params, aoso.Dataset(X, y, class_weight=weights)).fingerprint == wanted
        assert aoso.train(params, aoso.Dataset(X, y), class_weight=weights).fingerprint == wanted
        assert aoso.AOSOClassifier(**params, class_weight=weights).fit(X, y).booster_.fingerprint == wanted
    for use in (
        lambda weights: aoso.Dataset(X, y, class_weight=weights),
        lambda weights: aoso.train(params, aoso.Dataset(X, y), class_weight=weights),
        lambda weights: aoso.AOSOClassifier(**params, class_weight=weights).fit(X, y),
    ):
        with pytest.raises(ValueError, match="class_weight has 'misspelt', which is no label of y, and has no weight for"):
            use({labels[0]: 2, "misspelt": 3})
        with pytest.raises(ValueError, match=r"class_weight\[.*\] is -1; allowed: a number of at least 0"):
            use({labels[0]: -1})
        with pytest.raises(ValueError, match="class_weight is .*; allowed: a dict of weights by label, 'balanced', or None"):
            use([1, 2, 3])
