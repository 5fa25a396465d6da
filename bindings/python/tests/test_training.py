import pickle
import time

import numpy as np
import pytest
import scipy.sparse as sp

import aoso
from aoso._parameters import NESTED, TYPES


@pytest.fixture(scope="module")
def sets(letters):
    x, y, _ = letters
    train_set = aoso.Dataset(x[:4000], y[:4000])
    return train_set, train_set.aligned(x[4000:6000], y[4000:6000])


def test_preset_paper(sets):
    booster = aoso.train({"preset": "paper"}, sets[0], callbacks=[lambda progress: progress.iteration == 3])
    wanted = {"method": "aoso", "leaf": "full", "pairs": 4, "n_estimators": 1000, "max_leaves": 20, "learning_rate": 0.1, "trim": 0.1, "seed": 0}
    assert booster.params.items() >= wanted.items()
    assert booster.temperature == 1


@pytest.mark.parametrize("method", ["aoso", "abc", "logitboost"])
def test_a_model_has_its_parameters(sets, method):
    params = {"method": method, "n_estimators": 52, "max_leaves": np.int64(7), "learning_rate": 1, "seed": 2**64 - 1, "stop_loss": 1e-300,
              "subsample": 1 / 3, "early_stopping_rounds": 50, "metric": "error", "nthread": 2, "level": "generic"}
    booster = aoso.train(params, sets[0], valid=sets[1])
    kept = booster.params
    assert all(type(value) is TYPES[name] for name, value in kept.items())
    assert kept.keys() == TYPES.keys() - {"nthread", "level"} - NESTED
    assert {name: kept.get(name) for name in params} == params | {"nthread": None, "level": None}
    again = aoso.train(kept, sets[0], valid=sets[1])
    assert again.fingerprint == booster.fingerprint and again.params == kept
    loaded = aoso.Booster.from_bytes(booster.to_bytes())
    assert loaded.params == kept


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"max_leaves": 1}, "max_leaves is 1; allowed: 2 to 65536"),
        ({"max_leaves": 2.5}, 'max_leaves is "2.5"; allowed: an integer'),
        ({"max_leaves": True}, "max_leaves"),
        ({"learning_rate": 2}, "learning_rate is 2; allowed: above 0, at most 1"),
        ({"learning_rate": float("nan")}, "learning_rate is NaN"),
        ({"metric": "rmse"}, 'metric is "rmse"; allowed: logloss, '),
        ({"colour": 1, "leavess": 2}, "there is no parameter 'colour', 'leavess' \\(did you mean max_leaves\\?\\); allowed: method, "),
        ({"max_leaves": "2 trees=5"}, "parameter max_leaves is '2 trees=5'; allowed: a number or a word"),
        ({"max_leaves": [2]}, r"parameter max_leaves is \[2\]; allowed: a number or a word"),
        ({"leaves=3 trees": 1}, "there is no parameter 'leaves=3 trees'"),
        ({7: 1}, "there is no parameter 7; allowed"),
        ({"early_stopping_rounds": 5}, "early_stopping_rounds is 5; allowed: 0 without a validation set"),
    ],
)
def test_bad_parameters(sets, params, message):
    with pytest.raises(ValueError, match=message) as error:
        aoso.train(params, sets[0])
    assert isinstance(error.value, aoso.AosoError)


def test_suggested_parameters(sets):
    auto = aoso.suggest_params(4000, 16, 26)
    assert auto.keys() == {"n_estimators", "max_leaves", "learning_rate", "min_samples_leaf", "reg_lambda", "max_delta_step", "subsample", "colsample_bynode", "start", "grow_policy"}
    assert auto.pop("start") == auto.pop("grow_policy") == "mixed"  # a single model, as with a validation set, has one kind of trees
    assert aoso.train({"n_estimators": 400}, sets[0], valid=sets[1]).params.items() >= auto.items() | {("start", "zero")}
    params = aoso.suggest_params(np.int64(1_000_000), 30, 10)
    assert params and all(type(value) is TYPES[name] for name, value in params.items())
    params |= {"n_estimators": 2}
    assert aoso.train(params, sets[0]).params.items() >= params.items()
    aoso.AOSOClassifier(**params)


@pytest.mark.parametrize(
    ("shape", "message"),
    [((0, 5, 3), "rows is 0; allowed: 1 to "), ((10, -1, 3), "features is -1"), ((10, 5, 20_000_000), "classes is 20000000"), ((10, 5.0, 3), "features is 5.0")],
)
def test_bad_shapes(shape, message):
    with pytest.raises(aoso.errors.ArgumentError, match=message):
        aoso.suggest_params(*shape)


