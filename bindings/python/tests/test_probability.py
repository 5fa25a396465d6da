"""Prediction sets, decisions under costs, and the reliability of probabilities."""

import numpy as np
import pytest

import aoso
from aoso.probability import cost_weights


@pytest.fixture(scope="module")
def some(letters):
    x, y, _ = letters
    few = np.flatnonzero(np.isin(y, list("ABCDEFGHIJ")))
    return x[few], y[few]


@pytest.fixture(scope="module")
def booster(some):
    x, y = some
    return aoso.train({"n_estimators": 60}, aoso.Dataset(x[:3000], y[:3000]))


def positions(booster, y):
    return np.argmax(booster.classes == y[:, None], axis=1)


@pytest.mark.parametrize("class_conditional", [False, True])
@pytest.mark.parametrize("method", ["lac", "aps", "raps"])
def test_sets_cover(booster, some, method, class_conditional):
    x, y = some
    test = slice(5500, None)
    fresh = booster.conformalized(x[3000:5500], y[3000:5500])
    assert booster.conformal_rows == 600 and fresh.conformal_rows == 2500
    for model in (booster, fresh):
        sets = model.predict_set(x[test], alpha=0.1, method=method, class_conditional=class_conditional)
        assert sets.shape == (len(y[test]), 10) and sets.dtype == bool
        coverage = sets[np.arange(len(sets)), positions(model, y[test])].mean()
        assert coverage == pytest.approx(0.9, abs=0.03)
        filled = model.predict_set(x[test], method=method, class_conditional=class_conditional, non_empty=True)
        assert filled.any(axis=1).all() and (filled >= sets).all()
        most_likely = model.predict(x[test]) == model.classes[:, None]
        np.testing.assert_array_equal(filled, np.where(sets.any(axis=1), sets.T, most_likely).T)


def test_sets_are_saved(booster, some, tmp_path):
    x, _ = some
    booster.save(tmp_path / "sets.aoso")
    again = aoso.Booster.load(tmp_path / "sets.aoso")
    np.testing.assert_array_equal(again.predict_set(x[:500], method="raps"), booster.predict_set(x[:500], method="raps"))
    assert again.conformal_rows == booster.conformal_rows


def test_models_without_scores(booster, some):
    x, y = some
    for model in (booster.truncated(5), booster.refit(x[:100], y[:100]), aoso.merge([booster, booster])):
        assert model.conformal_rows == 0
        with pytest.raises(ValueError, match="without conformity scores"):
            model.predict_set(x)
    calibrated = booster.calibrated(x[3000:], y[3000:])
    assert calibrated.conformal_rows == len(y) - 3000
    assert calibrated.conformalized(x[:9], y[:9]).calibration == calibrated.calibration


def test_set_errors(booster, some):
    x, y = some
    for alpha in (0, 1, -0.5, float("nan")):
        with pytest.raises(ValueError, match="alpha is .*; allowed: above 0 and below 1"):
            booster.predict_set(x, alpha=alpha)
    with pytest.raises(ValueError, match="alpha is 'a'"):
        booster.predict_set(x, alpha="a")
    with pytest.raises(ValueError, match="method is 'top'; allowed: lac, aps, raps"):
        booster.predict_set(x, method="top")
    with pytest.raises(ValueError, match="none of which is known, such as"):
        booster.conformalized(x[:3], ["?"] * 3)
    with pytest.raises(ValueError, match="y has 2 labels"):
        booster.conformalized(x[:3], y[:2])


def test_decide(booster, some):
    x, _ = some
    proba = booster.predict_proba(x[3000:])
    decisions, expected = booster.decide(x[3000:], 1 - np.eye(10), return_cost=True)
    np.testing.assert_array_equal(decisions, booster.predict(x[3000:]))
    np.testing.assert_allclose(expected, 1 - proba.max(axis=1), rtol=0, atol=1e-12)
    costs = np.c_[np.arange(100.0).reshape(10, 10) % 7, np.full(10, 1.5)]
    decisions, expected = booster.decide(x[3000:], costs, return_cost=True)
    np.testing.assert_array_equal(decisions, (proba @ costs).argmin(axis=1))
    np.testing.assert_allclose(expected, (proba @ costs).min(axis=1), rtol=1e-12)
    for bad in (np.eye(9), np.ones(10), np.ones((10, 0))):
        with pytest.raises(ValueError, match=r"costs has shape .*; allowed: 10 rows"):
            booster.decide(x, bad)
    with pytest.raises(ValueError, match="allowed: numbers"):
        booster.decide(x, [["a"]] * 10)
    with pytest.raises(ValueError, match=r"costs\[3\]\[0\] is NaN"):
        booster.decide(x, [[0], [0], [0], [np.nan]] + [[0]] * 6)


def test_abstain(booster, model, some):
    x, _ = some
    x = x[3000:]
    for either in (booster, model):
        proba = either.predict_proba(x)
        decided, expected = either.decide(x, abstain=0.3, return_cost=True)
        asked = proba.max(axis=1) < 0.7
        assert 0 < asked.sum() < len(x)
        np.testing.assert_array_equal(np.equal(decided, None), asked)
        np.testing.assert_array_equal(decided[~asked].astype(str), either.predict(x)[~asked].astype(str))
        np.testing.assert_allclose(expected, np.minimum(1 - proba.max(axis=1), 0.3), rtol=0, atol=1e-12)
        np.testing.assert_array_equal(either.decide(x), either.predict(x))
        names = either.decide(x, np.ones((10, 2)), decisions=["a", "b"], abstain=0.5)
        assert names.tolist() == [None] * len(x)
    with pytest.raises(ValueError, match="abstain is 'a'"):
        booster.decide(x, abstain="a")
    with pytest.raises(ValueError, match="NaN"):
        booster.decide(x, abstain=float("nan"))


