"""Parameters as users of other libraries write them."""

import logging
import os
import random

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold

import aoso
from aoso import AOSOClassifier, _others
from aoso._parameters import ALIASES, ELSEWHERE, FOREIGN, TYPES

from documented import DOCUMENTED

# Parameters as documents and examples of the four libraries have them, and what the model is trained with, or what the error says.
DICTS = [
    # LightGBM
    ({"num_leaves": 31, "learning_rate": 0.1, "n_estimators": 10}, {"max_leaves": 31, "learning_rate": 0.1, "n_estimators": 10}),
    ({"objective": "multiclass", "num_class": 3, "metric": "multi_logloss", "num_iterations": 9}, {"n_estimators": 9, "metric": "logloss"}),
    ({"boosting_type": "gbdt", "objective": "multiclass", "metric": {"multi_error"}, "verbose": 0, "num_round": 7}, {"metric": "error"}),
    ({"objective": "multiclass", "metric": ["multi_logloss", "multi_error"], "max_depth": -1, "verbosity": -1}, {"metric": "logloss", "max_depth": 0}),
    ({"num_leaves": 31, "feature_fraction": 0.9, "bagging_fraction": 0.8, "bagging_freq": 5}, {"colsample_bytree": 0.9, "subsample": 0.8}),
    ({"bagging_fraction": 0.8, "bagging_freq": 0, "num_trees": 5, "calibration": "none"}, {"subsample": 1.0, "n_estimators": 5}),
    ({"max_bin": 255, "min_data_in_leaf": 5, "min_sum_hessian_in_leaf": 0.01, "is_enable_sparse": True}, {"min_samples_leaf": 5, "min_child_weight": 0.01}),
    ({"lambda_l2": 1.5, "lambda_l1": 0, "min_gain_to_split": 0.1, "nthread": 2, "seed": 3}, {"reg_lambda": 1.5, "gamma": 0.1, "seed": 3}),
    ({"device": "cpu", "deterministic": True, "force_row_wise": True, "random_state": 7, "min_child_samples": 20}, {"seed": 7}),
    ({"objective": "binary", "is_unbalance": False, "num_iterations": 5, "extra_trees": False}, {"n_estimators": 5}),
    ({"data_sample_strategy": "bagging", "tree_learner": "serial", "task": "train", "path_smooth": 0.0, "num_leaves": 5}, {"max_leaves": 5}),
    ({"subsample": 0.7, "subsample_freq": 1, "colsample_bytree": 0.7, "reg_alpha": 0.0, "reg_lambda": 1}, {"reg_lambda": 1.0, "subsample": 0.7}),
    ({"boosting": "dart", "drop_rate": 0.1}, "boosting is 'dart'; leave it out: only gradient boosting"),
    ({"objective": "regression", "metric": "l2"}, "objective is 'regression'; write multiclass or leave it out"),
    ({"objective": "multiclassova", "device_type": "gpu", "reg_alpha": 0.1}, "multiclassova.*device_type is 'gpu'; leave it out.*reg_alpha is 0.1"),
    ({"num_leaves": 31, "max_leaves": 15}, "num_leaves is 31 and max_leaves is 15, which are both max_leaves; allowed: one of them"),
    ({"is_unbalance": True, "num_leaves": 6}, {"max_leaves": 6}),
    ({"num_leavs": 31, "lerning_rate": 0.1}, r"'num_leavs' \(did you mean num_leaves\?\), 'lerning_rate' \(did you mean learning_rate\?\)"),
    # XGBoost
    ({"objective": "multi:softprob", "num_class": 3, "eta": 0.3, "max_depth": 6}, {"learning_rate": 0.3, "max_depth": 6}),
    ({"metric": "aucpr"}, 'metric is "aucpr"; allowed: logloss, .*; the nearest to it is auc_ovr$'),
    ({"objective": "multi:softmax", "eval_metric": "mlogloss", "tree_method": "hist", "device": "cpu"}, {"metric": "logloss"}),
    ({"objective": "binary:logistic", "eval_metric": "error", "max_depth": 2, "eta": 1}, {"metric": "error", "max_depth": 2}),
    ({"booster": "gbtree", "gamma": 0.5, "min_child_weight": 1, "lambda": 2, "alpha": 0, "verbosity": 0}, {"gamma": 0.5, "reg_lambda": 2.0}),
    ({"grow_policy": "lossguide", "max_leaves": 8, "max_bin": 256, "nthread": 4}, {"max_leaves": 8}),
    ({"subsample": 0.5, "colsample_bylevel": 0.5, "scale_pos_weight": 1, "base_score": 0.5}, {"colsample_bynode": 0.5}),
    ({"max_delta_step": 1, "missing": np.nan, "use_label_encoder": False, "enable_categorical": True}, {"max_delta_step": 1.0}),
    ({"tree_method": "gpu_hist", "grow_policy": "depthwise"}, "tree_method is 'gpu_hist'; leave it out.*grow_policy is .depthwise."),
    ({"booster": "gblinear"}, "booster is 'gblinear'; leave it out"),
    ({"objective": "reg:squarederror", "scale_pos_weight": 9}, "scale_pos_weight is 9; leave it out; weigh the classes with class_weight"),
    ({"num_parallel_tree": 100, "subsample": 0.8}, "num_parallel_tree is 100; leave it out: an iteration grows one tree"),
    # CatBoost
    ({"iterations": 10, "learning_rate": 0.1, "depth": 6, "loss_function": "MultiClass"}, {"n_estimators": 10, "learning_rate": 0.1, "max_depth": 6}),
    ({"iterations": 5, "eval_metric": "Accuracy", "random_seed": 42, "logging_level": "Silent", "task_type": "CPU"}, {"metric": "error", "seed": 42}),
    ({"iterations": 5, "eval_metric": "BalancedAccuracy"}, {"metric": "balanced_error"}),
    ({"eval_metric": "TotalF1:average=Macro", "depth": 99}, "eval_metric is 'TotalF1:average=Macro'; allowed: logloss, .*; the nearest to it is f1_macro"),
    ({"l2_leaf_reg": 3, "rsm": 0.5, "border_count": 254, "bootstrap_type": "Bernoulli", "subsample": 0.66}, {"reg_lambda": 3.0, "subsample": 0.66}),
    ({"loss_function": "Logloss", "thread_count": -1, "allow_writing_files": False, "verbose": False}, {}),
    ({"bagging_temperature": 1, "random_strength": 2, "loss_function": "RMSE"}, "bagging_temperature is 1; leave it out.*random_strength is 2; .*loss_function is 'RMSE'"),
    ({"task_type": "CPU", "grow_policy": "SymmetricTree"}, {"grow_policy": "symmetric"}),
    ({"task_type": "GPU", "grow_policy": "Depthwise"}, "task_type is 'GPU'; leave it out or write cpu.*grow_policy is .Depthwise.; .*nearest to it is lossguide$"),
    # scikit-learn
    ({"max_iter": 10, "learning_rate": 0.1, "max_leaf_nodes": 31, "min_samples_leaf": 20}, {"n_estimators": 10, "max_leaves": 31, "min_samples_leaf": 20}),
    ({"loss": "log_loss", "max_depth": None, "l2_regularization": 0.0, "max_bins": 255, "verbose": 0}, {"reg_lambda": 0.0, "max_depth": 0}),
    ({"early_stopping": "auto", "validation_fraction": 0.1, "n_iter_no_change": 10, "tol": 1e-7, "scoring": "loss"}, {"early_stopping_rounds": 0}),
    ({"n_estimators": 5, "criterion": "friedman_mse", "min_samples_split": 2, "max_features": 0.5, "ccp_alpha": 0.0}, {"colsample_bynode": 0.5}),
    ({"max_iter": 5, "monotonic_cst": None, "interaction_cst": "pairwise"}, {"interaction_constraints": "pairwise"}),
    ({"max_iter": 5, "monotonic_cst": [1, 0, 0, 0]}, r"monotone_constraints is .*a sign for each class"),
]  # fmt: skip


