import copy
import os
import pickle
import threading

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import aoso
from aoso import _capi, _matrix

def test_predictions_agree(any_method, letters):
    x = letters[0][2000:3000]
    raw, proba, label = any_method.predict_raw(x), any_method.predict_proba(x), any_method.predict(x)
    assert raw.shape == proba.shape == (1000, 26)
    odds = np.exp(raw - raw.max(axis=1, keepdims=True))
    np.testing.assert_allclose(proba, odds / odds.sum(axis=1, keepdims=True), rtol=1e-12)
    np.testing.assert_array_equal(label, any_method.classes[raw.argmax(axis=1)])
    assert (label == letters[1][2000:3000]).mean() > 0.6


def test_many_names_come_back():
    names, labels = [f"width of leaf {j}" for j in range(300)], np.array([f"Quercus robur {k}" for k in range(280)])
    x = np.random.default_rng(5).normal(size=(560, 300))
    data = aoso.Dataset(x, np.tile(labels, 2), feature_names=names)
    booster = aoso.train({"n_estimators": 2, "max_leaves": 4, "calibration": "none"}, data)
    for again in (pickle.loads(pickle.dumps(booster)), aoso.Booster.from_bytes(booster.to_bytes())):
        assert again.fingerprint == booster.fingerprint and again.feature_names == names
        assert again.classes.tolist() == sorted(labels.tolist())


def test_stages_are_the_predictions_of_the_first_trees(any_method, letters):
    x = letters[0][2000:2300]
    per, trees = any_method.trees_per_iteration, any_method.num_trees
    for every in (1, 3, 10**9):
        stages = list(any_method.staged_raw(x, every=every))
        ends = [*range(every * per, trees, every * per), trees]
        assert len(stages) == len(ends)
        for stage, end in zip(stages, ends):
            np.testing.assert_array_equal(stage, any_method.predict_raw(x, trees=end))
    for stage, end in zip(any_method.staged_proba(x, every=5), [*range(5 * per, trees, 5 * per), trees]):
        np.testing.assert_array_equal(stage, any_method.predict_proba(x, trees=end))
    for every in (0, 1.5):
        with pytest.raises(ValueError, match=f"every is {every}"):
            any_method.staged_raw(x, every=every)


def test_stages_are_made_in_parts(any_method, letters, monkeypatch):
    x = letters[0][2000:2300]
    whole = list(any_method.staged_raw(x))
    for stages in (1, 4):
        monkeypatch.setattr(aoso.booster, "_STAGED_BYTES", stages * whole[0].nbytes)
        parts = list(any_method.staged_raw(pa.table(pd.DataFrame(x, columns=any_method.feature_names))))
        np.testing.assert_array_equal(parts, whole)


def test_leaves(any_method, letters):
    x = letters[0][:50]
    leaves = any_method.predict_leaf(x)
    assert leaves.shape == (50, any_method.num_trees) and leaves.min() == 0 and leaves.max() < 20
    np.testing.assert_array_equal(any_method.predict_leaf(x, trees=3), leaves[:, :3])


def test_class_pairs(any_method):
    for kind in ("gain", "split"):
        pairs = any_method.class_pairs(kind)
        np.testing.assert_array_equal(pairs, pairs.T)
        assert (pairs >= 0).all()
        each = np.triu(pairs).sum()
        if kind == "gain":
            assert each == pytest.approx(any_method.importance("gain").sum(), rel=1e-4)
        assert (np.diag(pairs).any()) == (any_method.trees_per_iteration == 26)
    pairs = any_method.pair_importance()
    assert (np.diff(pairs["gain"]) <= 0).all() and (pairs["splits"] > 0).all()
    by_feature = np.bincount(pairs["feature"], pairs["gain"], minlength=16)
    np.testing.assert_allclose(by_feature, any_method.importance("gain"), rtol=1e-4)


