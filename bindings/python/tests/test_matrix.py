"""Every form of table gives the same model as its float64 array."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

import aoso
from aoso import AOSOClassifier, _capi, _matrix

PARAMS = {"preset": "paper", "n_estimators": 5, "nthread": 1}
RNG = np.random.default_rng(0)
# Whole numbers that every dtype holds, three classes of them.
X = RNG.integers(0, 7, size=(90, 5)).astype(float)
Y = (X[:, 0] + X[:, 1]).astype(int) % 3
NAMES = ["a", "b", "c", "d", "e"]


def trained(x, **options):
    return aoso.train(PARAMS, aoso.Dataset(x, Y, **options))


PLAIN, NAMED = trained(X).fingerprint, trained(X, feature_names=NAMES).fingerprint


def strided(dtype):
    wide = np.zeros((2 * len(X), 3 * X.shape[1]), dtype)
    wide[::2, ::3] = X
    return wide[::2, ::3]


DTYPES = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">f4", ">i8", "g", "O"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_dtypes(dtype):
    x = X.astype(dtype)
    booster = trained(x)
    assert booster.fingerprint == PLAIN
    np.testing.assert_array_equal(booster.predict_raw(x), booster.predict_raw(X))


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "u1"])
@pytest.mark.parametrize(
    "layout",
    [
        np.ascontiguousarray,
        np.asfortranarray,
        lambda x: np.ascontiguousarray(x[::-1])[::-1],
        lambda x: np.ascontiguousarray(x[:, ::-1])[:, ::-1],
        lambda x: np.asfortranarray(x[::-1, ::-1])[::-1, ::-1],
        lambda x: strided(x.dtype),
        lambda x: x.copy().view(np.matrix),
    ],
    ids=["C", "F", "rows backwards", "columns backwards", "both backwards, F", "strided", "np.matrix"],
)
def test_numpy_layouts_are_read_in_place(dtype, layout):
    x = layout(X.astype(dtype))
    x.flags.writeable = False
    assert np.shares_memory(_matrix.read(x)._keep[0], x)
    assert trained(x).fingerprint == PLAIN


def test_bools_are_read_in_place():
    x = X > 3
    assert np.shares_memory(_matrix.read(x)._keep[0], x)
    assert trained(x).fingerprint == trained(x.astype(float)).fingerprint


def test_unaligned_and_odd_strides():
    record = np.zeros(len(X), [("pad", "i1"), ("x", "f8", X.shape[1])])
    record["x"] = X
    assert trained(record["x"]).fingerprint == PLAIN


def test_one_row_broadcast():
    x = np.broadcast_to(X[:1], (10, X.shape[1]))
    booster = trained(X)
    np.testing.assert_array_equal(booster.predict_raw(x), np.repeat(booster.predict_raw(X[:1]), 10, axis=0))


def test_lists():
    assert trained(X.tolist()).fingerprint == PLAIN
    assert trained([tuple(map(int, row)) for row in X]).fingerprint == PLAIN


def holes():
    x = X.copy()
    x[RNG.random(x.shape) < 0.2] = np.nan
    return x


def test_masked_arrays_are_missing_where_masked():
    x = holes()
    masked = np.ma.MaskedArray(np.nan_to_num(x, nan=99), np.isnan(x))
    assert trained(masked).fingerprint == trained(x).fingerprint


@pytest.mark.parametrize(
    "frame",
    [
        lambda x: pd.DataFrame(x, columns=NAMES),
        lambda x: pd.DataFrame({name: x[:, j].astype(["f8", "f4", "i8", "u1", "i2"][j]) for j, name in enumerate(NAMES)}),
        lambda x: pd.DataFrame(x, columns=NAMES).convert_dtypes(),
        lambda x: pd.DataFrame(x, columns=NAMES, dtype="float32[pyarrow]"),
        lambda x: pd.DataFrame(x, columns=NAMES, dtype=object),
        lambda x: pd.DataFrame(np.repeat(x, 2, axis=0), columns=NAMES)[::2],
        lambda x: pl.DataFrame(dict(zip(NAMES, x.T))),
        lambda x: pl.DataFrame({name: x[:, j].astype(["f8", "f4", "i8", "u1", "i2"][j]) for j, name in enumerate(NAMES)}),
        lambda x: pl.concat([pl.DataFrame(dict(zip(NAMES, part.T))) for part in np.array_split(x, 4)], rechunk=False),
        lambda x: pa.table(dict(zip(NAMES, x.T))),
        lambda x: pa.concat_tables(pa.table(dict(zip(NAMES, part.T))) for part in np.array_split(x, 3)),
        lambda x: pa.record_batch(dict(zip(NAMES, x.T))),
        lambda x: pa.record_batch(dict(zip(NAMES, np.repeat(x, 2, axis=0).T))).slice(0, 180).take(np.arange(0, 180, 2)),
    ],
    ids=[
        *("pandas", "pandas mixed", "pandas nullable", "pandas arrow", "pandas object", "pandas view"),
        *("polars", "polars mixed", "polars chunks", "pyarrow", "pyarrow chunks", "record batch", "record batch taken"),
    ],
)
def test_frames(frame):
    x = frame(X)
    booster = trained(x)
    assert booster.feature_names == NAMES
    assert booster.fingerprint == NAMED
    np.testing.assert_array_equal(booster.predict_raw(x), booster.predict_raw(X))


@pytest.mark.parametrize("n", [0, 1, 63, 90])
def test_arrow_slices(n):
    table = pa.table(dict(zip(NAMES, X.T)))
    booster = trained(X)
    np.testing.assert_array_equal(booster.predict_raw(table.slice(90 - n)), booster.predict_raw(X)[90 - n :])


def test_nulls_are_missing():
    x = holes()
    wanted = trained(x, feature_names=NAMES).fingerprint
    nullable = pd.DataFrame(x, columns=NAMES).convert_dtypes()
    assert nullable.isna().any(axis=None)
    assert trained(nullable).fingerprint == wanted
    assert trained(pl.from_pandas(pd.DataFrame(x, columns=NAMES))).fingerprint == wanted
    assert trained(pa.table({name: pa.array(x[:, j], from_pandas=True) for j, name in enumerate(NAMES)})).fingerprint == wanted


@pytest.mark.parametrize(
    "form",
    [
        lambda x: pd.DataFrame(x, columns=NAMES),
        lambda x: pd.DataFrame(x, columns=NAMES).convert_dtypes(),
        lambda x: pd.DataFrame(x, columns=NAMES, dtype=object),
        lambda x: pl.DataFrame(dict(zip(NAMES, x.T))),
        lambda x: pa.table(dict(zip(NAMES, x.T))),
    ],
    ids=["pandas", "pandas nullable", "pandas object", "polars", "pyarrow"],
)
def test_infinite_values_lie_beyond_all_others(form):
    """In training and prediction, of a dataset and the estimator alike: the model is that of great finite values."""
    finite = np.select([X > 5, X < 1], [1e6, -1e6], holes())
    x = np.where(np.abs(finite) == 1e6, finite * np.inf, finite)
    wanted = trained(finite, feature_names=NAMES).predict_raw(finite)
    booster, estimator = trained(form(x)), AOSOClassifier(preset="paper", n_estimators=5).fit(form(x), Y, eval_set=(form(x), Y))
    assert np.isinf(x).any() and estimator.booster_.fingerprint == booster.fingerprint
    for use in (x, form(x)):
        np.testing.assert_array_equal(booster.predict_raw(use), wanted)
    np.testing.assert_array_equal(estimator.decision_function(form(x)), wanted)
    np.testing.assert_array_equal([booster.row_predictor().predict_raw(row) for row in x], wanted)
    np.testing.assert_allclose(booster.shap(form(x)).sum(axis=2), wanted)
    assert booster.evaluate(form(x), Y) == booster.evaluate(x, Y)
    assert booster.refit(form(x), Y).fingerprint == booster.refit(x, Y).fingerprint


def test_arrow_bools():
    table = pa.table({name: X[:, j] > 3 for j, name in enumerate(NAMES)})
    assert trained(table).fingerprint == trained((X > 3).astype(float), feature_names=NAMES).fingerprint


class OnlyArray:
    """What has the Arrow PyCapsule interface and nothing else."""

    def __init__(self, batch):
        self.batch = batch

    def __arrow_c_array__(self, requested_schema=None):
        return self.batch.__arrow_c_array__(requested_schema)


def test_any_arrow_array():
    assert trained(OnlyArray(pa.record_batch(dict(zip(NAMES, X.T))))).fingerprint == NAMED


def test_arrow_stream_of_unknown_length():
    reader = pa.table(dict(zip(NAMES, X.T))).to_reader()
    with pytest.raises(aoso.AosoError, match="RecordBatchReader of unknown length.*read_all"):
        trained(reader)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "u1", "?", ">f8"])
@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csc_matrix, sp.csr_array, sp.csc_array, sp.coo_array, sp.lil_array])
def test_scipy(form, dtype, index):
    x = np.where(X > 4, X, 0)
    if dtype == "?":
        x = x > 0
    sparse = form(x.astype("f8" if dtype == ">f8" else dtype))
    if form in (sp.csr_matrix, sp.csc_matrix, sp.csr_array, sp.csc_array):
        sparse.indices, sparse.indptr = sparse.indices.astype(index), sparse.indptr.astype(index)
        sparse.data = sparse.data.astype(dtype)
    booster = trained(sparse)
    assert booster.fingerprint == trained(x.astype(float)).fingerprint
    np.testing.assert_array_equal(booster.predict_raw(sparse), booster.predict_raw(x))


def test_scipy_repeated_positions_are_added():
    x = sp.csr_array((np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    booster = aoso.train(PARAMS, aoso.Dataset([[0.0, 3.0], [4.0, 0.0]] * 5, [0, 1] * 5))
    np.testing.assert_array_equal(booster.predict_raw(x), booster.predict_raw(x.toarray()))
    assert x.nnz == 3


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ([1, 2, 3], r"x has shape \(3,\); allowed: rows × columns"),
        (np.zeros((2, 2, 2)), r"x has shape \(2, 2, 2\)"),
        ([[1, 2], [3]], r"x is not rows of equal length|x has shape \(2,\)"),  # the latter before numpy 1.24
        (X.astype(complex), "x is of dtype complex128; allowed: numbers, bools, texts, categories, dates and times"),
        (np.full(X.shape, np.timedelta64(1)), "x is of dtype timedelta64; allowed: numbers"),
        ([["red", 1], [b"blue", 2]] * 45, "column 0 of x is of dtype object and holds texts and b'blue'; allowed: numbers, bools, texts"),
        (np.zeros((90, 0)), "90 × 0"),
        (np.zeros((0, 5)), "y has 90 labels; allowed: 0"),
        (pd.DataFrame(X, columns=list("abcda")), "feature name 'a' is given twice"),
    ],
)
def test_bad_tables(x, message):
    with pytest.raises(ValueError, match=message) as error:
        trained(x)
    assert isinstance(error.value, aoso.AosoError)


# ------------------------------------------------------------------------ names


def frame(names):
    return pd.DataFrame(np.resize(X, (90, len(names))), columns=names)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "b", "c", "d"], r"x has 4 columns, but not all of the 5 features; missing: 'e'$"),
        (["a", "b", "c", "d", "E"], r"missing: 'e'; unknown: 'E'$"),
        (["a", "b", "c", "d", "e", "e"], r"x has several columns called 'e'; allowed: one for each feature"),
        (list("uvwxyz"), r"missing: 'a', 'b', 'c', 'd', 'e'; unknown: 'u', 'v', 'w', 'x', 'y' and 1 more$"),
    ],
)
def test_names_that_differ(names, message):
    dataset = aoso.Dataset(X, Y, feature_names=NAMES)
    booster = aoso.train(PARAMS, dataset)
    for use in (booster.predict, lambda x: dataset.aligned(x, Y), lambda x: aoso.Dataset(x, Y, init_model=booster)):
        with pytest.raises(ValueError, match=message):
            use(frame(names))


GENERATED = ["f0", "f1", "f2", "f3", "f4"]
ORDER = [3, 0, 4, 1, 2]


@pytest.mark.parametrize("names", [NAMES, GENERATED, [7, 5, 3, 9, 1], [3, 1, 0, 2, 4], [("u", 1), ("u", 2), ("v", 1), ("v", 2), ("w", 1)]], ids=str)
@pytest.mark.parametrize("form", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas, lambda x: pa.RecordBatch.from_pandas(x)], ids=range(4))
def test_columns_are_found_by_name(names, form):
    """In another order, and among others: also names that equal the generated ones, integers and those of a MultiIndex."""
    if not all(isinstance(name, str) for name in names) and form is not pd.DataFrame:
        names = [str(name) for name in names]
    columns = pd.MultiIndex.from_tuples(names) if isinstance(names[0], tuple) else names
    x = pd.DataFrame(X, columns=columns)
    dataset = aoso.Dataset(form(x), Y)
    booster = aoso.train(PARAMS, dataset)
    texts = [" ".join(map(str, name)) if isinstance(name, tuple) else str(name) for name in names]
    loaded = aoso.Booster.from_bytes(booster.to_bytes())
    assert booster.feature_names == loaded.feature_names == texts
    wanted, shuffled = booster.predict_raw(X), x.iloc[:, ORDER]
    if isinstance(names[0], tuple):
        more = shuffled.assign(**{"other": 0.0})
    else:
        more = shuffled.assign(**{"other": np.nan})
    for model in (booster, loaded, booster.truncated(len(wanted[0]) * 0 + booster.num_trees), aoso.merge([booster, booster]).truncated(booster.num_trees)):
        for other in (shuffled, more):
            np.testing.assert_array_equal(model.predict_raw(form(other)), wanted)
    assert booster.evaluate(form(shuffled), Y) == booster.evaluate(X, Y)
    assert booster.calibrated(form(shuffled), Y).temperature == booster.calibrated(X, Y).temperature
    assert booster.refit(form(shuffled), Y).fingerprint == booster.refit(X, Y).fingerprint
    history, straight = {}, {}
    for into, valid in ((history, (form(shuffled), Y)), (straight, (X, Y))):
        aoso.train(PARAMS, dataset, valid_sets=[valid], callbacks=[aoso.record_evaluation(into)])
    assert history == straight
    again = aoso.train(PARAMS, aoso.Dataset(form(shuffled), Y, init_model=booster))
    assert again.fingerprint == aoso.train(PARAMS, aoso.Dataset(X, Y, init_model=booster)).fingerprint
    blocks = aoso.Dataset.from_blocks([(form(x[:40]), Y[:40]), (form(shuffled[40:]), Y[40:])])
    assert aoso.train(PARAMS, blocks).fingerprint == booster.fingerprint


def test_the_library_finds_columns_of_arrow_by_name():
    """As C and C++ use it, without what Python does before."""
    booster = trained(frame(GENERATED))
    wanted = booster.predict_raw(frame(GENERATED))

    def raw(x):
        return _capi.predict("raw", booster._handle, _matrix.read(x), 3, 0, 0)

    for table in (pa.Table.from_pandas, lambda x: pa.RecordBatch.from_pandas(x)):
        np.testing.assert_array_equal(raw(table(frame(GENERATED).iloc[:, ORDER].assign(other=1.0))), wanted)
        with pytest.raises(ValueError, match='a table without the column "f1"'):
            raw(table(frame(["f0", "g", "f2", "f3", "f4"])))
    with pytest.raises(ValueError, match='a table with 2 columns "f1"'):
        raw(pa.table([X[:, 0]] * 6, names=["f0", "f1", "f2", "f3", "f4", "f1"]))


def test_columns_that_are_left_out():
    x = pd.DataFrame(X, columns=NAMES)
    booster = aoso.train(PARAMS, aoso.Dataset(x, Y))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        booster.predict(x.assign(label=Y))  # one may be the label
    for use in (lambda: booster.predict(x.assign(label=Y, more=1)), lambda: booster.evaluate(x.assign(more=1), Y)):
        with pytest.warns(UserWarning, match="columns of x are left out, because they are no features: .*'more'"):
            use()


def test_generated_names(tmp_path):
    """Features that nobody has named are taken by position, except from columns with the generated names or pandas' own."""
    for unnamed in (trained(X), trained(pd.DataFrame(X)), trained(pa.table([X[:, j] for j in range(5)], names=[""] * 5))):
        assert unnamed.feature_names == GENERATED and unnamed.fingerprint == PLAIN
        wanted = unnamed.predict_raw(X)
        for model in (unnamed, aoso.Booster.from_bytes(unnamed.to_bytes())):
            np.testing.assert_array_equal(model.predict_raw(frame(NAMES[::-1])), model.predict_raw(frame(NAMES)))
            for names in (GENERATED, range(5)):
                np.testing.assert_array_equal(model.predict_raw(pd.DataFrame(X, columns=names).iloc[:, ORDER]), wanted)
    integers = trained(pd.DataFrame(X[:, ORDER], columns=ORDER))  # in a frame whose columns are called 0, 1, ... they have other places
    np.testing.assert_array_equal(integers.predict(pd.DataFrame(X)), trained(X[:, ORDER]).predict(X[:, ORDER]))
    dataset = tmp_path / "rows.aoso"
    aoso.Dataset(X, Y, feature_names=GENERATED).save(dataset)
    named = aoso.train(PARAMS, aoso.Dataset.load(dataset))
    np.testing.assert_array_equal(named.predict_raw(pd.DataFrame(X, columns=GENERATED).iloc[:, ORDER].assign(g=0)), named.predict_raw(X))


