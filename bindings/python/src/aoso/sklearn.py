"""The scikit-learn estimator."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils.validation import check_is_fitted
except ImportError as e:
    raise ImportError(f"AOSOClassifier needs scikit-learn 1.2 or later: pip install 'aoso[sklearn]' ({e})") from e

from . import _labels, _rows, _soft, codes
from ._capi import Array, integer
from ._compatible import Compatible, restoring
from ._decisions import Decisions
from ._partial import Partial
from ._split import split
from .booster import Booster
from .callback import log_evaluation, record_evaluation
from .dataset import Dataset
from .errors import ArgumentError
from .training import train

__all__ = ["AOSOClassifier"]


class AOSOClassifier(Compatible, Decisions, Partial, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Gradient boosting for classification with many classes.

    Each iteration grows one tree for all classes: each node splits on the class pairs that gain most there.

    With nothing set, :meth:`fit` first trains without a part of the rows. They tell which parameters suit the data, how many
    trees to grow, and which temperature makes the best probabilities. Then it trains the model itself on all rows. With
    fewer than 20,000 rows and at most 100 classes, it is the average of six models; ``ensemble=1`` makes a single one.
    ``preset="paper"`` has the same parameters for all data, and neither holds rows out nor calibrates.

    Parameters
    ----------
    preset : {"auto", "fast", "paper", "best"}, default "auto"
        Strategy for parameters that you leave unset. "auto": values for the size of the data, among which held-out rows
        choose; "fast": as auto, with fewer trees and, in most cases, a larger learning_rate; "paper":
        n_estimators=1000, max_leaves=20 and learning_rate=0.1, the M, J and v of the paper, and no calibration; "best":
        as auto, with an ensemble of 20 for fewer than 100,000 rows and at most 100 classes. Methods abc and logitboost
        and data of fewer than 10 rows have the n_estimators, max_leaves and learning_rate of paper. Preset paper leaves
        leaf, pairs and trim at their defaults; the algorithm of the paper has pair, 1 and 0.
    n_estimators : int or None, default None
        Maximum number of trees to grow (the paper's M). When training continues a model, these trees are added to it.
        One iteration must be possible: with K classes, it has K - 1 trees for method abc and K for logitboost.
        Allowed: at least 1. None: 1 to 1000, chosen on held-out rows, for each member of an ensemble.
    max_leaves : int or None, default None
        Maximum number of leaves per tree (the paper's J).
        Allowed: 2 to 65536. None: 8 to 65536, more with more rows and classes.
    learning_rate : float or None, default None
        Learning rate (the paper's shrinkage v): the factor of every leaf value.
        Allowed: above 0, at most 1. None: 0.05 to 0.4, less with noisy labels.
    max_depth : int, default 0
        Maximum number of splits from the root to a leaf; 0 means no limit.
        Allowed: at least 0.
    min_samples_leaf : int or None, default None
        Minimum number of training rows in a leaf.
        Allowed: at least 1. None: 1 to 10, more for few rows with noisy labels.
    monotone_constraints : list, dict, str or None, default None
        How raw scores may change as a feature rises: 1, they never fall; -1, they never rise; 0, unconstrained. A list
        with a sign for each feature, such as [1,0,-1], or a dict such as {"age":1,"weight":-1}. With two classes, a
        sign is for the score of the second. With more, a feature has a list with a sign for each class, or a dict such
        as {"age":{"high":1,"low":-1}}. Missing values follow the learned default direction and are not constrained. See
        the chapter on constraints. Categorical features cannot be constrained. A continued model must have been trained
        with the same constraints.
        None: no constraints.
    interaction_constraints : list, dict, str or None, default None
        Groups of features: the features on a path from the root to a leaf must all be in one group. A list of lists of
        features by number or name, such as [[0,1],["age","weight"]]; or a word: pairwise allows any two features on a
        path, no_interactions only one. Features in none of the groups form one more group. A continued model must have
        been trained with the same constraints.
        None: all features may interact.
    reg_lambda : float or None, default None
        Regularization: a number added to the sums of Hessians in gains and leaf values.
        Allowed: at least 0, at most 3.4e+38. None: 0 to 10, more with noisy labels or from 100,000 rows.
    subsample : float or None, default None
        Fraction of the rows drawn for each tree to search for splits. Which rows are drawn depends on the row ids, not
        on the order of the rows. Below 1, the search uses at most 64 bins per feature. Leaf values are computed from
        all rows.
        Allowed: above 0, at most 1. None: 0.001 to 1, less from 100,000 rows, and for few rows with noisy labels.
    colsample_bytree : float, default 1.0
        Fraction of the features drawn for each tree.
        Allowed: above 0, at most 1.
    colsample_bynode : float or None, default None
        Fraction of the tree's features drawn for each node.
        Allowed: above 0, at most 1. None: 0.001 to 1, less for more features.
    calibration : {"auto", "none", "holdout", "folds"}, default "auto"
        Rows on which training fits the temperature, which calibrates the probabilities. "auto": none with preset paper;
        else the validation set if there is one, the rows that members of an ensemble hold out, folds for fewer than
        2000 rows, or holdout; "none": no rows: the temperature is 1; "holdout": a fifth of the rows, at most 50,000,
        which a first training run holds out; "folds": all rows; each of five first training runs holds out a different
        fifth. Fewer than 10 rows and a single class are not calibrated. A continued model keeps its temperature unless
        there is a validation set, or calibration is holdout or folds: these hold out rows that the model should not
        have seen. With a custom objective, there is no calibration, and holdout and folds are not allowed.
    time_limit : float, default 0.0
        Seconds after which training ends; 0 means no limit. The phase that chooses parameters takes at most two fifths
        of it. Each phase has at least one iteration. The model depends on the speed of the machine.
        Allowed: at least 0, at most 3.4e+38.
    early_stopping_rounds : int, default 0
        Training stops after this many iterations without a better metric on the validation set; 0 turns this off. The
        model then ends with the best iteration. Values above 0 need a validation set.
        Allowed: at least 0.
    metric : {"logloss", "error", "top_k_error", "auc_ovr", "auc_ovr_weighted", "auc_ovo", "auc_ovo_weighted", "balanced_error", "f1_macro", "kappa", "brier", "ece", "custom"}, default "logloss"
        Metric that early stopping monitors. "logloss": the mean of -log p over the rows; "error": the fraction of rows
        whose predicted class is wrong; "top_k_error": the fraction of rows whose class is not among the top_k most
        likely classes; "auc_ovr": the mean area under the ROC curve of a class against the rest; "auc_ovr_weighted": as
        auc_ovr, with each class weighted by the weight of its rows; "auc_ovo": the mean area under the ROC curve over
        all pairs of classes; "auc_ovo_weighted": as auc_ovo, with each pair weighted by the weight of its rows;
        "balanced_error": 1 minus the mean recall of the classes; "f1_macro": the mean F1 score of the classes; "kappa":
        Cohen's kappa; "brier": the mean squared error of the probabilities, summed over the classes; "ece": the
        expected calibration error of the most likely class; "custom": a metric that the calling program computes.
        Higher is better for the AUC, F1 score and kappa.
    categorical_features : "from_dtype", "auto", None, or array-like, default "from_dtype"
        The features whose values are categories. "from_dtype": those that hold texts or categories; "auto": also columns of
        numbers that :func:`aoso.suggest_codes` suggests, which a warning names; None: no features; or a mask, numbers or names of
        features, which may also hold numbers.
    class_weight : dict or "balanced", optional
        Weights of the classes, by label.
    warm_start : bool, default False
        Whether :meth:`fit` continues the model of the last one until it has ``n_estimators`` trees.
    validation_fraction : float, optional
        The share of the rows that :meth:`fit` sets apart as the evaluation set if it gets none; 0.1 if scikit-learn's
        ``early_stopping`` is True. Otherwise training holds rows out in its own way.
    random_state : int, RandomState or None, default 0
        Seed of all random draws. With the default equal data give equal models.
    n_jobs : int, optional
        Threads. None and -1 are all cores that the process may use, but None is one core in a worker of joblib, and the
        ``n_jobs`` of a ``joblib.parallel_config`` context. The model does not depend on it.
    **others
        All other :doc:`parameters <parameters>`, such as ``method``, ``pairs`` and ``min_child_weight``; ``max_bin`` and ``sample_rows``
        of :class:`aoso.Dataset`; and parameters by the names of LightGBM, XGBoost, CatBoost or scikit-learn, such as
        ``num_leaves`` and ``eta``. They work in ``get_params``, ``set_params`` and searches as well.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The classes: numbers by value, texts by their bytes, also those of digits, and False before True.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features_in_,)
        The column names, if all are strings.
    is_categorical_ : array of shape (n_features_in_,), bool
        Which features are categorical.
    n_iter_ : int
        Iterations of boosting that training did.
    best_iteration_ : int
        The iteration that the model ends with: the best one if the last evaluation set chose the number of trees, else the
        last.
    evals_result_ : dict
        By name of an evaluation set and metric ("logloss", "error"), a list with one number per iteration, also after the
        best one. The log losses are those of raw scores, without a temperature.
    feature_importances_ : array of shape (n_features_in_,)
        Gain of the splits on each feature, as a share of the total.
    booster_ : aoso.Booster
        The model, to save it or for other methods, such as ``booster_.shap(X)``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from aoso import AOSOClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = AOSOClassifier().fit(X[::2], y[::2])
    >>> model.predict_proba(X[1::2]).shape
    (75, 3)
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    """

    def __init__(
        self,
        *,
        preset: str = "auto",
        n_estimators: int | None = None,
        max_leaves: int | None = None,
        learning_rate: float | None = None,
        max_depth: int = 0,
        min_samples_leaf: int | None = None,
        monotone_constraints: Any = None,
        interaction_constraints: Any = None,
        reg_lambda: float | None = None,
        subsample: float | None = None,
        colsample_bytree: float = 1.0,
        colsample_bynode: float | None = None,
        calibration: str = "auto",
        time_limit: float = 0.0,
        early_stopping_rounds: int = 0,
        metric: str = "logloss",
        categorical_features: Any = "from_dtype",
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
        validation_fraction: float | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        **others: Any,
    ) -> None:
        self.preset = preset
        self.n_estimators = n_estimators
        self.max_leaves = max_leaves
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.monotone_constraints = monotone_constraints
        self.interaction_constraints = interaction_constraints
        self.reg_lambda = reg_lambda
        self.subsample = subsample
        self.colsample_bytree = colsample_bytree
        self.colsample_bynode = colsample_bynode
        self.calibration = calibration
        self.time_limit = time_limit
        self.early_stopping_rounds = early_stopping_rounds
        self.metric = metric
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.validation_fraction = validation_fraction
        self.random_state = random_state
        self.n_jobs = n_jobs
        self._set_others(others)

    @restoring
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        eval_set: Any = None,
        eval_names: Iterable[str] | None = None,
        eval_X: Any = None,
        eval_y: Any = None,
        eval_sample_weight: Any = None,
        eval_metric: Any = None,
        early_stopping_rounds: int | None = None,
        verbose: bool | int = False,
        callbacks: Iterable[Callable[[Any], Any]] | None = None,
        groups: Any = None,
        times: Any = None,
        init_model: Booster | AOSOClassifier | str | os.PathLike[str] | None = None,
        **others: Any,
    ) -> AOSOClassifier:
        """Train on labelled data.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            A numpy array, a pandas or polars data frame, a pyarrow table or record batch, a scipy sparse matrix, or lists,
            of any types that :class:`aoso.Dataset` takes. Texts and categories are categorical features, unless
            ``categorical_features`` says otherwise. NaN, None, NaT, nulls, masked values and empty texts are missing.
        y : array of shape (n_samples,) or (n_samples, n_classes)
            The classes: ints, strings, bools. Or soft labels: the share of each class in each row, whose classes are the column names
            of a data frame, or 0, 1, ...; see :class:`aoso.Dataset`.
        sample_weight : array of shape (n_samples,), optional
            Weights, not negative.
        eval_set : (X, y) or (X, y, weight), or a list of them, optional
            Sets to evaluate on during training. The last one whose ``X`` is not that of training takes the place of the rows
            that training holds out by default: it chooses the number of trees and calibrates the probabilities, and early
            stopping watches it.
        eval_names : list of str, optional
            Names of the sets; by default valid_0, valid_1, ...
        eval_X, eval_y
            A table and its labels, or a tuple of each, in place of ``eval_set``.
        eval_sample_weight : list of arrays, optional
            The weights of the sets; with a single ``eval_X``, an array.
        eval_metric : str, callable, or list of them, optional
            The parameter ``metric``, also by names of other libraries; the first one counts. A callable gets the labels and
            the probabilities of a set, and returns a number of which lower is better, or ``(name, value, higher_is_better)``.
        early_stopping_rounds : int, optional
            The parameter ``early_stopping_rounds``.
        verbose : bool or int, default False
            Iterations between two reports: see :func:`aoso.log_evaluation`.
        callbacks : iterable of callables, optional
            See :func:`aoso.train`.
        groups, times : array of shape (n_samples,), optional
            The group or the time of each row: which rows are held out, see :func:`aoso.train`. Without effect with ``eval_set``.
        init_model : Booster, AOSOClassifier or path, optional
            A model to continue: training adds ``n_estimators`` trees to it. Labels of ``y`` that it does not know become new
            classes; it must know one of them. See :class:`aoso.Dataset`.
        **others
            LightGBM's ``feature_name`` and ``categorical_feature``, CatBoost's ``cat_features``, and XGBoost's ``xgb_model``. Others
            of theirs that choose nothing here, such as ``use_best_model`` and ``plot``, have no effect.

        Returns
        -------
        AOSOClassifier
            The estimator itself.
        """
        params, own = self._meant(eval_metric=eval_metric, early_stopping_rounds=early_stopping_rounds)
        given, others = X, self._of_fit(others)
        held = split(groups, times, y.shape[0] if _soft.given(y) and hasattr(y, "shape") else len(y)) if groups is not None or times is not None else None
        X, y, weight, rows = self._training_rows(X, y, sample_weight, own["class_weight"])
        seed, nthread = _rows.seed(own["random_state"]), _rows.threads(own["n_jobs"])
        sets = _rows.evaluation_sets(eval_set, eval_names, eval_X, eval_y, eval_sample_weight)
        names, sets = list(sets), _rows.last_first(sets, given)
        fraction = self._fraction(params)
        if not sets and fraction is not None:
            if held is not None:
                raise ArgumentError("validation_fraction is set; allowed with groups or times: None, because they say which rows are held out")
            X, y, weight, left, sets = _rows.set_apart(X, y, weight, fraction, seed)
            rows = rows[left]
            names = list(sets)
        before = self._before(others.get("init_model", init_model), params)
        train_set = Dataset(
            X,
            y,
            weight=weight,
            feature_names=others.get("feature_names") or list(getattr(self, "feature_names_in_", ())) or None,
            categorical_features=self._categories(others.get("categorical_features", own["categorical_features"]), before, X, y, weight, seed, nthread),
            max_bin=own["max_bin"],
            sample_rows=own["sample_rows"],
            seed=seed,
            nthread=nthread,
            init_model=before,
            free_raw_data=True,
        )
        params.update(seed=seed, nthread=nthread)
        valid_sets = {name: train_set.aligned(self._read(x, reset=False), *rest[:1], weight=rest[1]) for name, (x, *rest) in sets.items()}
        recorded: dict[str, dict[str, list[float]]] = {}
        record = [record_evaluation(recorded)] if sets else []
        report = [log_evaluation(integer("verbose", verbose, 0))] if verbose else []
        self.booster_ = train(
            params,
            train_set,
            valid_sets=valid_sets,
            feval=_rows.metric_of(params),
            callbacks=record + report + list(callbacks or ()),
            class_weight=own["class_weight"] if _soft.given(y) else None,
            **({} if held is None or sets else vars(held.take(rows))),
        )
        if (held_out := self.booster_._held_out) is not None:
            self.booster_._held_out = held_out._replace(row=rows[held_out.row])

        self.classes_ = np.sort(self.booster_.classes)
        self.is_categorical_ = np.array([name in self.booster_.categories for name in self.booster_.feature_names])
        result = self.booster_.result
        assert result is not None
        self.n_iter_, self.best_iteration_ = result.iterations, result.best_iteration
        self.evals_result_ = {name: recorded.get(name, {}) for name in sorted(sets, key=names.index)}
        return self

    def _categories(self, spec: Any, before: Booster | None, X: Any, y: Any, weight: Any, seed: int, nthread: int) -> Any:
        """The categorical features, for a dataset."""
        if not isinstance(spec, str) or spec != "auto":
            return spec
        return "from_dtype" if before is not None else codes.chosen(X, y, weight, seed, nthread)

    def _training_rows(self, X: Any, y: Any, sample_weight: Any, class_weight: Any) -> tuple[Any, Array, Array | None, Array]:
        X = self._read(X, reset=True)
        y = _rows.labels(y)
        return _rows.without_weightless(X, y, _rows.weights(y, sample_weight, class_weight))

    def _fraction(self, params: Mapping[str, Any]) -> float | None:
        """The share of the rows to set apart."""
        stops = self._further.get("early_stopping") is True or self._further.get("n_iter_no_change") is not None
        return 0.1 if self.validation_fraction is None and stops and params.get("early_stopping_rounds") else self.validation_fraction

    def _before(self, init_model: Any, params: dict[str, Any]) -> Booster | None:
        """The model to continue. With ``warm_start``, ``n_estimators`` counts its trees too."""
        if init_model is not None or not self.warm_start or not hasattr(self, "booster_"):
            return _booster(init_model)
        trees, done = params.get("n_estimators"), self.booster_.num_trees
        if trees is None or trees <= done:
            raise ArgumentError(f"n_estimators is {trees}; allowed with warm_start: more than {done}, the trees of the model so far")
        params["n_estimators"] = trees - done
        return self.booster_

    def predict(self, X: Any, **others: Any) -> Array:
        """The most likely class of each row.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            As for :meth:`fit`. If the columns have names, they must be the same.
        **others
            ``num_iteration=n`` or ``iteration_range=(0, n)``: only the first n iterations. LightGBM's ``raw_score``, ``pred_leaf``
            and ``pred_contrib``, and XGBoost's ``output_margin`` and ``pred_contribs``, return what they do there.

        Returns
        -------
        array of shape (n_samples,)
            Labels of ``classes_``.
        """
        check_is_fitted(self)
        return self._predict_as(self._read(X, reset=False), **others)

    def predict_proba(self, X: Any, **first: Any) -> Array:
        """The probability of each class for each row.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
        **first
            ``num_iteration`` or ``iteration_range``, as for :meth:`predict`.

        Returns
        -------
        array of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        check_is_fitted(self)
        rows, trees = self._read(X, reset=False), self._trees_of(**first)
        return self._sorted(self.booster_.predict_proba(rows, trees=trees, nthread=self._threads()))

    def decision_function(self, X: Any) -> Array:
        """The scores, divided by the temperature. The probabilities are their softmax.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_classes), or (n_samples,) for two classes
            In the order of ``classes_``. For two classes, the score of the second minus the score of the first.
        """
        check_is_fitted(self)
        raw = self.booster_.predict_raw(self._read(X, reset=False), nthread=self._threads())
        scores = self._sorted(raw / self.booster_.temperature, -np.inf)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def apply(self, X: Any) -> Array:
        """The leaf that each row reaches in each tree.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_trees), int32
        """
        check_is_fitted(self)
        return self.booster_.predict_leaf(self._read(X, reset=False), nthread=self._threads())

    def staged_predict_proba(self, X: Any, every: int = 1) -> Iterator[Array]:
        """The class probabilities at stages of boosting: after every ``every`` iterations, and at the end.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
        every : int, default 1
            Iterations between two stages.

        Yields
        ------
        array of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        return map(self._sorted, self.booster_.staged_proba(self._read(X, reset=False), every=every, nthread=self._threads()))

    @property
    def feature_importances_(self) -> Array:
        """Gain of the splits on each feature, as a share of the total, or what ``importance_type`` says.

        Linear scores take no part in it.
        """
        check_is_fitted(self)
        kind = str(getattr(self, "importance_type", None) or "gain").replace("total_", "").replace("weight", "split")
        gains = self.booster_.importance(kind)
        return gains / (gains.sum() or 1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.sparse = tags.input_tags.categorical = tags.input_tags.string = True
        return tags

    def _more_tags(self) -> dict[str, Any]:
        """The tags for scikit-learn before 1.6."""
        return {"allow_nan": True}

    def _read(self, X: Any, *, reset: bool) -> Any:
        return _rows.features(self, X, reset=reset)

    def _sorted(self, columns: Array, unseen: float = 0) -> Array:
        """Put columns in the order of ``classes_``; those of classes that :meth:`partial_fit` has not seen yet have one value.

        A model from another language may have texts such as "9" and "10" by value.
        """
        if len(self.classes_) > columns.shape[1]:
            wide = np.full((len(columns), len(self.classes_)), unseen, columns.dtype)
            wide[:, _labels.codes(self.booster_.classes, self.classes_)] = columns
            return wide
        order = self.booster_.classes.argsort()
        return columns if (order[:-1] < order[1:]).all() else columns[:, order]


def _booster(model: Any) -> Booster | None:
    if model is None or isinstance(model, Booster):
        return model
    if isinstance(model, AOSOClassifier):
        check_is_fitted(model)
        booster: Booster = model.booster_
        return booster
    if isinstance(model, (str, os.PathLike)):
        return Booster.load(model)
    raise ArgumentError(f"init_model is a {type(model).__name__}; allowed: a Booster, an AOSOClassifier or a path")