def test_evaluation(booster, letters):
    x, y, _ = letters
    x, y = x[4000:5000], y[4000:5000].copy()
    weight = np.arange(1000) % 4
    y[::10] = "?"
    history = {}
    train_set = aoso.Dataset(letters[0][:4000], letters[1][:4000], feature_names=booster.feature_names)
    again = aoso.train(
        {"preset": "paper", "n_estimators": 300}, train_set, valid=train_set.aligned(x, y, weight=weight), callbacks=[aoso.record_evaluation(history)]
    )
    assert again.fingerprint == booster.fingerprint
    stages = booster.evaluate(x, y, weight=weight, every=1)
    for metric in ("logloss", "error"):
        assert stages[metric] == history["valid"][metric]
        assert booster.evaluate(x, y, weight=weight)[metric] == stages[metric][-1]
        assert [booster.evaluate(x, y)[metric]] == booster.evaluate(x, y, every=1000)[metric]
    for every in (0, 1):
        with pytest.raises(ValueError, match="y has 3 labels; allowed: 2, one for each row of x"):
            booster.evaluate(x[:2], y[:3], every=every)
        with pytest.raises(ValueError, match=r"weight has shape \(2,\); allowed: \(3,\)"):
            booster.evaluate(x[:3], y[:3], weight=[1, 2], every=every)
        for last, message in ((-1, r"weights?\[1\] is -1"), (np.nan, r"weights?\[1\] is (nan|NaN)"), (np.inf, r"weights?\[1\] is (inf|\+Inf)")):
            with pytest.raises(aoso.AosoError, match=message):
                booster.evaluate(x[:2], y[:2], weight=[1, last], every=every)
        with pytest.raises(aoso.AosoError, match="weights? is .?all 0"):
            booster.evaluate(x[:2], y[:2], weight=[0, 0], every=every)
    with pytest.raises(ValueError, match="every is -1"):
        booster.evaluate(x[:3], y[:3], every=-1)


@pytest.mark.parametrize("every", [0, 1])
def test_the_log_loss_is_not_cut(small, every):
    x, y = small
    weight = np.arange(150.0)
    sure = aoso.train({"preset": "paper", "n_estimators": 40, "learning_rate": 1, "max_delta_step": 20, "trim": 0}, aoso.Dataset(x, y))
    scores = sure.predict_raw(x).astype(np.longdouble)
    for labels in (y, (y + 1) % 3):
        losses = np.log(np.exp(scores - scores.max(axis=1, keepdims=True)).sum(axis=1)) - scores[np.arange(150), labels] + scores.max(axis=1)
        for w in (None, weight):
            wanted = float(np.average(losses, weights=w))
            assert np.ravel(sure.evaluate(x, labels, weight=w, every=every)["logloss"])[-1] == pytest.approx(wanted, rel=1e-6)
    assert wanted > 40  # more than -log(1e-15)


def test_what_a_callback_raises_reaches_the_caller(booster, letters):
    calls = []

    def receive(trees, scores):
        calls.append(trees)
        if trees == 3:
            raise KeyError("three")

    matrix = _matrix.read(letters[0][:10])
    with pytest.raises(KeyError, match="three"):
        _capi.staged(booster._handle, matrix, 26, 1, 0, receive)
    assert calls == [1, 2, 3]
    _capi.staged(booster._handle, matrix, 26, 1, 0, lambda trees, scores: calls.append(trees) or trees == 2)
    assert calls == [1, 2, 3, 1, 2]


@pytest.mark.parametrize("threads", [0, 1, 2, 5])
def test_threads_do_not_change_predictions(booster, letters, threads):
    x = letters[0][4000:]
    np.testing.assert_array_equal(booster.predict_raw(x, nthread=threads), booster.predict_raw(x, nthread=3))


def test_no_rows(booster):
    x = np.empty((0, 16))
    assert booster.predict(x).shape == (0,) and booster.predict_proba(x).shape == (0, 26)
    assert booster.predict_leaf(x).shape == (0, 300)
    assert booster.shap(x).shape == (0, 26, 17)
    assert [stage.shape for stage in booster.staged_raw(x, every=100)] == [(0, 26)] * 3


