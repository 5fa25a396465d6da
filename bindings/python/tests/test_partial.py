"""Training of the estimator in batches."""

import numpy as np
import pytest

from aoso import AOSOClassifier


@pytest.fixture(scope="module")
def rows(letters):
    x, y, _ = letters
    keep = y < "H"
    return x[keep][:900], y[keep][:900]


CLASSES = list("ABCDEFG")


def test_batches(rows):
    x, y = rows
    model = AOSOClassifier()
    for first in range(0, 900, 300):
        batch = slice(first, first + 300)
        assert model.partial_fit(x[batch], y[batch], classes=CLASSES if first == 0 else None) is model
        assert model.booster_.num_trees == 20 * (first // 300 + 1)
    assert model.classes_.tolist() == CLASSES and model.score(x, y) > 0.9 and model.booster_.temperature == 1
    by_hand = AOSOClassifier(n_estimators=20, calibration="none")
    for first in range(0, 900, 300):
        batch = slice(first, first + 300)
        by_hand.fit(x[batch], y[batch], init_model=by_hand.booster_ if first else None)
    assert by_hand.booster_.fingerprint == model.booster_.fingerprint


def test_parameters_count(rows):
    x, y = rows
    model = AOSOClassifier(n_estimators=7, learning_rate=0.3, calibration="holdout", class_weight={"A": 2})
    model.partial_fit(x, y, CLASSES)
    weight = np.where(y == "A", 2.0, 1.0)
    same = AOSOClassifier(n_estimators=7, learning_rate=0.3, calibration="holdout").partial_fit(x, y, CLASSES, sample_weight=weight)
    assert model.booster_.num_trees == 7 and model.booster_.fingerprint == same.booster_.fingerprint
    first = model.booster_.temperature
    assert model.partial_fit(x, y).booster_.temperature not in (1, first)


def test_classes_come_later(rows):
    x, y = rows
    seen = y < "C"
    model = AOSOClassifier().partial_fit(x[seen], y[seen], classes=CLASSES)
    proba = model.predict_proba(x)
    assert proba.shape == (900, 7) and (proba[:, 2:] == 0).all() and np.allclose(proba.sum(axis=1), 1)
    scores = model.decision_function(x)
    assert np.isneginf(scores[:, 2:]).all() and np.isfinite(scores[:, :2]).all()
    assert set(model.predict(x)) == {"A", "B"}
    before = model.booster_.predict_raw(x)
    model.partial_fit(x[~seen], y[~seen])  # of other classes only
    np.testing.assert_array_equal(model.booster_.predict_raw(x)[:, :2], before)
    assert model.booster_.classes.tolist() == CLASSES
    assert model.booster_.first_trees == [0] * 2 + [20] * 5 and model.booster_.num_trees == 41
    assert model.partial_fit(x, y).score(x, y) > 0.9


def test_batches_of_one_class(rows):
    x, y = rows
    model = AOSOClassifier()
    for label in CLASSES:
        model.partial_fit(x[y == label], y[y == label], classes=CLASSES)
    assert model.booster_.classes.tolist() == CLASSES
    assert model.partial_fit(x, y).score(x, y) > 0.8


def test_after_fit(rows):
    x, y = rows
    model = AOSOClassifier(n_estimators=10).fit(x[:500], y[:500])
    model.partial_fit(x[500:], y[500:])
    assert model.booster_.num_trees == 20
    assert model.fit(x[y < "C"], y[y < "C"]).classes_.tolist() == ["A", "B"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"classes": None}, "classes is None; allowed in the first call"),
        ({"classes": ["A", "B"]}, "y has the label '.'; allowed: 'A', 'B', the classes of the first call"),
        ({"classes": CLASSES, "y": np.arange(900)}, "y has the label 0; allowed: 'A'"),
        ({"classes": CLASSES, "sample_weight": [1]}, "sample_weight"),
    ],
)
def test_errors_of_the_first_call(rows, arguments, message):
    x, y = rows
    model = AOSOClassifier()
    with pytest.raises(ValueError, match=message):
        model.partial_fit(**{"X": x, "y": np.where(y == "A", "C", y), **arguments})
    assert not hasattr(model, "classes_") and not hasattr(model, "n_features_in_")


def test_errors_of_later_calls(rows):
    x, y = rows
    model = AOSOClassifier().partial_fit(x, y, classes=CLASSES)
    before = model.booster_.fingerprint
    with pytest.raises(ValueError, match="classes are 'A', 'B'; allowed: None, or those of the first call: 'A', "):
        model.partial_fit(x, y, classes=["A", "B"])
    with pytest.raises(ValueError, match="X has 3 features, but AOSOClassifier is expecting 16"):
        model.partial_fit(x[:, :3], y)
    with pytest.raises(ValueError, match="class_weight is 'balanced'; allowed for partial_fit: a dict"):
        model.set_params(class_weight="balanced").partial_fit(x, y)
    assert model.booster_.fingerprint == before