@pytest.fixture(scope="module")
def train_set(small):
    return aoso.Dataset(*small)


@pytest.fixture
def said(caplog, monkeypatch):
    monkeypatch.setattr(_others, "_said", set())
    caplog.set_level(logging.INFO, "aoso")
    return caplog


@pytest.mark.parametrize(("params", "outcome"), DICTS, ids=lambda value: str(value)[:60])
def test_dicts_of_other_libraries(train_set, params, outcome):
    """Each trains, or one message says what to write instead."""
    if isinstance(outcome, str):
        with pytest.raises(aoso.errors.ArgumentError, match=outcome):
            aoso.train(params, train_set)
        return
    quick = {} if any(_others.OURS.get(name) == "n_estimators" for name in params) else {"n_estimators": 3}
    booster = aoso.train({**params, **quick}, train_set)
    assert booster.params.items() >= outcome.items()


def wrong(params):
    """The message about parameters; "": there is none."""
    try:
        _others.parameters(params)
    except aoso.errors.ArgumentError as e:
        return str(e)
    return ""


def test_every_documented_name_is_known():
    """What a library does without being asked is either possible here or a message that says what to write."""
    for library, table in DOCUMENTED.items():
        for name, values in table.items():
            assert _others.known(name), f"{name} of {library}"
            for value in values:
                assert not wrong({name: value}) or name in wrong({name: value}), f"{name}={value} of {library}"


