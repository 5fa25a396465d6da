"""Python, the command and a file make one model of the same data."""

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT, SHARED

import aoso

FLAGS = {"n_estimators": 40}


def flags(params):
    return [f"--{name.replace('_', '-')}={value}" for name, value in params.items()]


PARAMS = [
    {},
    {"leaf": "pair", "pairs": 1, "trim": 0},
    {"method": "abc", "n_estimators": 75},
    {"method": "logitboost", "n_estimators": 78},
    {"subsample": 0.5, "colsample_bytree": 0.7, "colsample_bynode": 0.5, "seed": 7},
    {"max_leaves": 50, "max_depth": 5, "min_samples_leaf": 20, "reg_lambda": 0.5, "gamma": 0.01, "learning_rate": 0.3},
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("params", PARAMS, ids=str)
def test_letters(letters, trained_by_command, params):
    x, y, names = letters
    params = {**FLAGS, **params}
    wanted = trained_by_command(ROOT / "testdata/letter.csv.gz", *flags(params))["fingerprint"]
    booster = aoso.train(params, aoso.Dataset(x, y, feature_names=names, seed=params.get("seed", 0)))
    assert booster.fingerprint == wanted


def test_estimator(letters, trained_by_command):
    x, y, names = letters
    wanted = trained_by_command(ROOT / "testdata/letter.csv.gz", "--n-estimators=20")["fingerprint"]
    assert aoso.AOSOClassifier(n_estimators=20).fit(pd.DataFrame(x, columns=names), y).booster_.fingerprint == wanted


@pytest.mark.parametrize(
    "labels",
    [
        ["9", "10", "11"],
        ["-1", "0", "1"],
        ["no", "yes", "Yes"],
        ["0.5", "1.5", "10.5"],
        ["False", "True", "True"],
        ["ü", "z", "a b"],
        ["007", "7", "8"],
    ],
    ids=str,
)
def test_labels(tmp_path, trained_by_command, small, labels):
    x, y = small
    names = np.array(labels)[y]
    data = pd.DataFrame(x.round(2), columns=list("abcd"))
    data["label"] = names
    data.to_csv(tmp_path / "data.csv", index=False)
    wanted = trained_by_command(tmp_path / "data.csv", *flags(FLAGS))["fingerprint"]

    def trained(y):
        return aoso.train(FLAGS, aoso.Dataset(data[list("abcd")], y)).fingerprint

    assert trained(names) == trained_by_command(tmp_path / "data.csv", *flags(FLAGS), "--text-labels")["fingerprint"]
    if labels[0] in ("9", "-1"):
        assert trained(names.astype(int)) == trained(names.astype(float)) == wanted
    if labels[0] == "0.5":
        assert trained(names.astype(float)) == wanted
    if labels[0] == "False":
        assert trained(names == "True") == wanted


def test_validation_and_continued_training(letters, tmp_path, trained_by_command):
    x, y, names = letters
    for name, rows in (("train", slice(3000)), ("valid", slice(3000, 4000))):
        pd.DataFrame(x[rows], columns=names).assign(y=y[rows]).to_csv(tmp_path / f"{name}.csv", index=False)
    line = trained_by_command(tmp_path / "train.csv", "--valid", tmp_path / "valid.csv", "--early-stopping-rounds=5", "--learning-rate=0.5")
    train_set = aoso.Dataset(x[:3000], y[:3000], feature_names=names)
    params = {"early_stopping_rounds": 5, "learning_rate": 0.5}
    booster = aoso.train(params, train_set, valid=train_set.aligned(x[3000:4000], y[3000:4000]))
    assert booster.fingerprint == line["fingerprint"]
    assert booster.result.best_iteration == line["best_iteration"]
    assert booster.result.valid == pytest.approx((line["valid_logloss"], line["valid_error_rate"]))

    booster.save(tmp_path / "first.aoso")
    wanted = trained_by_command(tmp_path / "train.csv", "--init", tmp_path / "first.aoso", "--n-estimators=5")["fingerprint"]
    for before in (booster, aoso.Booster.load(tmp_path / "first.aoso")):
        assert aoso.train({"n_estimators": 5}, aoso.Dataset(x[:3000], y[:3000], init_model=before)).fingerprint == wanted
    model = aoso.AOSOClassifier(n_estimators=5).fit(x[:3000], y[:3000], init_model=tmp_path / "first.aoso")
    assert model.booster_.fingerprint == wanted


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["soybean", "adult", "shuttle", "isolet", "optdigits"])
def test_real_data(name, trained_by_command):
    """With missing cells, many features, few rows of a class, a sparse matrix's zeros."""
    path = SHARED / f"{name}.train.csv.gz"
    if not path.exists():
        pytest.skip(f"{path} is not there (AOSO_DATA names its folder)")
    data = pd.read_csv(path, header=None)
    x, y = data.iloc[:, :-1], data.iloc[:, -1]
    wanted = trained_by_command(path, "--n-estimators=15")["fingerprint"]
    assert aoso.train({"n_estimators": 15}, aoso.Dataset(x, y)).fingerprint == wanted
