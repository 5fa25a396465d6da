import copy
import inspect
import io
import os
import pickle
import subprocess
import sys

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.inspection import permutation_importance
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import aoso
from aoso import AOSOClassifier

NAMES = np.array(["ash", "beech", "cedar"])


@pytest.fixture
def frame(small):
    x, y = small
    return pd.DataFrame(x, columns=list("abcd")), NAMES[y]


def test_attributes(frame):
    X, y = frame
    model = AOSOClassifier(n_estimators=30).fit(X, y)
    assert model.classes_.tolist() == NAMES.tolist()
    assert model.n_features_in_ == 4 and model.feature_names_in_.tolist() == list("abcd")
    assert (model.n_iter_, model.best_iteration_, model.evals_result_) == (30, 30, {})
    assert model.feature_importances_.shape == (4,) and model.feature_importances_.sum() == pytest.approx(1)
    assert model.booster_.feature_names == list("abcd")
    assert model.score(X, y) > 0.9
    assert not hasattr(AOSOClassifier(n_estimators=5).fit(X.to_numpy(), y), "feature_names_in_")


def test_predictions_agree(frame):
    X, y = frame
    model = AOSOClassifier(preset="paper", n_estimators=30).fit(X[:120], y[:120])
    proba, scores, leaves = model.predict_proba(X), model.decision_function(X), model.apply(X)
    assert proba.shape == scores.shape == (150, 3) and leaves.shape == (150, 30)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_array_equal(model.predict(X), model.classes_[proba.argmax(axis=1)])
    np.testing.assert_array_equal(model.predict(X), model.classes_[scores.argmax(axis=1)])
    stages = list(model.staged_predict_proba(X, every=10))
    assert len(stages) == 3
    np.testing.assert_array_equal(stages[-1], proba)
    np.testing.assert_array_equal(stages[0], AOSOClassifier(preset="paper", n_estimators=10).fit(X[:120], y[:120]).predict_proba(X))


@pytest.mark.parametrize("labels", [["9", "10", "100"], ["-1", "-2", "3"]], ids=str)
def test_columns_are_in_the_order_of_the_classes(small, labels):
    x, codes = small
    y = np.array(labels)[codes]
    model = AOSOClassifier(preset="paper", n_estimators=30).fit(x, y)
    np.testing.assert_array_equal(model.classes_, np.unique(y))
    for columns in (model.predict_proba(x), model.decision_function(x), list(model.staged_predict_proba(x))[-1]):
        np.testing.assert_array_equal(model.classes_[columns.argmax(axis=1)], y)
    np.testing.assert_array_equal(model.predict(x), y)
    assert log_loss(y, model.predict_proba(x), labels=model.classes_) < 0.2


def test_two_classes(small):
    x, y = small
    x, y = x[y < 2], y[y < 2] == 1
    model = AOSOClassifier(n_estimators=20).fit(x, y)
    scores = model.decision_function(x)
    assert scores.shape == (100,) and model.classes_.dtype == bool
    np.testing.assert_array_equal(scores > 0, model.predict(x))
    np.testing.assert_allclose(1 / (1 + np.exp(-scores)), model.predict_proba(x)[:, 1])


def test_evaluation_sets(frame):
    X, y = frame
    y = np.where(np.arange(150) % 7 == 0, "ash", y)  # what cannot be learnt
    sets = [(X[::3], y[::3]), (X[1::3], y[1::3], np.arange(50) + 1), (X[2::3], y[2::3])]
    model = AOSOClassifier(n_estimators=200, learning_rate=0.5, early_stopping_rounds=5).fit(
        X[::2], y[::2], eval_set=sets, eval_names=["a", "b", "c"]
    )
    assert list(model.evals_result_) == ["a", "b", "c"]
    assert len(model.evals_result_["c"]["logloss"]) == model.n_iter_ == model.best_iteration_ + 5
    assert len(model.evals_result_["a"]["error"]) == model.n_iter_
    alone = AOSOClassifier(n_estimators=200, learning_rate=0.5, early_stopping_rounds=5).fit(X[::2], y[::2], eval_set=sets[2])
    assert list(alone.evals_result_) == ["valid_0"]
    assert alone.evals_result_["valid_0"] == model.evals_result_["c"]
    other = AOSOClassifier(n_estimators=model.n_iter_, learning_rate=0.5).fit(X[::2], y[::2], eval_set=sets[1])
    for metric in ("logloss", "error"):
        assert model.evals_result_["b"][metric] == other.evals_result_["valid_0"][metric]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"eval_set": [np.zeros((3, 4))]}, r"eval_set\[0\] is a ndarray; allowed: \(X, y\)"),
        (
            {"eval_set": [(np.zeros((3, 4)), [0, 1, 2])], "eval_names": ["a", "b"]},
            r"eval_names is \['a', 'b'\]; allowed: 1 different",
        ),
        ({"eval_set": [(np.zeros((3, 5)), [0, 1, 2])]}, "5 features"),
        ({"init_model": 3}, "init_model is a int; allowed: a Booster"),
    ],
)
def test_bad_arguments(small, arguments, message):
    with pytest.raises(ValueError, match=message):
        AOSOClassifier(n_estimators=3).fit(*small, **arguments)