@pytest.mark.parametrize("library", DOCUMENTED)
def test_random_dicts(train_set, library, monkeypatch):
    """Each trains, or one message has all names that cannot be met, and what to write."""
    monkeypatch.setattr(logging.getLogger("aoso"), "disabled", True)
    rng, seed = random.Random(), int(os.environ.get("AOSO_SEED", 1))
    trained = 0
    for number in range(seed, seed + int(os.environ.get("AOSO_DRAWS", 150))):
        rng.seed(f"{library} {number}")
        table = DOCUMENTED[library]
        params = {name: rng.choice(table[name]) for name in rng.sample(list(table), rng.randint(1, 9))}
        alone = [name for name, value in params.items() if wrong({name: value})]
        message = wrong(params)
        assert all(name in message for name in alone), f"draw {number}: {params}: {message}"
        assert bool(alone) == bool(message) or "which are both" in message, f"draw {number}: {params}: {message}"
        if not message and trained < 3:
            trained += 1
            belongs = {name: value for name, value in params.items() if _others.OURS.get(name) in ELSEWHERE}
            made = aoso.Dataset(*train_set._data[:2], params=belongs)
            booster = aoso.train({**params, "calibration": "none"}, made, **({} if "n_estimators" in map(_others.OURS.get, params) else {"num_boost_round": 2}))
            assert booster.num_trees > 0


def test_every_name_stands_for_one_thing():
    foreign = [name for names, _, _ in FOREIGN for name in names.split()]
    elsewhere = [name for names in ELSEWHERE.values() for name in names.split()]
    ours = [*TYPES, *(name for names in ALIASES.values() for name in names.split() if name not in TYPES)]
    names = [*foreign, *elsewhere, *ours]
    assert len(set(names)) == len(names)
    assert all(advice or values == "*" for _, values, advice in FOREIGN)


def test_what_names_became_is_said_once(train_set, said):
    params = {"n_estimators": 2, "objective": "multiclass", "max_depth": -1, "calibration": "none"}
    first, second = (aoso.train({**params, "num_leaves": leaves}, train_set) for leaves in (5, 6))
    assert said.messages == [
        "parameters of other libraries: max_depth=-1 is 0, num_leaves is max_leaves; without effect: objective"
    ]
    assert first.fingerprint == aoso.train({"n_estimators": 2, "max_leaves": 5, "calibration": "none"}, train_set).fingerprint
    assert (first.params["max_leaves"], second.params["max_leaves"]) == (5, 6)


