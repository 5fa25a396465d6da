"""Tables as people have them: the same categories in every kind of table give the same model; what is odd is an error or missing."""

import datetime
import io
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import aoso
from aoso import AOSOClassifier

PARAMS = {"preset": "paper", "n_estimators": 10, "max_leaves": 6, "nthread": 1}
N = 240
RNG = np.random.default_rng(0)
CITIES = np.array(["Rome", "Oslo", "Bern", "São Paulo", "a city whose name is long", "007"])
CITY = np.where(RNG.random(N) < 0.1, None, CITIES[RNG.integers(0, len(CITIES), N)])
NUMBER = np.round(RNG.normal(size=N), 3)
KIND = RNG.integers(1, 4, N)
DAY = np.datetime64("2020-01-01") + RNG.integers(0, 3000, N)
MEMBER = RNG.random(N) < 0.5
Y = np.where(np.isin(CITY.astype(str), ["Rome", "Bern"]), "a", np.where(KIND == 2, "b", "c"))
WEIGHTS = RNG.integers(1, 4, N).astype(float)

FRAME = pd.DataFrame({"number": NUMBER, "city": pd.Series(CITY, dtype=object), "day": DAY.astype("M8[ns]"), "member": MEMBER, "kind": KIND})
CSV = FRAME.assign(y=Y).to_csv(index=False)
CATEGORIES = sorted(CITIES)


def reordered(names):
    """A dictionary in another order, with names that do not occur."""
    return ["never", *sorted(names)[::-1], "never either"]


def arrow(frame=FRAME, **types):
    table = pa.Table.from_pandas(frame, preserve_index=False)
    for name, kind in types.items():
        table = table.set_column(table.schema.get_field_index(name), name, table[name].cast(kind))
    return table


class OnlyStream:
    """What has the Arrow PyCapsule interface and a length, and nothing else."""

    def __init__(self, table):
        self.table = table

    def __len__(self):
        return len(self.table)

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.to_reader(max_chunksize=7).__arrow_c_stream__(requested_schema)


DICTIONARY = pa.dictionary(pa.int16(), pa.string())
PARTS = pa.concat_tables([arrow(part, city=DICTIONARY) for part in (FRAME[:50], FRAME[50:51], FRAME[51:])])
TABLES = {
    "object": FRAME,
    "category": FRAME.astype({"city": "category"}),
    "category in another order": FRAME.assign(city=pd.Categorical(CITY, reordered(CITIES))),
    "ordered category": FRAME.assign(city=pd.Categorical(CITY, reordered(CITIES), ordered=True)),
    "str": FRAME.assign(city=pd.Series(CITY)),
    "string": FRAME.astype({"city": "string"}),
    "empty texts": FRAME.assign(city=pd.Series(CITY, dtype=object).fillna("")),
    "NaN": FRAME.assign(city=pd.Series(CITY, dtype=object).fillna(np.nan)),
    "NA": FRAME.assign(city=pd.Series(CITY, dtype=object).where(CITY != None, pd.NA)),
    "nullable": FRAME.convert_dtypes(),
    "Arrow types": FRAME.convert_dtypes(dtype_backend="pyarrow"),
    "Arrow dictionary": FRAME.assign(city=pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array(PARTS["city"])))),
    "dates in other units": FRAME.astype({"day": "datetime64[s]"}),
    "dates with a zone": FRAME.assign(day=FRAME["day"].dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo")),
    "datetimes": FRAME.assign(day=pd.Series([pd.Timestamp(day).to_pydatetime() for day in DAY], dtype=object)),
    "dates": FRAME.assign(day=pd.Series(DAY.astype(object), dtype=object)),
    "bools with None": FRAME.assign(member=FRAME["member"].astype(object)),
    "read_csv": pd.read_csv(io.StringIO(CSV), parse_dates=["day"]).drop(columns="y"),
    "read_csv, Arrow": pd.read_csv(io.StringIO(CSV), parse_dates=["day"], dtype_backend="pyarrow").drop(columns="y"),
    "polars": pl.from_pandas(FRAME),
    "polars Categorical": pl.from_pandas(FRAME).with_columns(pl.col("city").cast(pl.Categorical)),
    "polars Enum": pl.from_pandas(FRAME).with_columns(pl.col("city").cast(pl.Enum(reordered(CITIES)))),
    "polars Date": pl.from_pandas(FRAME).with_columns(pl.col("day").cast(pl.Date)),
    "polars.read_csv": pl.read_csv(io.StringIO(CSV), try_parse_dates=True).drop("y"),
    "pyarrow": arrow(),
    "pyarrow large_string": arrow(city=pa.large_string()),
    "pyarrow string_view": arrow(city=pa.string_view()),
    "pyarrow dictionary": arrow(city=DICTIONARY),
    "pyarrow date32": arrow(day=pa.date32()),
    "pyarrow date64": arrow(day=pa.date64()),
    "pyarrow timestamp[us, zone]": arrow(day=pa.timestamp("us", "Europe/Rome")),
    "pyarrow decimal": arrow(number=pa.decimal128(20, 3), kind=pa.decimal256(30, 1)),
    "pyarrow chunks with dictionaries of their own": PARTS,
    "record batch": arrow().combine_chunks().to_batches()[0],
    "slice": pa.concat_tables([arrow().slice(1, 4), arrow()]).slice(4),
    "PyCapsule": OnlyStream(PARTS),
}
WHOLE = aoso.train(PARAMS, aoso.Dataset(FRAME, Y))


