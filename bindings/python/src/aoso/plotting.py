"""Plots of models and of training. Needs matplotlib.

Every function draws on ``ax``, or on the axes of a new figure, and returns the axes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _labels, _matrix, _others
from ._capi import Array
from .booster import Booster
from .errors import ArgumentError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "plot_class_pairs",
    "plot_confusion",
    "plot_importance",
    "plot_metric",
    "plot_reliability",
    "plot_split_value_histogram",
    "plot_tree",
    "plot_tuning",
]

# XGBoost's names for kinds of importance.
_KINDS = {"weight": "split", "total_gain": "gain", "total_cover": "cover"}

_SURFACE, _INK, _MUTED, _GRID = "#fcfcfb", "#1f1f1d", "#6b6a66", "#e4e3df"
_SERIES = ("#2a78d6", "#1baf7a", "#eda100", "#008300", "#4a3aa7", "#e34948", "#e87ba4", "#eb6834")
_BLUE = _SERIES[0]


def plot_metric(
    history: Any,
    metric: str = "logloss",
    *,
    best_iteration: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a metric against the iteration, with one line per set.

    Parameters
    ----------
    history : dict or AOSOClassifier
        A dict filled by :func:`aoso.record_evaluation`, or an estimator fitted with an ``eval_set``.
    metric : str, default "logloss"
        One of the history, also by its name in other libraries.
    best_iteration : int, optional
        An iteration to mark; by default that of the estimator.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    if hasattr(history, "evals_result_"):
        best_iteration = history.best_iteration_ if best_iteration is None else best_iteration
        history = history.evals_result_
    meant = _others.parameters({"metric": metric, "verbose": 0}, check=False).training.get("metric", metric)
    if not any(metric in metrics for metrics in history.values()) and any(meant in metrics for metrics in history.values()):
        metric = meant
    curves = {name: metrics[metric] for name, metrics in history.items() if metric in metrics}
    if not curves:
        recorded = sorted({of for metrics in history.values() for of in metrics})
        raise ArgumentError(f"metric is {metric!r}; allowed: {', '.join(recorded) or 'none, history has no metrics'}")
    ax = _axes(ax, (7, 4))
    for (name, values), colour in zip(curves.items(), _SERIES * len(curves)):
        ax.plot(range(1, len(values) + 1), values, color=colour, linewidth=1.8, label=name)
    if best_iteration:
        ax.axvline(best_iteration, color=_MUTED, linewidth=1, linestyle=(0, (4, 3)), zorder=0)
        ax.annotate(
            f"best: {best_iteration}",
            (best_iteration, 1),
            xycoords=("data", "axes fraction"),
            xytext=(-4, -4),
            textcoords="offset points",
            ha="right",
            va="top",
            color=_MUTED,
            fontsize=9,
        )
    ax.set(xlabel="iteration", ylabel={"logloss": "log loss", "error": "error rate"}.get(metric, metric), ylim=(0, None))
    ax.grid(axis="y", color=_GRID, linewidth=0.8)
    if len(curves) > 1:
        ax.legend(frameon=False, labelcolor=_INK)
    else:
        ax.set_title(next(iter(curves)), loc="left", color=_INK, fontsize=11)
    return ax


def plot_importance(
    model: Any,
    *,
    kind: str = "gain",
    most: int = 20,
    importance_type: str | None = None,
    max_num_features: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the features that contribute most.

    Parameters
    ----------
    model : Booster or AOSOClassifier
    kind : {"gain", "split", "cover"}
    most : int, default 20
        Features to show.
    importance_type, max_num_features
        LightGBM's and XGBoost's names for ``kind`` and ``most``.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    booster = _booster(model)
    values = booster.importance(_KINDS.get(importance_type, importance_type) if importance_type else kind)
    order = np.argsort(-values, kind="stable")[: most if max_num_features is None else max_num_features][::-1]
    ax = _axes(ax, (7, 0.6 + 0.27 * len(order)))
    ax.barh(range(len(order)), values[order], height=0.72, color=_BLUE)
    ax.set_yticks(range(len(order)), [booster.feature_names[j] for j in order])
    ax.set_xlabel({"gain": "gain of the splits", "split": "number of splits", "cover": "rows that the splits divide"}[kind])
    ax.tick_params(axis="y", length=0)
    ax.margins(y=0.02)
    ax.grid(axis="x", color=_GRID, linewidth=0.8)
    ax.spines["left"].set_visible(False)
    return ax


def plot_reliability(model: Any, x: Any, y: Any, *, weight: Any = None, ax: Axes | None = None) -> Axes:
    """Draw a reliability diagram: how often the most likely class is right, against its probability.

    The points are bins of equal weight. Below the diagonal the model is overconfident. The title has the expected calibration
    error and the Brier score; see :meth:`aoso.Booster.reliability`.

    Parameters
    ----------
    model : Booster or AOSOClassifier
    x : table of shape (n_rows, n_features)
    y : array of shape (n_rows,)
        Rows that the model was not trained on, and their labels.
    weight : array of shape (n_rows,), optional
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    report = _booster(model).reliability(x, y, weight=weight)
    ax = _axes(ax, (4.5, 4.5))
    low = min(report.bins["confidence"].min(initial=1), report.bins["accuracy"].min(initial=1))
    ax.plot([low, 1], [low, 1], color=_MUTED, linewidth=1, linestyle=(0, (4, 3)), zorder=0)
    ax.plot(report.bins["confidence"], report.bins["accuracy"], color=_BLUE, linewidth=1.8, marker="o", markersize=5)
    ax.set(xlabel="mean probability of the most likely class", ylabel="share of rows that have it", aspect="equal")
    ax.set_title(f"ECE {report.ece:.3g}, Brier score {report.brier:.3g}", loc="left", color=_INK, fontsize=11)
    ax.grid(color=_GRID, linewidth=0.8)
    return ax