def test_numpy_numbers_are_numbers(sets):
    plain = aoso.train({"n_estimators": 3, "learning_rate": 0.25, "seed": 1}, sets[0])
    assert (
        aoso.train({"n_estimators": np.int64(3), "learning_rate": np.float64(0.25), "seed": np.uint8(1)}, sets[0]).fingerprint
        == plain.fingerprint
    )


def test_result(sets):
    result = aoso.train({"n_estimators": 7, "nthread": 1}, *sets[:1], valid=sets[1]).result
    assert (result.iterations, result.best_iteration, result.stopped_by, result.threads) == (7, 7, "trees", 1)
    assert result.train_loss > 0 and result.seconds > 0
    assert 0 < result.valid.error < 1 and result.valid.logloss > 0
    assert aoso.train({"n_estimators": 7}, sets[0]).result.valid is None


@pytest.mark.parametrize("metric", ["logloss", "error"])
def test_early_stopping(sets, metric):
    history = {}
    params = {"learning_rate": 0.5, "early_stopping_rounds": 5, "metric": metric}
    params["calibration"] = "none"
    booster = aoso.train(params, sets[0], valid=sets[1], callbacks=[aoso.record_evaluation(history)])
    curve = history["valid"][metric]
    best = int(np.argmin(curve)) + 1
    assert booster.result.stopped_by == "early_stopping"
    assert booster.result.best_iteration == booster.num_trees == best == len(curve) - 5
    assert getattr(booster.result.valid, metric) == curve[best - 1]
    by_callback = aoso.train({"learning_rate": 0.5}, sets[0], valid=sets[1], callbacks=[aoso.early_stopping(5, metric=metric)])
    assert by_callback.export("text") == booster.export("text")
    assert booster.temperature == 1 != by_callback.temperature
    assert by_callback.result.valid.logloss <= booster.result.valid.logloss


def test_progress(sets):
    seen = []
    aoso.train({"n_estimators": 6, "early_stopping_rounds": 50}, sets[0], valid=sets[1], valid_name="v", eval_every=2, callbacks=[seen.append])
    assert [p.iteration for p in seen] == [p.trees for p in seen] == [1, 2, 3, 4, 5, 6]
    assert [sorted(p.metrics) for p in seen] == [[], ["train", "v"]] * 3
    assert [p.best_iteration for p in seen] == [0, 2, 2, 4, 4, 6]
    assert {p.max_trees for p in seen} == {6}
    assert all(a.seconds <= b.seconds for a, b in zip(seen, seen[1:]))
    assert seen[-1].metrics["train"]["logloss"] < np.log(26)


def test_train_log_loss_is_a_weighted_mean(letters, tmp_path):
    x, y, _ = letters
    weight = np.arange(1000) % 3 + 0.5
    train_set = aoso.Dataset(x[:1000], y[:1000], weight=weight)
    train_set.save(tmp_path / "train")
    for data in train_set, aoso.Dataset.load(tmp_path / "train"):
        seen = []
        booster = aoso.train({"n_estimators": 9, "calibration": "none"}, data, callbacks=[seen.append])
        wanted = booster.evaluate(x[:1000], y[:1000], weight=weight)["logloss"]
        assert seen[-1].metrics["train"]["logloss"] == pytest.approx(wanted, rel=1e-4)
        assert booster.result.train_loss == pytest.approx(wanted, rel=1e-4)


def test_a_callback_stops_training(sets):
    params = {"calibration": "none"}
    booster = aoso.train({**params, "n_estimators": 50}, sets[0], callbacks=[lambda p: p.iteration == 4])
    assert booster.num_trees == booster.result.iterations == 4
    assert booster.fingerprint == aoso.train({**params, "n_estimators": 4}, sets[0]).fingerprint


def test_an_exception_of_a_callback_comes_out(sets):
    def fail(progress):
        raise KeyError(progress.iteration)

    with pytest.raises(KeyError, match="1"):
        aoso.train({"n_estimators": 50}, sets[0], callbacks=[fail])


def test_checkpoints(sets, tmp_path):
    params = {"calibration": "none"}
    booster = aoso.train({**params, "n_estimators": 7}, sets[0], callbacks=[aoso.checkpoint(tmp_path / "m{iteration}.aoso", every=3)])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m3.aoso", "m6.aoso", "m7.aoso"]
    assert aoso.Booster.load(tmp_path / "m7.aoso").fingerprint == booster.fingerprint
    assert aoso.Booster.load(tmp_path / "m3.aoso").fingerprint == aoso.train({**params, "n_estimators": 3}, sets[0]).fingerprint