@pytest.mark.parametrize("table", TABLES)
def test_every_table_gives_the_same_model(table):
    x = TABLES[table]
    dataset = aoso.Dataset(x, Y)
    booster = aoso.train(PARAMS, dataset)
    assert dataset.categories == booster.categories == {"city": CATEGORIES}
    assert booster.fingerprint == WHOLE.fingerprint
    np.testing.assert_array_equal(WHOLE.predict_raw(x), WHOLE.predict_raw(FRAME))


def test_the_command_line_gives_the_same_model(trained_by_command, tmp_path):
    (tmp_path / "mixed.csv").write_text(CSV)
    flags = [f"--{name}={value}" for name, value in PARAMS.items()]
    assert trained_by_command(tmp_path / "mixed.csv", *flags)["fingerprint"] == WHOLE.fingerprint
    categories = ["--categorical", "kind"]
    booster = aoso.train(PARAMS, aoso.Dataset(FRAME, Y, categorical_features=["city", "kind"]))
    assert trained_by_command(tmp_path / "mixed.csv", *flags, *categories)["fingerprint"] == booster.fingerprint


ENTRIES = {
    "predict": WHOLE.predict,
    "predict_proba": WHOLE.predict_proba,
    "predict_leaf": WHOLE.predict_leaf,
    "staged_raw": lambda x: list(WHOLE.staged_raw(x, every=4)),
    "evaluate": lambda x: WHOLE.evaluate(x, Y, weight=WEIGHTS)["logloss"],
    "shap": WHOLE.shap,
    "shap, sparse": lambda x: WHOLE.shap(x, sparse=True, top=1).values,
    "refit": lambda x: WHOLE.refit(x, Y).fingerprint,
    "calibrated": lambda x: WHOLE.calibrated(x, Y).temperature,
    "aligned": lambda x: aoso.train({**PARAMS, "early_stopping_rounds": 3}, d := aoso.Dataset(FRAME, Y), valid=d.aligned(x, Y)).result.valid,
    "init_model": lambda x: aoso.train(PARAMS, aoso.Dataset(x, Y, init_model=WHOLE)).fingerprint,
    "cv": lambda x: aoso.cv(PARAMS, x, Y, folds=2)["logloss-mean"],
    "fit": lambda x: AOSOClassifier(n_estimators=3).fit(x, Y, WEIGHTS % 3, eval_set=(x, Y)).predict_proba(x),
}


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("table", ["category in another order", "string", "polars Enum", "pyarrow dictionary", "PyCapsule"])
def test_every_entry_takes_every_table(table, entry):
    if table == "PyCapsule" and entry in ("cv", "fit"):
        pytest.skip("its rows cannot be picked")
    np.testing.assert_array_equal(ENTRIES[entry](TABLES[table]), ENTRIES[entry](FRAME))