def plot_confusion(model: Any, x: Any, y: Any, *, weight: Any = None, normalize: bool = True, ax: Axes | None = None) -> Axes:
    """Draw the confusion matrix: how often each class is predicted for rows of each class.

    Parameters
    ----------
    model : Booster or AOSOClassifier
    x : table of shape (n_rows, n_features)
    y : array of shape (n_rows,)
        Rows that the model was not trained on, and their labels. Rows of unknown labels are left out.
    weight : array of shape (n_rows,), optional
    normalize : bool, default True
        Show shares of the rows of each class rather than sums of weights.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    from matplotlib.colors import LinearSegmentedColormap

    booster = _booster(model)
    codes, guessed = _labels.codes(y, booster.classes), _labels.codes(booster.predict(x), booster.classes)
    weights = _matrix.weights(weight, len(codes))
    counts = np.zeros((len(booster.classes),) * 2)
    known = codes >= 0
    np.add.at(counts, (codes[known], guessed[known]), 1 if weights is None else weights[known])
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)
    order = booster.classes.argsort()
    shown = (shares if normalize else counts)[np.ix_(order, order)]
    size = 2.5 + 0.3 * len(order)
    ax = _axes(ax, (size, size))
    ax.imshow(shares[np.ix_(order, order)], cmap=LinearSegmentedColormap.from_list("aoso", [_SURFACE, _BLUE]), vmin=0, vmax=1)
    if len(order) <= 15:
        for i, k in np.ndindex(shown.shape):
            if shown[i, k]:
                dark = shares[order[i], order[k]] > 0.6
                text = f"{shown[i, k]:.2f}" if normalize else f"{shown[i, k]:g}"
                ax.text(k, i, text, ha="center", va="center", fontsize=8, color=_SURFACE if dark else _INK)
    names = [str(label) for label in booster.classes[order]]
    ax.set_xticks(range(len(names)), names)
    ax.set_yticks(range(len(names)), names)
    ax.set(xlabel="predicted class", ylabel="class")
    ax.set_title(f"{1 - counts.trace() / max(counts.sum(), 1e-300):.2%} errors", loc="left", color=_INK, fontsize=11)
    return ax


def plot_split_value_histogram(model: Any, feature: int | str, *, bins: Any = None, ax: Axes | None = None) -> Axes:
    """Draw how many splits have their threshold where, for a numeric feature.

    Parameters
    ----------
    model : Booster or AOSOClassifier
    feature : int or str
        Its number or name.
    bins : optional
        Of ``numpy.histogram``; by default 20, or fewer for fewer thresholds.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    booster = _booster(model)
    names = booster.feature_names
    if feature not in names and not (isinstance(feature, (int, np.integer)) and 0 <= feature < len(names)):
        raise ArgumentError(f"feature is {feature!r}; allowed: a name, or 0 to {len(names) - 1}")
    number = names.index(feature) if isinstance(feature, str) else int(feature)
    if names[number] in booster.categories:
        raise ArgumentError(f"feature is {feature!r}, which is categorical; allowed: a numeric feature")
    nodes = (node for tree in range(booster.num_trees) for node in booster.tree(tree)["nodes"])
    thresholds = [node["threshold"] for node in nodes if node["feature"] == number and node["threshold"] is not None]
    if not thresholds:
        raise ArgumentError(f"feature is {feature!r}, which no split uses; allowed: a feature of a split")
    counts, edges = np.histogram(thresholds, min(20, len(set(thresholds))) if bins is None else bins)
    ax = _axes(ax, (7, 4))
    ax.bar(edges[:-1], counts, width=np.diff(edges) * 0.9, align="edge", color=_BLUE)
    ax.set(xlabel=f"threshold of {names[number]}", ylabel="splits")
    ax.grid(axis="y", color=_GRID, linewidth=0.8)
    return ax