def test_checkpoints_by_time(sets, tmp_path):
    saved = []

    def slow(progress):
        time.sleep(0.02)
        saved.append((tmp_path / "m").exists())

    aoso.train({"n_estimators": 5, "calibration": "none"}, sets[0], callbacks=[slow, aoso.checkpoint(tmp_path / "m", seconds=0.01)])
    assert not saved[0] and saved[-1]


def test_a_training_goes_on(sets, tmp_path):
    """It is interrupted twice, in either phase. The second time, it is only saved as it ends."""
    seen, params = [], {"n_estimators": 12}
    want = aoso.train(params, sets[0], callbacks=[lambda p: seen.append((p.phase, p.iteration, p.metrics))])
    file, sizes = tmp_path / "training", [0]
    for steps, seconds in ((5, 1e-9), (17, 60)):
        left = iter(range(steps))

        def give_up(progress):
            if next(left, None) is None:
                raise RuntimeError("given up")

        with pytest.raises(RuntimeError, match="given up"):
            aoso.train(params, sets[0], callbacks=[give_up], checkpoint=file, checkpoint_seconds=seconds)
        sizes.append(file.stat().st_size)
        assert sizes[-1] > sizes[-2] + 500
    again = []
    got = aoso.train(params, sets[0], callbacks=[lambda p: again.append((p.phase, p.iteration, p.metrics))], checkpoint=file)
    assert got.fingerprint == want.fingerprint and got.temperature == want.temperature
    assert again == seen
    assert got.result._replace(seconds=0) == want.result._replace(seconds=0)
    with pytest.raises(aoso.AosoError, match="other parameters"):
        aoso.train({"n_estimators": 13}, sets[0], checkpoint=file)
    with pytest.raises(aoso.AosoError, match="checkpoint_seconds is -1"):
        aoso.train(params, sets[0], checkpoint=file, checkpoint_seconds=-1)


def test_local_boosters(sets):
    same = []

    def compare(progress):
        same.append(progress.local_booster().fingerprint == progress.booster().fingerprint)

    aoso.train({"n_estimators": 5, "calibration": "none"}, sets[0], callbacks=[compare])
    assert same == [True] * 5


def test_progress_bar(sets, capsys):
    aoso.train({"n_estimators": 30}, sets[0], valid=sets[1], callbacks=[aoso.progress(mininterval=0)])
    text = capsys.readouterr().err
    assert "30/30" in text and "valid logloss=" in text


def test_what_callbacks_refuse():
    for make in (lambda: aoso.early_stopping(0), lambda: aoso.checkpoint("m", every=0)):
        with pytest.raises(ValueError, match="is 0; allowed: an integer, 1 to"):
            make()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"callbacks": ["progress"]}, r"callbacks\[0\] is a str; allowed: a callable"),
        ({"eval_every": "often"}, "eval_every is 'often'; allowed: an integer, 1 to"),
        ({"eval_every": 0}, "eval_every is 0; allowed: an integer, 1 to"),
        ({"params": "trees=3"}, "params is a str; allowed: a dict"),
    ],
)
def test_arguments_that_are_none(sets, arguments, message):
    with pytest.raises(aoso.AosoError, match=message):
        aoso.train(**{"params": {"n_estimators": 3}, "train_set": sets[0], **arguments})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y": [0, 1, 2] * 10}, "y has 30 labels; allowed: 150, one for each row of x"),
        ({"eval_every": 0}, "eval_every is 0; allowed: an integer, 1 to"),
        ({"folds": [(range(75), [])]}, r"folds\[0\] has 75 and 0 rows; allowed: at least one each"),
        ({"folds": []}, "folds is empty"),
        ({"folds": 1}, "folds is 1; allowed: 2 to 150"),
        ({"params": "trees=3"}, "params is a str; allowed: a dict"),
    ],
)
def test_cross_validation_that_is_none(small, arguments, message):
    with pytest.raises(aoso.AosoError, match=message):
        aoso.cv(**{"params": {"n_estimators": 3}, "x": small[0], "y": small[1], **arguments})


def test_continued_training(sets, letters):
    x, y, _ = letters
    booster = aoso.train({"n_estimators": 10}, sets[0])
    more = aoso.train({"n_estimators": 5}, aoso.Dataset(x[:4000], y[:4000], init_model=booster))
    assert more.num_trees == 15
    assert more.truncated(10).export("text") == booster.export("text")
    assert more.evaluate(x[4000:6000], y[4000:6000])["logloss"] < booster.evaluate(x[4000:6000], y[4000:6000])["logloss"]
    few = y[:4000] < "C"
    again = aoso.train({"n_estimators": 1}, aoso.Dataset(x[:4000][few], y[:4000][few], init_model=booster))
    assert again.classes.tolist() == booster.classes.tolist()
    with pytest.raises(ValueError, match='y has 10 labels, none of which is known, such as 0; allowed: '):
        aoso.Dataset(x[:10], np.zeros(10, int), init_model=booster)
    with pytest.raises(ValueError, match="as in the model to continue"):
        aoso.train({"n_estimators": 30, "method": "abc"}, aoso.Dataset(x[:4000], y[:4000], init_model=booster))