# --------------------------------------------------------- arrays and lists


def test_arrays_and_lists():
    rows = [["red", 1, 2.5], ["blue", 2, None], [None, 3, 4.0], ["red", 4, np.nan]] * 20
    y = ["a", "b", "b", "a"] * 20
    frame = pd.DataFrame(rows, columns=["f0", "f1", "f2"])
    wanted = aoso.train(PARAMS, aoso.Dataset(frame, y))
    objects = np.array(rows, object)
    for x in (rows, tuple(map(tuple, rows)), objects, np.asfortranarray(objects), np.ma.masked_array(objects, objects == None)):
        booster = aoso.train(PARAMS, aoso.Dataset(x, y))
        assert booster.categories == {"f0": ["blue", "red"]} and booster.fingerprint == wanted.fingerprint
        np.testing.assert_array_equal(booster.predict_raw(x), wanted.predict_raw(frame))
        assert AOSOClassifier(**PARAMS_OF_SKLEARN).fit(x, y).booster_.fingerprint == wanted.fingerprint


PARAMS_OF_SKLEARN = {"preset": "paper", "n_estimators": 10, "max_leaves": 6}


@pytest.mark.parametrize("dtype", ["U9", "S9", "O", "T"])
def test_texts_of_numpy(dtype):
    if dtype == "T" and not hasattr(np.dtypes, "StringDType"):
        pytest.skip("numpy before 2.0")
    texts = np.array([["red", "1"], ["green", "2"], ["", "1"]] * 30)
    x = texts.astype(np.dtypes.StringDType() if dtype == "T" else dtype)
    y = ["a", "b", "c"] * 30
    booster = aoso.train(PARAMS, aoso.Dataset(x, y))
    assert booster.categories == {"f0": ["green", "red"], "f1": ["1", "2"]}
    assert booster.predict(x).tolist() == y
    assert booster.predict(texts).tolist() == AOSOClassifier(**PARAMS_OF_SKLEARN).fit(x, y).predict(x).tolist() == y


def test_bytes_that_are_not_text():
    with pytest.raises(aoso.AosoError, match=r"column 0 of x holds b'\\xff', which is not UTF-8; allowed: text"):
        aoso.Dataset(np.array([[b"\xff"], [b"a"]]), [0, 1])


# ------------------------------------------------------ the names of categories


@pytest.mark.parametrize(
    ("values", "names"),
    [
        (pd.Categorical([3, 1, 10, None]), ["1", "3", "10"]),
        (pd.Categorical([1.5, 2.0, -0.0, np.nan]), ["0", "1.5", "2"]),
        (pd.Categorical([1e-7, 1e22, np.inf, 0.1]), ["+Inf", "0.1", "1e+22", "1e-07"]),
        (pd.Categorical([True, False, True, None]), ["0", "1"]),
        (pd.Categorical(pd.to_datetime(["2020-01-01 00:00", "1969-12-31 12:00", None, None])), ["-43200", "1577836800"]),
        (pd.cut([1, 5, 9, 9], [0, 4, 10]), ["(0, 4]", "(4, 10]"]),
        (pd.Series(["x", 1, 2.5, None], dtype=object), ["1", "2.5", "x"]),
        (pd.Series(["x", np.int8(1), np.float32(0.5), pd.NA], dtype=object), ["0.5", "1", "x"]),
        (pa.array([3, 1, 10, None]).dictionary_encode(), ["1", "3", "10"]),
        (pa.array([1.5, 2.0, 1e-7, 1e22]).dictionary_encode(), ["1.5", "1e+22", "1e-07", "2"]),
        (pa.array([2**60 + 1, 2**60, None, 7], pa.uint64()).dictionary_encode(), ["7", str(2**60), str(2**60 + 1)]),
        (pa.array([datetime.date(2020, 1, 1), None] * 2).dictionary_encode(), ["1577836800"]),
        (pl.Series(["b", "a", None, "é" * 20], dtype=pl.Categorical), ["a", "b", "é" * 20]),
        (pd.Series([None] * 4, dtype="string"), []),
        (pd.Categorical([None] * 4), []),
        (pd.Categorical([None] * 4, ["unused"]), []),
    ],
)
def test_names(values, names):
    table = pa.table if isinstance(values, pa.Array) else pl.DataFrame if isinstance(values, pl.Series) else pd.DataFrame
    x = table({"c": values, "n": [1.0, 2.0, 3.0, 4.0]})
    assert aoso.Dataset(x, [0, 1, 0, 1]).categories == {"c": names}