def test_names_are_checked_only_where_both_have_them():
    named, unnamed = trained(frame(NAMES)), trained(X)
    np.testing.assert_array_equal(named.predict(X), unnamed.predict(frame(NAMES)))
    assert trained(pd.DataFrame(X)).fingerprint == PLAIN  # without names
    with pytest.raises(ValueError, match="4 columns"):
        named.predict(X[:, :4])


@pytest.mark.parametrize("name", ["", "Größe", "x\ny", 'say "x"', "x" * 10_000])
def test_any_name(name):
    booster = trained(X, feature_names=[name, *NAMES[1:]])
    assert booster.feature_names[0] == name
    assert aoso.Booster.from_bytes(booster.to_bytes()).feature_names[0] == name


def test_bad_names():
    with pytest.raises(ValueError, match="null character"):
        trained(X, feature_names=["a\0b", *NAMES[1:]])
    with pytest.raises(ValueError, match="4"):
        trained(X, feature_names=NAMES[1:])


@pytest.mark.parametrize(
    "form", [np.asarray, pd.DataFrame, pl.DataFrame, lambda x: pa.table(pl.DataFrame(x)), sp.csc_array, np.ndarray.tolist]
)
def test_take(form):
    rows = np.array([3, 1, 80])
    taken = _matrix.take(form(X), rows)
    np.testing.assert_array_equal(taken.toarray() if sp.issparse(taken) else np.asarray(taken), X[rows])


