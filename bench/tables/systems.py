"""The libraries with their defaults, each as an estimator with ``fit`` and ``predict_proba`` that uses one thread.

Where a library draws random numbers without a fixed seed, it gets one, so that a run can be repeated.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bench.tables.frames import texts


def categories(table: pd.DataFrame) -> pd.DataFrame:
    """Columns of text as pandas categories. The rows to test on have the same type, which XGBoost and LightGBM need."""
    return table.astype(dict.fromkeys(texts(table), "category"))


def filled(word: str) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """Writes a word in the empty cells of text."""
    return lambda table: table.fillna(dict.fromkeys(texts(table), word)) if texts(table) else table


def aoso(_: list[str]) -> Any:
    import aoso

    return aoso.AOSOClassifier(n_jobs=1)


def lightgbm(_: list[str]) -> Any:
    import lightgbm

    return lightgbm.LGBMClassifier(n_jobs=1, verbose=-1)


def xgboost(_: list[str]) -> Any:
    import xgboost

    return xgboost.XGBClassifier(n_jobs=1, enable_categorical=True)


def xgboost_vector(_: list[str]) -> Any:
    import xgboost

    return xgboost.XGBClassifier(n_jobs=1, enable_categorical=True, multi_strategy="multi_output_tree")


def catboost(names: list[str]) -> Any:
    import catboost

    return catboost.CatBoostClassifier(thread_count=1, verbose=0, allow_writing_files=False, cat_features=names)


def sklearn(_: list[str]) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=0)


class Ydf:
    """The learner of YDF as an estimator."""

    def fit(self, x: pd.DataFrame, y: np.ndarray) -> None:
        import ydf

        learner = ydf.GradientBoostedTreesLearner(label="label", num_threads=1)
        self.model = learner.train(x.assign(label=y), verbose=0)
        self.order = np.argsort([int(name) for name in self.model.label_classes()])

    def predict_proba(self, x: pd.DataFrame) -> np.ndarray:
        return self.model.predict(x, num_threads=1)[:, self.order]


def chimeraboost(names: list[str]) -> Any:
    import chimeraboost

    chimeraboost.warmup()  # compiles its code, which belongs to no training
    return chimeraboost.ChimeraBoostClassifier(thread_count=1, random_state=0, cat_features=names or None)


def ctboost(names: list[str]) -> Any:
    import ctboost

    return ctboost.CTBoostClassifier(cat_features=names or None)


def _catboost_size(model: Any) -> int:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model"
        model.save_model(file)
        return file.stat().st_size


@dataclass(frozen=True)
class System:
    title: str
    package: str
    make: Callable[[list[str]], Any]  # takes the names of the columns of text
    size: Callable[[Any], int]  # the bytes of a model as the library saves it
    prepare: Callable[[pd.DataFrame], pd.DataFrame] = categories


def _pickled(model: Any) -> int:
    return len(pickle.dumps(model))


# CatBoost and YDF take no missing category: CatBoost's guide writes "nan", and for YDF an empty string is missing.
SYSTEMS = {
    "aoso": System("aoso", "aoso", aoso, lambda m: len(m.booster_.to_bytes())),
    "lightgbm": System("LightGBM", "lightgbm", lightgbm, lambda m: len(m.booster_.model_to_string())),
    "xgboost": System("XGBoost", "xgboost-cpu", xgboost, lambda m: len(m.get_booster().save_raw())),
    "xgboost-vector": System("XGBoost, vector leaves", "xgboost-cpu", xgboost_vector, lambda m: len(m.get_booster().save_raw())),
    "catboost": System("CatBoost", "catboost", catboost, _catboost_size, filled("nan")),
    "sklearn": System("scikit-learn", "scikit-learn", sklearn, _pickled),
    "ydf": System("YDF", "ydf", lambda _: Ydf(), lambda m: len(m.model.serialize()), filled("")),
    "chimeraboost": System("ChimeraBoost", "chimeraboost", chimeraboost, _pickled),
    "ctboost": System("CTBoost", "ctboost", ctboost, _pickled),
}