def test_cost_weights():
    """Weighted probabilities have the classes of least expected cost."""
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    for k in (2, 5):
        names, errors, right = np.arange(k), rng.uniform(1, 9, k), rng.normal(size=k)
        costs = np.where(np.eye(k, dtype=bool), right[:, np.newaxis], (right + errors)[:, np.newaxis])
        weights = np.array(list(cost_weights(costs, names).values()))
        proba = rng.dirichlet(np.ones(k), 500)
        np.testing.assert_array_equal((proba * weights).argmax(axis=1), (proba @ costs).argmin(axis=1))
        assert weights.mean() == pytest.approx(1)
        shuffled = rng.permutation(k)
        frame = pd.DataFrame(costs, names, names).iloc[shuffled, rng.permutation(k)]
        assert cost_weights(frame, names) == pytest.approx(dict(zip(names.tolist(), weights.tolist())))
    for bad, text in (
        ([[0, 1, 2], [1, 0, 1], [1, 1, 0]], "costs of class 'a' differ between errors"),
        ([[0, 1, 1], [0, 0, 0], [1, 1, 0]], "costs of class 'b' are no greater for errors"),
        ([[0, 1], [1, 0], [1, 1]], "costs has shape"),
        ([[0, np.inf, 1], [1, 0, 1], [1, 1, 0]], "costs is not finite"),
    ):
        with pytest.raises(ValueError, match=text):
            cost_weights(bad, ["a", "b", "c"])


def test_reliability(booster, some):
    x, y = some
    x, y = x[3000:], y[3000:]
    weight = np.arange(len(y)) % 3
    proba, own = booster.predict_proba(x), positions(booster, y)
    brier, ece, bins = booster.reliability(x, y, weight=weight)
    assert brier == pytest.approx(np.average(((proba - np.eye(10)[own]) ** 2).sum(axis=1), weights=weight))
    assert ece == pytest.approx((bins["share"] * abs(bins["confidence"] - bins["accuracy"])).sum())
    assert len(bins) == 15 and bins["rows"].sum() == (weight > 0).sum() and (np.diff(bins["confidence"]) > 0).all()
    assert bins["share"] @ bins["accuracy"] == pytest.approx(np.average(proba.argmax(axis=1) == own, weights=weight))
    with pytest.warns(UserWarning, match="labels in y are unknown"):
        mostly = booster.reliability(x, [*y[:1], *["?"] * (len(y) - 1)])
    assert mostly.bins["accuracy"].max() < 0.01


@pytest.fixture(scope="module")
def model(some):
    x, y = some
    return aoso.AOSOClassifier(n_estimators=60).fit(x[:3000], np.char.mod("%d", np.vectorize(ord)(y[:3000]) - 56))  # "9", "10", ...


def test_classifier_sets(model, some):
    x, y = some
    y = np.char.mod("%d", np.vectorize(ord)(y) - 56)
    assert model.classes_.tolist() == model.booster_.classes.tolist() == sorted(model.classes_)
    sets = model.predict_set(x[5500:])
    own = np.searchsorted(model.classes_, y[5500:])
    assert sets[np.arange(len(sets)), own].mean() == pytest.approx(0.9, abs=0.03)
    before, proba = model.booster_, model.predict_proba(x[:9])
    assert model.conformalize(x[3000:5500], y[3000:5500], np.ones(2500)) is model
    assert model.booster_.conformal_rows == 2500 and model.booster_.result is before.result
    np.testing.assert_array_equal(model.predict_proba(x[:9]), proba)
    assert model.predict_set(x[5500:], alpha=0.05, method="aps")[np.arange(len(sets)), own].mean() == pytest.approx(
        0.95, abs=0.02
    )
    model.booster_ = before


def test_classifier_decides(model, some):
    pd = pytest.importorskip("pandas")
    x, _ = some
    zero_one = 1 - np.eye(10)
    np.testing.assert_array_equal(model.decide(x[3000:], zero_one), model.predict(x[3000:]))
    costs = np.random.default_rng(1).uniform(size=(10, 3))
    want = (model.predict_proba(x[3000:]) @ costs).argmin(axis=1)
    np.testing.assert_array_equal(model.decide(x[3000:], costs), want)
    names = np.array(["keep", "drop", "ask"])
    got, expected = model.decide(x[3000:], costs, decisions=list(names), return_cost=True)
    np.testing.assert_array_equal(got, names[want])
    np.testing.assert_allclose(expected, (model.predict_proba(x[3000:]) @ costs).min(axis=1))
    frame = pd.DataFrame(costs, index=model.classes_, columns=names)
    np.testing.assert_array_equal(model.decide(x[3000:], frame.iloc[::-1]), names[want])
    with pytest.raises(ValueError, match="costs has the index"):
        model.decide(x, frame.iloc[1:])
    for either in (model, model.booster_):
        np.testing.assert_array_equal(either.decide(x[3000:], costs, decisions=list(names)), names[want])
        with pytest.raises(ValueError, match=r"decisions has shape \(2,\); allowed: 3 names"):
            either.decide(x, costs, decisions=["a", "b"])
    mixed = model.decide(x[:5], np.ones((10, 2)), decisions=[1, "ask"])
    assert mixed.tolist() == [1] * 5


def test_classifier_reliability(model, some):
    x, y = some
    y = np.char.mod("%d", np.vectorize(ord)(y) - 56)
    got, want = model.reliability(x[3000:], y[3000:]), model.booster_.reliability(x[3000:], y[3000:])
    assert got[:2] == want[:2] and (got.bins == want.bins).all()