def test_former_names_mean_the_same(small, train_set, said):
    former = {"trees": 3, "leaves": 4, "shrinkage": 0.2, "min_samples": 2, "min_hessian": 0.1, "min_gain": 0.01, "l2": 1.5, "max_step": 4}
    now = {"n_estimators": 3, "max_leaves": 4, "learning_rate": 0.2, "min_samples_leaf": 2, "min_child_weight": 0.1, "gamma": 0.01,
           "reg_lambda": 1.5, "max_delta_step": 4}  # fmt: skip
    wanted = aoso.train({**now, "calibration": "none", "nthread": 1}, train_set)
    for threads in ("threads", "num_threads"):
        booster = aoso.train({**former, "calibration": "none", threads: 1, "early_stopping": 0, "max_bins": 255}, train_set)
        assert booster.fingerprint == wanted.fingerprint and booster.params == wanted.params
    assert aoso.cv(former, *small, folds=2)["logloss-mean"].tolist() == aoso.cv(now, *small, folds=2)["logloss-mean"].tolist()
    estimator = AOSOClassifier(**former, calibration="none", max_bins=9).fit(*small)
    assert estimator.booster_.fingerprint == AOSOClassifier(**now, calibration="none", max_bin=9).fit(*small).booster_.fingerprint
    assert said.messages == []
    with pytest.raises(ValueError, match="trees is 3 and n_estimators is 4, which are both n_estimators; allowed: one of them"):
        aoso.train({"trees": 3, "n_estimators": 4}, train_set)
    with pytest.raises(ValueError, match="there is no parameter 'shrinkag' .did you mean learning_rate"):
        aoso.train({"shrinkag": 0.1}, train_set)
    with pytest.raises(ValueError, match="Dataset has no argument 'max_bins', 'threads'; .*; max_bins is max_bin here; threads is nthread here"):
        aoso.Dataset(*small, max_bins=9, threads=1)


@pytest.mark.parametrize("quiet", [{"verbosity": -1}, {"verbose": 0}, {"verbose": False}, {"silent": True}, {"logging_level": "Silent"}], ids=str)
def test_nothing_is_said_if_so_wanted(train_set, said, quiet):
    aoso.train({"n_estimators": 1, **quiet}, train_set)
    assert said.messages == []


def test_weights_of_classes(small):
    x, y = small
    y = y[:110]
    x = x[:110]
    weighed = aoso.Dataset(x, y, class_weight={2: 3.0}, weight=np.ones(110))
    same = aoso.Dataset(x, y, weight=np.where(y == 2, 3.0, 1.0))
    assert aoso.train({"n_estimators": 5}, weighed).fingerprint == aoso.train({"n_estimators": 5}, same).fingerprint
    balanced = aoso.Dataset(x, label=y, params={"is_unbalance": True, "num_leaves": 3})
    assert aoso.train({"n_estimators": 5, "is_unbalance": True}, balanced).fingerprint == aoso.train(
        {"n_estimators": 5}, aoso.Dataset(x, y, weight=(110 / 3 / np.bincount(y))[y])
    ).fingerprint
    plain = aoso.Dataset(x, y)
    by_training = aoso.train({"n_estimators": 5, "class_weight": "balanced"}, plain)
    assert by_training.fingerprint == aoso.train({"n_estimators": 5}, plain, class_weight="balanced").fingerprint
    assert by_training.fingerprint != aoso.train({"n_estimators": 5}, plain).fingerprint
    with pytest.raises(ValueError, match="class_weight is 'balanced' for training, {2: 3.0} for train_set"):
        aoso.train({"is_unbalance": True}, weighed)
    with pytest.raises(ValueError, match="class_weight has 7, which is no label of y, and has no weight for 0"):
        aoso.Dataset(x, y, class_weight={7: 3.0})
    with pytest.raises(ValueError, match="class_weight is 'even'; allowed: a dict of weights by label, 'balanced', or None"):
        aoso.Dataset(x, y, class_weight="even")


