import subprocess
import sys

import numpy as np
import pytest

import aoso


def test_values_sum_to_the_raw_scores(any_method, letters):
    x = letters[0][2000:2030].copy()
    x[::3, ::4] = np.nan
    values = any_method.shap(x)
    assert values.shape == (30, 26, 17)
    np.testing.assert_allclose(values.sum(axis=2), any_method.predict_raw(x), atol=1e-9)
    assert (values[:, :, -1] == values[0, :, -1]).all()
    trees = 3 * any_method.trees_per_iteration
    np.testing.assert_array_equal(any_method.shap(x, trees=trees), any_method.truncated(trees).shap(x, nthread=1))


def test_sparse_is_dense_without_zeros(any_method, letters):
    x = letters[0][2000:2030]
    dense, sparse = any_method.shap(x), any_method.shap(x, sparse=True)
    assert (sparse.classes == np.arange(26)).all() and sparse.classes.shape == (30, 26)
    matrix = sparse.to_scipy()
    assert matrix.shape == (30 * 26, 17) and matrix.has_sorted_indices
    np.testing.assert_array_equal(matrix.toarray().reshape(dense.shape), dense)
    assert len(sparse.values) == sparse.indptr[-1] <= np.count_nonzero(dense) + 30 * 26


def test_the_most_likely_classes(booster, letters):
    x = letters[0][4000:4030]
    top = booster.shap(x, sparse=True, top=3)
    raw = booster.predict_raw(x)
    np.testing.assert_array_equal(top.classes, np.argsort(-raw, axis=1, kind="stable")[:, :3])
    wanted = np.take_along_axis(booster.shap(x), top.classes[:, :, None], axis=1)
    np.testing.assert_allclose(top.to_scipy().toarray().reshape(30, 3, 17), wanted, atol=1e-12)


def test_the_most_likely_of_3000_classes():
    y = np.concatenate([np.arange(3000), np.arange(30).repeat(60)])
    x = np.column_stack([y % 141, y // 141]).astype(float)
    wide = aoso.train({"n_estimators": 3, "max_leaves": 40, "leaf": "sparse", "calibration": "none"}, aoso.Dataset(x, y))
    top = wide.shap(x[:20], sparse=True, top=3)
    np.testing.assert_array_equal(wide.classes[top.classes], wide.predict_top(x[:20], 3)[0])
    sums = np.asarray(top.to_scipy().sum(axis=1)).reshape(20, 3)
    np.testing.assert_allclose(sums, np.take_along_axis(wide.predict_raw(x[:20]), top.classes, 1), atol=1e-12)
    assert (sums[:, 0] > 0).any()


def test_no_rows(booster):
    none = booster.shap(np.empty((0, 16)), sparse=True)
    assert none.classes.shape == (0, 26) and none.to_scipy().shape == (0, 17)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"top": 3}, "top is 3; allowed: 0 unless sparse is True"),
        ({"top": 27, "sparse": True}, "top is 27; allowed: 0 to 26"),
        ({"top": 1.5, "sparse": True}, "top is 1.5; allowed: an integer"),
        ({"trees": 301}, "trees is 301; allowed: 0 to 300"),
        ({"nthread": -1}, "nthread is -1"),
    ],
)
def test_what_is_refused(booster, letters, arguments, message):
    with pytest.raises(ValueError, match=message):
        booster.shap(letters[0][:2], **arguments)


def test_scipy_is_loaded_for_its_matrix_only():
    program = """
import sys, aoso, numpy as np
x = np.arange(20.0).reshape(-1, 1)
sparse = aoso.train({"n_estimators": 2}, aoso.Dataset(x, x[:, 0] > 5)).shap(x, sparse=True)
print("scipy" in sys.modules, sparse.to_scipy().shape, "scipy" in sys.modules)
"""
    output = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert output == "False (40, 2) True\n"
