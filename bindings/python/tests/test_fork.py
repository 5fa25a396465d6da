"""Models in children created by ``fork``: they predict what they predict in the parent, bit for bit."""

import ctypes
import multiprocessing
import os
import pickle
import platform

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse

import aoso

RNG = np.random.default_rng(0)
ROWS = 900
X = RNG.normal(size=(ROWS, 4))
Y = (X[:, 0] > 0) * 1 + (X[:, 1] > 0.5) + 2 * (RNG.random(ROWS) < 0.1)
HOLES = np.where(RNG.random(X.shape) < 0.2, np.nan, X)
FRAME = pd.DataFrame(
    {
        "number": X[:, 0],
        "digit": RNG.integers(0, 9, ROWS).astype(str),
        "town": pd.Categorical(RNG.choice([f"town {i}" for i in range(150)], ROWS)),
        "code": RNG.integers(0, 5, ROWS),
    }
)
CATEGORICAL = ["digit", "town", "code"]


@pytest.fixture(scope="module")
def numeric():
    return aoso.train({"n_estimators": 30}, aoso.Dataset(X, Y))


@pytest.fixture(scope="module")
def categorical():
    return aoso.train({"n_estimators": 30}, aoso.Dataset(FRAME, Y + (FRAME.digit > "5"), categorical_features=CATEGORICAL))


def in_child(work):
    """What a function returns in a forked child, or its error."""
    queue = multiprocessing.get_context("fork").SimpleQueue()
    child = os.fork()
    if child == 0:
        try:
            queue.put(work())
        except BaseException as e:
            queue.put(e)
        finally:
            os._exit(0)
    answer = queue.get()
    os.waitpid(child, 0)
    if isinstance(answer, BaseException):
        raise answer
    return answer


def same(work):
    np.testing.assert_equal(in_child(work), work())


def predictions(booster, x):
    costs = np.arange(len(booster.classes) * 3.0).reshape(-1, 3) % 5 + 0.3
    sets = [
        booster.predict_set(x, alpha=0.07, method=method, class_conditional=by_class, non_empty=by_class)
        for method in ("lac", "aps", "raps")
        for by_class in (False, True)
    ]
    ways = (booster.predict, booster.predict_proba, booster.predict_raw, booster.predict_leaf)
    more = [*booster.decide(x, costs, return_cost=True), *booster.predict_top(x, 2), booster.predict_raw(x, trees=3)]
    return [way(x) for way in ways] + sets + more


TABLES = {
    "float64": X,
    "float32": X.astype(np.float32),
    "one row": X[:1],
    "columns": np.asfortranarray(X),
    "integers": (5 * X).astype(np.int16),
    "missing": HOLES,
    "lists": X.tolist(),
    "frame": pd.DataFrame(X),
    "csr": scipy.sparse.csr_matrix(np.nan_to_num(HOLES)),
    "csc": scipy.sparse.csc_matrix(np.nan_to_num(HOLES)),
}


@pytest.mark.parametrize("name", TABLES)
def test_numeric_tables(numeric, name):
    same(lambda: predictions(numeric, TABLES[name]))


NEW = FRAME.assign(town=FRAME.town.astype(str).where(FRAME.index % 7 > 0, "a new town"), code=FRAME.code + 1)
CATEGORICAL_TABLES = {
    "frame": FRAME,
    "few rows": FRAME.iloc[:3],
    "numbers as categories": FRAME.astype({"digit": int}),
    "unknown and missing": NEW.assign(digit=FRAME.digit.where(FRAME.index % 5 > 0, None)),
    "objects": FRAME.to_numpy(object),
    "arrow": pa.Table.from_pandas(NEW),
}


@pytest.mark.parametrize("name", CATEGORICAL_TABLES)
def test_categorical_tables(categorical, name):
    same(lambda: predictions(categorical, CATEGORICAL_TABLES[name]))