def test_a_validation_set_of_another_training_set(sets, small):
    other = aoso.Dataset(*small, free_raw_data=True).construct()
    with pytest.raises(ValueError, match="valid is a dataset of its own bins"):
        aoso.train({}, sets[0], valid=other)
    with pytest.raises(ValueError, match="a dataset of other bins"):
        aoso.train({}, sets[0], valid=other.aligned(*small))


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 4, 900)
    return rng.normal(size=(900, 3)) + np.stack([y % 2, y // 2, 0 * y], axis=1), np.array(list("abcd"))[y]


def test_validation_sets_take_the_bins_of_the_training_set(blobs):
    x, y = blobs
    train_set = aoso.Dataset(x[:500], y[:500])
    x_valid, y_valid, weight = x[500:], y[500:], np.linspace(0.5, 2, 400)
    params = {"early_stopping_rounds": 5, "n_estimators": 40}
    want = aoso.train(params, train_set, valid=train_set.aligned(x_valid, y_valid, weight=weight))
    for valid in (
        (x_valid, y_valid, weight),
        aoso.Dataset(x_valid, y_valid, weight=weight),
        aoso.Dataset(x_valid, y_valid, weight=weight, reference=train_set),
    ):
        got = aoso.train(params, train_set, valid_sets=[train_set, valid])
        assert (got.fingerprint, got.result.valid) == (want.fingerprint, want.result.valid)


def test_several_validation_sets(blobs):
    x, y = blobs
    train_set = aoso.Dataset(x[:500], y[:500])
    history, one = {}, {}
    valid_sets = {"fit": train_set, "first": (x[500:700], y[500:700]), "second": (x[700:], y[700:])}
    params = {"n_estimators": 6, "calibration": "none", "early_stopping_rounds": 100}
    booster = aoso.train(params, train_set, valid_sets=valid_sets, callbacks=[aoso.record_evaluation(history)])
    alone = aoso.train(params, train_set, valid=valid_sets["first"], callbacks=[aoso.record_evaluation(one)])
    assert booster.fingerprint == alone.fingerprint
    assert list(history) == ["train", "first", "fit", "second"]
    assert history["first"] == one["valid"]
    np.testing.assert_allclose(history["fit"]["logloss"], history["train"]["logloss"], rtol=1e-5)
    last = booster.evaluate(*valid_sets["second"], every=1)
    assert history["second"]["logloss"][: len(last["logloss"])] == last["logloss"]


def test_the_names_of_validation_sets(blobs):
    x, y = blobs
    train_set = aoso.Dataset(x, y)
    history = {}
    aoso.train({"n_estimators": 2}, train_set, valid_sets=[(x, y), train_set, (x, y)], callbacks=[aoso.record_evaluation(history)])
    assert sorted(history) == ["train", "training", "valid_0", "valid_2"]
    for arguments, match in (
        ({"valid_sets": [(x, y)], "valid_names": ["a", "b"]}, "valid_names has 2 names; allowed: 1"),
        ({"valid_sets": [(x, y)] * 2, "valid_names": ["a", "a"]}, "no two the same"),
        ({"valid_sets": {"a": (x, y)}, "valid_names": ["a"]}, "valid_names is given"),
        ({"valid_sets": [x]}, "valid_0 is a ndarray; allowed: a Dataset"),
    ):
        with pytest.raises(ValueError, match=match):
            aoso.train({}, train_set, **arguments)


def wrong(proba, dataset):
    assert np.allclose(proba.sum(axis=1), 1)
    return "wrong", (np.array(list("abcd"))[proba.argmax(axis=1)] != dataset.get_label()).mean(), False


def test_early_stopping_follows_a_custom_metric(blobs):
    x, y = blobs
    train_set = aoso.Dataset(x[:500], y[:500])
    history = {}

    def right(proba, dataset):
        return [("zero", 0.0, True), ("right", 1 - wrong(proba, dataset)[1], True)]

    arguments = {"valid_sets": [(x[500:], y[500:])]}
    want = aoso.train({"metric": "error", "early_stopping_rounds": 5}, train_set, **arguments)
    for metric, feval in (("wrong", wrong), ("custom", [wrong, right]), ("right", [wrong, right])):
        record = [aoso.record_evaluation(history)]
        got = aoso.train({"metric": metric, "early_stopping_rounds": 5}, train_set, feval=feval, callbacks=record, **arguments)
        assert got.result[:4] == want.result[:4]
        assert got.result.stopped_by == "early_stopping"
        assert (got.fingerprint, got.temperature) == (want.fingerprint, want.temperature)
        assert history["valid_0"]["wrong"] == history["valid_0"]["error"]
    with pytest.raises(ValueError, match="metric is 'left'; allowed: .* feval returns"):
        aoso.train({"metric": "left", "early_stopping_rounds": 5}, train_set, feval=wrong, **arguments)
    with pytest.raises(ValueError, match="feval has returned 3"):
        aoso.train({}, train_set, feval=lambda *_: 3, **arguments)


def test_sets_that_are_none(sets):
    for arguments in (([1, 2],), (sets[0], "valid")):
        with pytest.raises(ValueError, match="is a (list|str); allowed: a Dataset"):
            aoso.train({}, arguments[0], valid=arguments[1] if len(arguments) > 1 else None)


def test_one_class_and_constant_features():
    booster = aoso.train({}, aoso.Dataset([[1.0], [1.0], [1.0]], ["only"] * 3))
    assert booster.predict([[5]]).tolist() == ["only"]
    booster = aoso.train({}, aoso.Dataset([[1.0], [1.0], [1.0]], [0, 1, 1]))
    assert booster.predict([[1]]).tolist() == [1]
    assert booster.predict_proba([[1]])[0] == pytest.approx([1 / 3, 2 / 3], abs=0.01)


# --------------------------------------------------------------- cross-validation


def test_cv_is_the_mean_of_the_folds(letters):
    x, y, _ = letters
    x, y = x[:1500], y[:1500]
    folds = [(np.arange(1000), np.arange(1000, 1500)), (np.arange(500, 1500), np.arange(500))]
    result = aoso.cv({"n_estimators": 12}, x, y, folds=folds, eval_every=3, max_bin=20)
    histories = []
    for rows, test in folds:
        train_set = aoso.Dataset(x[rows], y[rows], max_bin=20)
        history = {}
        aoso.train(
            {"n_estimators": 12},
            train_set,
            valid=train_set.aligned(x[test], y[test]),
            eval_every=3,
            callbacks=[aoso.record_evaluation(history)],
        )
        histories.append(history["valid"])
    assert result["iteration"].tolist() == [3, 6, 9, 12]
    for metric in ("logloss", "error"):
        curves = np.array([history[metric] for history in histories])
        np.testing.assert_allclose(result[f"{metric}-mean"], curves.mean(axis=0))
        np.testing.assert_allclose(result[f"{metric}-std"], curves.std(axis=0))


def test_cv_stops_early_on_the_mean(letters):
    x, y, _ = letters
    x, y = x[:1500], y[:1500]
    params = {"n_estimators": 400, "learning_rate": 0.5}
    whole, stopped = aoso.cv(params, x, y, folds=3), aoso.cv({**params, "early_stopping_rounds": 10}, x, y, folds=3)
    curve = whole["logloss-mean"]
    best = next(i for i in range(len(curve)) if all(curve[i] <= curve[i + 1 : i + 11]))
    assert stopped["iteration"].tolist() == list(range(1, best + 2))
    np.testing.assert_array_equal(stopped["logloss-mean"], curve[: best + 1])


def test_cv_of_folds_that_end_before_others():
    x = np.arange(60.0).reshape(-1, 1)
    y = np.where(x[:, 0] < 30, 0, 1)
    folds = [(np.arange(30), np.arange(29, 59)), (np.arange(20, 40), np.arange(20))]  # the first has one class only
    with pytest.warns(UserWarning, match="29 of the 30 labels in y are unknown, such as 1; known are 0"):
        result = aoso.cv({"n_estimators": 25}, x, y, folds=folds, eval_every=10)
    assert result["iteration"].tolist() == [10, 20, 25]
    np.testing.assert_allclose(result["error-mean"], 29 / 60)  # what the first does not know, nothing of the second
    with pytest.raises(ValueError, match="y has 30 labels, none of which is known, such as 1; allowed: 0"):
        aoso.cv({"n_estimators": 25}, x, y, folds=[(np.arange(30), np.arange(30, 60))])
    assert aoso.cv({"n_estimators": 3}, x, y, folds=2, eval_every=10)["iteration"].tolist() == [3]


def test_cv_of_tables_and_weights(letters):
    x, y, names = letters
    x, y = x[:600], y[:600]
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    frame = pd.DataFrame(x, columns=names)
    wanted = aoso.cv({"n_estimators": 5}, x, y, folds=2, weight=np.arange(600) + 1)
    for form in (frame, pl.from_pandas(frame), pa.table(frame), sp.csr_array(x), x.tolist()):
        result = aoso.cv({"n_estimators": 5}, form, y.tolist(), folds=2, weight=list(range(1, 601)))
        assert {name: values.tolist() for name, values in result.items()} == {
            name: values.tolist() for name, values in wanted.items()
        }


def test_cv_folds_have_their_share_of_every_class():
    y = np.repeat([0, 1, 2], [60, 30, 9])
    from aoso._folds import stratified as _stratified

    folds = _stratified(y, None, 3, seed=5)
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(99))
    for train, test in folds:
        assert np.bincount(y[test]).tolist() == [20, 10, 3]
        assert not set(train) & set(test)
    ids = np.arange(99) * 7
    order = np.random.default_rng(0).permutation(99)
    held_out = [set(ids[test]) for _, test in _stratified(y, ids, 3, seed=5)]
    assert [set(ids[order][test]) for _, test in _stratified(y[order], ids[order], 3, seed=5)] == held_out
    assert [set(ids[test]) for _, test in _stratified(y, ids, 3, seed=6)] != held_out
    for bad in (1, 100):
        with pytest.raises(ValueError, match=f"folds is {bad}; allowed: 2 to 99"):
            _stratified(y, None, bad, 0)
    with pytest.raises(ValueError, match="folds is empty"):
        aoso.cv({}, [[1], [2]], [0, 1], folds=[])


def softmax_loss(scores, train_set):
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    y = np.searchsorted(train_set.classes, train_set.get_label())
    return p - np.eye(p.shape[1])[y], p * (1 - p)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_custom_objective(blobs, threads):
    x, y = blobs
    train_set, valid = aoso.Dataset(x[:500], y[:500]), (x[500:], y[500:])
    params = {"n_estimators": 30, "max_leaves": 8, "reg_lambda": 1, "nthread": threads}
    history = {}
    with_raw = lambda scores, _: ("raw", float(np.abs(scores.sum(axis=1)).max()), False)  # noqa: E731
    record = [aoso.record_evaluation(history)]
    booster = aoso.train(params, train_set, valid_sets=[valid], objective=softmax_loss, feval=with_raw, callbacks=record)
    own = aoso.train(params, train_set)
    assert booster.temperature == 1
    assert booster.result.held_out is None
    assert booster.evaluate(*valid)["error"] < own.evaluate(*valid)["error"] + 0.03
    assert max(history["valid_0"]["raw"]) < 1e-4  # raw scores sum to zero
    again = aoso.train({**params, "nthread": 3 - threads}, train_set, objective=softmax_loss)
    assert booster.fingerprint == again.fingerprint


def test_objectives_that_fail(blobs):
    train_set = aoso.Dataset(*blobs)

    calls = []

    def fails_later(scores, dataset):
        calls.append(scores)
        if len(calls) > 2:
            raise KeyError("the objective's own")
        return softmax_loss(scores, dataset)

    with pytest.raises(KeyError, match="the objective's own"):
        aoso.train({}, train_set, objective=fails_later)
    for objective, match in (
        (lambda scores, _: scores, "allowed: .gradient, hessian."),
        (lambda scores, _: (scores, scores[:, 0]), r"a hessian of shape \(900,\); allowed: \(900, 4\)"),
        (lambda scores, _: (scores + np.nan, scores), "the gradient NaN of row 0 and class 0"),
        (3, "objective is a int; allowed: a callable"),
    ):
        with pytest.raises(ValueError, match=match):
            aoso.train({}, train_set, objective=objective)
    with pytest.raises(ValueError, match="aoso, with an objective"):
        aoso.train({"method": "abc"}, train_set, objective=softmax_loss)


def test_the_shrinkage_changes_between_iterations(blobs):
    train_set = aoso.Dataset(*blobs)
    params = {"preset": "paper", "n_estimators": 2, "max_leaves": 4, "learning_rate": 0.1}
    plain = aoso.train(params, train_set)
    changed = aoso.train(params, train_set, callbacks=[lambda progress: progress.set_learning_rate(0.2)])

    def steps(booster, tree):
        return np.array([[value for _, value in leaf["steps"]] for leaf in booster.tree(tree)["leaves"]])

    assert (steps(plain, 0) == steps(changed, 0)).all()
    np.testing.assert_allclose(steps(changed, 1), 2 * steps(plain, 1), rtol=1e-5)
    with pytest.raises(ValueError, match="learning_rate is 0; allowed: above 0"):
        aoso.train(params, train_set, callbacks=[lambda progress: progress.set_learning_rate(0)])


def test_class_weights(blobs):
    x, y = blobs
    x, y = x[y != "c"][:300], y[y != "c"][:300]
    params = {"preset": "paper", "n_estimators": 5}
    train_set = aoso.Dataset(x, y)
    counts = dict(zip(*np.unique(y, return_counts=True)))
    for given, weights in (
        ("balanced", {label: 300 / (3 * count) for label, count in counts.items()}),
        ({"b": 4.0, np.str_("a"): 2}, {"a": 2, "b": 4, "d": 1}),
    ):
        weighted = aoso.Dataset(x, y, weight=[weights[label] for label in y])
        got, want = aoso.train(params, train_set, class_weight=given), aoso.train(params, weighted)
        assert got.fingerprint == want.fingerprint
        assert got.result.train_loss == want.result.train_loss
    with pytest.raises(ValueError, match="class_weight has 'c', which is no label of y, and has no weight for 'a'; allowed: 'a', 'b', 'd'"):
        aoso.train(params, train_set, class_weight={"c": 2})
    full = {"a": 2, "b": 4, "d": 1}
    assert aoso.train(params, train_set, class_weight={**full, "c": 9}).fingerprint == aoso.train(params, train_set, class_weight=full).fingerprint
    for wrong in (-1, np.nan, np.inf, "x", None):
        with pytest.raises(ValueError, match=r"class_weight\['a'\] is .*; allowed: a number of at least 0"):
            aoso.train(params, train_set, class_weight={"a": wrong})
    with pytest.raises(ValueError, match="class_weight is 3; allowed"):
        aoso.train(params, train_set, class_weight=3)


@pytest.mark.parametrize("value", [None, "text", np.arange(3), 1j, 10**400])
def test_a_metric_that_returns_nonsense(small, value):
    with pytest.raises(aoso.errors.ArgumentError, match="the metric 'a' is .*; allowed: a number"):
        aoso.train({"n_estimators": 3}, aoso.Dataset(*small), valid=small, feval=lambda p, d: ("a", value, True))
    with pytest.raises(aoso.errors.ArgumentError, match="feval has returned .*; allowed: .name, value, whether higher is better"):
        aoso.train({"n_estimators": 3}, aoso.Dataset(*small), valid=small, feval=lambda p, d: ("a", 0.5, value))


def test_a_metric_that_is_nan(small):
    def nan(probabilities, dataset):
        return "a", np.nan, True

    seen = []
    aoso.train({"n_estimators": 3}, aoso.Dataset(*small), valid=small, feval=nan, callbacks=[lambda p: seen.append(p.metrics["valid"]["a"])])
    assert np.isnan(seen).all()
    with pytest.raises(aoso.errors.ArgumentError, match="the metric 'a' is NaN; allowed: a number, because early stopping watches it"):
        aoso.train({"n_estimators": 3, "early_stopping_rounds": 2, "metric": "a"}, aoso.Dataset(*small), valid=small, feval=nan)


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (None, r"objective has returned None; allowed: \(gradient, hessian\)"),
        ((np.ones((150, 3)),), r"objective has returned \(array\(.*; allowed: \(gradient, hessian\)"),
        ((np.ones((150, 3)) * 1j, np.ones((150, 3))), "a gradient of dtype complex128; allowed: numbers"),
        ((np.ones((150, 3)), np.full((150, 3), "a")), "a hessian of dtype <U1; allowed: numbers"),
        ((np.full((150, 3), 1e308), np.ones((150, 3))), r"gradient 1e\+308 of row 0 and class 0; allowed: -3.4e\+38 to 3.4e\+38"),
        ((np.ones((150, 3)), np.full((150, 3), 1e39)), r"Hessian 1e\+39 of row 0 and class 0; allowed: 0 to 3.4e\+38"),
    ],
)
def test_an_objective_that_returns_nonsense(small, returned, message):
    with pytest.raises(aoso.errors.ArgumentError, match=message):
        aoso.train({"n_estimators": 3}, aoso.Dataset(*small), objective=lambda scores, dataset: returned)