@pytest.mark.parametrize(
    "params",
    [{"max_leaves": 1}, {"method": "xyz"}, {"max_bin": 0.5}, {"n_jobs": 0}, {"preset": "good"}, {"calibration": "isotonic"}, {"n_estimators": -1},
     {"learning_rate": "none"}, {"reg_lambda": -2}],
    ids=str,
)  # fmt: skip
def test_bad_parameters(small, params):
    with pytest.raises(ValueError, match=next(iter(params))):
        AOSOClassifier(**params).fit(*small)


def test_callbacks(small):
    seen = []
    model = AOSOClassifier(n_estimators=50).fit(*small, callbacks=[seen.append, lambda progress: progress.iteration == 7])
    assert len(seen) == model.n_iter_ == 7


def test_continued_training(frame, tmp_path):
    X, y = frame
    first = AOSOClassifier(n_estimators=10).fit(X, y)
    first.booster_.save(tmp_path / "m.aoso")
    for before in (first, first.booster_, tmp_path / "m.aoso", str(tmp_path / "m.aoso")):
        model = AOSOClassifier(n_estimators=5).fit(X, y, init_model=before, eval_set=[(X, y), (X, y)])
        assert model.booster_.num_trees == 15 and model.n_iter_ == 5
        assert model.classes_.tolist() == NAMES.tolist()
        assert model.evals_result_["valid_0"] == model.evals_result_["valid_1"]


def test_class_weight(small):
    x, y = small
    y = np.where(np.arange(150) < 140, y == 2, True)
    plain = AOSOClassifier(n_estimators=20, max_leaves=3).fit(x, y)
    balanced = AOSOClassifier(n_estimators=20, max_leaves=3, class_weight="balanced").fit(x, y)
    weights = 150 / (2 * np.bincount(y))
    by_dict = AOSOClassifier(n_estimators=20, max_leaves=3, class_weight=dict(enumerate(weights))).fit(x, y)
    by_sample = AOSOClassifier(n_estimators=20, max_leaves=3).fit(x, y, sample_weight=weights[y.astype(int)])
    assert by_dict.booster_.fingerprint == by_sample.booster_.fingerprint == balanced.booster_.fingerprint
    assert plain.booster_.fingerprint != balanced.booster_.fingerprint
    both = AOSOClassifier(n_estimators=20, max_leaves=3, class_weight={True: 3}).fit(x, y, sample_weight=np.arange(150) + 1)
    assert (
        both.booster_.fingerprint
        == AOSOClassifier(n_estimators=20, max_leaves=3).fit(x, y, (np.arange(150) + 1) * np.where(y, 3, 1)).booster_.fingerprint
    )


def test_rows_without_weight_are_as_if_they_were_not_there(frame):
    X, y = frame
    weight = np.arange(150) % 3
    wanted = AOSOClassifier(n_estimators=10).fit(X[weight > 0], y[weight > 0], weight[weight > 0]).booster_.fingerprint
    assert AOSOClassifier(n_estimators=10).fit(X, y, weight).booster_.fingerprint == wanted
    assert AOSOClassifier(n_estimators=10).fit(sp.csc_array(X.to_numpy()), y, weight).n_features_in_ == 4
    model = AOSOClassifier(n_estimators=10).fit(X, y, (y != "cedar").astype(float))
    assert model.classes_.tolist() == NAMES.tolist()
    with pytest.raises(ValueError, match="zero|all 0"):
        AOSOClassifier().fit(X, y, np.zeros(150))
    with pytest.raises(ValueError, match="all 0"):
        AOSOClassifier(class_weight=dict.fromkeys(NAMES, 0)).fit(X, y)