def test_a_model_that_is_unpickled_or_loaded_in_the_child(numeric, categorical, tmp_path):
    numeric.save(tmp_path / "model.aoso")
    pickled, number = pickle.dumps(categorical), pickle.dumps(numeric)
    same(lambda: predictions(pickle.loads(pickled), FRAME))
    same(lambda: predictions(aoso.Booster.load(tmp_path / "model.aoso"), X))

    def facts():
        m, c = pickle.loads(number), pickle.loads(pickled)
        return repr(m), m.classes.tolist(), m.feature_names, m.temperature, m.conformal_rows, c.categories, c.trees_per_iteration

    same(facts)


def test_row_predictors(numeric, categorical):
    row, parts = X[7], FRAME.iloc[7].tolist()
    before = numeric.row_predictor()

    def rows():
        of_numbers, of_categories = numeric.row_predictor(trees=9), categorical.row_predictor()
        return [
            [p.predict(row), p.predict_proba(row), p.predict_raw(row), p.predict_raw(row, [1, 0])] for p in (before, of_numbers)
        ] + [of_categories.predict_proba(parts)]

    same(rows)


def test_the_estimator_predicts():
    model = aoso.AOSOClassifier(preset="paper", n_estimators=5).fit(X, Y)
    same(lambda: [model.predict(X), model.predict_proba(X), model.decide(X, 1 - np.eye(len(model.classes_)))])


def test_errors_in_the_child(numeric, categorical):
    with pytest.raises(aoso.errors.ArgumentError, match="features is 3 columns; allowed: 4"):
        in_child(lambda: numeric.predict(X[:, :3]))
    with pytest.raises(aoso.errors.ArgumentError, match="trees is 99; allowed: 0 to"):
        in_child(lambda: numeric.predict(X, trees=99))
    with pytest.raises(aoso.errors.ArgumentError, match="'north'"):
        in_child(lambda: numeric.predict(pd.DataFrame(X).assign(**{"1": "north"}).drop(columns=1).to_numpy(object)))
    for call in (lambda: numeric.shap(X), lambda: numeric.to_bytes(), lambda: pickle.loads(pickle.dumps(numeric))):
        with pytest.raises(aoso.errors.ForkError, match="fork"):
            in_child(call)


def in_worker(_):
    return MODEL.predict_proba(X)


def test_eight_workers(numeric):
    global MODEL
    MODEL = numeric
    with multiprocessing.get_context("fork").Pool(8) as pool:
        results = pool.map(in_worker, range(16))
    for result in results:
        np.testing.assert_array_equal(result, numeric.predict_proba(X))


def test_a_grandchild_predicts(numeric):
    want = numeric.predict_raw(X)
    np.testing.assert_array_equal(in_child(lambda: in_child(lambda: numeric.predict_raw(X))), want)


def test_integers_keep_all_digits_in_a_child():
    ids = 2**60 + np.arange(60) % 3
    x = np.column_stack([ids, ids[::-1]])
    booster = aoso.train({"n_estimators": 5}, aoso.Dataset(x, np.arange(60) % 3, feature_names=["f0", "f1"], categorical_features=[0, 1]))
    gaps = pd.DataFrame({"f0": pd.array(ids, "Int64"), "f1": pd.array(ids[::-1], "Int64")})
    gaps.loc[::5, "f1"] = pd.NA
    data = booster.to_bytes()
    for rows in (x, pd.DataFrame(x)[[0, 1]], gaps, gaps[["f1", "f0"]], pa.table(gaps), scipy.sparse.csr_array(x)):
        same(lambda: booster.predict_raw(rows))
    assert in_child(lambda: aoso.Booster.from_bytes(data)._info.named) is True


def test_rounding_of_host(numeric):
    """The rounding that another library has set in the process changes nothing, in parent and child."""
    libm = ctypes.CDLL("libm.so.6")
    upwards = 0x400000 if platform.machine() == "aarch64" else 0x800
    due, data = numeric.predict_proba(X), numeric.to_bytes()
    nearest = libm.fegetround()
    assert libm.fesetround(upwards) == 0
    try:
        parent = numeric.predict_proba(X)
        child, loaded = in_child(lambda: (numeric.predict_proba(X), aoso.Booster.from_bytes(data).predict_proba(X)))
        assert libm.fegetround() == upwards
    finally:
        libm.fesetround(nearest)
    assert np.array_equal(due, parent)
    assert np.array_equal(due, child)
    assert np.array_equal(due, loaded)
