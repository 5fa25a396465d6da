"""Labels that are probably wrong."""

import pickle

import numpy as np
import pytest

import aoso
from aoso import AOSOClassifier
from aoso.errors import ArgumentError


@pytest.fixture(scope="module")
def table():
    """Classes in the corners of a square, of which one label in twenty is wrong."""
    rng = np.random.default_rng(1)
    right = rng.integers(0, 4, 600)
    x = np.column_stack([right % 2, right // 2]) * 4 + rng.normal(size=(600, 2))
    names = np.array(["north", "east", "south", "west"])
    wrong = rng.choice(600, 30, replace=False)
    y = right.copy()
    y[wrong] = (right[wrong] + rng.integers(1, 4, 30)) % 4
    return x, names[y], names[right], wrong


def test_booster(table):
    x, y, right, wrong = table
    booster = aoso.train({}, aoso.Dataset(x, y))
    rows = booster.suspicious_rows(30)
    assert len(np.intersect1d(rows.row, wrong)) >= 24
    assert (rows.label == y[rows.row]).all() and (rows.other != rows.label).all()
    assert np.mean(rows.other[:20] == right[rows.row[:20]]) > 0.9
    assert (np.diff(rows.proba) >= 0).all() and (rows.proba + rows.other_proba < 1 + 1e-9).all()
    every = booster.suspicious_rows(10**6)
    assert sorted(every.row) == list(range(600)) and booster.result.held_out_rows == 600
    suspected = booster.suspicious_rows()
    assert suspected.row.tolist() == every.row[every.suspected].tolist() and 20 <= len(suspected.row) <= 50
    for bad in (0, -1, 1.5, "2"):
        with pytest.raises(ArgumentError, match="n is"):
            booster.suspicious_rows(bad)


def test_estimator(table):
    """Positions are those of X, also with rows of weight zero."""
    x, y, _, wrong = table
    weight = np.ones(600)
    weight[::7] = 0
    model = AOSOClassifier(n_estimators=20).fit(x, y, weight)
    rows = model.suspicious_rows(25)
    assert set(rows.row).isdisjoint(range(0, 600, 7))
    assert (rows.label == y[rows.row]).all() and len(np.intersect1d(rows.row, wrong)) > 15
    apart = AOSOClassifier(n_estimators=20, validation_fraction=0.2, calibration="holdout").fit(x, y)
    rows = apart.suspicious_rows(20)
    assert (rows.label == y[rows.row]).all()
    assert np.isin(rows.row, wrong).sum() == np.isin(apart.suspicious_rows(600).row, wrong).sum() > 0


def test_others(table):
    """The mean of what several models say of each row, restated row by row."""
    x, y, _, wrong = table
    models = [AOSOClassifier(n_estimators=20, calibration="holdout", ensemble=1, random_state=seed).fit(x, y) for seed in range(3)]
    found = [model.suspicious_rows(10**6) for model in models]
    rows = models[0].suspicious_rows(10**6, others=models[1:])
    assert sorted(rows.row) == sorted(set().union(*(f.row.tolist() for f in found)))
    assert (np.diff(rows.proba) >= 0).all() and (rows.label == y[rows.row]).all()
    for i, row in enumerate(rows.row):
        of = [{name: column[f.row == row][0] for name, column in f._asdict().items()} for f in found if row in f.row]
        assert rows.proba[i] == pytest.approx(np.exp(np.mean([np.log(o["proba"]) for o in of])))
        assert rows.other_proba[i] == max(o["other_proba"] for o in of) and rows.other[i] in [o["other"] for o in of]
        assert rows.suspected[i] == (2 * sum(o["suspected"] for o in of) > len(of))
    other = AOSOClassifier(n_estimators=2).fit(x, np.roll(y, 1))
    with pytest.raises(ArgumentError, match="others has another label for row"):
        models[0].suspicious_rows(others=[other])
    with pytest.raises(ArgumentError, match="a model of others is without held-out rows"):
        models[0].suspicious_rows(others=[pickle.loads(pickle.dumps(models[1]))])


def test_none(table):
    x, y, _, _ = table
    train_set = aoso.Dataset(x, y)
    seen = []
    boosters = [
        aoso.train({"preset": "paper", "n_estimators": 3}, train_set),
        aoso.train({"n_estimators": 3}, train_set, valid=train_set.aligned(x, y)),
        pickle.loads(pickle.dumps(aoso.train({"n_estimators": 3}, train_set, callbacks=[lambda p: seen.append(p.booster()) and None]))),
        seen[0],
    ]
    for booster in boosters:
        with pytest.raises(ArgumentError, match="without held-out rows"):
            booster.suspicious_rows()
