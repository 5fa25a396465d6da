"""Scripts as people write them for LightGBM and XGBoost run with the import replaced."""

import logging
import re
from pathlib import Path

import pytest

SCRIPTS = sorted((Path(__file__).parent / "scripts").glob("*.py"))

# Lines that have to change too.
CHANGES = {
    "booster": [("model.predict(X_valid)", "model.predict_proba(X_valid)")],
    "onnx_export": [
        ("from onnxmltools.convert.lightgbm.operator_converters.LightGbm import convert_lightgbm", "import aoso.onnx"),
        (
            """update_registered_converter(
    LGBMClassifier,
    "LightGbmLGBMClassifier",
    calculate_linear_classifier_output_shapes,
    convert_lightgbm,
    options={"nocl": [True, False], "zipmap": [True, False, "columns"]},
)""",
            "aoso.onnx.register()",
        ),
    ],
    "early_stopping_rounds": [  # whose best_iteration counts from 0
        ("== model.best_iteration ==", "== model.best_iteration_ - 1 =="),
        ("model.best_iteration + 1", "model.best_iteration_"),
    ],
    "explanation": [("shap.TreeExplainer(model)", "shap.TreeExplainer(model.booster_.to_shap())")],
}


def replaced(script):
    """A script with its imports replaced."""
    text = re.sub(r"^import (lightgbm|xgboost) as", "import aoso as", script.read_text(), flags=re.MULTILINE)
    text = re.sub(r"^from (lightgbm|xgboost) import (.*)$", r"from aoso import \2", text, flags=re.MULTILINE)
    return re.sub(r"(?<=import )(LGBM|XGB)Classifier", r"AOSOClassifier as \1Classifier", text)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_script(script, tmp_path, monkeypatch):
    for name in ("matplotlib", "onnxruntime", "optuna", "shap"):
        if re.search(rf"^(import|from) {name}\b", script.read_text(), re.MULTILINE):
            pytest.importorskip(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(logging.getLogger("aoso"), "disabled", True)
    text = replaced(script)
    for old, new in CHANGES.get(script.stem, []):
        assert text.count(old) == 1
        text = text.replace(old, new)
    exec(compile(text, str(script), "exec"), {"__name__": script.stem})


def test_few_scripts_need_more():
    assert len(SCRIPTS) - len(CHANGES) >= 8
    assert all("aoso" in replaced(script) and not re.search("import (lightgbm|xgboost)|from (lightgbm|xgboost)", replaced(script)) for script in SCRIPTS)