def test_a_callback_that_returns_an_array(small):
    for train in (
        lambda callbacks: aoso.train({"n_estimators": 3}, aoso.Dataset(*small), callbacks=callbacks),
        lambda callbacks: aoso.cv({"n_estimators": 3}, *small, folds=2, callbacks=callbacks),
        lambda callbacks: aoso.tune({"n_estimators": 3}, aoso.Dataset(*small), trials=1, callbacks=callbacks),
    ):
        with pytest.raises(aoso.errors.ArgumentError, match=r"callbacks\[0\] has returned array\(\[0, 1, 2\]\); allowed: True to end"):
            train([lambda progress: np.arange(3)])


def test_callbacks_can_be_pickled(small):
    history = {}
    callbacks = [
        aoso.record_evaluation(history),
        aoso.log_evaluation(0),
        aoso.early_stopping(5, verbose=False),
        aoso.reset_parameter(learning_rate=[0.1, 0.2]),
        aoso.checkpoint("m", every=100),
    ]
    assert len(pickle.loads(pickle.dumps(callbacks))) == 5


def test_folds_that_are_nonsense(small):
    for folds in ("3", 3.5, None):
        with pytest.raises(aoso.errors.ArgumentError, match="folds is .*; allowed: a number of folds, pairs"):
            aoso.cv({"n_estimators": 2}, *small, folds=folds)
    with pytest.raises(aoso.errors.ArgumentError, match="seed is '3'; allowed: an integer"):
        aoso.cv({"n_estimators": 2}, *small, seed="3")
    assert len(aoso.cv({"n_estimators": 2}, *small, folds=np.array(3), seed=np.array(1))["iteration"]) == 2


