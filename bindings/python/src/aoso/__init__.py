"""Multi-class gradient boosting by AOSO-LogitBoost.

:class:`AOSOClassifier` is the scikit-learn estimator. :class:`Dataset`, :func:`train`, :func:`cv` and :class:`Booster`
are for those who come from LightGBM or XGBoost. Module :mod:`aoso.plotting` draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._capi import build_info, version
from .booster import Booster, Contributions, merge
from .callback import checkpoint, early_stopping, progress, record_evaluation
from .dataset import Dataset
from .errors import AosoError
from .row import RowPredictor
from .training import cv, suggest_params, train

if TYPE_CHECKING:
    from . import errors, plotting
    from .sklearn import AOSOClassifier

__version__ = "0.1.0"

__all__ = [
    "AOSOClassifier",
    "AosoError",
    "Booster",
    "Contributions",
    "Dataset",
    "RowPredictor",
    "build_info",
    "checkpoint",
    "cv",
    "early_stopping",
    "errors",
    "merge",
    "plotting",
    "progress",
    "record_evaluation",
    "suggest_params",
    "train",
    "version",
]


def __getattr__(name: str) -> Any:
    """Loads what needs more than numpy when it is asked for."""
    import importlib

    if name == "AOSOClassifier":
        return importlib.import_module(".sklearn", __name__).AOSOClassifier
    if name in ("errors", "plotting"):
        return importlib.import_module("." + name, __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