def plot_class_pairs(model: Any, x: Any = None, y: Any = None, *, most: int = 60, ax: Axes | None = None) -> Axes:
    """Draw a graph of the classes that are hard to tell apart.

    Parameters
    ----------
    model : Booster or AOSOClassifier
    x : table of shape (n_rows, n_features), optional
    y : array of shape (n_rows,), optional
        Rows and their labels. They weight each pair by the probability that the model gives to one class on rows of the
        other. Without them, the weight is the number of splits that tell the pair apart.
    most : int, default 60
        Pairs to show, those with the largest weights. Lines are wider and darker for larger weights.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    from matplotlib.collections import LineCollection
    from matplotlib.colors import LinearSegmentedColormap

    booster = _booster(model)
    weights = booster.class_pairs() if x is None else _confusion(booster, x, y)
    np.fill_diagonal(weights, 0)
    classes = len(weights)
    first, second = np.triu_indices(classes, 1)
    values = weights[first, second]
    order = np.argsort(-values, kind="stable")
    strongest = order[:most][values[order[:most]] > 0][::-1]
    floor = values[order[most]] if most < len(order) else 0
    share = (values[strongest] - floor) / max(values.max(initial=0) - floor, 1e-300)

    angle = np.pi / 2 - 2 * np.pi * np.arange(classes) / classes
    at = np.column_stack([np.cos(angle), np.sin(angle)])
    ax = _axes(ax, (6.5, 6.5))
    colours = LinearSegmentedColormap.from_list("aoso", ["#cde2fb", _BLUE, "#0d366b"])
    lines = LineCollection(
        list(np.stack([at[first[strongest]], at[second[strongest]]], axis=1)),
        linewidths=0.6 + 5.4 * share,
        colors=colours(share),
        capstyle="round",
    )
    ax.add_collection(lines)
    of_class = weights.sum(axis=1)
    ax.scatter(
        at[:, 0],
        at[:, 1],
        s=40 + 260 * of_class / max(of_class.max(), 1e-300),
        color=_SURFACE,
        edgecolor=_INK,
        linewidth=1,
        zorder=3,
    )
    for (x, y), label in zip(at, booster.classes):
        ax.text(1.14 * x, 1.14 * y, str(label), ha="center", va="center", color=_INK)
    ax.set(xlim=(-1.3, 1.3), ylim=(-1.3, 1.3), aspect="equal")
    ax.axis("off")
    return ax


def plot_tree(model: Any, tree: int = 0, *, tree_index: int | None = None, ax: Axes | None = None) -> Axes:
    """Draw a tree: at each node its split and class pairs, at each leaf its largest leaf values.

    Parameters
    ----------
    model : Booster or AOSOClassifier
    tree : int, default 0
        From 0; negative numbers count from the end.
    tree_index : int, optional
        LightGBM's name for ``tree``.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    nodes = _layout(_booster(model), tree if tree_index is None else tree_index)
    width = max(x for x, _, _, _ in nodes) + 1
    depth = max(y for _, y, _, _ in nodes) + 1
    ax = _axes(ax, (max(4, 1.5 * width), max(2.5, 1.25 * depth)))
    for x, y, text, children in nodes:
        for side, child in enumerate(children):
            cx, cy, _, _ = nodes[child]
            ax.plot([x, cx], [-y, -cy], color=_MUTED, linewidth=1, zorder=1)
            ax.text((x + cx) / 2, -(y + cy) / 2, ("yes", "no")[side], color=_MUTED, fontsize=7, ha="center", va="center",
                    bbox={"boxstyle": "square,pad=0.1", "facecolor": _SURFACE, "edgecolor": "none"}, zorder=2)  # fmt: skip
        box = {
            "boxstyle": "round,pad=0.35",
            "facecolor": "#e6f0fc" if children else _SURFACE,
            "edgecolor": _BLUE if children else _MUTED,
        }
        ax.text(x, -y, text, ha="center", va="center", fontsize=7.5, color=_INK, bbox=box, zorder=3)
    ax.set(xlim=(-0.6, width - 0.4), ylim=(-depth + 0.4, 0.6))
    ax.axis("off")
    return ax


