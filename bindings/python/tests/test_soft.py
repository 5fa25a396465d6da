"""Soft labels: a table of shares for y."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris
from sklearn.metrics import log_loss

import aoso
from aoso import AOSOClassifier
from aoso.errors import ArgumentError

X, Y = load_iris(return_X_y=True)
SHARES = 0.8 * np.eye(3)[Y] + 0.2 * np.random.default_rng(0).dirichlet([1, 1, 1], len(Y))
NAMES = ["setosa", "versicolor", "virginica"]
FEW = {"n_estimators": 15, "calibration": "none", "nthread": 1}


def train(y, **params):
    return aoso.train({**FEW, **params}, aoso.Dataset(X, y))


def cross_entropy(y, p, weight=None):
    """That of scikit-learn, of a row for each share."""
    weight = np.ones(len(y)) if weight is None else weight
    return log_loss(np.tile(np.arange(3), len(y)), np.repeat(p, 3, axis=0), sample_weight=(weight[:, None] * y).ravel())


def test_tables():
    want = train(SHARES)
    frame = pd.DataFrame(SHARES)
    for y in (SHARES.tolist(), sp.csr_matrix(SHARES), sp.coo_matrix(SHARES), frame, frame.astype("float32").astype("float64"), np.asfortranarray(SHARES)):
        assert train(y).num_trees == 15
    for y in (SHARES.tolist(), sp.csr_matrix(SHARES), frame, np.asfortranarray(SHARES)):
        assert train(y).fingerprint == want.fingerprint
    named = train(frame.set_axis(NAMES, axis=1))
    assert named.classes.tolist() == NAMES
    turned = frame.set_axis(NAMES, axis=1)[NAMES[::-1]]
    assert train(turned).fingerprint == named.fingerprint
    assert train(np.eye(3)[Y]).fingerprint == train(Y).fingerprint
    pa = pytest.importorskip("pyarrow")
    assert train(pa.table({name: turned[name] for name in NAMES})).fingerprint == named.fingerprint


def test_evaluate():
    booster, weight = train(SHARES), np.random.default_rng(1).random(len(Y)) + 0.1
    p = booster.predict_proba(X)
    values = booster.evaluate(X, SHARES, weight=weight, metrics=["brier", "top_k_error"])
    assert list(values) == ["logloss", "error", "kl", "brier", "top_k_error"]
    assert values["logloss"] == pytest.approx(cross_entropy(SHARES, p, weight), rel=1e-6)
    kl = np.average((SHARES * np.log(SHARES / p)).sum(axis=1), weights=weight)
    assert values["kl"] == pytest.approx(kl, rel=1e-5)
    assert values["error"] == pytest.approx(np.average(p.argmax(1) != SHARES.argmax(1), weights=weight))
    assert values["brier"] == pytest.approx(np.average(((p - SHARES) ** 2).sum(axis=1), weights=weight), rel=1e-6)
    stages = booster.evaluate(X, SHARES, every=5)
    assert len(stages["kl"]) == 3 and stages["kl"][0] > stages["kl"][-1]
    result = aoso.train(FEW, aoso.Dataset(X, SHARES), valid=(X, sp.csr_matrix(SHARES))).result
    assert result.valid.logloss == pytest.approx(result.train_loss, rel=1e-5)


def test_estimator():
    frame = pd.DataFrame(SHARES, columns=NAMES)
    weight = (np.arange(len(Y)) % 4).astype(float)
    model = AOSOClassifier(**FEW).fit(X, frame, sample_weight=weight, eval_set=(X, frame))
    assert model.classes_.tolist() == NAMES and model.predict(X)[0] == "setosa"
    assert cross_entropy(SHARES, model.predict_proba(X)) < 0.8
    for y in (SHARES, sp.csr_matrix(SHARES)):
        model = AOSOClassifier(**FEW, class_weight={0: 3}, validation_fraction=0.2).fit(X, y, sample_weight=weight)
        assert model.classes_.tolist() == [0, 1, 2]
    heavy, plain = AOSOClassifier(**FEW, class_weight={1: 5}).fit(X, SHARES), AOSOClassifier(**FEW).fit(X, SHARES)
    assert heavy.predict_proba(X)[:, 1].mean() > plain.predict_proba(X)[:, 1].mean()
    grouped = AOSOClassifier(n_estimators=10).fit(X, sp.csr_matrix(SHARES), groups=np.arange(len(Y)) // 5)
    assert len(grouped.booster_.suspicious_rows(5).row) == 5


def test_more_ways(tmp_path):
    data = aoso.Dataset(X, SHARES)
    data.save(tmp_path / "soft")
    want = aoso.train(FEW, data)
    assert aoso.train(FEW, aoso.Dataset.load(tmp_path / "soft")).fingerprint == want.fingerprint
    assert aoso.train(FEW, aoso.Dataset(X, SHARES, path=tmp_path / "kept")).fingerprint == want.fingerprint
    folds = aoso.cv(FEW, X, SHARES, folds=3)
    assert aoso.cv(FEW, X, sp.csr_matrix(SHARES), folds=3)["logloss-mean"].tolist() == folds["logloss-mean"].tolist()
    again = aoso.train(FEW, aoso.Dataset(X, SHARES, init_model=want))
    assert again.num_trees == 30 and again.evaluate(X, SHARES)["kl"] < want.evaluate(X, SHARES)["kl"]
    assert data.get_label().tolist() == SHARES.argmax(1).tolist()


def test_blocks():
    frame = pd.DataFrame(SHARES, columns=NAMES)
    data = aoso.Dataset.from_blocks([(X[:40], frame[:40]), (X[40:], frame[40:])])
    assert data.classes.tolist() == NAMES
    assert aoso.train(FEW, data).fingerprint == aoso.train(FEW, aoso.Dataset(X, frame)).fingerprint


def test_derived_models():
    booster = train(SHARES)
    np.testing.assert_allclose(booster.refit(X, SHARES).predict_raw(X), booster.predict_raw(X), atol=1e-3)
    flat = 0.5 * SHARES + 0.5 / 3
    calibrated = booster.calibrated(X, flat)
    assert calibrated.calibration.after == pytest.approx(cross_entropy(flat, calibrated.predict_proba(X)), rel=1e-6)
    assert calibrated.calibration.before == pytest.approx(cross_entropy(flat, booster.predict_proba(X)), rel=1e-6)
    assert calibrated.temperature > 1 and calibrated.calibration.after < calibrated.calibration.before


def test_label_smoothing():
    smooth, explicit = train(Y, label_smoothing=0.3), train(0.7 * np.eye(3)[Y] + 0.1)
    np.testing.assert_allclose(smooth.predict_proba(X), explicit.predict_proba(X), rtol=1e-3)
    assert smooth.predict_proba(X).max() < train(Y).predict_proba(X).max()
    assert smooth.result.train_loss == pytest.approx(log_loss(Y, smooth.predict_proba(X)), rel=1e-5)


@pytest.mark.parametrize(
    ("y", "text"),
    [
        (SHARES * 2, "the share of class"),
        (-SHARES, "the share of class"),
        (SHARES * 0.9, "the sum of the shares in row 0"),
        (SHARES * np.nan, "NaN"),
        (SHARES[:, :2], "the sum of the shares"),
        (SHARES[:10], "y has 10 rows; allowed: 150"),
        (pd.DataFrame(SHARES, columns=["a", "a", "b"]), "a column for each class"),
        (pd.DataFrame(SHARES, columns=list("abc")).assign(b="x"), "not of numbers"),
        (SHARES.reshape(150, 3, 1), "one label per row"),
    ],
)
def test_errors(y, text):
    with pytest.raises(ArgumentError, match=text):
        aoso.Dataset(X, y).construct()


def test_where_they_are_refused():
    booster = train(SHARES)
    for call in (
        lambda: booster.conformalized(X, SHARES),
        lambda: booster.reliability(X, SHARES),
        lambda: booster.confusions(X, SHARES),
        lambda: aoso.Dataset.from_blocks([(X, SHARES), (X, Y)]),
        lambda: aoso.Dataset.from_blocks([(X, SHARES), (X, np.c_[SHARES, SHARES] / 2)]),
        lambda: aoso.Dataset(X, SHARES, class_weight="balanced"),
        lambda: booster.evaluate(X, np.eye(4)[np.r_[Y[:149], 3]]),
        lambda: aoso.train({"label_smoothing": 0.1}, aoso.Dataset(X, Y), objective=lambda scores, data: (scores, scores)),
    ):
        with pytest.raises(ArgumentError):
            call()