def test_numbers_stand_for_categories_of_their_name():
    codes = np.where(RNG.random(N) < 0.1, np.nan, RNG.integers(0, 30, N) * 37 % 10)
    x, y = np.column_stack([codes, NUMBER]), np.nan_to_num(codes).astype(int) % 3
    booster = aoso.train(PARAMS, aoso.Dataset(x, y, categorical_features=[0]))
    assert booster.categories == {"f0": [str(k) for k in range(10)]}
    names = [None if np.isnan(code) else str(int(code)) for code in codes]
    as_texts = pd.DataFrame({"f0": pd.Series(names, dtype=object), "f1": NUMBER})
    assert aoso.train(PARAMS, aoso.Dataset(as_texts, y)).fingerprint == booster.fingerprint
    for same in (as_texts, pd.DataFrame(x), as_texts.astype({"f0": "category"})):
        np.testing.assert_array_equal(booster.predict_raw(same), booster.predict_raw(x))


def test_categories_of_numbers_for_a_numeric_feature():
    x = pd.DataFrame({"a": KIND.astype(float), "b": NUMBER})
    booster = aoso.train(PARAMS, aoso.Dataset(x, Y))
    for kind in ("category", "string", object):
        as_text = x.assign(a=x["a"].map("{:.1f}".format).astype(kind))
        np.testing.assert_array_equal(booster.predict_raw(as_text), booster.predict_raw(x))
    with pytest.raises(aoso.AosoError, match='column 0, "a", is "Rome"; allowed: numbers, as in training'):
        booster.predict(x.assign(a="Rome"))


def test_unseen_categories():
    unseen = FRAME.assign(city="Lima")
    missing = FRAME.assign(city=pd.Series([None] * N, dtype=object))
    np.testing.assert_array_equal(WHOLE.predict_raw(unseen), WHOLE.predict_raw(missing))
    np.testing.assert_array_equal(WHOLE.shap(unseen), WHOLE.shap(missing))


@pytest.mark.parametrize("n", [300, 100_000])
def test_many_categories(n):
    """More categories than bins, in whatever form; a class that depends on them."""
    codes = np.resize(RNG.permutation(n), 2 * n)
    names = np.array([f"c{code}" for code in range(n)])
    y = codes % 2
    x = pd.DataFrame({"c": pd.Categorical.from_codes(codes, names), "n": np.resize(NUMBER, 2 * n)})
    booster = aoso.train(PARAMS, aoso.Dataset(x, y))
    assert booster.categories == {"c": sorted(names)}
    table = pa.table({"c": names[codes], "n": x["n"]})
    assert aoso.train(PARAMS, aoso.Dataset(table, y)).fingerprint == booster.fingerprint
    np.testing.assert_array_equal(booster.predict_raw(table), booster.predict_raw(x))
    again = aoso.Booster.from_bytes(booster.to_bytes())
    assert again.categories == booster.categories and again.fingerprint == booster.fingerprint
    assert (booster.predict(x) == y).mean() > 0.7


