"""The tools around: each is tested where it is installed. make test-tools installs them all."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import aoso

X, CODES = load_iris(return_X_y=True)
X[::7, 1] = np.nan
Y = np.array(["9", "10", "11"])[CODES]  # which the model orders by value, and the estimator as texts


@pytest.fixture(scope="module")
def model():
    return aoso.AOSOClassifier(n_estimators=10, max_leaves=5).fit(X, Y)


def test_explanation(model):
    shap = pytest.importorskip("shap")
    explanation = model.explain(X)
    assert isinstance(explanation, shap.Explanation)
    assert explanation.shape == (150, 4, 3) and explanation.output_names == ["10", "11", "9"]
    scores = explanation.values.sum(axis=1) + explanation.base_values
    np.testing.assert_allclose(scores / model.booster_.temperature, model.decision_function(X), atol=1e-9)
    assert explanation[:, :, 0].abs.mean(0).shape == (4,)


def test_explainer_of_shap(model):
    shap = pytest.importorskip("shap")
    explainer = shap.TreeExplainer(model.booster_.to_shap())
    ours = model.booster_.explain(X)
    np.testing.assert_allclose(explainer(X).values, ours.values, atol=1e-6)
    pairs = np.asarray(explainer.shap_interaction_values(X[:9]))
    assert pairs.shape == (9, 4, 4, 3)
    np.testing.assert_allclose(pairs.sum(axis=2), ours.values[:9], atol=1e-6)


@pytest.mark.parametrize("leaf", ["full", "sparse"])
def test_explainer_of_linear_scores(leaf):
    shap = pytest.importorskip("shap")
    booster = aoso.train({"n_estimators": 3, "start": "linear", "leaf": leaf}, aoso.Dataset(X, Y))
    explainer, ours = shap.TreeExplainer(booster.to_shap()), booster.shap(X)
    np.testing.assert_allclose(ours.sum(axis=2), booster.predict_raw(X), atol=1e-7)
    np.testing.assert_allclose(explainer(X).values, ours[:, :, :-1].transpose(0, 2, 1), atol=1e-6)
    np.testing.assert_allclose(explainer.expected_value, ours[0, :, -1], atol=1e-6)


def test_mlflow(tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow")
    from aoso.tools import mlflow_tracking

    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/runs.db")
    with mlflow.start_run() as run:
        model = aoso.AOSOClassifier(n_estimators=12, calibration="none").fit(
            X, Y, eval_set=[(X, Y)], callbacks=[mlflow_tracking(every=4)]
        )
        info = mlflow.sklearn.log_model(model, name="model", serialization_format="cloudpickle", pip_requirements=["aoso"])
    data = mlflow.get_run(run.info.run_id).data
    assert data.params["n_estimators"] == "12" and data.params["calibration"] == "none"
    history = mlflow.MlflowClient().get_metric_history(run.info.run_id, "valid_0-logloss")
    assert [metric.step for metric in history] == [4, 8, 12]
    assert history[-1].value == pytest.approx(model.evals_result_["valid_0"]["logloss"][-1])
    loaded = mlflow.sklearn.load_model(info.model_uri)
    assert loaded.booster_.fingerprint == model.booster_.fingerprint
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_mlflow_autolog(tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow")
    from aoso.tools import mlflow_autolog

    def runs():
        return mlflow.search_runs(search_all_experiments=True, output_format="list", order_by=["start_time ASC"])

    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/runs.db")
    mlflow_autolog(every=4)
    try:
        model = aoso.AOSOClassifier(n_estimators=12, calibration="none").fit(X, Y, eval_set=[(X, Y)])
        (run,) = runs()
        assert mlflow.active_run() is None and run.info.status == "FINISHED"
        assert run.data.params["n_estimators"] == "12" and run.data.metrics["best_iteration"] == model.best_iteration_
        history = mlflow.MlflowClient().get_metric_history(run.info.run_id, "valid_0-logloss")
        assert [metric.step for metric in history] == [4, 8, 12]
        gains = mlflow.artifacts.load_dict(f"runs:/{run.info.run_id}/feature_importance_gain.json")
        assert list(gains) == model.feature_name_ and list(gains.values()) == model.booster_.importance().tolist()
        loaded = mlflow.sklearn.load_model(f"runs:/{run.info.run_id}/model")
        np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))

        mlflow_autolog(log_models=False)
        with mlflow.start_run():
            aoso.train({"n_estimators": 2}, aoso.Dataset(X, Y))
            with pytest.warns(UserWarning, match="mlflow did not record the parameters"):
                aoso.train({"n_estimators": 3}, aoso.Dataset(X, Y))
        assert len(runs()) == 2 and runs()[1].data.params["n_estimators"] == "2"

        with pytest.raises(ZeroDivisionError):
            aoso.train({"n_estimators": 2}, aoso.Dataset(X, Y), callbacks=[lambda _: 1 / 0])
        assert runs()[2].info.status == "FAILED"
    finally:
        mlflow_autolog(disable=True)
    aoso.train({"n_estimators": 2}, aoso.Dataset(X, Y))
    assert len(runs()) == 3


def test_optuna_prunes():
    optuna = pytest.importorskip("optuna")
    from aoso.tools import optuna_pruning

    class Third(optuna.pruners.BasePruner):
        def prune(self, study, trial):
            return trial.last_step == 3

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(pruner=Third())

    def objective(trial):
        train_set = aoso.Dataset(X, Y)
        params = {"n_estimators": 10, "learning_rate": trial.suggest_float("learning_rate", 0.05, 0.3)}
        aoso.train(params, train_set, valid=train_set, callbacks=[optuna_pruning(trial, "error")])
        return 0

    study.optimize(objective, n_trials=2)
    assert [trial.state for trial in study.trials] == [optuna.trial.TrialState.PRUNED] * 2
    assert sorted(study.trials[0].intermediate_values) == [1, 2, 3]


def test_onnx_of_a_pipeline():
    skl2onnx = pytest.importorskip("skl2onnx")
    runtime = pytest.importorskip("onnxruntime")
    import aoso.onnx

    aoso.onnx.register()
    for labels, dtype, start in ((Y, np.float32, "zero"), (CODES, np.float32, "linear"), (Y, np.float64, "linear"), (CODES, np.float64, "zero")):
        x = X.astype(dtype)
        pipeline = make_pipeline(StandardScaler(), aoso.AOSOClassifier(n_estimators=10, max_leaves=5, start=start)).fit(x, labels)
        onx = skl2onnx.to_onnx(pipeline, x[:1], options={"zipmap": False})
        label, probabilities = runtime.InferenceSession(onx.SerializeToString()).run(None, {"X": x})
        np.testing.assert_allclose(probabilities, pipeline.predict_proba(x), atol=1e-5)
        np.testing.assert_array_equal(label.astype(labels.dtype), pipeline.predict(x))


def test_skops(model):
    skops = pytest.importorskip("skops.io")
    data = skops.dumps(model)
    untrusted = skops.get_untrusted_types(data=data)
    assert sorted(untrusted) == ["aoso.booster.Booster", "aoso.sklearn.AOSOClassifier"]
    loaded = skops.loads(data, trusted=untrusted)
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert loaded.booster_.result == model.booster_.result


def test_flaml():
    flaml = pytest.importorskip("flaml")
    SKLearnEstimator = pytest.importorskip("flaml.automl.model", exc_type=ImportError).SKLearnEstimator

    class Custom(SKLearnEstimator):
        def __init__(self, task="multiclass", **config):
            super().__init__(task, **config)
            self.estimator_class = aoso.AOSOClassifier

        @classmethod
        def search_space(cls, data_size, task):
            return {"max_leaves": {"domain": flaml.tune.lograndint(4, 32), "init_value": 8}}

    automl = flaml.AutoML()
    automl.add_learner("aoso", Custom)
    automl.fit(X, CODES, task="classification", estimator_list=["aoso"], time_budget=-1, max_iter=2, verbose=0)
    assert isinstance(automl.model.estimator, aoso.AOSOClassifier)
    assert (automl.predict(X) == CODES).mean() > 0.9


def test_frames_that_narwhals_knows():
    pytest.importorskip("narwhals")
    frame = pd.DataFrame(X, columns=list("abcd"))
    wanted = aoso.AOSOClassifier(n_estimators=5).fit(frame, Y)
    frames = {}
    try:
        import polars

        frames["polars"] = polars.from_pandas(frame, nan_to_null=True).lazy()
    except ImportError:
        pass
    try:
        import duckdb

        frames["duckdb"] = duckdb.from_df(frame)
    except ImportError:
        pass
    if not frames:
        pytest.skip("neither polars nor duckdb is installed")
    for name, given in frames.items():
        model = aoso.AOSOClassifier(n_estimators=5).fit(given, Y)
        assert model.feature_names_in_.tolist() == list("abcd"), name
        assert model.booster_.fingerprint == wanted.booster_.fingerprint, name
        np.testing.assert_array_equal(model.predict(given), wanted.predict(frame))
        assert aoso.Dataset(given, Y).num_rows == 150


def test_metadata_routing():
    sklearn = pytest.importorskip("sklearn", "1.4")
    from sklearn.model_selection import GridSearchCV

    weight = np.where(CODES == 1, 5.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = aoso.AOSOClassifier(n_estimators=3, max_leaves=4, calibration="none")
        search = GridSearchCV(model.set_fit_request(sample_weight=True).set_score_request(sample_weight=False), {"max_leaves": [4]}, cv=3)
        search.fit(X, CODES, sample_weight=weight)
    alone = aoso.AOSOClassifier(n_estimators=3, max_leaves=4, calibration="none").fit(X, CODES, sample_weight=weight)
    assert search.best_estimator_.booster_.fingerprint == alone.booster_.fingerprint
