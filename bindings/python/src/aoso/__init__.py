"""Multi-class gradient boosting with AOSO-LogitBoost.

:class:`AOSOClassifier` is the scikit-learn estimator. :class:`Dataset`, :func:`train`, :func:`cv` and :class:`Booster`
resemble the interfaces of LightGBM and XGBoost. The module :mod:`aoso.plotting` draws plots.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._capi import build_info, export_formats, version
from ._cv import cv
from ._progress import Evaluation, Result
from ._row import RowPredictor
from .booster import Booster, merge
from .callback import Progress, checkpoint, early_stopping, log_evaluation, progress, record_evaluation, reset_parameter
from .codes import suggest_codes
from .collective import Collective
from .contributions import Contributions
from .dataset import Dataset
from .errors import AosoError
from .training import suggest_params, train
from .tuning import Tuning, tune

if TYPE_CHECKING:
    from . import errors, plotting
    from .sklearn import AOSOClassifier

__version__ = "0.1.0"

__all__ = [
    "AOSOClassifier",
    "AosoError",
    "Booster",
    "Collective",
    "Contributions",
    "Dataset",
    "Evaluation",
    "Progress",
    "Result",
    "RowPredictor",
    "Tuning",
    "build_info",
    "checkpoint",
    "cv",
    "early_stopping",
    "errors",
    "export_formats",
    "log_evaluation",
    "merge",
    "plotting",
    "progress",
    "record_evaluation",
    "reset_parameter",
    "suggest_codes",
    "suggest_params",
    "train",
    "tune",
    "version",
]


def __dir__() -> list[str]:
    """The public names."""
    return [*__all__, "__version__"]


# What takes the place of names in other libraries.
_INSTEAD = {
    **dict.fromkeys(("DMatrix", "QuantileDMatrix", "Pool"), "write Dataset(x, y) to train, and predict from x itself"),
    **dict.fromkeys(
        ("LGBMClassifier", "XGBClassifier", "CatBoostClassifier", "HistGradientBoostingClassifier"),
        "write AOSOClassifier, which takes its parameters",
    ),
    **dict.fromkeys(("LGBMRegressor", "XGBRegressor", "CatBoostRegressor"), "there is no regression"),
    "LGBMRanker": "there is no ranking",
}


def __getattr__(name: str) -> Any:
    """Import names that need more than numpy on first use."""
    import importlib

    if name == "AOSOClassifier":
        return importlib.import_module(".sklearn", __name__).AOSOClassifier
    if name.startswith("plot_"):
        return getattr(importlib.import_module(".plotting", __name__), name)
    if name in ("errors", "plotting"):
        return importlib.import_module("." + name, __name__)
    instead = _INSTEAD.get(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}" + (f"; {instead}" if instead else ""))