def plot_tuning(tuning: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the trials of a search: the refined loss of each on its last rung, and the best so far.

    Parameters
    ----------
    tuning : Tuning or dict
        The result of :func:`aoso.tune`, or its ``trials``.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    table = getattr(tuning, "trials", tuning)
    if not isinstance(table, dict) or "refined_loss" not in table:
        raise ArgumentError(f"tuning is a {type(tuning).__name__}; allowed: a Tuning or its trials")
    last = {int(trial): line for line, trial in enumerate(table["trial"])}
    trials, lines = np.array(list(last)), list(last.values())
    loss, rung = table["refined_loss"][lines], table["rung"][lines]
    ax = _axes(ax, (7, 4))
    names = {1: "dropped first", 2: "dropped later", 3: "trained to the end"}
    for level, colour in zip(names, ("#cde2fb", "#7fb2ec", _BLUE)):
        reached = np.minimum(rung, 3) == level
        ax.scatter(trials[reached], loss[reached], s=30, color=colour, label=names[level], zorder=3)
    ended = rung >= 3
    order = np.argsort(trials[ended])
    if ended.any():
        best = np.minimum.accumulate(loss[ended][order])
        ax.step(trials[ended][order], best, where="post", color=_MUTED, linewidth=1.2, label="best so far")
    ax.set(xlabel="trial", ylabel="refined loss")
    ax.grid(axis="y", color=_GRID, linewidth=0.8)
    if len(trials):
        ax.legend(frameon=False, labelcolor=_INK)
    return ax


def _confusion(booster: Booster, x: Any, y: Any) -> Array:
    """The probability that the model gives to each class on rows of each other class, summed over the rows; symmetric."""
    codes = _labels.codes(y, booster.classes)
    given = np.zeros((len(booster.classes),) * 2)
    np.add.at(given, codes[codes >= 0], booster.predict_proba(x)[codes >= 0])
    return given + given.T


def _layout(booster: Booster, tree: int) -> list[tuple[float, int, str, tuple[int, ...]]]:
    """The boxes of a tree: x, depth, text, and the two boxes below, if any. Nodes come first, then leaves."""
    content = booster.tree(tree)
    nodes, leaves = content["nodes"], content["leaves"]
    below = [
        tuple(child if child >= 0 else len(nodes) - 1 - child for child in (node["left"], node["right"])) for node in nodes
    ]
    depth = [0] * (len(nodes) + len(leaves))
    for i, children in enumerate(below):
        for child in children:
            depth[child] = depth[i] + 1
    x = [0.0] * len(nodes) + [float(leaf) for leaf in range(len(leaves))]
    for i in reversed(range(len(nodes))):
        x[i] = sum(x[child] for child in below[i]) / 2

    names = [str(label) for label in booster.classes]
    texts = []
    for node in nodes:
        pairs = " ".join("|".join(names[k] for k in pair) for pair in node["pairs"])
        texts.append(f"{_split(booster, node)}\n{pairs}\n{node['rows']} rows")
    for leaf in leaves:
        largest = sorted((step for step in leaf["steps"] if step[1]), key=lambda step: -abs(step[1]))[:3]
        texts.append("\n".join([*(f"{names[int(k)]} {step:+.3f}" for k, step in largest), f"{leaf['rows']} rows"]))
    return list(zip(x, depth, texts, [*below, *[()] * len(leaves)]))


def _split(booster: Booster, node: dict[str, Any]) -> str:
    """The split of a node in words. Of a set of categories and the rest it names the smaller, and of many the first."""
    feature = booster.feature_names[node["feature"]]
    if "categories" not in node:
        threshold = node["threshold"]
        return f"{feature} is there" if threshold is None else f"{feature} < {threshold:.6g}"
    names, left = booster.categories[feature], set(node["categories"])
    inside = [name for i, name in enumerate(names) if i in left]
    outside = [name for i, name in enumerate(names) if i not in left]
    if not outside:
        return f"{feature} is there"
    shorter = min(inside, outside, key=len)
    most = 3
    members = ", ".join(shorter[:most] + [f"{len(shorter) - most} more"] * (len(shorter) > most))
    return f"{feature} {'in' if shorter is inside else 'not in'} {{{members}}}"


def _booster(model: Any) -> Booster:
    booster = getattr(model, "booster_", model)
    if not isinstance(booster, Booster):
        raise ArgumentError(f"model is a {type(model).__name__}; allowed: a Booster or a fitted AOSOClassifier")
    return booster


def _axes(ax: Axes | None, size: tuple[float, float]) -> Axes:
    if ax is None:
        try:
            import matplotlib.pyplot as plt
        except ImportError as e:
            raise ImportError(f"plotting needs matplotlib: pip install 'aoso[plot]' ({e})") from e
        figure, ax = plt.subplots(figsize=size, layout="constrained", facecolor=_SURFACE)
    ax.set_facecolor(_SURFACE)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(_MUTED)
    ax.set_axisbelow(True)
    ax.tick_params(colors=_MUTED, labelcolor=_INK)
    ax.xaxis.label.set_color(_INK)
    ax.yaxis.label.set_color(_INK)
    return ax
