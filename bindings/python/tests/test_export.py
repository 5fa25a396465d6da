import json

import numpy as np
import pytest

import aoso


def walk(tree, row, scores):
    """What Booster.tree says that a tree does."""
    at = 0 if tree["nodes"] else -1
    while at >= 0:
        node = tree["nodes"][at]
        value, threshold = row[node["feature"]], node["threshold"]
        left = node["missing"] == "left" if np.isnan(value) else threshold is None or value < threshold
        at = node["left" if left else "right"]
    for k, step in tree["leaves"][-1 - at]["steps"]:
        scores[int(k)] += step


def test_json(any_method, letters):
    x = letters[0][2000:2020].copy()
    x[::3, ::4] = np.nan
    model = json.loads(any_method.export("json"))
    assert model["format"] == "aoso-json" and model["features"] == any_method.feature_names
    assert model["classes"] == any_method.classes.tolist()
    assert model["trees"][-1] == any_method.tree(-1) and model["trees"][3] == any_method.tree(3)
    for row, raw in zip(x, any_method.predict_raw(x)):
        scores = np.zeros(26)
        for tree in model["trees"]:
            walk(tree, row, scores)
        np.testing.assert_allclose(scores, raw, rtol=0, atol=1e-9)


def test_json_of_a_calibrated_model(booster, letters):
    calibrated = booster.calibrated(letters[0][4000:5000], letters[1][4000:5000])
    assert json.loads(calibrated.export("json"))["temperature"] == calibrated.temperature


def test_other_formats(any_method):
    onnx, text, dot = (any_method.export(format) for format in ("onnx", "lightgbm", "dot"))
    assert isinstance(onnx, bytes) and b"TreeEnsembleClassifier" in onnx
    assert text.startswith("tree\n") and "num_class=26" in text
    assert dot.startswith("digraph") and dot != any_method.export("dot", tree=-1)
    assert any_method.export("dot", tree=-1) == any_method.export("dot", tree=any_method.num_trees - 1)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("format", aoso.export_formats(), ids=lambda format: format.name)
def test_files(booster, format, tmp_path):
    assert booster.export(format.name, tmp_path / "model") is None
    content = (tmp_path / "model").read_bytes()
    wanted = booster.export(format.name)
    assert format.help and content == (wanted if format.binary else wanted.encode())


def test_force(tmp_path):
    r = np.random.default_rng(0)
    train = aoso.Dataset(r.integers(1000, size=(3000, 36)), np.arange(3000) % 1500)
    booster = aoso.train({"n_estimators": 1, "start": "linear", "leaf": "sparse", "calibration": "none"}, train)
    with pytest.raises(ValueError, match="force is false; allowed: true for a file of 11. MB"):
        booster.export("treelite")
    with pytest.raises(ValueError, match="force is false"):
        booster.export("treelite", tmp_path / "model")
    assert not (tmp_path / "model").exists()
    booster.export("treelite", tmp_path / "model", force=True)
    assert (tmp_path / "model").stat().st_size > 100e6
    assert len(booster.export("onnx")) < 2e6 and len(booster.export("pmml")) < 20e6


def test_what_is_refused(booster, tmp_path):
    allowed = ", ".join(repr(format.name) for format in aoso.export_formats())
    assert {"'onnx'", "'lightgbm'", "'json'", "'dot'", "'text'"} <= set(allowed.split(", "))
    for format in ("pdf", "", None):
        with pytest.raises(ValueError, match=f"format is {format!r}; allowed: {allowed}"):
            booster.export(format)
    for tree in (300, -301, 1.5):
        for call in (booster.tree, lambda tree: booster.export("dot", tree=tree)):
            with pytest.raises(ValueError, match=f"tree is {tree}; allowed: -300 to 299"):
                call(tree)
    with pytest.raises(OSError, match="no such file"):
        booster.export("json", tmp_path / "no" / "where")
    with pytest.raises(ValueError, match="null character"):
        booster.export("json", "a\0b")
    alone = aoso.train({"n_estimators": 1}, aoso.Dataset([[1], [2]], ["a", "a"]))
    with pytest.raises(ValueError, match="classes is 1; allowed: at least 2"):
        alone.export("onnx")
    assert json.loads(alone.export("json"))["trees"] == []
    with pytest.raises(ValueError, match="tree is 3; allowed: 0, because format json shows all trees"):
        booster.export("json", tree=3)
