"""The most likely classes."""

import numpy as np
import pytest

import aoso


def blobs(classes):
    rng = np.random.default_rng(3)
    y = np.arange(10 * classes) % classes
    return 3 * rng.normal(size=(classes, 5))[y] + rng.normal(size=(len(y), 5)), y


@pytest.mark.parametrize(("leaf", "classes"), [("full", 6), ("full", 120), ("sparse", 150)])
def test_the_most_likely_come_first(leaf, classes):
    x, y = blobs(classes)
    booster = aoso.train({"n_estimators": 5, "leaf": leaf, "leaf_classes": 4, "calibration": "none"}, aoso.Dataset(x, y))
    proba, raw = booster.predict_proba(x), booster.predict_raw(x)
    for top in (1, 3, classes):
        labels, of = booster.predict_top(x, top)
        order = np.argsort(-raw, axis=1, kind="stable")[:, :top]
        np.testing.assert_array_equal(labels, booster.classes[order])
        np.testing.assert_allclose(of, np.take_along_axis(proba, order, 1), rtol=1e-12 if leaf == "sparse" else 0)
    np.testing.assert_array_equal(booster.predict_top(x, 1, trees=2)[0][:, 0], booster.predict(x, trees=2))
    for top in (0, classes + 1, -1):
        with pytest.raises(aoso.errors.ArgumentError, match=f"top is {top}; allowed: 1 to {classes}"):
            booster.predict_top(x, top)
    with pytest.raises(aoso.errors.ArgumentError, match="top is 1.5; allowed: an integer"):
        booster.predict_top(x, 1.5)


def test_the_estimator_has_labels():
    x, y = blobs(4)
    model = aoso.AOSOClassifier(n_estimators=5).fit(x, np.array(["a", "b", "c", "d"])[y])
    labels, proba = model.predict_top(x, 2)
    np.testing.assert_array_equal(labels[:, 0], model.predict(x))
    np.testing.assert_array_equal(proba, -np.sort(-model.predict_proba(x), axis=1)[:, :2])
