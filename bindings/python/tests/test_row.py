import pickle
import threading

import numpy as np
import pandas as pd
import pytest


def test_rows_are_predicted_as_batches_are(any_method, letters):
    x = letters[0][2000:2200].copy()
    x[::3, ::4] = np.nan
    for trees in (0, 3 * any_method.trees_per_iteration):
        predictor = any_method.row_predictor(trees=trees)
        assert predictor.walked == 0
        np.testing.assert_array_equal([predictor.predict_raw(row) for row in x], any_method.predict_raw(x, trees=trees))
        np.testing.assert_array_equal([predictor.predict_proba(row) for row in x], any_method.predict_proba(x, trees=trees))
        labels = [predictor.predict(row) for row in x]
        np.testing.assert_array_equal(labels, any_method.predict(x, trees=trees))
        assert type(labels[0]) is type(any_method.predict(x[:1])[0])
        assert 0 < predictor.walked <= 1
        some = ["C", "A", "Z"]
        of = [any_method.classes.tolist().index(label) for label in some]
        np.testing.assert_array_equal(
            [predictor.predict_raw(row, some) for row in x], any_method.predict_raw(x, trees=trees)[:, of]
        )


def test_a_calibrated_model(booster, letters):
    x, y, _ = letters
    calibrated = booster.calibrated(x[4000:6000], y[4000:6000])
    predictor = calibrated.row_predictor()
    np.testing.assert_array_equal([predictor.predict_proba(row) for row in x[6000:6100]], calibrated.predict_proba(x[6000:6100]))


def test_anything_like_a_row(booster, letters):
    x = letters[0][5000]
    wanted = booster.predict_proba(x[None])[0]
    predictor = booster.row_predictor()
    wide = np.zeros((16, 3))
    wide[:, 1] = x
    for row in (x.tolist(), tuple(x), x.astype(np.float32), x.astype(np.int8), wide[:, 1], pd.Series(x), x.astype(object)):
        np.testing.assert_array_equal(predictor.predict_proba(row), wanted)
    x[3] = np.nan
    wanted = booster.predict_proba(x[None])[0]
    for row in ([None if np.isnan(v) else v for v in x], np.ma.masked_array(letters[0][0] * 0 + np.nan_to_num(x), np.isnan(x))):
        np.testing.assert_array_equal(predictor.predict_proba(row), wanted)


def test_results_are_the_callers(booster, letters):
    predictor = booster.row_predictor()
    first = predictor.predict_proba(letters[0][0])
    again = first.copy()
    predictor.predict_proba(letters[0][1])
    np.testing.assert_array_equal(first, again)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([1.0] * 15, r"row has shape \(15,\); allowed: \(16,\), one value per feature"),
        (1.0, r"row has shape \(\); allowed"),
        (np.zeros((1, 16)), r"row has shape \(1, 16\); allowed"),
        (np.zeros(1), r"row has shape \(1,\); allowed"),
        (["1"] * 16, "row is of dtype <U1; allowed: numbers and bools"),
        ([[1]] + [1] * 15, "row is (not numbers|of dtype object)"),
        (np.zeros(16, complex), "row is of dtype complex128"),
    ],
)
def test_what_is_no_row(booster, row, message):
    predictor = booster.row_predictor()
    for predict in (predictor.predict, predictor.predict_proba, predictor.predict_raw, lambda row: predictor.predict_raw(row, ["A"])):
        with pytest.raises(ValueError, match=message):
            predict(row)


def test_what_is_refused(booster, letters):
    with pytest.raises(ValueError, match="trees is 301; allowed: 0 to 300"):
        booster.row_predictor(trees=301)
    with pytest.raises(ValueError, match="classes has '!'; allowed: 'A', 'B', 'C'"):
        booster.row_predictor().predict_raw(letters[0][0], ["A", "!"])
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(booster.row_predictor())


def test_a_predictor_for_each_thread(booster, letters):
    x = letters[0][:300]
    wanted, same = booster.predict_raw(x), []

    def work():
        predictor = booster.row_predictor()
        same.append(np.array_equal([predictor.predict_raw(row) for row in x], wanted))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert same == [True] * 8


def test_a_predictor_outlives_its_model(small):
    import aoso

    x, y = small
    predictor = aoso.train({"preset": "paper", "n_estimators": 5}, aoso.Dataset(x, y)).row_predictor()
    assert predictor.predict(x[0]) == 0