def test_a_model_that_cannot_be_saved_on_the_way(small, tmp_path):
    with pytest.warns(UserWarning, match="the model so far is not saved: cannot write .*no such file or directory"):
        booster = aoso.train({"n_estimators": 3}, aoso.Dataset(*small), callbacks=[aoso.checkpoint(tmp_path / "gone/m", every=1)])
    assert booster.num_trees == 3


def test_a_checkpoint_that_cannot_be_saved_on_the_way(small, tmp_path):
    file = tmp_path / "checkpoint"

    def take_its_name(_):
        if not file.is_dir():
            file.unlink(missing_ok=True)
            file.mkdir()

    with pytest.warns(UserWarning, match="the checkpoint is not up to date: cannot write .*checkpoint") as warned:
        booster = aoso.train({"n_estimators": 9}, aoso.Dataset(*small), callbacks=[take_its_name], checkpoint=file, checkpoint_seconds=1e-9)
    assert booster.num_trees == 9 and len(warned) == 1


def test_a_checkpoint_in_a_folder_that_is_missing(small, tmp_path):
    with pytest.raises(OSError, match="cannot write .*no such file or directory"):
        aoso.train({"n_estimators": 3}, aoso.Dataset(*small), checkpoint=tmp_path / "missing/checkpoint")