def test_cv_makes_datasets_as_params_say(small):
    a = aoso.cv({"n_estimators": 4, "max_bin": 7, "auto_class_weights": "Balanced"}, *small, folds=3)
    b = aoso.cv({"n_estimators": 4}, *small, folds=3, max_bin=7, class_weight="balanced")
    assert a["logloss-mean"].tolist() == b["logloss-mean"].tolist() != aoso.cv({"n_estimators": 4}, *small, folds=3)["logloss-mean"].tolist()


def test_an_estimator_with_names_of_others(small, said):
    ours = AOSOClassifier(n_estimators=4, max_leaves=5, learning_rate=0.3, max_bin=9, random_state=5, class_weight="balanced").fit(*small)
    others = AOSOClassifier(n_estimators=4, num_leaves=5, eta=0.3, max_bins=9, seed=5, is_unbalance=True, nthread=2, objective="multiclass")
    assert others.fit(*small).booster_.fingerprint == ours.booster_.fingerprint
    assert "num_leaves is max_leaves, eta is learning_rate" in said.text and "without effect: objective" in said.text
    params = others.get_params()
    assert params.items() >= {"n_estimators": 4, "eta": 0.3, "max_leaves": None, "nthread": 2}.items()
    assert "n_estimators=4" in repr(others)
    copy = clone(others)
    assert copy.get_params() == params and copy.n_estimators == 4
    assert clone(AOSOClassifier().set_params(**params)).fit(*small).booster_.fingerprint == ours.booster_.fingerprint


def test_the_last_name_set_counts(small):
    model = AOSOClassifier(iterations=4, depth=3, random_state=1)
    model.set_params(n_estimators=2, max_depth=0)
    assert "iterations" not in model.get_params() and model.fit(*small).booster_.num_trees == 2
    model.set_params(num_boost_round=3, learning_rate=0.5)
    assert model.n_estimators is None and model.fit(*small).booster_.num_trees == 3
    model.n_estimators = 5
    with pytest.raises(ValueError, match="n_estimators is 5 and num_boost_round is 3, which are both n_estimators"):
        model.fit(*small)
    with pytest.raises(ValueError, match="there is no parameter 'n_estimatos' .did you mean n_estimators.., 'xyz'; allowed: "):
        model.set_params(n_estimatos=3, xyz=1)
    with pytest.raises(ValueError, match="objective is 'rmse'.*there is no parameter 'n_estimatos' .did you mean n_estimators"):
        AOSOClassifier(n_estimatos=3, objective="rmse").fit(*small)


def test_a_search_over_names_of_others(small):
    grid = {"num_leaves": [3, 5], "learning_rate": [0.1, 0.5]}
    search = GridSearchCV(AOSOClassifier(n_estimators=3, preset="paper"), grid, cv=3).fit(*small)
    assert search.best_params_.keys() == grid.keys()
    assert search.best_estimator_.booster_.params["max_leaves"] == search.best_params_["num_leaves"]
    assert search.best_estimator_.booster_.num_trees == 3


def test_rows_set_apart(small):
    """As scikit-learn's estimators do for early stopping."""
    model = AOSOClassifier(max_iter=300, early_stopping=True, validation_fraction=0.2, learning_rate=0.5).fit(*small)
    assert model.booster_.result.stopped_by == "early_stopping"
    assert list(model.evals_result_) == ["valid_0"] and len(model.evals_result_["valid_0"]["error"]) == model.n_iter_
    assert model.n_iter_ == model.best_iteration_ + 10 == model.n_estimators_ + 10
    again = AOSOClassifier(n_estimators=300, n_iter_no_change=10, learning_rate=0.5).fit(*small)
    assert again.n_iter_ == again.best_iteration_ + 10
    assert again.evals_result_ != model.evals_result_
    with pytest.raises(ValueError, match="early_stopping_rounds is 5; allowed: 0 without a validation set"):
        AOSOClassifier(early_stopping_rounds=5).fit(*small)


