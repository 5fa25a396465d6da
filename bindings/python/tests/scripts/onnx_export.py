"""A model as ONNX, as onnxmltools and skl2onnx document it for LightGBM."""

import numpy as np
import onnxruntime
from lightgbm import LGBMClassifier
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skl2onnx import convert_sklearn, update_registered_converter
from skl2onnx.common.data_types import FloatTensorType
from skl2onnx.common.shape_calculator import calculate_linear_classifier_output_shapes
from onnxmltools.convert.lightgbm.operator_converters.LightGbm import convert_lightgbm

update_registered_converter(
    LGBMClassifier,
    "LightGbmLGBMClassifier",
    calculate_linear_classifier_output_shapes,
    convert_lightgbm,
    options={"nocl": [True, False], "zipmap": [True, False, "columns"]},
)
X, y = load_iris(return_X_y=True)
X = X.astype(np.float32)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
model = make_pipeline(StandardScaler(), LGBMClassifier(n_estimators=20, verbose=-1)).fit(X_train, y_train)
onx = convert_sklearn(model, "pipeline", [("input", FloatTensorType([None, 4]))], options={id(model): {"zipmap": False}})
session = onnxruntime.InferenceSession(onx.SerializeToString(), providers=["CPUExecutionProvider"])
labels, probabilities = session.run(None, {"input": X_test})
assert (labels == model.predict(X_test)).mean() > 0.95
np.testing.assert_allclose(probabilities, model.predict_proba(X_test), atol=1e-4)
