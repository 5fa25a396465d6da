"""Trains one library with its defaults on a table, and measures how well it does.

The functions return a classifier and change the tables where the library wants them otherwise.
"""

from __future__ import annotations

import resource
from typing import Any

import numpy as np
import pandas as pd

from bench.categories import frames
from bench.categories.frames import Frames


def aoso(_: Frames) -> Any:
    import aoso

    return aoso.AOSOClassifier(n_jobs=1)


def aoso_codes(data: Frames) -> Any:
    """Categories as plain numbers, in the order of their names."""
    import aoso

    names = data.categorical
    for table in (data.x, data.x_test):
        for name in names:
            codes = table[name].cat.codes.astype(float)
            table[name] = codes.where(codes >= 0)
    return aoso.AOSOClassifier(n_jobs=1)


def lightgbm(_: Frames) -> Any:
    import lightgbm

    return lightgbm.LGBMClassifier(n_jobs=1, verbose=-1)


def xgboost(_: Frames) -> Any:
    import xgboost

    return xgboost.XGBClassifier(n_jobs=1, enable_categorical=True)


def catboost(data: Frames) -> Any:
    import catboost

    names = data.categorical
    for table in (data.x, data.x_test):
        for name in names:  # CatBoost takes no missing categories
            table[name] = table[name].astype(object).where(table[name].notna(), "missing")
    return catboost.CatBoostClassifier(thread_count=1, verbose=0, allow_writing_files=False, cat_features=names)


def sklearn(data: Frames) -> Any:
    """scikit-learn takes at most 255 categories, so the others become one."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    most = 254
    for name in data.categorical:
        counts = data.x[name].value_counts()
        if len(counts) > most:
            kept = counts.index[: most - 1]
            kind = pd.CategoricalDtype([*kept, "others"])
            for table in (data.x, data.x_test):
                column = table[name].astype(object)
                table[name] = column.where(column.isna() | column.isin(kept), "others").astype(kind)
    return HistGradientBoostingClassifier(categorical_features="from_dtype")


SYSTEMS = {"aoso": aoso, "aoso, codes": aoso_codes, "lightgbm": lightgbm, "xgboost": xgboost, "catboost": catboost, "sklearn": sklearn}


def measure(job: dict[str, Any]) -> dict[str, Any]:
    data = frames.load(job["table"])
    model = SYSTEMS[job["system"]](data)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    model.fit(data.x, data.y)
    seconds = resource.getrusage(resource.RUSAGE_SELF).ru_utime - before
    proba = np.asarray(model.predict_proba(data.x_test), dtype=float)
    classes = np.asarray(model.classes_).astype(int)
    place = np.searchsorted(classes, data.y_test)
    own = proba[np.arange(len(place)), place]
    return {
        "logloss": round(float(-np.log(np.clip(own, 1e-15, 1)).mean()), 6),
        "errors": int((classes[proba.argmax(axis=1)] != data.y_test).sum()),
        "test_rows": len(place),
        "seconds": round(seconds, 2),
    }
