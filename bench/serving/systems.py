"""Ways to serve a trained model. All use one thread.

``batch`` returns the probabilities of many rows. ``one`` returns the CPU microseconds of a row and the probabilities, row by row:
through the function in C that the system has for it, called by rows.c, or else through Python.
"""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Protocol

import aoso
import lightgbm
import numpy as np

from bench.sets import ROOT

FOLDER = Path(tempfile.mkdtemp())
AOSO, LIGHTGBM, TREELITE, LLEAVES = range(4)


class System(Protocol):
    def batch(self, x: np.ndarray) -> np.ndarray: ...

    def one(self, x: np.ndarray) -> tuple[float, np.ndarray]: ...


def loop() -> Any:
    path = FOLDER / "rows.so"
    if not path.exists():
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", Path(__file__).with_name("rows.c"), "-o", path], check=True)
    time_rows = ctypes.CDLL(str(path)).time_rows
    time_rows.restype = ctypes.c_double
    return time_rows


def rows(kind: int, function: Any, obj: Any, x: np.ndarray, classes: int) -> tuple[float, np.ndarray]:
    n, features = x.shape
    out = np.zeros((n, classes))
    count = ctypes.c_int64
    taken = loop()(kind, function, obj, ctypes.c_void_p(x.ctypes.data), count(n), count(features), ctypes.c_void_p(out.ctypes.data), count(classes))
    return taken, out


class Aoso:
    """The library that trains."""

    def __init__(self, booster: aoso.Booster) -> None:
        self._booster, self._classes = booster, len(booster.classes)
        self._lib, self._model, self._predictor = ctypes.CDLL(str(ROOT / "build/lib/libaoso.so")), ctypes.c_void_p(), ctypes.c_void_p()
        file = booster.to_bytes()
        assert self._lib.aoso_model_decode(file, ctypes.c_size_t(len(file)), ctypes.byref(self._model)) == 0
        assert self._lib.aoso_predictor_create(self._model, None, ctypes.byref(self._predictor)) == 0

    def batch(self, x: np.ndarray) -> np.ndarray:
        return self._booster.predict_proba(x, nthread=1)

    def one(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        return rows(AOSO, self._lib.aoso_predictor_proba, self._predictor, x, self._classes)


class _Rows(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("type", ctypes.c_int32), ("reserved", ctypes.c_int32)] + [
        (name, ctypes.c_int64) for name in ("rows", "cols", "row_stride", "col_stride")
    ]


class Predict:
    """libaoso_predict."""

    def __init__(self, booster: aoso.Booster) -> None:
        self._classes = len(booster.classes)
        self._lib, self._model = ctypes.CDLL(str(ROOT / "build/lib/libaoso_predict.so")), ctypes.c_void_p()
        file = booster.to_bytes()
        assert self._lib.aosop_decode(file, ctypes.c_size_t(len(file)), ctypes.byref(self._model)) == 0

    def batch(self, x: np.ndarray) -> np.ndarray:
        n, cols = x.shape
        own, out = _Rows(x.ctypes.data, 2, 0, n, cols, cols, 1), np.empty((n, self._classes))
        length = ctypes.c_int64(out.size)
        assert self._lib.aosop_predict_proba(self._model, ctypes.byref(own), ctypes.c_int64(0), ctypes.c_void_p(out.ctypes.data), length) == 0
        return out

    def one(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        return rows(AOSO, self._lib.aosop_row_proba, self._model, x, self._classes)


class Onnx:
    """ONNX Runtime with the model that aoso exports. It has no function for single rows: Python calls it for each."""

    def __init__(self, booster: aoso.Booster) -> None:
        import onnxruntime

        path = FOLDER / "model.onnx"
        booster.export("onnx", path)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def _run(self, x: np.ndarray) -> np.ndarray:
        return self._session.run(["probabilities"], {"X": x})[0]

    def batch(self, x: np.ndarray) -> np.ndarray:
        return self._run(x.astype(np.float32))

    def one(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        each = [row[None] for row in x.astype(np.float32)]
        start = time.thread_time()
        out = [self._run(row) for row in each]
        return 1e6 * (time.thread_time() - start) / len(x), np.concatenate(out)


class LightGBM:
    """LightGBM, with its function for single rows."""

    def __init__(self, booster: lightgbm.Booster) -> None:
        self._booster, self._classes = booster, booster.num_model_per_iteration()
        self._lib, self._config = lightgbm.basic._LIB, ctypes.c_void_p()
        features = ctypes.c_int(booster.num_feature())
        init = self._lib.LGBM_BoosterPredictForMatSingleRowFastInit
        assert init(booster._handle, 0, 0, 0, 1, features, b"num_threads=1", ctypes.byref(self._config)) == 0

    def batch(self, x: np.ndarray) -> np.ndarray:
        return self._booster.predict(x, num_threads=1)

    def one(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        return rows(LIGHTGBM, self._lib.LGBM_BoosterPredictForMatSingleRowFast, self._config, x, self._classes)


class TL2cgen:
    """LightGBM's model as C, which TL2cgen writes from treelite's form of it, compiled by gcc."""

    def __init__(self, booster: lightgbm.Booster) -> None:
        import tl2cgen
        import treelite

        self._classes = booster.num_model_per_iteration()
        path = FOLDER / "tl2cgen.so"
        model = treelite.frontend.load_lightgbm_model(_saved(booster))
        tl2cgen.export_lib(model, toolchain="gcc", libpath=path, params={"parallel_comp": 8}, options=["-O2"])
        self._lib, self._matrix = ctypes.CDLL(str(path)), tl2cgen.DMatrix
        self._predictor = tl2cgen.Predictor(path, nthread=1)

    def batch(self, x: np.ndarray) -> np.ndarray:
        return self._predictor.predict(self._matrix(x)).reshape(len(x), -1)

    def one(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        return rows(TREELITE, self._lib.predict, None, x, self._classes)


class Lleaves:
    """LightGBM's model, which lleaves compiles through LLVM."""

    def __init__(self, booster: lightgbm.Booster) -> None:
        import lleaves

        self._classes, self._model = booster.num_model_per_iteration(), lleaves.Model(model_file=_saved(booster))
        self._model.compile(fblocksize=self._model.num_trees())
        self._function = ctypes.cast(self._model._c_entry_func, ctypes.c_void_p)

    def batch(self, x: np.ndarray) -> np.ndarray:
        return self._model.predict(x, n_jobs=1)

    def one(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        return rows(LLEAVES, self._function, None, x, self._classes)


def _saved(booster: lightgbm.Booster) -> str:
    path = FOLDER / "lightgbm.txt"
    booster.save_model(path)
    return str(path)


OURS = {"aoso": Aoso, "libaoso_predict": Predict, "onnx": Onnx}
THEIRS = {"lightgbm": LightGBM, "tl2cgen": TL2cgen, "lleaves": Lleaves}