@pytest.mark.parametrize(
    ("array", "damage", "message"),
    [
        ("indices", {7: 40}, r"x.indices\[7\] is 40; allowed: 0 to 39"),
        ("indices", {7: -1}, r"x.indices\[7\] is -1; allowed: 0 to 39"),
        ("indptr", {5: 1}, r"x.indptr\[5\] is 1; allowed: \d+, as in x.indptr\[4\], to 820"),
        ("indptr", {-1: 10**6}, r"x.indptr\[40\] is 1000000; allowed: .* the number of entries"),
        ("indptr", {3: 10**6}, r"x.indptr\[3\] is 1000000; allowed: "),
        ("indptr", {0: 5}, r"x.indptr\[0\] is 5; allowed: 0"),
        ("indptr", {0: -1}, r"x.indptr\[0\] is -1; allowed: 0"),
    ],
    ids=str,
)
@pytest.mark.parametrize("layout", [sp.csr_matrix, sp.csc_array])
def test_damaged_sparse_matrices(array, damage, message, layout):
    """scipy would read beyond the arrays, or raise an error of its own."""
    x, y = layout(np.tril(np.ones((40, 40)))), np.arange(40) % 2
    booster = aoso.train({"n_estimators": 2}, aoso.Dataset(x, y))
    model = aoso.AOSOClassifier(n_estimators=2).fit(x, y)
    for i, value in damage.items():
        getattr(x, array)[i] = value
    for use in (
        lambda: aoso.Dataset(x, y),
        lambda: booster.predict(x),
        lambda: booster.evaluate(x, y),
        lambda: aoso.Dataset.from_blocks([(x, y)]),
        lambda: aoso.cv({"n_estimators": 2}, x, y, folds=2),
        lambda: aoso.AOSOClassifier(n_estimators=2).fit(x, y),
        lambda: model.predict(x),
    ):
        with pytest.raises(ValueError, match=message):
            use()