def test_random_state(small):
    def trained(state):
        return AOSOClassifier(n_estimators=5, subsample=0.5, random_state=state).fit(*small).booster_.fingerprint

    assert trained(0) == trained(0) != trained(1)
    assert trained(np.random.RandomState(3)) == trained(np.random.RandomState(3)) != trained(np.random.RandomState(4))
    np.random.seed(5)
    first, second = trained(None), trained(None)
    np.random.seed(5)
    assert first == trained(None) != second


def test_names_are_checked(frame):
    X, y = frame
    model = AOSOClassifier(n_estimators=3).fit(X, y)
    with pytest.raises(ValueError, match=r"unseen at fit time:\n- E\n.*missing:\n- a" if sklearn.__version__ >= "1.3" else "E"):
        model.predict(X.rename(columns={"a": "E"}))
    with pytest.raises(ValueError, match="same order|another order"):
        model.predict(X[["b", "a", "c", "d"]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X.to_numpy())


def test_an_estimator_of_fewer_and_other_parameters(small):
    class Own(AOSOClassifier):
        def __init__(self, n_estimators=5, other=1):
            super().__init__(n_estimators=n_estimators)
            self.other = other

    wanted = AOSOClassifier(n_estimators=5).fit(*small)
    own = clone(Own(other=2)).fit(*small)
    assert own.booster_.fingerprint == wanted.booster_.fingerprint
    assert own.get_params() == {"n_estimators": 5, "other": 2}
    assert AOSOClassifier(n_estimators=5).fit(*small, init_model=own).booster_.num_trees == 10


def test_names_given_twice(frame):
    X, y = frame
    with pytest.raises(aoso.AosoError, match="feature name 'a' is given twice"):
        AOSOClassifier(n_estimators=3).fit(X.set_axis(list("abca"), axis=1), y)


def test_copies(frame, tmp_path):
    X, y = frame
    model = AOSOClassifier(n_estimators=10, class_weight={"ash": 2}).fit(X, y, eval_set=[(X, y)])
    joblib.dump(model, tmp_path / "m.joblib")
    for again in (pickle.loads(pickle.dumps(model)), copy.copy(model), copy.deepcopy(model), joblib.load(tmp_path / "m.joblib")):
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
        assert again.evals_result_ == model.evals_result_ and again.get_params() == model.get_params()
    fresh = clone(model)
    assert fresh.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        fresh.predict(X)
    with pytest.raises(NotFittedError):
        fresh.feature_importances_


def test_a_pickle_is_hardly_larger_than_the_model(letters):
    x, y, _ = letters
    model = AOSOClassifier(n_estimators=200).fit(x[:4000], y[:4000], eval_set=(x[4000:5000], y[4000:5000]))
    file = io.BytesIO()
    joblib.dump(model, file)
    assert max(len(pickle.dumps(model)), file.tell()) <= 1.05 * len(model.booster_.to_bytes())


def test_pipeline_and_search(frame):
    X, y = frame
    search = GridSearchCV(
        make_pipeline(StandardScaler(), AOSOClassifier(preset="paper", n_estimators=10)),
        {"aosoclassifier__leaves": [2, 5], "aosoclassifier__method": ["aoso", "abc"]},
        scoring="neg_log_loss",
        error_score="raise",
    ).fit(X, y)
    assert search.best_estimator_.score(X, y) > 0.9
    assert cross_val_score(AOSOClassifier(preset="paper", n_estimators=10), X, y, error_score="raise").mean() > 0.85
    assert (cross_val_predict(AOSOClassifier(preset="paper", n_estimators=10), X, y) == y).mean() > 0.85


def test_calibration_and_permutation_importance(frame):
    X, y = frame
    calibrated = CalibratedClassifierCV(AOSOClassifier(n_estimators=10), cv=3).fit(X, y)
    assert calibrated.predict_proba(X).shape == (150, 3)
    result = permutation_importance(AOSOClassifier(n_estimators=10).fit(X, y), X, y, n_repeats=3, random_state=0)
    assert result.importances_mean.argmin() == 2  # the column without information


def test_threads(letters):
    """None is all cores, unless joblib says otherwise."""
    x, y = letters[0][:2000], letters[1][:2000]

    def threads(n_jobs):
        return AOSOClassifier(n_estimators=3, n_jobs=n_jobs).fit(x, y).booster_.result.threads

    assert (threads(1), threads(2)) == (1, 2)
    assert threads(None) == threads(-1) == joblib.effective_n_jobs(-1)
    for backend in ("threading", "loky"):
        assert joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(threads)(None) for _ in range(2)) == [1, 1]
    with joblib.parallel_backend("threading", n_jobs=2):
        assert threads(None) == 2
    with pytest.raises(ValueError, match="n_jobs"):
        threads(0)
    assert (
        AOSOClassifier(n_estimators=3, n_jobs=2).fit(x, y).booster_.fingerprint == AOSOClassifier(n_estimators=3).fit(x, y).booster_.fingerprint
    )


