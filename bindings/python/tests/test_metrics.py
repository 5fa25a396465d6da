"""The metrics against scikit-learn, and in training."""

import aoso
import numpy as np
import pytest
from sklearn import metrics as sk

CLASSES = 4


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    y = rng.integers(0, CLASSES, 1200)
    x = rng.normal(size=(1200, 3)) + np.stack([y % 2, y // 2, 0 * y], axis=1)
    return np.round(x, 1), y, rng.uniform(0.1, 2, 1200)


@pytest.fixture(scope="module")
def booster(rows):
    x, y, _ = rows
    return aoso.train({"n_estimators": 20, "max_leaves": 6, "calibration": "none"}, aoso.Dataset(x[:600], y[:600]))


def expected(y, proba, weight):
    """The metrics by scikit-learn. It has no weighted AUC of pairs."""
    labels, predicted = np.arange(CLASSES), proba.argmax(axis=1)
    of = {"sample_weight": weight}
    found = {
        "logloss": sk.log_loss(y, proba, labels=labels, **of),
        "error": 1 - sk.accuracy_score(y, predicted, **of),
        "error@2": 1 - sk.top_k_accuracy_score(y, proba, k=2, labels=labels, **of),
        "auc_ovr": sk.roc_auc_score(y, proba, multi_class="ovr", average="macro", **of),
        "auc_ovr_weighted": sk.roc_auc_score(y, proba, multi_class="ovr", average="weighted", **of),
        "balanced_error": 1 - sk.balanced_accuracy_score(y, predicted, **of),
        "f1_macro": sk.f1_score(y, predicted, average="macro", **of),
        "kappa": sk.cohen_kappa_score(y, predicted, **of),
        "brier": np.average(((proba - np.eye(CLASSES)[y]) ** 2).sum(axis=1), weights=weight),
    }
    if weight is None:
        found["auc_ovo"] = sk.roc_auc_score(y, proba, multi_class="ovo", average="macro")
        found["auc_ovo_weighted"] = sk.roc_auc_score(y, proba, multi_class="ovo", average="weighted")
    return found


@pytest.mark.parametrize("weighted", [False, True])
def test_metrics_are_those_of_scikit_learn(rows, booster, weighted):
    x, y, weight = (column[600:] for column in rows)
    weight = weight if weighted else None
    want = expected(y, booster.predict_proba(x), weight)
    got = booster.evaluate(x, y, weight=weight, metrics=[*want, "ece"])
    assert list(got)[:2] == ["logloss", "error"]
    for name, value in want.items():
        assert got[name] == pytest.approx(value, rel=1e-6), name  # weights are kept as float32
    assert got["ece"] == booster.reliability(x, y, weight=weight).ece
    assert booster.evaluate(x, y, metrics="top_k_error")["top_k_error"] == 0.0


def test_metrics_by_stage(rows, booster):
    x, y, _ = rows
    found = booster.evaluate(x, y, metrics=["kappa"], every=5)
    assert len(found["kappa"]) == len(found["error"]) == 4
    assert found["kappa"][-1] == booster.evaluate(x, y, metrics=["kappa"])["kappa"]


def test_metrics_of_one_class(rows, booster):
    x, _, _ = rows
    assert np.isnan(booster.evaluate(x, np.zeros(len(x)), metrics=["auc_ovr"])["auc_ovr"])


def test_unknown_metrics(rows, booster):
    x, y, _ = rows
    with pytest.raises(ValueError, match="metrics has 'mcc'; allowed: logloss, error, top_k_error, .* or error@K"):
        booster.evaluate(x, y, metrics=["mcc"])
    assert booster.evaluate(x, y, metrics="auc") == booster.evaluate(x, y, metrics="auc_ovr")
    with pytest.raises(ValueError, match="metrics has 'error@0'"):
        aoso.train({}, aoso.Dataset(x, y), metrics="error@0")


HIGHER = {"auc_ovr": True, "kappa": True, "f1_macro": True, "balanced_error": False, "error@2": False, "brier": False}


@pytest.mark.parametrize("metric", HIGHER)
def test_early_stopping_follows_every_metric(rows, metric):
    x, y, _ = rows
    train_set, valid = aoso.Dataset(x[:600], y[:600]), (x[600:], y[600:])
    history = {}
    params = {"metric": metric, "early_stopping_rounds": 8, "n_estimators": 300, "calibration": "none"}
    booster = aoso.train(params, train_set, valid_sets=[valid], metrics=["ece"], callbacks=[aoso.record_evaluation(history)])
    assert list(history["valid_0"]) == ["logloss", "error", "ece", metric]
    values = np.array(history["valid_0"][metric])
    best = 1 + (values.argmax() if HIGHER[metric] else values.argmin())
    assert booster.result.best_iteration == best
    assert booster.result.stopped_by == "early_stopping"
    assert booster.evaluate(*valid, metrics=[metric])[metric] == values[best - 1]


def test_min_delta(rows):
    x, y, _ = rows
    train_set, valid = aoso.Dataset(x[:600], y[:600]), (x[600:], y[600:])
    history = {}
    params = {"min_delta": 0.01, "early_stopping_rounds": 3, "n_estimators": 300}
    booster = aoso.train(params, train_set, valid=valid, callbacks=[aoso.record_evaluation(history)])
    best, number = np.inf, 0
    for iteration, loss in enumerate(history["valid"]["logloss"], 1):
        if loss < best - 0.01:
            best, number = loss, iteration
    assert (booster.result.best_iteration, booster.result.iterations) == (number, number + 3)
