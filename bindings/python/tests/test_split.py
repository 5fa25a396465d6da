"""Groups and times of rows, which say what training holds out."""

import numpy as np
import pytest

import aoso
from aoso import AOSOClassifier
from aoso.errors import ArgumentError


@pytest.fixture(scope="module")
def visits():
    """People who differ more than their classes do."""
    rng = np.random.default_rng(4)
    people = np.repeat(np.arange(24), 25)
    y = rng.integers(0, 3, len(people))
    x = rng.normal(size=(len(people), 5)) * 0.3 + 2 * rng.normal(size=(24, 5))[people]
    x[:, 0] += 0.7 * y
    return x, y, people


def test_groups_foretell_the_loss_on_new_groups(visits):
    x, y, people = visits
    old, new = people < 14, people >= 14
    models = {
        groups is None: aoso.train({"nthread": 1}, aoso.Dataset(x[old], y[old]), groups=groups) for groups in (None, people[old])
    }
    loss = {plain: model.evaluate(x[new], y[new])["logloss"] for plain, model in models.items()}
    assert loss[False] < loss[True]
    assert abs(np.log(models[False].result.held_out.logloss / loss[False])) < abs(np.log(models[True].result.held_out.logloss / loss[True]))


def test_texts_are_groups_as_well(visits):
    x, y, people = visits
    names = np.array([f"person {p}" for p in people], object)
    one, two = (aoso.train({"n_estimators": 6}, aoso.Dataset(x, y), groups=groups) for groups in (names, names.astype(str)))
    assert one.fingerprint == two.fingerprint
    assert one.result.held_out_rows == len(y)


def test_the_estimator_and_the_search_take_them(visits):
    x, y, people = visits
    weight = np.where(people == 3, 0.0, 1.0)
    model = AOSOClassifier(n_estimators=6, ensemble=6).fit(x, y, sample_weight=weight, groups=people)
    kept = weight > 0
    want = aoso.train({"n_estimators": 6, "ensemble": 6}, aoso.Dataset(x[kept], y[kept], weight=weight[kept]), groups=people[kept])
    assert model.booster_.fingerprint == want.fingerprint
    days = np.datetime64("2026-01-01") + np.arange(len(y))
    late = AOSOClassifier(n_estimators=6).fit(x, y, times=days)
    assert late.booster_.result.held_out_rows == len(y) // 5
    found = aoso.tune({"n_estimators": 6}, aoso.Dataset(x, y), groups=people, trials=2)
    assert found.booster.result.held_out_rows == len(y)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"groups": [1, 2]}, r"groups has shape \(2,\); allowed: \(600,\)"),
        ({"groups": np.zeros(600, int)}, "at least 2 groups"),
        ({"groups": np.arange(600), "times": np.arange(600)}, "times is given with groups"),
        ({"times": ["x"] * 600}, "allowed: numbers or datetime64"),
        ({"times": np.full(600, np.nan)}, r"times\[0\] is NaN"),
        ({"times": np.array(["NaT"] * 600, "datetime64[s]")}, r"times\[0\] is NaN"),
        ({"times": np.ones(600)}, "different times"),
    ],
)
def test_refused(visits, arguments, message):
    x, y, _ = visits
    with pytest.raises(ArgumentError, match=message):
        aoso.train({}, aoso.Dataset(x, y), **arguments)
    with pytest.raises(ArgumentError, match=message):
        AOSOClassifier().fit(x, y, **arguments)


def test_a_share_set_apart_is_not_of_groups(visits):
    x, y, people = visits
    with pytest.raises(ArgumentError, match="validation_fraction is set"):
        AOSOClassifier(validation_fraction=0.2).fit(x, y, groups=people)