def test_infinite_and_missing_values_are_predicted(booster):
    x = np.full((3, 16), [[np.nan], [np.inf], [-np.inf]])
    assert np.isfinite(booster.predict_proba(x)).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trees": -1}, "trees is -1"),
        ({"trees": 301}, "trees is 301; allowed: 0 to 300"),
        ({"nthread": -1}, "nthread is -1"),
        ({"nthread": 2**40}, "nthread is 1099511627776"),
        ({"nthread": 1.5}, "nthread is 1.5"),
    ],
)
def test_bad_options(booster, letters, options, message):
    for predict in (booster.predict, booster.predict_proba, booster.predict_raw, booster.predict_leaf):
        with pytest.raises(ValueError, match=message):
            predict(letters[0][:5], **options)


def test_importance(booster):
    gain, split, cover = booster.importance(), booster.importance("split"), booster.importance("cover")
    assert gain.shape == split.shape == cover.shape == (16,) and gain.min() >= 0
    assert split.sum() == sum(line.lstrip().startswith(tuple(booster.feature_names)) for line in booster.export("text").splitlines())
    rows = np.zeros(16)
    for node in (node for tree in map(booster.tree, range(300)) for node in tree["nodes"]):
        rows[node["feature"]] += node["rows"]
    np.testing.assert_array_equal(cover, rows)
    with pytest.raises(ValueError, match="kind is 'weight'; allowed: 'gain', 'split', 'cover'"):
        booster.importance("weight")
    with pytest.raises(ValueError, match="kind is 'cover'; allowed: 'gain', 'split'"):
        booster.class_pairs("cover")


def test_dump(booster):
    text = booster.truncated(2).export("text")
    assert text.startswith("tree 0\n  ") and text.count("tree ") == 2 and "missing" in text


def test_files_and_bytes(booster, letters, tmp_path):
    path = tmp_path / "model.aoso"
    booster.save(path)
    assert path.read_bytes() == booster.to_bytes()
    for again in (aoso.Booster.load(path), aoso.Booster.load(str(path)), aoso.Booster.from_bytes(path.read_bytes())):
        assert again.fingerprint == booster.fingerprint
        assert again.params == booster.params
        assert again.result is None
        np.testing.assert_array_equal(again.predict(letters[0]), booster.predict(letters[0]))


def test_bad_files(booster, tmp_path):
    with pytest.raises(OSError, match="no such file"):
        aoso.Booster.load(tmp_path / "nothing")
    with pytest.raises(OSError, match="no such file"):
        booster.save(tmp_path / "no" / "where")
    with pytest.raises(ValueError, match="null character"):
        booster.save("a\0b")
    data = booster.to_bytes()
    assert aoso.Booster.from_bytes(bytearray(data)).fingerprint == aoso.Booster.from_bytes(memoryview(data)).fingerprint
    for bad in ("text", None, 7):
        with pytest.raises(aoso.errors.ArgumentError, match="data is a (str|NoneType|int); allowed: bytes"):
            aoso.Booster.from_bytes(bad)
    for bad in (b"", b"hello", data[:-64], data[:1000] + b"\xff" + data[1001:]):
        with pytest.raises(aoso.errors.FormatError):
            aoso.Booster.from_bytes(bad)


def test_pickle_and_copy(booster, letters):
    for again in (pickle.loads(pickle.dumps(booster)), copy.copy(booster), copy.deepcopy(booster)):
        assert again.fingerprint == booster.fingerprint
        assert again.result == booster.result
        assert again.classes.dtype == booster.classes.dtype
        np.testing.assert_array_equal(again.predict(letters[0][:100]), booster.predict(letters[0][:100]))


def test_a_pickle_is_hardly_larger_than_the_file(booster):
    assert len(pickle.dumps(booster)) <= 1.05 * len(booster.to_bytes())


def test_many_threads_predict_with_one_model(booster, letters):
    x = letters[0][:2000]
    wanted, different = booster.predict_raw(x), []

    def work():
        for _ in range(5):
            if not np.array_equal(booster.predict_raw(x, nthread=1), wanted):
                different.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not different


def test_nothing_leaks(small):
    def once():
        booster = aoso.train({"n_estimators": 3, "calibration": "none", "nthread": 1}, aoso.Dataset(*small, nthread=1))
        pickle.loads(pickle.dumps(booster)).predict_proba(small[0], nthread=1)

    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    for _ in range(100):
        once()
    before = resident()
    for _ in range(300):
        once()
    assert resident() - before < 4 << 20
