"""What the estimators of other libraries have: parameters by their names, and some methods and attributes."""

from __future__ import annotations

import functools
import inspect
import os
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _familiar, _others, _rows
from ._capi import Array
from ._parameters import ELSEWHERE, TYPES
from .booster import Booster
from ._scalars import plain
from .errors import ArgumentError

_Estimator = TypeVar("_Estimator", bound="Compatible")
_Method = TypeVar("_Method", bound=Callable[..., Any])

# Parameters of the estimator that are none of training, or not under that name.
_APART = {"warm_start", "validation_fraction", "n_jobs", "random_state", *ELSEWHERE}

# Arguments of fit that others have, and ours; "": they have no effect.
_OF_FIT = {
    "feature_name": "feature_names",
    "categorical_feature": "categorical_features",
    "cat_features": "categorical_features",
    "xgb_model": "init_model",
    **dict.fromkeys(("use_best_model", "plot", "plot_file", "logging_level", "silent", "metric_period", "verbose_eval"), ""),
}


# What takes the place of attributes that others have.
_INSTEAD = {
    "best_iteration": "write best_iteration_, which counts from 1",
    "best_score": "write best_score_, which has all sets and metrics",
}


def restoring(fit: _Method) -> _Method:
    """A method ``fit`` that leaves the estimator as it was if it raises an error: not fitted, or with the model of the last fit."""

    @functools.wraps(fit)
    def fit_or_restore(self: Any, *arguments: Any, **others: Any) -> Any:
        before = dict(vars(self))
        try:
            return fit(self, *arguments, **others)
        except BaseException:
            for name in set(vars(self)).difference(before):
                delattr(self, name)
            vars(self).update(before)
            raise

    return cast(_Method, fit_or_restore)


