"""AOSOClassifier with polars, pyarrow and Optuna, of which there are no releases that go with scikit-learn 1.2."""

import numpy as np
import optuna
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from aoso import AOSOClassifier


@pytest.fixture
def frame(small):
    x, y = small
    return pd.DataFrame(x, columns=list("abcd")), np.array(["ash", "beech", "cedar"])[y]


def test_arrow(frame):
    X, y = frame
    wanted = AOSOClassifier(n_estimators=10, calibration="none").fit(X, y)
    for form in (pl.from_pandas, pa.table, lambda X: pa.table(X).to_batches()[0]):
        table = form(X)
        model = AOSOClassifier(n_estimators=10, calibration="none").fit(table, y, sample_weight=np.ones(150), eval_set=(table, y))
        assert model.booster_.fingerprint == wanted.booster_.fingerprint
        assert model.feature_names_in_.tolist() == list("abcd") and model.n_features_in_ == 4
        np.testing.assert_array_equal(model.predict_proba(table), wanted.predict_proba(X))
        np.testing.assert_array_equal(model.predict_proba(X), wanted.predict_proba(table))
        with pytest.raises(ValueError, match="missing: 'a'; unknown: 'A'"):
            model.predict(form(X.rename(columns={"a": "A"})))


def test_optuna(frame):
    X, y = frame
    optuna.logging.set_verbosity(optuna.logging.WARNING)

    def objective(trial):
        def prune(progress):
            trial.report(progress.metrics["valid_0"]["logloss"], progress.iteration)
            if trial.should_prune():
                raise optuna.TrialPruned

        model = AOSOClassifier(
            n_estimators=20, max_leaves=trial.suggest_int("max_leaves", 2, 8), learning_rate=trial.suggest_float("learning_rate", 0.01, 1, log=True)
        )
        model.fit(X[::2], y[::2], eval_set=(X[1::2], y[1::2]), callbacks=[prune])
        return model.evals_result_["valid_0"]["logloss"][-1]

    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(0), pruner=optuna.pruners.MedianPruner(2, 3))
    study.optimize(objective, n_trials=12)
    states = {trial.state for trial in study.trials}
    assert states == {optuna.trial.TrialState.COMPLETE, optuna.trial.TrialState.PRUNED}