def test_evaluation_sets_in_two_arguments(small):
    x, y = small
    weight = np.arange(50) + 1
    a = AOSOClassifier(n_estimators=5).fit(x[::2], y[::2], eval_X=x[::3], eval_y=y[::3], eval_sample_weight=weight)
    b = AOSOClassifier(n_estimators=5).fit(x[::2], y[::2], eval_set=[(x[::3], y[::3], weight)])
    assert a.evals_result_ == b.evals_result_ and a.booster_.fingerprint == b.booster_.fingerprint
    c = AOSOClassifier(n_estimators=5).fit(x[::2], y[::2], eval_X=(x[::2], x[::3]), eval_y=(y[::2], y[::3]), eval_sample_weight=[None, weight])
    assert c.evals_result_["valid_1"] == a.evals_result_["valid_0"] and c.booster_.fingerprint == a.booster_.fingerprint
    for wrong in ({"eval_X": x}, {"eval_y": y}, {"eval_X": x, "eval_y": y, "eval_set": (x, y)}):
        with pytest.raises(ValueError, match="eval_X or eval_y is given; allowed: both, and no eval_set"):
            AOSOClassifier().fit(x, y, **wrong)
    with pytest.raises(ValueError, match="eval_X has 2 tables; allowed: a tuple of as many labels in eval_y"):
        AOSOClassifier().fit(x, y, eval_X=(x, x), eval_y=y)


def test_warm_start(small):
    params = {"calibration": "none", "max_leaves": 4, "learning_rate": 0.2, "subsample": 1, "colsample_bynode": 1}
    model = AOSOClassifier(n_estimators=4, warm_start=True, **params).fit(*small)
    model.set_params(n_estimators=10).fit(*small)
    assert model.booster_.num_trees == 10 == model.n_estimators_
    np.testing.assert_allclose(model.predict_proba(small[0]), AOSOClassifier(n_estimators=10, **params).fit(*small).predict_proba(small[0]), rtol=1e-3)
    with pytest.raises(ValueError, match="n_estimators is 10; allowed with warm_start: more than 10"):
        model.fit(*small)


def test_what_other_estimators_have(small, tmp_path):
    x, y = small
    model = AOSOClassifier(n_estimators=6, importance_type="split").fit(x[::2], y[::2], eval_set=[(x[1::2], y[1::2])])
    assert model.get_booster() is model.booster_ and model.evals_result()["validation_0"]["mlogloss"] == model.evals_result_["valid_0"]["logloss"]
    assert model.best_score_["valid_0"]["logloss"] == model.evals_result_["valid_0"]["logloss"][model.best_iteration_ - 1]
    assert model.feature_name_ == ["f0", "f1", "f2", "f3"]
    np.testing.assert_array_equal(model.predict_proba(x, num_iteration=3), model.booster_.predict_proba(x, trees=3))
    assert model.predict(x, iteration_range=(0, 2)).tolist() == model.booster_.predict(x, trees=2).tolist()
    with pytest.raises(ValueError, match=r"iteration_range is \(1, 2\); allowed: \(0, n\)"):
        model.predict(x, iteration_range=(1, 2))
    assert model.predict(x, pred_contrib=True).tolist() == model.booster_.shap(x).reshape(150, 15).tolist()
    splits = model.booster_.importance("split")
    assert model.feature_importances_.tolist() == (splits / splits.sum()).tolist()
    model.save_model(tmp_path / "model")
    for again in AOSOClassifier().load_model(tmp_path / "model"), AOSOClassifier.from_booster(model.booster_):
        assert again.predict_proba(x).tolist() == model.predict_proba(x).tolist()
        assert again.n_features_in_ == 4 and again.classes_.tolist() == [0, 1, 2]
    assert AOSOClassifier.from_booster(model.booster_).n_estimators == 6
    with pytest.raises(ValueError, match="booster is a int; allowed: a Booster"):
        AOSOClassifier.from_booster(3)


