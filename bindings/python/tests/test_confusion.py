"""The pairs of classes that are confused most often."""

import numpy as np
import pytest

import aoso


@pytest.fixture(scope="module")
def model(letters):
    x, y, _ = letters
    return aoso.AOSOClassifier(n_estimators=5, calibration="none").fit(x[:2000], y[:2000])


def test_confusions_are_those_of_the_confusion_matrix(model, letters):
    confusion_matrix = pytest.importorskip("sklearn.metrics").confusion_matrix
    x, y = letters[0][2000:4000], letters[1][2000:4000].copy()
    y[:3] = "?"  # a class that the model does not have
    known = y != "?"
    matrix = confusion_matrix(y[known], model.predict(x[known]), labels=model.classes_)
    both = np.triu(matrix + matrix.T, 1)
    found = model.confusions(x, y, n=1000)
    assert len(found) == (both > 0).sum() > 50
    assert [c.first_as_second + c.second_as_first for c in found] == sorted(both[both > 0], reverse=True)
    position = {name: k for k, name in enumerate(model.classes_)}
    for c in found:
        a, b = position[c.first], position[c.second]
        assert a < b and (c.first_as_second, c.second_as_first) == (matrix[a, b], matrix[b, a])
        assert (c.first_rows, c.second_rows) == (matrix[a].sum(), matrix[b].sum())
    assert model.confusions(x, y) == model.booster_.confusions(x, y, nthread=1) == found[:10]


@pytest.mark.parametrize("n", [0, -1, 2.5, "3", None])
def test_number_of_pairs(model, letters, n):
    with pytest.raises(aoso.errors.ArgumentError, match=r"n is .*; allowed: at least 1"):
        model.confusions(letters[0][:5], letters[1][:5], n)


def test_nothing_is_confused(model, letters):
    x = letters[0][:50]
    assert model.confusions(x, model.predict(x)) == []
    assert model.booster_.confusions(x[:0], letters[1][:0]) == []
    with pytest.raises(aoso.errors.AosoError, match="y has"):
        model.confusions(x, letters[1][:4])
