"""Training with the defaults: the hold-out phase, chosen parameters, calibrated probabilities."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone

import aoso
from aoso import AOSOClassifier
from aoso._parameters import TYPES

AUTO = [
    *("leaf", "leaf_classes", "start", "pairs", "n_estimators", "max_leaves", "learning_rate", "min_samples_leaf", "reg_lambda", "max_delta_step", "subsample"),
    *("colsample_bynode", "ensemble"),
]


@pytest.fixture(scope="module")
def train_set(letters):
    return aoso.Dataset(letters[0][:1000], letters[1][:1000])


@pytest.fixture(scope="module")
def valid(train_set, letters):
    return train_set.aligned(letters[0][1000:2000], letters[1][1000:2000])


def test_phases(by_default):
    booster, seen, history = by_default
    held = [p for p in seen if p.phase == "holdout"]
    final = seen[len(held) :]
    assert held and {p.phase for p in final} == {"train"}
    for phase in (held, final):
        assert [p.iteration for p in phase] == list(range(1, len(phase) + 1))
    trees = booster.num_trees
    assert {p.max_trees for p in held} == {400, 580, trees} and all(p.trees <= p.max_trees for p in held)  # all settings are tried
    assert {p.max_trees for p in final} == {final[-1].trees} == {trees} == {booster.params["n_estimators"]}
    assert booster.result.iterations == trees <= 6 * 580 and booster.params["ensemble"] == 6
    judging = [p for p in held if p.metrics]  # by the members that are grown first
    assert judging == held[: len(judging)] and {tuple(p.metrics) for p in judging} == {("holdout",)}
    assert not any(p.metrics for p in final)  # the leaf values of one member after another
    for metric in ("logloss", "error"):
        assert history["holdout"][metric] == [p.metrics["holdout"][metric] for p in judging]
    assert history.keys() == {"holdout"}
    assert all(a.seconds <= b.seconds for a, b in zip(seen, seen[1:]))


def test_result(by_default):
    result = by_default[0].result
    assert result.phase == "train" and result.held_out_rows == 1000 and result.valid is None
    assert 0.05 < result.held_out.error < 0.3 and 0 < result.held_out.logloss < 1
    assert "held_out=Evaluation(logloss=" in repr(result)
    assert pickle.loads(pickle.dumps(by_default[0])).result == result


def test_probabilities_are_better_than_without_a_temperature(by_default, letters):
    x, y = letters[0][4000:], letters[1][4000:]
    booster = by_default[0]
    raw = booster.truncated(booster.num_trees)  # the same without a temperature
    assert booster.temperature > 1 == raw.temperature
    assert booster.evaluate(x, y)["logloss"] < 0.9 * raw.evaluate(x, y)["logloss"]
    assert booster.evaluate(x, y)["error"] == raw.evaluate(x, y)["error"]
    assert booster.result.held_out.logloss == pytest.approx(booster.evaluate(x, y)["logloss"], rel=0.25)


def test_the_estimator_makes_the_same_model_with_any_number_of_threads(by_default, letters):
    x, y, _ = letters
    model = AOSOClassifier(n_jobs=3).fit(x[:1000], y[:1000])
    assert model.booster_.fingerprint == by_default[0].fingerprint
    assert model.n_iter_ == model.best_iteration_ == by_default[0].result.iterations and model.evals_result_ == {}
    scores, proba = model.decision_function(x[4000:5000]), model.predict_proba(x[4000:5000])
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    np.testing.assert_allclose(proba, odds / odds.sum(axis=1, keepdims=True), rtol=1e-9)
    np.testing.assert_array_equal(model.predict(x[4000:5000]), model.classes_[proba.argmax(axis=1)])
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        np.testing.assert_array_equal(again.predict_proba(x[4000:5000]), proba)


@pytest.fixture(scope="module")
def fast(small):
    return aoso.train({"preset": "fast"}, aoso.Dataset(*small))


def test_none_and_auto_are_the_default(small, fast):
    assert aoso.train({"preset": "fast"} | dict.fromkeys(AUTO), aoso.Dataset(*small)).fingerprint == fast.fingerprint
    assert AOSOClassifier(preset="fast", **dict.fromkeys(AUTO, "auto")).fit(*small).booster_.fingerprint == fast.fingerprint
    assert [type(fast.params[name]) for name in AUTO] == [TYPES[name] for name in AUTO]


def test_the_parameters_of_a_model_make_it_again(small):
    single = aoso.train({"preset": "fast", "ensemble": 1}, aoso.Dataset(*small))
    assert aoso.train(single.params, aoso.Dataset(*small)).export("text") == single.export("text")


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_estimators": -1}, "n_estimators is -1; allowed: at least 1"),
        ({"max_leaves": 1}, "max_leaves is 1; allowed: 2 to 65536"),
        ({"learning_rate": 1.5}, "learning_rate is 1.5; allowed: above 0, at most 1"),
        ({"min_samples_leaf": -3}, "min_samples_leaf is -3; allowed: at least 1"),
        ({"reg_lambda": -2}, r"reg_lambda is -2; allowed: at least 0, at most 3.4e\+38"),
        ({"max_delta_step": 21}, "max_delta_step is 21; allowed: above 0, at most 20"),
        ({"subsample": 2}, "subsample is 2; allowed: above 0, at most 1"),
        ({"colsample_bynode": -0.5}, "colsample_bynode is -0.5; allowed: above 0, at most 1"),
        ({"n_estimators": "many"}, 'n_estimators is "many"; allowed: an integer'),
        ({"max_depth": "auto"}, 'max_depth is "auto"; allowed: an integer'),
        ({"preset": "good"}, 'preset is "good"; allowed: auto, fast, paper or best'),
        ({"calibration": "isotonic"}, 'calibration is "isotonic"; allowed: auto, none, holdout or folds'),
    ],
)
def test_wrong_values(small, params, message):
    with pytest.raises(aoso.errors.ArgumentError, match=message):
        aoso.train(params, aoso.Dataset(*small))
    with pytest.raises(aoso.errors.ArgumentError, match=message):
        AOSOClassifier(**params).fit(*small)


def test_parameters_of_the_estimator():
    model = AOSOClassifier(preset="fast", calibration="folds", n_estimators=30)
    unset = {name for name, value in AOSOClassifier().get_params().items() if value is None}
    assert unset == {
        *(name for name in AUTO if name in AOSOClassifier().get_params()),
        *("validation_fraction", "class_weight", "n_jobs", "monotone_constraints", "interaction_constraints"),
    }
    assert clone(model).get_params() == model.get_params()
    assert model.set_params(preset="auto", calibration="auto", n_estimators=None).get_params() == AOSOClassifier().get_params()


def test_a_validation_set_takes_the_place_of_the_rows_held_out(train_set, valid, letters):
    history = {}
    booster = aoso.train(None, train_set, valid=valid, callbacks=[aoso.record_evaluation(history)])
    result = booster.result
    assert history.keys() == {"train", "valid"} and (result.held_out, result.held_out_rows) == (None, 0)
    assert booster.num_trees <= result.best_iteration <= result.iterations == len(history["valid"]["error"])
    evaluation = booster.evaluate(letters[0][1000:2000], letters[1][1000:2000])
    assert result.valid.logloss == pytest.approx(evaluation["logloss"])
    assert result.valid.logloss < history["valid"]["logloss"][result.best_iteration - 1]  # which is of raw scores
    assert result.valid.error == evaluation["error"] == history["valid"]["error"][result.best_iteration - 1]


def test_a_validation_set_beside_the_rows_held_out(train_set, valid):
    history = {}
    booster = aoso.train(
        {"n_estimators": 20, "calibration": "holdout"}, train_set, valid=valid, callbacks=[aoso.record_evaluation(history)]
    )
    assert booster.result.held_out_rows == 200
    assert len(history["valid"]["logloss"]) == len(history["train"]["logloss"]) == 20 <= len(history["holdout"]["logloss"])
    assert booster.result.valid.logloss < history["valid"]["logloss"][-1]


def test_history_of_the_estimator(letters):
    """It is of raw scores, and all sets have as many."""
    x, y, _ = letters
    sets = [(x[1000:2000], y[1000:2000])] * 2
    model = AOSOClassifier(learning_rate=0.5).fit(x[:1000], y[:1000], eval_set=sets)
    first, last = model.evals_result_.values()
    assert first == last and first.keys() == {"logloss", "error"}
    assert len(last["logloss"]) == len(last["error"]) == model.n_iter_ >= model.best_iteration_ >= model.booster_.num_trees
    assert model.booster_.temperature != 1


def test_a_callback_that_ends_the_hold_out_phase(train_set, letters):
    x, y, _ = letters
    seen = []
    booster = aoso.train(None, train_set, callbacks=[seen.append, lambda p: p.phase == "holdout" and p.iteration == 8])
    assert [p.phase for p in seen] == ["holdout"] * 8
    assert booster.num_trees == booster.result.iterations == 8 and booster.temperature != 1
    assert booster.result.phase == "holdout" and booster.result.held_out_rows == 667
    assert booster.evaluate(x[4000:], y[4000:])["error"] < 0.5
    assert booster.export("text") == seen[-1].booster().export("text")
    model = AOSOClassifier().fit(x[:1000], y[:1000], callbacks=[lambda p: p.iteration == 8])
    assert model.booster_.truncated(3).export("text") == booster.truncated(3).export("text") and model.n_iter_ == 8
    trial = aoso.train(None, train_set, callbacks=[lambda p: p.iteration == 20])  # of crosses: the model has none
    assert trial.num_trees == 11 and trial.result.iterations == 20 and trial.result.held_out_rows == 667


def test_an_exception_of_a_callback_in_the_hold_out_phase(train_set):
    def interrupt(progress):
        raise KeyboardInterrupt(progress.phase)

    with pytest.raises(KeyboardInterrupt, match="holdout"):
        aoso.train(None, train_set, callbacks=[interrupt])


def test_checkpoints_are_of_the_model_itself(train_set, tmp_path):
    booster = aoso.train({"n_estimators": 7}, train_set, callbacks=[aoso.checkpoint(tmp_path / "m{iteration}.aoso", every=5)])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m5.aoso", "m7.aoso"]
    assert aoso.Booster.load(tmp_path / "m7.aoso").fingerprint == booster.fingerprint
    assert aoso.Booster.load(tmp_path / "m5.aoso").export("text") == booster.truncated(5).export("text")
    path = tmp_path / "stopped.aoso"
    booster = aoso.train(None, train_set, callbacks=[aoso.checkpoint(path, every=1), lambda p: p.iteration == 3])
    assert aoso.Booster.load(path).fingerprint == booster.fingerprint


def test_progress_bars(train_set, capsys):
    bar = aoso.progress(mininterval=0)
    for _ in range(2):
        aoso.train({"n_estimators": 30}, train_set, callbacks=[bar])
        text = capsys.readouterr().err
        assert "hold-out: 30it" in text and "holdout logloss=" in text and "30/30" in text
    aoso.train({"n_estimators": 30}, train_set, callbacks=[aoso.progress(mininterval=0, desc="letters", unit="t")])
    text = capsys.readouterr().err
    assert "letters" in text and "hold-out" not in text


def test_where_nothing_is_held_out(train_set, small):
    for params in ({"n_estimators": 5, "calibration": "none"}, {"preset": "paper", "n_estimators": 5}):
        booster = aoso.train(params, train_set)
        assert booster.temperature == 1 and booster.result.held_out is None and booster.result.held_out_rows == 0
    few = aoso.train(None, aoso.Dataset(small[0][:9], small[1][:9]))
    assert few.temperature == 1 and few.result.held_out is None


def test_a_continued_model_keeps_its_temperature(by_default, letters):
    x, y, _ = letters
    seen, before = [], by_default[0]
    more = aoso.train({"n_estimators": 5}, aoso.Dataset(x[:1000], y[:1000], init_model=before), callbacks=[seen.append])
    assert more.temperature == before.temperature and more.result.held_out is None
    assert [p.phase for p in seen] == ["train"] * 5
    assert {p.max_trees for p in seen} == {before.num_trees + 5} == {seen[-1].trees}


def test_cross_validation(letters):
    """A curve is of raw scores, of the parameters that preset auto tries first, and without a hold-out phase."""
    x, y, _ = letters
    x, y = x[:900], y[:900] < "N"
    auto = aoso.suggest_params(600, 16, 2) | {"n_estimators": 500}
    curve = aoso.cv(None, x, y, folds=3)["logloss-mean"]
    assert 50 <= len(curve) <= auto["n_estimators"]
    for params in ({}, auto, {"calibration": "none"}, {"calibration": "folds"}):
        result = aoso.cv({**params, "n_estimators": 10}, x, y, folds=3)
        assert result["iteration"].tolist() == list(range(1, 11))
        assert result["logloss-mean"].tolist() == curve[:10].tolist(), params
    by_threes = aoso.cv({"n_estimators": 10}, x, y, folds=3, eval_every=3)
    assert by_threes["iteration"].tolist() == [3, 6, 9, 10]
    assert by_threes["logloss-mean"].tolist() == curve[[2, 5, 8, 9]].tolist()
    stopped = aoso.cv({"early_stopping_rounds": 5}, x, y, folds=3)["logloss-mean"]
    assert stopped.tolist() == curve[: curve[: len(stopped) + 5].argmin() + 1].tolist()


@pytest.mark.parametrize("preset", ["auto", "fast", "best", "paper"])
def test_presets(small, preset):
    booster = aoso.train({"preset": preset}, aoso.Dataset(*small))
    assert booster.params["preset"] == preset
    assert (booster.temperature == 1) == (preset == "paper")
    if preset == "paper":
        assert (booster.params["n_estimators"], booster.params["max_leaves"], booster.params["learning_rate"]) == (1000, 20, 0.1)
