"""What the boosters of LightGBM and XGBoost have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._progress import Result

# What takes the place of names that the boosters of other libraries have.
INSTEAD = {
    **dict.fromkeys(("dump_model", "get_dump", "dump"), 'write export("json", path), or export("text")'),
    **dict.fromkeys(("model_to_string", "save_raw", "serialize"), "write to_bytes()"),
    **dict.fromkeys(("model_from_string", "load_model"), "write Booster.load(path) or Booster.from_bytes(data)"),
    **dict.fromkeys(("update", "boost", "rollback_one_iter"), "write train(params, Dataset(x, y, init_model=booster)) to add trees"),
    **dict.fromkeys(("best_score", "best_score_"), "write result.valid, or record_evaluation() among the callbacks of train"),
    **dict.fromkeys(("eval", "eval_set", "eval_valid", "eval_train"), "write evaluate(x, y)"),
    **dict.fromkeys(("set_param", "reset_parameter"), "write params for train; a model never changes"),
    **dict.fromkeys(("inplace_predict", "predict_log_proba"), "write predict_proba(x)"),
    "num_model_per_iteration": "write trees_per_iteration",
    **dict.fromkeys(("feature_importances_", "feature_importance", "get_score"), 'write importance("gain") or importance("split")'),
    **dict.fromkeys(("best_ntree_limit", "num_boosted_rounds", "current_iteration"), "write num_iterations"),
    **dict.fromkeys(("feature_name", "feature_name_"), "write feature_names"),
    **dict.fromkeys(("num_feature", "n_features_in_"), "write num_features"),
    "save_model": "write save(path)",
    "get_params": "write params",
    "get_fscore": 'write importance("split")',
    **dict.fromkeys(("get_split_value_histogram", "get_leaf_output"), 'write export("json", path), which has every split and leaf'),
    "shuffle_models": "there is nothing like it",
}


# The same for their datasets.
INSTEAD_OF_DATASET = {
    "num_data": "write num_rows",
    **dict.fromkeys(("num_feature", "num_col"), "write num_features"),
    "num_row": "write num_rows",
    "create_valid": "write aligned(x, y)",
    **dict.fromkeys(("subset", "slice"), "write Dataset(x[rows], y[rows])"),
    **dict.fromkeys(("set_label", "set_weight", "set_info", "set_categorical_feature", "set_reference"), "write it as an argument of Dataset"),
    "save_binary": "write save(path)",
    "get_data": "there is nothing like it",
    **dict.fromkeys(("feature_name", "get_feature_name"), "write feature_names"),
}

# What takes the place of arguments of their predict.
INSTEAD_OF_ARGUMENTS = {
    **dict.fromkeys(("raw_score", "output_margin"), "predict_raw(x)"),
    "pred_leaf": "predict_leaf(x)",
    **dict.fromkeys(("pred_contrib", "pred_contribs"), "shap(x)"),
    **dict.fromkeys(("num_iteration", "iteration_range", "ntree_limit"), "trees=n * booster.trees_per_iteration"),
}


def no_attribute(owner: Any, name: str, instead: dict[str, str]) -> AttributeError:
    """The error for an attribute that does not exist, with what to write instead."""
    advice = f"; {instead[name]}" if name in instead else ""
    return AttributeError(f"{type(owner).__name__!r} object has no attribute {name!r}{advice}")


class Familiar:
    """What :class:`aoso.Booster` answers to names of other libraries, and the iterations."""

    if TYPE_CHECKING:
        result: Result | None

        @property
        def num_trees(self) -> int: ...
        @property
        def trees_per_iteration(self) -> int: ...

    def __getattr__(self, name: str) -> Any:
        raise no_attribute(self, name, INSTEAD)

    def _refuse(self, arguments: dict[str, Any]) -> None:
        """Raise an error if predict was given arguments that only other libraries have."""
        for name in arguments:
            instead = INSTEAD_OF_ARGUMENTS.get(name)
            raise TypeError(f"predict() has no argument {name!r}" + (f"; write {instead}" if instead else ""))

    @property
    def best_iteration(self) -> int:
        """The iteration that the model ends with, counted from 1 as LightGBM does."""
        return self.num_iterations if self.result is None else self.result.best_iteration

    @property
    def num_iterations(self) -> int:
        """The number of iterations: with method ``aoso``, the number of trees."""
        return self.num_trees // self.trees_per_iteration
