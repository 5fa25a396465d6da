"""Models that begin with linear scores."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone

import aoso
from aoso import AOSOClassifier

PARAMS = {"start": "linear", "n_estimators": 20, "calibration": "none"}


@pytest.fixture(scope="module")
def linear(letters):
    x, y, names = letters
    return aoso.train(PARAMS, aoso.Dataset(x[:2000], y[:2000], feature_names=names))


@pytest.fixture(scope="module")
def many():
    """Rows of 120 Gaussian classes: those to train on, and others."""
    rng = np.random.default_rng(5)
    centres = rng.normal(size=(120, 10)) * 1.5
    y = np.arange(4800) % 120
    x = centres[y] + rng.normal(size=(4800, 10))
    return (x[:2400], y[:2400]), (x[2400:], y[2400:])


def logloss(model, x, y):
    return model.evaluate(x, y)["logloss"]


def test_predictions(linear, letters):
    x, y, _ = letters
    zero = aoso.train({**PARAMS, "start": "zero"}, aoso.Dataset(x[:2000], y[:2000]))
    x, y = x[2000:4000].copy(), y[2000:4000]
    assert logloss(linear, x, y) < 0.97 * logloss(zero, x, y)
    x[::5, ::3] = np.nan
    raw, row = linear.predict_raw(x), linear.row_predictor()
    assert all(np.array_equal(row.predict_raw(x[i]), raw[i]) for i in range(20))
    np.testing.assert_array_equal(linear.predict_raw(x, nthread=1), raw)
    assert linear.predict_top(x, 3)[0].tolist() == linear.classes[np.argsort(-raw, axis=1, kind="stable")[:, :3]].tolist()
    odds = np.exp(raw - raw.max(axis=1, keepdims=True))
    np.testing.assert_allclose(linear.predict_proba(x), odds / odds.sum(axis=1, keepdims=True), rtol=1e-9)


def test_a_model_knows_that_it_begins_with_linear_scores(linear):
    assert linear.params["start"] == "linear"
    for again in (pickle.loads(pickle.dumps(linear)), copy.deepcopy(linear), aoso.Booster.from_bytes(linear.to_bytes())):
        assert again.params == linear.params and again.fingerprint == linear.fingerprint


def test_saved_models_predict_the_same(linear, letters, tmp_path):
    linear.save(tmp_path / "linear.aoso")
    x = letters[0][2000:2300]
    np.testing.assert_array_equal(aoso.Booster.load(tmp_path / "linear.aoso").predict_raw(x), linear.predict_raw(x))


def test_shap_values_sum_to_the_raw_scores(linear, letters):
    x = letters[0][2000:2030].copy()
    x[::3, ::4] = np.nan
    values = linear.shap(x)
    np.testing.assert_allclose(values.sum(axis=2), linear.predict_raw(x), atol=1e-7)  # which are rounded
    np.testing.assert_array_equal(linear.shap(x, sparse=True).to_scipy().toarray().reshape(values.shape), values)


def test_derived_models(linear, letters):
    x, y, names = letters
    new, train_set = x[2000:2300], aoso.Dataset(x[:2000], y[:2000], feature_names=names)
    np.testing.assert_array_equal(linear.truncated(5).predict_raw(new), linear.predict_raw(new, trees=5))
    assert linear.refit(x[:2000], y[:2000], keep=1).predict_raw(new).tolist() == linear.predict_raw(new).tolist()
    twice = aoso.merge([linear, linear])
    np.testing.assert_allclose(twice.predict_raw(new), 2 * linear.predict_raw(new), atol=1e-5)
    short = aoso.train({**PARAMS, "n_estimators": 12}, train_set)
    more = aoso.Dataset(x[:2000], y[:2000], feature_names=names, init_model=short)
    longer = aoso.train({"n_estimators": 8, "calibration": "none"}, more)
    assert longer.fingerprint == linear.fingerprint and longer.params["start"] == "linear"
    with pytest.raises(ValueError, match='start is "zero"; allowed: linear, as in the model to continue'):
        aoso.train({"start": "zero"}, more)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"start": "line"}, 'start is "line"; allowed: zero, linear, mixed or prior'),
        ({"start": "linear", "method": "abc", "n_estimators": 5}, 'start is "linear"; allowed: zero, for method abc'),
        ({"start": "linear", "monotone_constraints": [1, 0, 0, 0]}, 'start is "linear"; allowed: zero, with monotone_constraints'),
    ],
)
def test_what_is_refused(small, params, message):
    x, y = small
    with pytest.raises(ValueError, match=message):
        aoso.train(params, aoso.Dataset(x, y > 0))


def test_an_objective_begins_with_zeros(small):
    def objective(scores, train_set):
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        p = odds / odds.sum(axis=1, keepdims=True)
        return p - np.eye(3)[train_set.get_label()], p * (1 - p)

    assert aoso.train({"n_estimators": 2}, aoso.Dataset(*small), objective=objective).params["start"] == "zero"
    with pytest.raises(ValueError, match='start is "linear"; allowed: zero, with an objective'):
        aoso.train({"n_estimators": 2, "start": "linear"}, aoso.Dataset(*small), objective=objective)


def test_the_estimator(small):
    x, y = small
    model = AOSOClassifier(start="linear", n_estimators=5)
    assert model.get_params()["start"] == "linear" and "start" not in AOSOClassifier().get_params()
    assert AOSOClassifier().set_params(start="linear", n_estimators=5).fit(x, y).booster_.params["start"] == "linear"
    fitted = clone(model).fit(x, y)
    for again in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted)):
        assert again.start == "linear"
        np.testing.assert_array_equal(again.predict_proba(x), fitted.predict_proba(x))


def test_many_classes_begin_with_linear_scores_where_rows_can_judge(many):
    (x, y), valid = many
    booster = aoso.train(None, aoso.Dataset(x, y))
    assert booster.params["start"] == "linear" and booster.num_trees < 100
    train_set = aoso.Dataset(x, y)
    for params, start in (
        ({}, "linear"),
        ({"n_estimators": 3}, "prior"),
        ({"early_stopping_rounds": 2, "n_estimators": 5}, "prior"),
        ({"n_estimators": 3, "monotone_constraints": {}}, "zero"),
        ({"n_estimators": 3, "start": "linear"}, "linear"),
    ):
        assert aoso.train(params, train_set, valid=valid).params["start"] == start, params
    assert aoso.train({"n_estimators": 3, "calibration": "none"}, train_set).params["start"] == "prior"
    assert aoso.suggest_params(*x.shape, 120)["start"] == "linear" and aoso.suggest_params(*x.shape, 100)["start"] == "mixed"
    fewer = np.flatnonzero(y < 100)
    assert aoso.train({"n_estimators": 3}, aoso.Dataset(x[fewer], y[fewer])).params["start"] == "zero"