# --------------------------------------------------------- categorical_features


@pytest.mark.parametrize("spec", [["city", "kind"], [1, 4], np.array([1, 4]), [False, True, False, False, True], ("kind", "city"), np.array(["city", "kind"])])
def test_categorical_features(spec):
    dataset = aoso.Dataset(FRAME, Y, categorical_features=spec)
    assert dataset.categories == {"city": CATEGORIES, "kind": ["1", "2", "3"]}
    estimator = AOSOClassifier(**PARAMS_OF_SKLEARN, categorical_features=spec).fit(FRAME, Y)
    assert estimator.is_categorical_.tolist() == [False, True, False, False, True]
    assert estimator.booster_.fingerprint == aoso.train(PARAMS, dataset).fingerprint
    assert aoso.Dataset(arrow(), Y, categorical_features=spec).categories == dataset.categories


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (None, "column 'city' has categories; allowed: numbers, since categorical_features does not list it"),
        (["kind"], "column 'city' has categories"),
        ([], "column 'city' has categories"),
        ("city", "categorical_features is 'city'; allowed: 'from_dtype', None, or a list of features"),
        (["town"], "categorical_features has 'town'; allowed: the names of columns of x"),
        ([5], "categorical_features has 5; allowed: 0 to 4, the columns of x"),
        ([-1], "categorical_features has -1; allowed: 0 to 4"),
        ([True], "categorical_features is a mask of 1 columns; allowed: 5, as in x"),
        ([[1]], r"categorical_features is \[\[1\]\]; allowed: a mask, numbers or names"),
        ([1.5], r"categorical_features is \[1.5\]; allowed: a mask, numbers or names"),
    ],
)
@pytest.mark.parametrize("table", ["object", "category", "polars", "pyarrow dictionary"])
def test_bad_categorical_features(table, spec, message):
    for use in (aoso.Dataset, lambda x, y, **options: AOSOClassifier(n_estimators=2, **options).fit(x, y)):
        with pytest.raises(aoso.AosoError, match=message):
            use(TABLES[table], Y, categorical_features=spec)


# ----------------------------------------------------------------- odd tables


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (["a", b"b", None], r"column 'c' is of dtype object and holds texts and b'b'; allowed: numbers, bools, texts"),
        (["a", ["b"], None], r"column 'c' is of dtype object and holds texts and \['b'\]"),
        (["a", datetime.date(2020, 1, 1), None], "column 'c' is of dtype object and holds texts and datetime.date"),
        ([1, datetime.date(2020, 1, 1), None], "column 'c' is of dtype object; allowed"),
        (["a", "b\0c", "d"], r"category 'b\\x00c' has a null character; allowed: any other"),
        (["a", "\ud800", "d"], "half a surrogate pair; allowed: text"),
    ],
)
def test_bad_columns(column, message):
    frame = pd.DataFrame({"n": [1.0, 2.0, 3.0], "c": pd.Series(column, dtype=object)})
    for use in (lambda x: aoso.Dataset(x, [0, 1, 0]), lambda x: AOSOClassifier(n_estimators=2).fit(x, [0, 1, 0])):
        with pytest.raises(aoso.AosoError, match=message):
            use(frame)


def test_null_characters_and_bad_utf8_in_arrow():
    for value, message in ((b"b\0c", "text without zero bytes"), (b"\xff", "text in UTF-8")):
        texts = pa.array([b"a", value, b"d"]).view(pa.string())
        for column in (texts, pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), texts)):
            with pytest.raises(aoso.AosoError, match=f'x: column 0, "c" is .*; allowed: {message}'):
                aoso.Dataset(pa.table({"c": column}), [0, 1, 0]).construct()


def test_constant_and_missing_columns():
    x = FRAME.assign(same="always", none=pd.Series([None] * N, dtype="category"), nat=pd.NaT)
    booster = aoso.train(PARAMS, aoso.Dataset(x, Y))
    assert booster.categories == {"city": CATEGORIES, "same": ["always"], "none": []}
    np.testing.assert_array_equal(booster.predict_raw(x), WHOLE.predict_raw(FRAME))
    np.testing.assert_array_equal(booster.predict_raw(x.assign(none="new", same="other")), WHOLE.predict_raw(FRAME))


