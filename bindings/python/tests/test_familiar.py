"""What users of LightGBM, XGBoost, CatBoost and scikit-learn write without a thought."""

import numpy as np
import pandas as pd
import pytest

import aoso
from aoso import AOSOClassifier

PARAMS = {"objective": "multiclass", "num_class": 3, "num_leaves": 4, "learning_rate": 0.3, "verbosity": -1}


@pytest.fixture(scope="module")
def data(small):
    x, y = small
    return x[::2], y[::2], x[1::2], y[1::2]


@pytest.fixture(scope="module")
def booster(data):
    train_set = aoso.Dataset(data=data[0], label=data[1], free_raw_data=False)
    return aoso.train(PARAMS, train_set, 30, valid_sets=[train_set.aligned(*data[2:])], early_stopping_rounds=5)


@pytest.mark.parametrize("name", aoso._familiar.INSTEAD_OF_ARGUMENTS)
def test_arguments_of_other_predicts_say_what_to_write(booster, data, name):
    with pytest.raises(TypeError, match=f"has no argument '{name}'; write "):
        booster.predict(data[2], **{name: True})


def test_predict_with_a_dataset(booster, data):
    x = data[2].copy()
    dataset = aoso.Dataset(x, data[3])
    np.testing.assert_array_equal(booster.predict(dataset), booster.predict(x))
    freed = aoso.Dataset(x, data[3], free_raw_data=True).construct()
    with pytest.raises(ValueError, match="x is a Dataset whose data are gone; allowed: the rows themselves"):
        booster.predict(freed)


def test_iterations(booster, any_method):
    assert booster.best_iteration == booster.result.best_iteration == booster.num_iterations == booster.num_trees
    assert any_method.num_iterations * any_method.trees_per_iteration == any_method.num_trees


def test_a_dataset(data):
    x, y = data[:2]
    named = aoso.Dataset(x, label=y, feature_name=list("abcd"), categorical_feature="auto", enable_categorical=True).construct()
    assert named.feature_names == list("abcd") and (named.num_rows, named.num_features) == (75, 4)
    rounded = np.round(x)
    coded = aoso.Dataset(rounded, y, categorical_feature=[0], feature_name="auto")
    assert list(coded.categories) == ["f0"] == list(aoso.Dataset(rounded, y, cat_features=[0]).categories)
    with pytest.raises(ValueError, match="Dataset has no argument 'init_score', 'lable'; allowed: .*; init_model continues a model"):
        aoso.Dataset(x, y, init_score=y, lable=1)
    with pytest.raises(ValueError, match="x is given as data as well"):
        aoso.Dataset(x, y, data=x)


def test_a_loss_among_the_parameters(data):
    def loss(scores, train_set):
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        return p - np.eye(3)[train_set.get_label()], p * (1 - p)

    train_set = aoso.Dataset(*data[:2])
    params = {"n_estimators": 5, "preset": "paper"}
    by_params = aoso.train({**params, "objective": loss}, train_set)
    assert by_params.fingerprint == aoso.train(params, train_set, objective=loss).fingerprint
    with pytest.raises(ValueError, match="objective is among params and an argument"):
        aoso.train({"objective": loss}, train_set, objective=loss)


def test_cv(data):
    x, y = data[:2]
    result = aoso.cv({**PARAMS, "metric": "none"}, x, y, num_boost_round=3, nfold=3, stratified=True, shuffle=True, metrics="auc_mu")
    assert "auc_ovo-mean" in result
    for name in ("stratified", "shuffle"):
        with pytest.raises(ValueError, match=f"{name} is False; allowed: True, or folds="):
            aoso.cv(PARAMS, x, y, **{name: False})
    with pytest.raises(ValueError, match="as_pandas is True; allowed: False"):
        aoso.cv(PARAMS, x, y, as_pandas=True)