def test_without_scikit_learn(monkeypatch):
    import sys

    for name in [name for name in sys.modules if name.split(".")[0] == "sklearn"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "aoso.sklearn")
    with pytest.raises(ImportError, match=r"AOSOClassifier needs scikit-learn 1.2 or later: pip install 'aoso\[sklearn\]'"):
        aoso.AOSOClassifier


def test_memory():
    """The estimator takes no more than a dataset and a training, and gives it back."""
    script = """
import gc, sys
import numpy as np
import aoso

def status(name):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name)) / 1024

rng = np.random.default_rng(0)
x = rng.standard_normal((400_000, 10), np.float32)
y = (x[:, 0] > 0).astype(np.int64) + (x[:, 1] > 1)
params = {"n_estimators": 1, "max_leaves": 4, "preset": "paper"}
fits = [lambda x, y: aoso.train({**params, "nthread": 1}, aoso.Dataset(x, y, nthread=1)), aoso.AOSOClassifier(**params, n_jobs=1).fit]
for fit in fits:
    fit(x[:2000], y[:2000])
for fit in fits:
    open("/proc/self/clear_refs", "w").write("5")
    before = status("VmRSS")
    fitted = fit(x, y)
    peak = status("VmHWM")
    del fitted
    gc.collect()
    print(peak - before, status("VmRSS") - before)
"""
    try:
        open("/proc/self/clear_refs", "w").close()
    except OSError:
        pytest.skip("no /proc/self/clear_refs, which resets the peak")
    env = os.environ | {"GOGC": "20", "GOMAXPROCS": "1"}  # little garbage, which is collected at the same time in each run
    run = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, env=env)
    (peak, _), (estimators, stays) = (map(float, line.split()) for line in run.stdout.splitlines())
    assert estimators < peak + 10  # a copy of x would be 16
    assert stays < 16


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"validation_fraction": 1}, "validation_fraction is 1; allowed: a share of the rows, above 0 and below 1"),
        ({"validation_fraction": 50}, "validation_fraction is 50; allowed: a share"),
        ({"validation_fraction": "0.1"}, "validation_fraction is '0.1'; allowed: a share"),
        ({"validation_fraction": 0.999}, "validation_fraction is 0.999; allowed: a share that leaves some of the 150 rows"),
        ({"n_jobs": "4"}, "n_jobs is '4'; allowed: an integer"),
        ({"n_jobs": 0}, "n_jobs is 0; allowed: None, a number of threads"),
        ({"n_jobs": [2]}, r"n_jobs is \[2\]; allowed: an integer"),
        ({"random_state": "3"}, "random_state is '3'; allowed: an integer, a RandomState or None"),
        ({"time_limit": 1e100}, r"time_limit is 1e\+100; allowed: at least 0, at most 3.4e\+38"),
    ],
)
def test_parameters_that_are_nonsense(small, parameters, message):
    with pytest.raises(aoso.errors.ArgumentError, match=message):
        AOSOClassifier(n_estimators=2, **parameters).fit(*small)


