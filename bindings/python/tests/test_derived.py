"""Models made from other models."""

import copy
import pickle

import numpy as np
import pytest

import aoso


def test_truncated(any_method, letters):
    x = letters[0][2000:2300]
    trees = 2 * any_method.trees_per_iteration
    short = any_method.truncated(trees)
    assert short.num_trees == trees and short.result is None and short.feature_names == any_method.feature_names
    np.testing.assert_array_equal(short.predict_raw(x), any_method.predict_raw(x, trees=trees))
    assert any_method.truncated(any_method.num_trees).fingerprint == any_method.fingerprint
    for bad in (0, any_method.num_trees + 1, 1.5):
        with pytest.raises(ValueError, match=f"trees is {bad}; allowed: "):
            any_method.truncated(bad)


def test_merge(letters):
    x, y, names = letters
    parts = [aoso.train({"n_estimators": 20}, aoso.Dataset(x[i:4000:2], y[i:4000:2], feature_names=names)) for i in range(2)]
    merged = aoso.merge(part for part in parts)
    assert merged.num_trees == 40 and merged.classes.tolist() == parts[0].classes.tolist()
    sums = parts[0].predict_raw(x[4000:]) + parts[1].predict_raw(x[4000:])
    np.testing.assert_allclose(merged.predict_raw(x[4000:]), sums, atol=1e-12)
    for bad, message in (
        ([], "models is empty; allowed: at least one"),
        ([parts[0], "other"], r"models\[1\] is a str; allowed: a Booster"),
        ([parts[0], aoso.train({"n_estimators": 1}, aoso.Dataset(x[:100], y[:100]))], r'models\[1\] is "of other classes"; allowed'),
    ):
        with pytest.raises(ValueError, match=message):
            aoso.merge(bad)


def test_refit(booster, letters):
    x, y, _ = letters
    same = booster.refit(x[4000:6000], y[4000:6000], keep=1)
    np.testing.assert_array_equal(same.predict_raw(x[:100]), booster.predict_raw(x[:100]))
    other = booster.refit(x[4000:6000], y[4000:6000])
    assert other.evaluate(x[4000:6000], y[4000:6000])["logloss"] < booster.evaluate(x[4000:6000], y[4000:6000])["logloss"]
    half = booster.refit(x[4000:6000], y[4000:6000], weight=np.arange(2000) < 1000)
    alone = booster.refit(x[4000:5000], y[4000:5000], nthread=1)
    np.testing.assert_allclose(half.predict_raw(x[:100]), alone.predict_raw(x[:100]), rtol=1e-4, atol=1e-4)
    for arguments, message in (
        ({"keep": 2}, "keep is 2; allowed: 0 to 1"),
        ({"keep": "all"}, "keep is 'all'; allowed: a number, 0 to 1"),
        ({"weight": [1]}, r"weight has shape \(1,\)"),
        ({"nthread": -1}, "nthread is -1"),
    ):
        with pytest.raises(ValueError, match=message):
            booster.refit(x[:10], y[:10], **arguments)
    with pytest.raises(ValueError, match="none of which is known, such as"):
        booster.refit(x[:10], ["?"] * 10)


def test_refit_of_sparse_leaves(letters):
    x, y, _ = letters
    params = {"n_estimators": 20, "leaf": "sparse", "leaf_classes": 8, "trim": 0, "calibration": "none"}
    booster = aoso.train(params, aoso.Dataset(x[:3000], y[:3000]))
    same = booster.refit(x[:3000], y[:3000])
    np.testing.assert_array_equal(same.predict_raw(x[:100]), booster.predict_raw(x[:100]))
    other = booster.refit(x[4000:8000], y[4000:8000])
    assert other.evaluate(x[4000:8000], y[4000:8000])["logloss"] < booster.evaluate(x[4000:8000], y[4000:8000])["logloss"]


def test_calibrated(booster, letters):
    x, y, _ = letters
    fit, test = slice(4000, 8000), slice(8000, 12000)
    calibrated = booster.calibrated(x[fit], y[fit])
    temperature, before, after = calibrated.calibration
    assert temperature == calibrated.temperature != booster.temperature == 1 and booster.calibration is None
    assert before == booster.evaluate(x[fit], y[fit])["logloss"]
    assert after == calibrated.evaluate(x[fit], y[fit])["logloss"] and after < before
    assert calibrated.evaluate(x[test], y[test])["logloss"] < booster.evaluate(x[test], y[test])["logloss"]
    np.testing.assert_array_equal(calibrated.predict(x[test]), booster.predict(x[test]))
    np.testing.assert_array_equal(calibrated.predict_raw(x[test]), booster.predict_raw(x[test]))
    *_, last = calibrated.staged_proba(x[test], every=100)
    np.testing.assert_array_equal(last, calibrated.predict_proba(x[test]))
    stages = calibrated.evaluate(x[test], y[test], every=100)
    assert stages["logloss"][-1] == calibrated.evaluate(x[test], y[test])["logloss"]
    weight = np.arange(4000) < 2000
    weighted, half = booster.calibrated(x[fit], y[fit], weight=weight), booster.calibrated(x[4000:6000], y[4000:6000])
    assert weighted.temperature == pytest.approx(half.temperature)
    with pytest.raises(ValueError, match="none of which is known, such as"):
        booster.calibrated(x[:10], ["?"] * 10)


def test_calibrated_models_are_saved_and_pickled(booster, letters, tmp_path):
    x, y, _ = letters
    calibrated = booster.calibrated(x[4000:8000], y[4000:8000])
    wanted = calibrated.predict_proba(x[8000:])
    for again in (pickle.loads(pickle.dumps(calibrated)), copy.deepcopy(calibrated)):
        assert again.calibration == calibrated.calibration and again.temperature == calibrated.temperature
        np.testing.assert_array_equal(again.predict_proba(x[8000:]), wanted)
    calibrated.save(tmp_path / "calibrated.aoso")
    again = aoso.Booster.load(tmp_path / "calibrated.aoso")
    assert again.temperature == calibrated.temperature and again.calibration is None
    np.testing.assert_array_equal(again.predict_proba(x[8000:]), wanted)


def test_classes_of_any_type_stay(small):
    x, y = small
    booster = aoso.train({"n_estimators": 5}, aoso.Dataset(x, y / 2))
    for other in (booster.truncated(2), booster.refit(x, y / 2), booster.calibrated(x, y / 2), aoso.merge([booster] * 2)):
        assert other.classes.tolist() == [0.0, 0.5, 1.0]


def test_a_classifier_of_a_calibrated_model(letters):
    x, y, _ = letters
    model = aoso.AOSOClassifier(n_estimators=300).fit(x[:4000], y[:4000])
    before = model.predict_proba(x[8000:9000])
    model.booster_ = model.booster_.calibrated(x[4000:8000], y[4000:8000])
    after = model.predict_proba(x[8000:9000])
    assert not np.array_equal(before, after)
    np.testing.assert_array_equal(before.argmax(axis=1), after.argmax(axis=1))
    *_, last = model.staged_predict_proba(x[8000:9000], every=100)
    np.testing.assert_array_equal(last, after)