def test_an_estimator(data):
    x, y, x_valid, y_valid = data
    model = AOSOClassifier(n_estimators=9, num_leaves=4, eval_metric="merror").fit(
        x, y, eval_set=[(x, y), (x_valid, y_valid)], use_best_model=True, plot=False, feature_name=list("abcd"), verbose=False
    )
    assert model.feature_name_ == list("abcd") and model.n_classes_ == 3 and model.tree_count_ == model.n_estimators_
    assert model.best_score_["valid_1"]["error"] == model.evals_result_["valid_1"]["error"][model.best_iteration_ - 1]
    for name in ("best_iteration", "best_score"):
        with pytest.raises(AttributeError, match=f"'AOSOClassifier' object has no attribute '{name}'; write {name}_, which "):
            getattr(model, name)
    stages = list(model.staged_predict(x_valid, every=3))
    np.testing.assert_array_equal(stages[-1], model.predict(x_valid))
    np.testing.assert_array_equal(stages[0], model.predict(x_valid, num_iteration=3))
    np.testing.assert_array_equal(model.predict(x_valid, output_margin=True), model.booster_.predict_raw(x_valid))
    more = AOSOClassifier(n_estimators=2, num_leaves=4).fit(x, y, xgb_model=model, feature_name="auto")
    assert more.tree_count_ == model.tree_count_ + 2
    frame = pd.DataFrame(np.round(x), columns=list("abcd"))
    assert AOSOClassifier(n_estimators=2).fit(frame, y, cat_features=["b"]).is_categorical_.tolist() == [False, True, False, False]
    with pytest.raises(ValueError, match="fit has no argument 'eval_sets'; allowed: those of its documentation, and feature_name"):
        AOSOClassifier().fit(x, y, eval_sets=[])


def test_names_of_other_libraries():
    with pytest.raises(AttributeError, match=r"no attribute 'DMatrix'; write Dataset\(x, y\)"):
        aoso.DMatrix  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'LGBMRegressor'; there is no regression"):
        aoso.LGBMRegressor  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'Dateset'$"):
        aoso.Dateset  # noqa: B018


def test_plots_by_other_names(booster):
    pytest.importorskip("matplotlib").use("Agg")
    assert len(aoso.plot_importance(booster, importance_type="split", max_num_features=2).patches) == 2
    aoso.plot_tree(booster, tree_index=1)
    axes = aoso.plot_metric({"valid": {"logloss": [0.5, 0.4], "error": [0.2, 0.1]}}, metric="multi_logloss")
    assert axes.get_ylabel() == "log loss"


@pytest.mark.parametrize("name", aoso._familiar.INSTEAD)
def test_names_of_other_boosters_say_what_to_write(booster, name):
    with pytest.raises(AttributeError, match=f"'Booster' object has no attribute '{name}'; (write|there is nothing)"):
        getattr(booster, name)
    assert not hasattr(booster, "nonsense")


@pytest.mark.parametrize("name", aoso._familiar.INSTEAD_OF_DATASET)
def test_names_of_other_datasets_say_what_to_write(data, name):
    with pytest.raises(AttributeError, match=f"'Dataset' object has no attribute '{name}'; (write|there is nothing)"):
        getattr(aoso.Dataset(*data[:2]), name)


def test_unknown_arguments_of_predict(booster, data):
    with pytest.raises(TypeError, match=r"predict\(\) has no argument 'tree_limit'$"):
        booster.predict(data[0], tree_limit=3)


def test_dir_shows_what_is_public():
    assert dir(aoso) == sorted([*aoso.__all__, "__version__"])
    assert all(hasattr(aoso, name) for name in dir(aoso))


def test_a_target_of_a_regression_is_refused():
    target = np.random.default_rng(0).normal(size=300)
    with pytest.raises(aoso.errors.ArgumentError, match="y has 300 different numbers in 300 rows, such as .*, like the target of a regression"):
        aoso.Dataset(np.zeros((300, 1)), target)
    assert len(aoso.Dataset(np.zeros((300, 1)), np.arange(300.0)).classes) == 300
    assert len(aoso.Dataset(np.zeros((300, 1)), np.arange(300) % 20 / 2).classes) == 20