class Compatible:
    """Parameters that the signature lacks are attributes like the others, but only of the estimators that have got them."""

    booster_: Booster
    classes_: Array
    n_iter_: int
    best_iteration_: int
    evals_result_: dict[str, dict[str, list[float]]]
    _unknown: Sequence[str] = ()
    _further: Mapping[str, Any] = types.MappingProxyType({})  # parameters that the signature lacks

    if TYPE_CHECKING:

        @classmethod
        def _get_param_names(cls) -> list[str]: ...

        def staged_predict_proba(self, X: Any, every: int = 1) -> Iterator[Array]: ...

    def _set_others(self, others: dict[str, Any]) -> None:
        if others:
            self._further = dict(others)
        unknown = [name for name in others if not _others.known(name)]
        if unknown:  # fit refuses them: scikit-learn wants no errors before
            self._unknown = unknown

    def __getattr__(self, name: str) -> Any:
        if name in self._further:
            return self._further[name]
        if name in _INSTEAD:
            raise _familiar.no_attribute(self, name, _INSTEAD)
        return object.__getattribute__(self, name)  # for its error, or that of a property

    def __setattr__(self, name: str, value: Any) -> None:
        if _others.known(name) and name not in self._own():
            self._further = {**self._further, name: value}
        else:
            super().__setattr__(name, value)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters, with those by names of other libraries that have been given.

        Parameters
        ----------
        deep : bool, default True
            Has no effect.

        Returns
        -------
        dict
        """
        params: dict[str, Any] = super().get_params(deep)  # type: ignore[misc]
        return {**params, **self._further}

    def set_params(self: _Estimator, **params: Any) -> _Estimator:
        """Set parameters, also by names of other libraries. What was set before by another name is forgotten.

        Parameters
        ----------
        **params

        Returns
        -------
        AOSOClassifier
            The estimator itself.
        """
        defaults = self._defaults()
        known = {*self.get_params(), *self._unknown}
        unknown = [name for name in params if not (name in known or _others.known(name))]
        if unknown:
            raise ArgumentError(_others.unknown(unknown, list(dict.fromkeys([*self._get_param_names(), *TYPES]))))
        meant = {_others.OURS[name] for name in params if name in _others.OURS}
        for name in [*defaults, *self._further]:
            if _others.OURS.get(name) in meant:
                if name in defaults:
                    setattr(self, name, defaults[name])
                else:
                    self._further = {other: value for other, value in self._further.items() if other != name}
        for name, value in params.items():
            setattr(self, name, value)
        return self

    @classmethod
    @functools.lru_cache(maxsize=None)
    def _own(cls) -> frozenset[str]:
        """The parameters of the signature, and of a subclass's."""
        return frozenset([*cls._get_param_names(), *cls._defaults()])

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        """Those of AOSOClassifier; a subclass may have others."""
        base = next(c for c in cls.__mro__ if Compatible in c.__bases__)
        parameters = inspect.signature(base.__init__).parameters.values()  # type: ignore[misc]
        return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}

    def _meant(self, check: bool = True, **arguments: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the parameters mean: those of training, and the others by our names. Arguments of fit count more."""
        arguments = {name: value for name, value in arguments.items() if value is not None}
        replaced = {_others.OURS[name] for name in arguments}
        defaults = self._defaults()
        others = {name: value for name, value in self._further.items() if _others.OURS.get(name) not in replaced}
        twice = {_others.OURS.get(name) for name in others}
        own = {name: plain(getattr(self, name)) for name in defaults}
        spelled = {  # two spellings conflict, unless ours has its default
            name: value
            for name, value in own.items()
            if name not in replaced
            and (not _same(value, defaults[name]) if _others.OURS.get(name) in twice else name not in _APART)
        }
        training, dataset = _others.parameters({**spelled, **others}, check, **arguments)
        own.update({"max_bin": 255, "sample_rows": 200_000, **dataset})
        if "seed" in training:
            own["random_state"] = training.pop("seed")
        if "nthread" in training:
            own["n_jobs"] = training.pop("nthread") or -1
        return training, own

    def _threads(self) -> int:
        return _rows.threads(self._meant(check=False)[1]["n_jobs"])

    def _of_fit(self, others: dict[str, Any]) -> dict[str, Any]:
        """Arguments of fit by our names, without those that have no effect."""
        strange = [name for name in others if name not in _OF_FIT]
        if strange:
            known = ", ".join(name for name, ours in _OF_FIT.items() if ours)
            raise ArgumentError(f"fit has no argument {', '.join(map(repr, strange))}; allowed: those of its documentation, and {known}")
        meant = {ours: others.get(name) for name, ours in _OF_FIT.items() if ours and name in others}
        return {ours: value for ours, value in meant.items() if value is not None and not (isinstance(value, str) and value == "auto")}

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
        return min(iterations * self.booster_.trees_per_iteration, self.booster_.num_trees)

    def _predict_as(
        self,
        x: Any,
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
        model, trees, nthread = self.booster_, self._trees_of(**first), self._threads()
        if pred_leaf:
            return model.predict_leaf(x, trees=trees, nthread=nthread)
        if pred_contrib or pred_contribs:
            values = model.shap(x, trees=trees, nthread=nthread)
            return values if pred_contribs else values.reshape(len(values), -1)
        if raw_score or output_margin:
            return model.predict_raw(x, trees=trees, nthread=nthread)
        return model.predict(x, trees=trees, nthread=nthread)

    @property
    def n_classes_(self) -> int:
        """The number of classes."""
        check_is_fitted(self)
        return len(self.classes_)

    @property
    def tree_count_(self) -> int:
        """CatBoost's name for :attr:`n_estimators_`."""
        return self.n_estimators_

    @property
    def n_estimators_(self) -> int:
        """Iterations of the model."""
        check_is_fitted(self)
        return self.booster_.num_iterations

    @property
    def best_score_(self) -> dict[str, dict[str, float]]:
        """By evaluation set and metric, the value of the best iteration."""
        check_is_fitted(self)
        at = self.best_iteration_ - 1
        return {
            name: {metric: values[min(at, len(values) - 1)] for metric, values in metrics.items()}
            for name, metrics in self.evals_result_.items()
        }

    @property
    def feature_name_(self) -> list[str]:
        """The names of the features."""
        check_is_fitted(self)
        return self.booster_.feature_names

    def evals_result(self) -> dict[str, dict[str, list[float]]]:
        """``evals_result_`` as XGBoost has it: the sets are validation_0, ..., the metrics also mlogloss and merror.

        Returns
        -------
        dict
        """
        check_is_fitted(self)
        names = {"logloss": "mlogloss", "error": "merror"}
        return {
            f"validation_{j}": {**metrics, **{names[name]: metrics[name] for name in names if name in metrics}}
            for j, metrics in enumerate(self.evals_result_.values())
        }

    def get_booster(self) -> Booster:
        """The model: ``booster_``."""
        check_is_fitted(self)
        return self.booster_

    def staged_predict(self, X: Any, every: int = 1) -> Iterator[Array]:
        """The most likely classes at stages of boosting: after every ``every`` iterations, and at the end.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
        every : int, default 1
            Iterations between two stages.

        Yields
        ------
        array of shape (n_samples,)
        """
        return (self.classes_[proba.argmax(axis=1)] for proba in self.staged_predict_proba(X, every))

    def explain(self, X: Any) -> Any:
        """SHAP values as an object of the package shap, for its plots. Needs shap.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)

        Returns
        -------
        shap.Explanation
            As :meth:`aoso.Booster.explain` returns it, with the classes in the order of ``classes_``.
        """
        explanation = self.get_booster().explain(X)
        order = self.booster_.classes.argsort()
        explanation.values = explanation.values[:, :, order]
        explanation.base_values = explanation.base_values[:, order]
        explanation.output_names = [str(label) for label in self.booster_.classes[order]]
        return explanation

    def save_model(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file: see :meth:`aoso.Booster.save`.

        Parameters
        ----------
        path : path
        """
        self.get_booster().save(path)

    def load_model(self: _Estimator, path: str | os.PathLike[str]) -> _Estimator:
        """Take the model of a file. The parameters of the estimator stay.

        Parameters
        ----------
        path : path

        Returns
        -------
        AOSOClassifier
            The estimator itself.
        """
        self._take(Booster.load(path))
        return self

    @classmethod
    def from_booster(cls: type[_Estimator], booster: Booster) -> _Estimator:
        """An estimator of a trained model, with its parameters.

        Parameters
        ----------
        booster : Booster

        Returns
        -------
        AOSOClassifier
        """
        if not isinstance(booster, Booster):
            raise ArgumentError(f"booster is a {type(booster).__name__}; allowed: a Booster")
        names = {"seed": "random_state", "nthread": "n_jobs"}
        estimator = cls(**{names.get(name, name): value for name, value in booster.params.items() if value != "auto"})
        estimator._take(booster)
        return estimator

    def _take(self, booster: Booster) -> None:
        names = booster.feature_names
        self.booster_, self.classes_ = booster, np.sort(booster.classes)
        self.n_features_in_ = len(names)
        vars(self).pop("feature_names_in_", None)
        if booster._info.named:
            self.feature_names_in_ = np.array(names, object)
        self.is_categorical_ = np.array([name in booster.categories for name in names])
        iterations, result = booster.num_iterations, booster.result
        self.n_iter_, self.best_iteration_ = (iterations,) * 2 if result is None else (result.iterations, result.best_iteration)
        self.evals_result_ = {}


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and bool(value == default))