def test_scalars_of_numpy_are_numbers(small):
    given = {"n_estimators": 3, "learning_rate": 0.25, "max_leaves": 4, "n_jobs": 1, "random_state": 3, "max_bin": 50, "time_limit": 100.0}
    wanted = AOSOClassifier(**given).fit(*small).booster_.fingerprint
    for kind in (np.array, lambda value: np.array(value)[()]):
        scalars = {name: kind(value) for name, value in given.items()}
        estimator = AOSOClassifier(**scalars, validation_fraction=None, warm_start=kind(False)).fit(*small)
        assert estimator.booster_.fingerprint == wanted
        estimator.predict(small[0])


def test_an_estimator_whose_fit_fails(small):
    x, y = small
    estimator = AOSOClassifier(n_estimators="many")
    with pytest.raises(aoso.errors.ArgumentError):
        estimator.fit(x, y)
    with pytest.raises(NotFittedError):
        estimator.predict(x)
    estimator.set_params(n_estimators=2).fit(x, y)
    before = estimator.predict_proba(x)
    with pytest.raises(ValueError):
        estimator.fit(x[:, :2], y[:9])
    np.testing.assert_array_equal(estimator.predict_proba(x), before)


@pytest.mark.parametrize("value", [None, "text", [1, 2], np.arange(3), 1j, np.nan, {}])
def test_a_metric_that_returns_nonsense(small, value):
    with pytest.raises(aoso.errors.ArgumentError, match="eval_metric is|feval has returned|the metric .* is NaN; allowed: a number"):
        AOSOClassifier(n_estimators=3, early_stopping_rounds=2).fit(*small, eval_set=[small], eval_metric=lambda y, p: value)
def test_a_fit_that_failed_leaves_the_estimator_as_it_was(small):
    x, y = small
    model = aoso.AOSOClassifier(n_estimators=3)
    for wrong in (lambda: model.fit(x, [*y[:-1], None]), lambda: model.set_params(max_leaves=1).fit(x, y)):
        with pytest.raises(ValueError):
            wrong()
        for use in (model.predict, model.predict_proba, lambda x: model.n_estimators_, lambda x: model.score(x, y)):
            with pytest.raises(NotFittedError):
                use(x)
    before = model.set_params(max_leaves=3).fit(x, y).predict_proba(x)
    with pytest.raises(ValueError):
        model.fit(x[:, :2], [*y[:-1], None])
    assert model.n_features_in_ == 4
    np.testing.assert_array_equal(model.predict_proba(x), before)


def test_callbacks_can_be_pickled(small):
    x, y = small
    for callback in (
        aoso.early_stopping(5),
        aoso.log_evaluation(10),
        aoso.record_evaluation({}),
        aoso.checkpoint("model-{iteration}.aoso"),
        aoso.reset_parameter(learning_rate=[0.1] * 10),
    ):
        pickle.loads(pickle.dumps(callback))
    seen = {}
    options = pickle.loads(pickle.dumps({"callbacks": [aoso.record_evaluation(seen)], "seen": seen}))
    aoso.train({"n_estimators": 3}, aoso.Dataset(x, y), callbacks=options["callbacks"])
    assert len(options["seen"]["train"]["logloss"]) == 3 and not seen


def test_every_parameter_is_an_argument(small):
    """Those that the signature lacks too: in get_params, set_params, clones and pickles, with the same errors."""
    signature = inspect.signature(AOSOClassifier).parameters
    assert len(signature) <= 24
    further = {"method": "abc", "trim": 0.2, "max_bin": 40, "stop_loss": 1e-9}
    assert not further.keys() & signature.keys()
    model = AOSOClassifier(n_estimators=20, **further)
    for copy in (model, clone(model), pickle.loads(pickle.dumps(model)), AOSOClassifier(n_estimators=20).set_params(**further)):
        assert further.items() <= copy.get_params().items() and copy.method == "abc"
        assert copy.fit(*small).booster_.params["method"] == "abc" and copy.booster_.params["trim"] == 0.2
    with pytest.raises(aoso.errors.ArgumentError, match='^method is "gbdt"; allowed: aoso, abc or logitboost$'):
        AOSOClassifier(method="gbdt").fit(*small)