def test_paths_that_are_none(small):
    with pytest.raises(TypeError, match="path is 3.5; allowed: a path"):
        aoso.train({"n_estimators": 3}, aoso.Dataset(*small), checkpoint=3.5)
    with pytest.raises(aoso.errors.ArgumentError, match="checkpoint is ''; allowed: the path of a file"):
        aoso.train({"n_estimators": 3}, aoso.Dataset(*small), checkpoint="")


def test_continued_training_with_new_classes(letters):
    x, y, _ = letters
    old, (x, y) = y[:2000] < "M", (x[:2000], y[:2000])
    first = aoso.train({"n_estimators": 10}, aoso.Dataset(x[old], y[old]))
    train_set = aoso.Dataset(x, y, init_model=first)
    assert train_set.classes.tolist() == sorted(set(y))
    more = aoso.train({"n_estimators": 10}, train_set, valid=(x[:100], y[:100]))
    assert more.classes.tolist() == sorted(set(y)) and more.num_trees == 21
    start = more.truncated(11)
    np.testing.assert_array_equal(start.predict_raw(x)[:, : len(first.classes)], first.predict_raw(x))
    assert start.predict_proba(x)[:, len(first.classes) :].sum(axis=1).mean() == pytest.approx(1 - old.mean(), abs=0.01)
    assert more.evaluate(x, y)["error"] < 0.2 < start.evaluate(x, y)["error"]
    with pytest.raises(ValueError, match="y has the label 'x'; allowed: labels like those of the model to continue: 1, 2"):
        numbers = aoso.train({"n_estimators": 1}, aoso.Dataset(x[:3], [1, 2, 1]))
        aoso.Dataset(x[:3], np.array([1, 2, "x"], object).astype(str), init_model=numbers)


@pytest.mark.parametrize(("known", "more"), [(np.int8([1, 2]), np.int64([1, 300])), (np.array(["a", "b"]), np.array(["a", "longer"])), ([False, False], [False, True])])
def test_new_classes_keep_the_type_of_labels(known, more):
    x = np.arange(2.0).reshape(-1, 1)
    first = aoso.train({"n_estimators": 1}, aoso.Dataset(x, known))
    model = aoso.train({"n_estimators": 1}, aoso.Dataset(x, more, init_model=first))
    assert model.classes.tolist() == sorted({*np.asarray(known).tolist(), *np.asarray(more).tolist()})
    assert aoso.Booster.from_bytes(model.to_bytes()).classes.tolist() == model.classes.tolist()
