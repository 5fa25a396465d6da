"""Monotone constraints and interaction constraints."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import aoso
from aoso import AOSOClassifier

PAPER = {"preset": "paper", "n_estimators": 30, "max_leaves": 12}
NAMES = ["age", "net income", "height"]


@pytest.fixture(scope="module")
def risk():
    """Two classes whose odds rise with the first feature and fall with the second."""
    rng = np.random.default_rng(7)
    x = rng.uniform(0, 20, (800, 3))
    odds = 0.3 * x[:, 0] - 0.2 * x[:, 1] + 2 * np.sin(x[:, 2] / 2) - 1
    return x, np.where(rng.random(800) < 1 / (1 + np.exp(-odds)), "bad", "good")


def steps(model, x, feature, class_):
    """How the raw score of a class changes along a feature, in some rows."""
    grid = np.linspace(-1, 21, 150)
    rows = np.repeat(x[:10], len(grid), axis=0)
    rows[:, feature] = np.tile(grid, 10)
    return np.diff(model.predict_raw(rows)[:, class_].reshape(10, -1), axis=1)


@pytest.mark.parametrize(
    "signs",
    [
        [-1, 1, 0],
        (-1, 1, 0),
        np.array([-1, 1, 0]),
        "(-1,1,0)",
        "-1,1,0",
        {"age": -1, "net income": 1},
        "age:-1, net income:1",
        "0:-1,1:1",
        {0: -1, 1: 1},
        {"age": {"bad": 1}, "net income": {"good": 1}},
        [[1, -1], 0, 0],
    ],
    ids=str,
)
def test_monotone(risk, signs):
    x, y = risk
    booster = aoso.train({**PAPER, "monotone_constraints": signs}, aoso.Dataset(x, y, feature_names=NAMES))
    assert booster.classes.tolist() == ["bad", "good"]
    assert (steps(booster, x, 0, 1) <= 0).all() and (steps(booster, x, 0, 0) >= 0).all()
    assert (steps(booster, x, 0, 1) < 0).any()
    assert booster.params["monotone_constraints"] and "interaction_constraints" not in booster.params
    again = aoso.train({**booster.params, "nthread": 2}, aoso.Dataset(x, y, feature_names=NAMES))
    assert again.fingerprint == pickle.loads(pickle.dumps(booster)).fingerprint == booster.fingerprint


def test_without_constraints_it_is_not_monotone(risk):
    x, y = risk
    booster = aoso.train(PAPER, aoso.Dataset(x, y))
    assert (steps(booster, x, 0, 1) > 0).any()
    assert "monotone_constraints" not in booster.params


def test_monotone_by_class(small):
    x, y = small
    signs = {2: {0: 1, 2: -1}, "f1": [0, 0, 1]}
    booster = aoso.train({**PAPER, "monotone_constraints": signs}, aoso.Dataset(x, y))
    assert (steps(booster, x, 2, 0) >= 0).all() and (steps(booster, x, 2, 2) <= 0).all() and (steps(booster, x, 1, 2) >= 0).all()


@pytest.mark.parametrize("groups", [[[0, 1]], [{0, 1}], [["age", "net income"]], "[0,1]", [(0, 1), (2,)], "[[0,1],[2]]"], ids=str)
def test_interactions(risk, groups):
    x, y = risk
    booster = aoso.train({**PAPER, "interaction_constraints": groups}, aoso.Dataset(x, y, feature_names=NAMES))
    want = aoso.train({**PAPER, "interaction_constraints": [[0, 1], [2]]}, aoso.Dataset(x, y, feature_names=NAMES))
    np.testing.assert_array_equal(booster.predict_raw(x), want.predict_raw(x))
    # the third feature adds the same, whatever the others are
    moved = x[:50].copy()
    moved[:, 2] = 3
    other = moved.copy()
    other[:, 2] = 9
    added = booster.predict_raw(other) - booster.predict_raw(moved)
    np.testing.assert_allclose(added, np.broadcast_to(added[0], added.shape), atol=1e-5)


def test_words(risk):
    x, y = risk
    alone = aoso.train({**PAPER, "interaction_constraints": "no_interactions"}, aoso.Dataset(x, y))
    assert alone.params["interaction_constraints"] == "no_interactions"
    pairs = aoso.train({**PAPER, "interaction_constraints": "pairwise"}, aoso.Dataset(x, y))
    assert pairs.fingerprint != alone.fingerprint


def test_estimator(risk):
    x, y = risk
    model = AOSOClassifier(**PAPER, monotone_constraints=[-1, 1, 0], interaction_constraints=[[0, 1], [2]])
    model = clone(model).fit(x, y)
    assert model.get_params()["monotone_constraints"] == [-1, 1, 0]
    assert model.booster_.params["interaction_constraints"] == [[0, 1], [2]]
    assert (steps(model.booster_, x, 0, 1) <= 0).all()


def test_continued(risk):
    x, y = risk
    params = {**PAPER, "monotone_constraints": [-1, 1, 0]}
    first = aoso.train(params, aoso.Dataset(x, y))
    more = aoso.train(params, aoso.Dataset(x, y, init_model=first))
    assert more.num_trees == 60 and (steps(more, x, 0, 1) <= 0).all()
    with pytest.raises(aoso.errors.ArgumentError, match="monotone_constraints .* those of the model to continue: none"):
        aoso.train(params, aoso.Dataset(x, y, init_model=aoso.train(PAPER, aoso.Dataset(x, y))))
    against = first.refit(x, y[::-1])
    assert against.fingerprint != first.fingerprint and (steps(against, x, 0, 1) <= 0).all()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("monotone_constraints", [1, 0], "2 values.*3 values, one for each feature"),
        ("monotone_constraints", [1, 0, 2], "a sign of 2.*-1, 0 or 1"),
        ("monotone_constraints", {"weight": 1}, "weight.*age, net income, height"),
        ("monotone_constraints", {"age": {"ugly": 1}}, "for class ugly.*bad, good"),
        ("monotone_constraints", 1j, "allowed: a list, a dict or a string"),
        ("interaction_constraints", [["age", "weight"]], "weight.*age, net income, height"),
        ("interaction_constraints", [[0, 3]], "3.*0 to 2"),
    ],
)
def test_errors(risk, name, value, message):
    x, y = risk
    with pytest.raises(aoso.errors.ArgumentError, match=f"{name}.*{message}"):
        aoso.train({**PAPER, name: value}, aoso.Dataset(x, y, feature_names=NAMES))
