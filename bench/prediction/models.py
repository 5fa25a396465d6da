"""Trained models of each library, used in the fastest way that its Python package has.

A model consists of the first iterations of a system of :mod:`bench.peers.systems`. All methods use one thread. ``batch``
returns the probabilities of many rows. ``row`` returns a function that returns the probabilities of one row. ``explain``
returns the SHAP values of all classes. ``load`` reads the model file, and ``size`` is its size in bytes.
"""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import aoso
import catboost
import lightgbm
import numpy as np
import xgboost

Predict = Callable[[np.ndarray], Any]


class Model(Protocol):
    size: int

    def batch(self, x: np.ndarray) -> Any: ...

    def row(self) -> Predict: ...

    def explain(self, x: np.ndarray) -> Any: ...

    def load(self) -> Any: ...


def cut(name: str, system: Any, iterations: int) -> Model:
    """The model of the first iterations of a trained system."""
    return MODELS[name](system.model, iterations)


class Aoso:
    def __init__(self, booster: aoso.Booster, iterations: int) -> None:
        self._booster = booster.truncated(iterations * booster.trees_per_iteration)
        self._file = self._booster.to_bytes()
        self.size = len(self._file)

    def batch(self, x: np.ndarray) -> Any:
        return self._booster.predict_proba(x, nthread=1)

    def row(self) -> Predict:
        return self._booster.row_predictor().predict_proba

    def explain(self, x: np.ndarray) -> Any:
        return self._booster.shap(x, nthread=1)

    def load(self) -> Any:
        return aoso.Booster.from_bytes(self._file)


class LightGBM:
    def __init__(self, booster: lightgbm.Booster, iterations: int) -> None:
        self._file = booster.model_to_string(num_iteration=iterations)
        self._booster = self.load()
        self._classes = booster.num_model_per_iteration()
        self.size = len(self._file.encode())

    def batch(self, x: np.ndarray) -> Any:
        return self._booster.predict(x, num_threads=1)

    def row(self) -> Predict:
        """Uses the function for single rows, which only the C API has."""
        lib, config = lightgbm.basic._LIB, ctypes.c_void_p()
        features = self._booster.num_feature()
        status = lib.LGBM_BoosterPredictForMatSingleRowFastInit(
            self._booster._handle, 0, 0, 0, 1, ctypes.c_int(features), b"num_threads=1", ctypes.byref(config)
        )
        assert status == 0, "LGBM_BoosterPredictForMatSingleRowFastInit failed"
        row, out, length = np.empty(features), np.empty(self._classes), ctypes.c_int64()
        call, arguments = lib.LGBM_BoosterPredictForMatSingleRowFast, (
            config,
            ctypes.c_void_p(row.ctypes.data),
            ctypes.byref(length),
            ctypes.c_void_p(out.ctypes.data),
        )

        def predict(x: np.ndarray) -> np.ndarray:
            row[:] = x
            call(*arguments)
            return out.copy()

        return predict

    def explain(self, x: np.ndarray) -> Any:
        return self._booster.predict(x, pred_contrib=True, num_threads=1)

    def load(self) -> Any:
        return lightgbm.Booster(model_str=self._file)


class XGBoost:
    def __init__(self, booster: xgboost.Booster, iterations: int) -> None:
        self._booster = booster[:iterations]
        self._file = self._booster.save_raw("ubj")
        self.size = len(self._file)

    def batch(self, x: np.ndarray) -> Any:
        return self._booster.inplace_predict(x)

    def row(self) -> Predict:
        return lambda x: self._booster.inplace_predict(x[None])

    def explain(self, x: np.ndarray) -> Any:
        return self._booster.predict(xgboost.DMatrix(x), pred_contribs=True)

    def load(self) -> Any:
        return xgboost.Booster(model_file=bytearray(self._file))


class CatBoost:
    def __init__(self, model: catboost.CatBoostClassifier, iterations: int) -> None:
        self._model = model.copy()
        self._model.shrink(ntree_end=iterations)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.cbm"
            self._model.save_model(path)
            self._file = path.read_bytes()
        self.size = len(self._file)

    def batch(self, x: np.ndarray) -> Any:
        return self._model.predict_proba(x, thread_count=1)

    def row(self) -> Predict:
        return lambda x: self._model.predict_proba(x, thread_count=1)

    def explain(self, x: np.ndarray) -> Any:
        return self._model.get_feature_importance(catboost.Pool(x), type="ShapValues", thread_count=1)

    def load(self) -> Any:
        return catboost.CatBoostClassifier().load_model(blob=self._file)


MODELS = {"aoso": Aoso, "lightgbm": LightGBM, "xgboost": XGBoost, "xgboost-vector": XGBoost, "catboost": CatBoost}