def test_training_as_lightgbm_has_it(small, capsys, said):
    x, y = small
    train_set = aoso.Dataset(x, label=y, params={"max_bin": 255})
    rows, labels = x[::2].copy(), y[::2].copy()
    history = {}
    booster = aoso.train(
        {"objective": "multiclass", "num_class": 3, "metric": "multi_error", "learning_rate": 0.5, "verbosity": -1},
        train_set,
        num_boost_round=60,
        valid_sets=[train_set, aoso.Dataset(rows, labels, reference=train_set)],
        valid_names=["train_set", "valid"],
        callbacks=[aoso.early_stopping(stopping_rounds=4, first_metric_only=True), aoso.log_evaluation(20), aoso.record_evaluation(history)],
    )
    assert booster.params.items() >= {"n_estimators": 60, "early_stopping_rounds": 4, "metric": "error"}.items()
    assert booster.result.stopped_by == "early_stopping"
    first = next(message for message in said.messages if message.startswith("[1] train logloss: "))
    assert "valid error: " in first and "train_set error: " in first
    assert said.messages[-1] == f"early stopping: the best iteration is {booster.num_trees} of {booster.num_trees + 4}"
    said.set_level(logging.WARNING, "aoso")
    aoso.train({"n_estimators": 2}, train_set, valid_sets=[(rows, labels)], verbose_eval=True)
    assert capsys.readouterr().out.startswith("[1] train logloss: ")
    with pytest.raises(ValueError, match="the argument num_boost_round is 5 and n_estimators is 6, which are both n_estimators"):
        aoso.train({"n_estimators": 6}, train_set, num_boost_round=5)


def test_training_as_xgboost_has_it(small):
    x, y = small
    rows, labels = x[::2].copy(), y[::2].copy()
    train_set, valid = aoso.Dataset(x, label=y), aoso.Dataset(rows, label=labels)
    history = {}
    params = {"objective": "multi:softprob", "num_class": 3, "eta": 0.5, "eval_metric": "merror"}
    evals = [(train_set, "train_set"), (train_set.aligned(x[:9], y[:9]), "few"), (valid, "eval")]
    booster = aoso.train(params, train_set, num_boost_round=60, evals=evals, early_stopping_rounds=5, evals_result=history)
    assert history.keys() == {"train", "train_set", "few", "eval"}
    errors = history["eval"]["error"]
    assert booster.result.best_iteration == 1 + int(np.argmin(errors)) == len(errors) - 5
    with pytest.raises(ValueError, match="evals is not allowed with valid_sets"):
        aoso.train(params, train_set, evals=evals, valid_sets=[valid])


def test_a_model_that_training_continues(small, tmp_path):
    x, y = small
    params = {"n_estimators": 4, "calibration": "none", "max_leaves": 4}
    train_set = aoso.Dataset(x, y, max_bin=17)
    first = aoso.train(params, train_set)
    first.save(tmp_path / "model")
    wanted = aoso.train(params, aoso.Dataset(x, y, max_bin=17, init_model=first))
    for continued, model in ((train_set, first), (train_set, tmp_path / "model"), (aoso.Dataset(x, y, max_bin=17, init_model=first), first)):
        assert aoso.train(params, continued, init_model=model).fingerprint == wanted.fingerprint
    with pytest.raises(ValueError, match="the data of train_set are gone"):
        aoso.train(params, aoso.Dataset(x, y, free_raw_data=True).construct(), init_model=first)


