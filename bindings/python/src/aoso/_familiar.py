"""What the boosters of LightGBM and XGBoost have."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from ._capi import Array
from .errors import ArgumentError

if TYPE_CHECKING:
    from ._progress import Result

# XGBoost's names for kinds of importance.
XGBOOST = {"weight": "split", "total_gain": "gain", "total_cover": "cover"}


# What takes the place of names that the boosters of other libraries have.
INSTEAD = {
    **dict.fromkeys(("dump_model", "get_dump"), 'write export("json", path), or dump() for text'),
    **dict.fromkeys(("model_to_string", "save_raw", "serialize"), "write to_bytes()"),
    **dict.fromkeys(("model_from_string", "load_model"), "write Booster.load(path) or Booster.from_bytes(data)"),
    **dict.fromkeys(("update", "boost", "rollback_one_iter"), "write train(params, Dataset(x, y, init_model=booster)) to add trees"),
    **dict.fromkeys(("best_score", "best_score_"), "write result.valid, or record_evaluation() among the callbacks of train"),
    **dict.fromkeys(("eval", "eval_set", "eval_valid", "eval_train"), "write evaluate(x, y)"),
    **dict.fromkeys(("set_param", "reset_parameter"), "write params for train; a model never changes"),
    **dict.fromkeys(("inplace_predict", "predict_log_proba"), "write predict_proba(x)"),
    "num_model_per_iteration": "write trees_per_iteration",
    "feature_importances_": "write importance()",
    "get_params": "write params",
    "get_fscore": 'write importance("split")',
    **dict.fromkeys(("get_split_value_histogram", "get_leaf_output"), 'write export("json", path), which has every split and leaf'),
    "shuffle_models": "there is nothing like it",
}


class Familiar:
    """Methods and attributes of :class:`aoso.Booster` by the names of other libraries."""

    if TYPE_CHECKING:
        classes: Array
        feature_names: list[str]
        result: Result | None

        @property
        def num_trees(self) -> int: ...
        @property
        def trees_per_iteration(self) -> int: ...
        @property
        def num_features(self) -> int: ...
        def predict(self, x: Any, *, trees: int = 0, nthread: int = 0) -> Array: ...
        def predict_raw(self, x: Any, *, trees: int = 0, nthread: int = 0) -> Array: ...
        def predict_leaf(self, x: Any, *, trees: int = 0, nthread: int = 0) -> Array: ...
        def shap(self, x: Any, *, trees: int = 0, nthread: int = 0) -> Array: ...
        def importance(self, kind: str = "gain") -> Array: ...
        def truncated(self, trees: int) -> Any: ...
        def save(self, path: str | os.PathLike[str]) -> None: ...

    def __getattr__(self, name: str) -> Any:
        instead = INSTEAD.get(name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}" + (f"; {instead}" if instead else ""))

    def _trees_of(
        self,
        num_iteration: int | None = None,
        iteration_range: tuple[int, int] | None = None,
        ntree_limit: int | None = None,
        start_iteration: int = 0,
    ) -> int:
        """The number of trees of the first iterations; 0: all."""
        if iteration_range is not None:
            start_iteration, num_iteration = iteration_range
        if start_iteration != 0:
            name = "start_iteration" if iteration_range is None else "iteration_range"
            given = start_iteration if iteration_range is None else iteration_range
            raise ArgumentError(f"{name} is {given}; allowed: {'0' if iteration_range is None else '(0, n)'}")
        iterations = max(num_iteration or ntree_limit or 0, 0)
        return min(iterations * self.trees_per_iteration, self.num_trees)

    def _predict_as(
        self,
        x: Any,
        trees: int,
        nthread: int,
        *,
        raw_score: bool = False,
        output_margin: bool = False,
        pred_leaf: bool = False,
        pred_contrib: bool = False,
        pred_contribs: bool = False,
        validate_features: bool = True,
        **first: Any,
    ) -> Array:
        """What LightGBM's and XGBoost's ``predict`` return; classes if nothing else is asked for."""
        unknown = first.keys() - {"num_iteration", "iteration_range", "ntree_limit", "start_iteration"}
        if unknown:
            raise TypeError(f"predict() got an unexpected keyword argument {min(unknown)!r}")
        trees = trees or self._trees_of(**first)
        if pred_leaf:
            return self.predict_leaf(x, trees=trees, nthread=nthread)
        if pred_contrib or pred_contribs:
            values = self.shap(x, trees=trees, nthread=nthread)
            return values if pred_contribs else values.reshape(len(values), -1)
        if raw_score or output_margin:
            return self.predict_raw(x, trees=trees, nthread=nthread)
        return self.predict(x, trees=trees, nthread=nthread)

    @property
    def best_iteration(self) -> int:
        """The iteration that the model ends with, counted from 1 as LightGBM does."""
        return self.current_iteration() if self.result is None else self.result.best_iteration

    @property
    def best_ntree_limit(self) -> int:
        """XGBoost's name for :attr:`best_iteration`."""
        return self.best_iteration

    def current_iteration(self) -> int:
        """The number of iterations.

        Returns
        -------
        int
        """
        return self.num_trees // self.trees_per_iteration

    def num_boosted_rounds(self) -> int:
        """XGBoost's name for :meth:`current_iteration`.

        Returns
        -------
        int
        """
        return self.current_iteration()

    def num_feature(self) -> int:
        """The number of features.

        Returns
        -------
        int
        """
        return self.num_features

    def feature_name(self) -> list[str]:
        """The names of the features.

        Returns
        -------
        list of str
        """
        return self.feature_names

    def feature_importance(self, importance_type: str = "split") -> Array:
        """How much each feature contributes: LightGBM's :meth:`aoso.Booster.importance`.

        Parameters
        ----------
        importance_type : {"split", "gain", "cover"}

        Returns
        -------
        array of shape (n_features,), float64
        """
        return self.importance(importance_type)

    def get_score(self, importance_type: str = "weight") -> dict[str, float]:
        """How much each feature contributes, as XGBoost has it. Features without a split are left out.

        Parameters
        ----------
        importance_type : {"weight", "gain", "cover", "total_gain", "total_cover"}
            "weight" is the number of splits, "gain" and "cover" are means over them.

        Returns
        -------
        dict of str to float
        """
        if importance_type not in ("gain", "cover", *XGBOOST):
            raise ArgumentError(f"importance_type is {importance_type!r}; allowed: 'weight', 'gain', 'cover', 'total_gain', 'total_cover'")
        splits = self.importance("split")
        values = self.importance(XGBOOST.get(importance_type, importance_type))
        if importance_type not in XGBOOST:
            values = values / np.maximum(splits, 1)
        return {name: float(value) for name, value, n in zip(self.feature_names, values, splits) if n}

    def save_model(self, filename: str | os.PathLike[str], num_iteration: int | None = None) -> None:
        """Write the model to a file: see :meth:`aoso.Booster.save`.

        Parameters
        ----------
        filename : path
        num_iteration : int, optional
            Only the first iterations. Such a model has no temperature.
        """
        trees = self._trees_of(num_iteration)
        (self.truncated(trees) if 0 < trees < self.num_trees else self).save(filename)
