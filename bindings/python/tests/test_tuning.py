"""The search for parameters."""

import pickle

import numpy as np
import pytest


import aoso
from aoso import AOSOClassifier

FEW = {"nthread": 1, "calibration": "holdout", "n_estimators": 20}


@pytest.fixture(scope="module")
def sets(small):
    x, y = small
    return aoso.Dataset(x, y), x, y


def test_the_best_trial_becomes_the_model(sets):
    train_set, x, _ = sets
    seen = []
    tuning = aoso.tune(FEW, train_set, trials=6, callbacks=[seen.append])
    assert tuning.booster.num_trees == 20 and tuning.booster.result.phase == "train"
    assert tuning.booster.result.held_out_rows == 30 and tuning.booster.temperature != 1
    table = tuning.trials
    assert set(table["trial"]) == set(range(1, 7)) and len({len(column) for column in table.values()}) == 1
    first = table["refined_loss"][(table["trial"] == 1) & (table["rung"] == 3)]
    assert table["refined_loss"][table["rung"] == 3].min() <= first
    assert [step.phase for step in (seen[0], seen[-1])] == ["search", "train"] and seen[-1].trials == 6
    again = aoso.train({**tuning.params, "nthread": 1, "calibration": "none"}, train_set)
    assert np.array_equal(again.predict_raw(x), tuning.booster.predict_raw(x))
    assert aoso.tune({**FEW, "nthread": 2}, train_set, trials=6).booster.fingerprint == tuning.booster.fingerprint


def test_goes_on_from_a_table(sets, tmp_path):
    train_set, *_ = sets
    table = tmp_path / "trials.csv"
    whole = aoso.tune(FEW, train_set, trials=5)
    steps = iter(range(10**9))
    part = aoso.tune(FEW, train_set, trials=5, table=table, callbacks=[lambda step: next(steps) > 30])
    assert part.booster.result.phase == "search" and 0 < len(part.trials["trial"]) < len(whole.trials["trial"])
    rest = aoso.tune(FEW, train_set, trials=5, table=str(table))
    assert rest.booster.fingerprint == whole.booster.fingerprint
    assert table.read_text().count("\n") == 2 + len(whole.trials["trial"])
    with pytest.raises(ValueError, match="other parameters"):
        aoso.tune({**FEW, "seed": 9}, train_set, table=table)
    with pytest.raises(OSError):
        aoso.tune(FEW, train_set, table=tmp_path)


def test_arguments(sets):
    train_set, *_ = sets
    for arguments, text in (
        ({"trials": 0}, "trials is 0"),
        ({"callbacks": [3]}, r"callbacks\[0\] is a int"),
        ({"valid": 3}, "valid is a int"),
    ):
        with pytest.raises(ValueError, match=text):
            aoso.tune({}, train_set, **arguments)
    with pytest.raises(ValueError, match="early_stopping_rounds"):
        aoso.tune({"early_stopping_rounds": 3}, train_set)


def test_time_limit(sets):
    train_set, *_ = sets
    tuning = aoso.tune({"time_limit": 0.3, "nthread": 1}, train_set)
    assert tuning.booster.num_trees > 0 and tuning.booster.result.seconds < 5


def test_interrupt_gives_the_best_so_far(sets):
    train_set, *_ = sets

    def interrupt(step):
        if step.trials == 2:
            raise KeyboardInterrupt

    with pytest.warns(UserWarning, match="interrupted"):
        tuning = aoso.tune(FEW, train_set, trials=50, callbacks=[interrupt])
    assert tuning.booster.num_trees > 0 and tuning.booster.result.phase == "search"


def test_estimator(sets):
    train_set, x, y = sets
    tuning = aoso.tune(FEW, train_set, trials=4)
    model = AOSOClassifier.from_booster(tuning.booster)
    assert model.booster_ is tuning.booster and model.score(x, y) > 0.8
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(x), model.predict(x))
    with pytest.raises(aoso.errors.ArgumentError, match="there is no parameter 'tune'"):
        AOSOClassifier(tune=True).fit(x, y)


def test_plot(sets):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    train_set, *_ = sets
    tuning = aoso.tune(FEW, train_set, trials=7)
    ax = aoso.plotting.plot_tuning(tuning)
    assert ax.get_ylabel() == "refined loss" and sum(len(dots.get_offsets()) for dots in ax.collections) == 7
    assert aoso.plotting.plot_tuning(tuning.trials).get_xlabel() == "trial"
    with pytest.raises(ValueError, match="allowed: a Tuning"):
        aoso.plotting.plot_tuning(AOSOClassifier())