def test_cross_validation_as_lightgbm_has_it(small):
    x, y = small
    splitter = StratifiedKFold(4, shuffle=True, random_state=1)
    train_set = aoso.Dataset(x, y, max_bin=31)
    history, seen = {}, []
    result = aoso.cv(
        {"num_leaves": 4, "learning_rate": 0.6, "metric": "multi_error"},
        train_set,
        num_boost_round=40,
        folds=splitter,
        callbacks=[aoso.early_stopping(5, verbose=False), aoso.record_evaluation(history), seen.append],
        return_cvbooster=True,
    )
    plain = aoso.cv({"max_leaves": 4, "learning_rate": 0.6, "n_estimators": 40}, x, y, folds=list(splitter.split(x, y)), max_bin=31)
    kept = len(result["iteration"])
    assert result["error-mean"].tolist() == plain["error-mean"][:kept].tolist()
    assert history["valid"]["error"] == plain["error-mean"][: kept + 5].tolist() and len(seen) == kept + 5
    models = result["cvbooster"]
    assert models.best_iteration == kept == int(np.argmin(plain["error-mean"][: kept + 5])) + 1
    assert [model.num_trees for model in models.boosters] == [kept] * 4
    errors = [m.evaluate(x[test], y[test])["error"] for m, (_, test) in zip(models.boosters, splitter.split(x, y))]
    assert np.mean(errors) == pytest.approx(result["error-mean"][-1])
    areas = aoso.cv({"n_estimators": 30, "metric": "auc", "early_stopping_rounds": 3}, x, y, nfold=3)
    assert areas["auc_ovr-mean"].argmax() == len(areas["iteration"]) - 1
    stopped = aoso.cv({"n_estimators": 9}, x, y, nfold=3, callbacks=[lambda progress: progress.iteration == 3])
    assert stopped["iteration"].tolist() == [1, 2, 3]


def test_fit_as_the_other_estimators_have_it(small, said):
    x, y = small
    sets = [(x, y), (x[::2], y[::2])]

    def far(labels, probabilities):
        return "far", float((probabilities.argmax(axis=1) != labels).mean()), False

    model = AOSOClassifier(n_estimators=50, eta=0.5, metric="multi_logloss").fit(
        x, y, eval_set=sets, eval_sample_weight=[None, np.ones(75)], eval_metric="merror", early_stopping_rounds=4, verbose=10
    )
    assert model.booster_.params["metric"] == "error" and model.booster_.params["early_stopping_rounds"] == 4
    assert model.best_iteration_ == model.n_iter_ - 4 and "[1] train logloss: " in said.text
    first = AOSOClassifier(n_estimators=50, eta=0.5).fit(x, y, eval_set=sets[::-1], eval_metric=far, early_stopping_rounds=4)
    assert first.booster_.fingerprint == model.booster_.fingerprint
    assert list(first.evals_result_) == ["valid_0", "valid_1"] and first.evals_result_["valid_0"]["far"] == model.evals_result_["valid_1"]["error"]


def test_learning_rate_by_a_schedule(small):
    x, y = small
    params = {"n_estimators": 6, "learning_rate": 0.5, "calibration": "none"}
    train_set = aoso.Dataset(x, y)
    constant = aoso.train(params, train_set)
    by_list = aoso.train(params, train_set, callbacks=[aoso.reset_parameter(learning_rate=[0.5 * 0.8**i for i in range(6)])])
    by_function = aoso.train(params, train_set, callbacks=[aoso.reset_parameter(eta=lambda i: 0.5 * 0.8**i)])
    assert by_list.export("text") == by_function.export("text") != constant.export("text")
    assert aoso.train(params, train_set, callbacks=[aoso.reset_parameter(learning_rate=[0.5] * 6)]).export("text") == constant.export("text")
    with pytest.raises(ValueError, match="reset_parameter has num_leaves; allowed: learning_rate or eta"):
        aoso.reset_parameter(num_leaves=[1, 2])