def test_missing_and_unknown_columns():
    fitted = AOSOClassifier(n_estimators=2).fit(FRAME, Y)
    with pytest.raises(ValueError, match="(?s)seen at fit time, yet now missing.*city"):
        fitted.predict(FRAME.drop(columns="city"))
    with pytest.raises(ValueError, match="missing: 'city'"):
        fitted.predict(pl.from_pandas(FRAME).drop("city"))
    with pytest.raises(ValueError, match="missing: 'city'; unknown: 'town'"):
        WHOLE.predict(FRAME.rename(columns={"city": "town"}))


# ------------------------------------------------------------------ single rows


def test_rows():
    predictor, wanted = WHOLE.row_predictor(), WHOLE.predict_raw(FRAME)
    for i in range(20):
        values = [NUMBER[i], CITY[i], DAY.astype("M8[s]")[i].astype(float), MEMBER[i], KIND[i]]
        position = np.nan if CITY[i] is None else CATEGORIES.index(CITY[i])
        for row in (values, tuple(values), np.array(values, object), np.array([*values[:1], position, *values[2:]], float)):
            np.testing.assert_array_equal(predictor.predict_raw(row), wanted[i])
    for unseen in ("Lima", "", None):
        np.testing.assert_array_equal(predictor.predict_raw([0, unseen, 0, 0, 1]), predictor.predict_raw([0, np.nan, 0, 0, 1]))


# ------------------------------------------------------------------ scikit-learn


def test_from_read_csv_to_predict():
    frame = pd.read_csv(io.StringIO(CSV))
    X, y = frame.drop(columns="y"), frame["y"]
    model = AOSOClassifier(n_estimators=20).fit(X[:200], y[:200])
    assert model.score(X[200:], y[200:]) > 0.8
    assert model.is_categorical_.tolist() == [False, True, True, False, False]  # dates that were not parsed are texts


def test_scikit_learn(tmp_path):
    model = AOSOClassifier(n_estimators=5, categorical_features=["city", "kind"])
    assert clone(model).categorical_features == ["city", "kind"]
    model.fit(FRAME, Y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(FRAME), model.predict_proba(FRAME))
    assert again.booster_.categories == model.booster_.categories
    assert list(model.feature_names_in_) == list(FRAME.columns)
    scores = cross_val_score(AOSOClassifier(n_estimators=5), TABLES["category"], Y, cv=3, error_score="raise")
    assert scores.mean() > 0.8


@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_column_transformer(output):
    transformer = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), ["number", "kind"]),
        ("passthrough", ["city", "member", "day"]),
        verbose_feature_names_out=False,
    )
    pipeline = make_pipeline(transformer.set_output(transform=output), AOSOClassifier(n_estimators=5))
    table = FRAME if output == "pandas" else pl.from_pandas(FRAME)
    pipeline.fit(table, Y)
    assert pipeline.score(table, Y) > 0.8
    assert list(pipeline[-1].booster_.categories) == ["city"]


@pytest.mark.parametrize("y", [pd.Series(Y, dtype="category"), pd.Series(Y, dtype="string"), Y == "a", pd.Series(Y == "a", dtype="boolean")], ids=range(4))
def test_labels_of_any_kind(y):
    model = AOSOClassifier(n_estimators=5).fit(FRAME, y)
    assert model.score(FRAME, np.asarray(y)) > 0.8


IDS = {
    "near 2**53": 2**53 - 3 + np.arange(6),
    "beyond doubles": 2**60 + np.arange(6),
    "uint64": np.array([0, 1, 2**63, 2**63 + 1, 2**64 - 2, 2**64 - 1], np.uint64),
    "int64's ends": np.array([-(2**63), -(2**63) + 1, -1, 0, 2**63 - 2, 2**63 - 1]),
}


@pytest.mark.parametrize("name", IDS)
def test_integers_keep_all_digits_as_categories(name, tmp_path):
    """Beyond 2**53 they were merged: float64 rounds them."""
    rng = np.random.default_rng(3)
    pick = np.concatenate([np.arange(6), rng.integers(0, 6, 194)])
    column, y, noise = IDS[name][pick], pick % 3, rng.normal(size=200)
    nullable = "UInt64" if name == "uint64" else "Int64"
    objects = np.empty((200, 2), object)
    objects[:, 0], objects[:, 1] = column.tolist(), noise.tolist()
    forms = {
        "numbers": pd.DataFrame({"id": column, "v": noise}),
        "nullable": pd.DataFrame({"id": pd.array(column, nullable), "v": noise}),
        "arrow": pd.DataFrame({"id": pd.Series(column).astype(f"{column.dtype}[pyarrow]"), "v": noise}),
        "objects": pd.DataFrame({"id": column.astype(object), "v": noise}),
        "array of objects": objects,
        "polars": pl.DataFrame({"id": column, "v": noise}),
        "pyarrow": pa.table({"id": column, "v": noise}),
        "texts": pd.DataFrame({"id": column.astype(str), "v": noise}),
        "category": pd.DataFrame({"id": pd.Categorical(column), "v": noise}),
    }
    params = {"n_estimators": 10, "calibration": "none"}
    wanted = aoso.train(params, aoso.Dataset(forms["texts"], y, categorical_features=["id"]))
    assert wanted.categories["id"] == [str(value) for value in sorted(IDS[name].tolist())] or name == "uint64"
    for kind, x in forms.items():
        booster = aoso.train(params, aoso.Dataset(x, y, feature_names=["id", "v"], categorical_features=[0]))
        assert booster.fingerprint == wanted.fingerprint, kind
        assert (booster.predict(x) == y).all(), kind
        np.testing.assert_array_equal(wanted.predict_raw(x), wanted.predict_raw(forms["texts"]), err_msg=kind)
        half = (lambda rows: x[rows]) if isinstance(x, (np.ndarray, pl.DataFrame)) else (lambda rows: x.take(rows) if kind == "pyarrow" else x.iloc[rows])
        rows = np.arange(200)
        blocks = [(half(rows[:90]), y[:90]), (half(rows[90:]), y[90:])]
        built = aoso.Dataset.from_blocks(blocks, feature_names=["id", "v"], categorical_features=[0], path=tmp_path / "d")
        assert aoso.train(params, built).fingerprint == wanted.fingerprint, kind
        assert aoso.train(params, built, valid_sets=[(x, y)]).result.valid.error == 0
    model = AOSOClassifier(**params, categorical_features=[0]).fit(objects, y)
    assert (model.predict(objects) == y).all()
    whole = np.column_stack([column, column])
    both = aoso.train(params, aoso.Dataset(whole, y, categorical_features=[0, 1]))
    assert both.categories["f0"] == both.categories["f1"] == wanted.categories["id"] and (both.predict(whole) == y).all()
    for layout in (sp.csr_array, sp.csc_array):
        assert aoso.train(params, aoso.Dataset(layout(whole), y, categorical_features=[0, 1])).fingerprint == both.fingerprint
    missing = forms["nullable"].copy()
    missing.loc[::7, "id"] = pd.NA
    with_gaps = aoso.train(params, aoso.Dataset(missing, y, categorical_features=["id"]))
    assert with_gaps.categories["id"] == wanted.categories["id"]
    gaps = missing.assign(id=missing["id"].astype(object).where(missing["id"].notna(), None))
    np.testing.assert_array_equal(with_gaps.predict_raw(gaps), with_gaps.predict_raw(missing))
    np.testing.assert_array_equal(with_gaps.predict_raw(missing.assign(id=missing["id"].astype("string"))), with_gaps.predict_raw(missing))
