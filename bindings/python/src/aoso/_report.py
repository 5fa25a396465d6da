"""What a model shows of itself: trees as a table, SHAP values as an explanation, a summary for notebooks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from ._capi import Array
from .contributions import Explaining
from .errors import ArgumentError

__all__ = ["Report"]


class Report(Explaining):
    """The methods of :class:`aoso.Booster` that show what is in a model."""

    if TYPE_CHECKING:
        feature_names: list[str]

        @property
        def num_trees(self) -> int: ...
        @property
        def temperature(self) -> float: ...
        @property
        def categories(self) -> dict[str, list[str]]: ...
        @property
        def params(self) -> dict[str, Any]: ...
        def tree(self, number: int) -> dict[str, Any]: ...
        def export(self, format: str) -> bytes | str: ...

    def explain(self, x: Any, *, trees: int = 0, nthread: int = 0) -> Any:
        """SHAP values as an object of the package shap, for its plots. Needs shap.

        Parameters
        ----------
        x : table of shape (n_rows, n_features)
            As for :meth:`predict`.
        trees, nthread : int, default 0
            As for :meth:`predict`.

        Returns
        -------
        shap.Explanation
            ``values`` of shape (n_rows, n_features, n_classes), ``base_values`` of shape (n_rows, n_classes); the classes are in
            the order of ``classes``. Both add up to the raw score of a class, without the temperature.
        """
        try:
            import shap
        except ImportError as e:
            raise ImportError(f"explain needs shap: pip install shap ({e})") from e
        values = self.shap(x, trees=trees, nthread=nthread)
        return shap.Explanation(
            values=np.ascontiguousarray(values[:, :, :-1].transpose(0, 2, 1)),
            base_values=values[:, :, -1],
            data=np.asarray(x.toarray() if hasattr(x, "toarray") else x),
            feature_names=self.feature_names,
            output_names=[str(label) for label in self.classes],
        )

    def to_shap(self) -> dict[str, Any]:
        """The model in the form that ``shap.TreeExplainer`` takes, which also has interaction values.

        Linear scores become trees, whose SHAP values are those of :meth:`shap`.

        Returns
        -------
        dict
            The explainer's raw scores are those of :meth:`predict_raw`, one output for each class.

        Raises
        ------
        ArgumentError
            If the model has categorical features, which shap cannot split on.
        """
        if self.categories:
            raise ArgumentError(f"the model has the categorical features {', '.join(self.categories)}; allowed: numeric features")
        content = json.loads(self.export("json"))
        if content["version"] >= 4:
            raise ArgumentError("the model has feature crosses, which shap cannot split on; allowed: a model trained with crosses=0")
        trees = _linear_trees(content["linear"]) if "linear" in content else []
        trees = [_shap_tree(tree, len(self.classes)) for tree in trees + content["trees"]]
        return {"trees": trees, "internal_dtype": np.float64, "input_dtype": np.float64}

    def trees_to_dataframe(self) -> Any:
        """The nodes and leaves of all trees as a table. Needs pandas.

        Returns
        -------
        pandas.DataFrame
            A row for each node and leaf. The columns are those of LightGBM: ``tree_index``, ``node_depth`` (from 1),
            ``node_index`` ("0-S1" is split 1 of tree 0, "0-L2" leaf 2), ``left_child``, ``right_child``, ``parent_index``,
            ``split_feature``, ``split_gain``, ``threshold`` (a list of names for categories), ``missing_direction``, ``count``.
            A split has its class pairs in ``class_pairs``, and a leaf its values by class in ``value``, a dict. Linear scores
            are in no tree.
        """
        import pandas as pd

        return pd.DataFrame([row for number in range(self.num_trees) for row in self._tree_rows(number)])

    def _tree_rows(self, number: int) -> list[dict[str, Any]]:
        tree, labels = self.tree(number), self.classes.tolist()
        depths, parents = {0 if tree["nodes"] else -1: 1}, {}
        for i, node in enumerate(tree["nodes"]):
            for child in (node["left"], node["right"]):
                depths[child], parents[child] = depths[i] + 1, i

        def name(i: int) -> str:
            return f"{number}-S{i}" if i >= 0 else f"{number}-L{-1 - i}"

        rows = []
        for i, of in [*enumerate(tree["nodes"]), *((-1 - leaf, of) for leaf, of in enumerate(tree["leaves"]))]:
            feature, categories = self._column(of["feature"]) if i >= 0 else (None, [])
            sides = [categories[c] for c in of["categories"]] if "categories" in of else of.get("threshold")
            rows.append(
                {
                    "tree_index": number,
                    "node_depth": depths[i],
                    "node_index": name(i),
                    "left_child": name(of["left"]) if i >= 0 else None,
                    "right_child": name(of["right"]) if i >= 0 else None,
                    "parent_index": name(parents[i]) if i in parents else None,
                    "split_feature": feature,
                    "split_gain": of.get("gain"),
                    "threshold": sides,
                    "missing_direction": of.get("missing"),
                    "class_pairs": [tuple(labels[k] for k in pair) for pair in of["pairs"]] if i >= 0 else None,
                    "value": None if i >= 0 else {labels[int(k)]: value for k, value in of["steps"]},
                    "count": of["rows"],
                }
            )
        return rows

    def _column(self, feature: int | dict[str, Any]) -> tuple[str, list[str]]:
        """The name and the categories of a feature or cross of the JSON export."""
        if isinstance(feature, int):
            name = self.feature_names[feature]
            return name, self.categories.get(name, [])
        (first, of_first), (second, of_second) = (self._column(feature[which]) for which in ("first", "second"))
        sign = {"difference": "-", "ratio": "/", "pair": "&"}[feature["operation"]]
        return f"{first} {sign} {second}", [f"{a} & {b}" for a in of_first for b in of_second]

    def _repr_html_(self) -> str:
        """A summary for notebooks, with the features that contribute most."""
        import html

        names = ", ".join(str(label) for label in self.classes[:8])
        facts = {
            "trees": self.num_trees,
            "classes": f"{len(self.classes)}: {names}{', …' if len(self.classes) > 8 else ''}",
            "features": self.num_features,
            "max_leaves": self.params["max_leaves"],
            "learning_rate": self.params["learning_rate"],
            "temperature": f"{self.temperature:.3g}",
        }
        rows = "".join(f"<tr><th>{name}</th><td>{html.escape(str(fact))}</td></tr>" for name, fact in facts.items())
        return f"<table><caption>aoso.Booster</caption>{rows}</table>{_bars(self.feature_names, self.importance())}"


def _bars(names: list[str], values: Array) -> str:
    """A small bar chart of the greatest values, as SVG."""
    import html

    most = np.argsort(-values, kind="stable")[:8]
    if not len(most) or values[most[0]] <= 0:
        return ""
    bars = []
    for line, j in enumerate(most):
        width = 180 * values[j] / values[most[0]]
        name = names[j] if len(names[j]) <= 20 else names[j][:19] + "…"
        bars.append(
            f'<text x="126" y="{16 * line + 26}" text-anchor="end">{html.escape(name)}</text>'
            f'<rect x="132" y="{16 * line + 16}" width="{width:.1f}" height="12" fill="#2a78d6"/>'
        )
    height = 16 * len(most) + 20
    head = f'<svg width="320" height="{height}" font-size="11" font-family="sans-serif" fill="currentColor">'
    return f'{head}<text x="132" y="11">gain of the splits</text>{"".join(bars)}</svg>'


def _linear_trees(linear: dict[str, Any]) -> list[dict[str, Any]]:
    """Linear scores of the JSON export as trees like its own."""
    bias: dict[str, Any] = {"nodes": [], "leaves": [{"rows": 1, "steps": list(enumerate(linear["bias"]))}]}
    return [bias, *map(_term_tree, linear["terms"])]


def _term_tree(term: dict[str, Any]) -> dict[str, Any]:
    """A term as a tree: a leaf for each bin, and one for missing values after the first.

    Two nodes are at the lowest edge. Missing values go right at the first of them, and left elsewhere.
    """
    edges, places = term["edges"], term["places"]
    edges, places = [edges[0] if edges else None, *edges], [places[0], 0.0, *places[1:]]
    # Nobody knows the rows of the bins. With these, the mean place is 0, as it was in training.
    above, below = sum(p for p in places if p > 0), -sum(p for p in places if p < 0)
    rows = [(below if p > 0 else above if p < 0 else 1) or 1 for p in places]
    nodes: list[dict[str, Any]] = []

    def add(first: int, end: int) -> int:
        if first == end:
            return -1 - first
        number, middle = len(nodes), (first + end) // 2
        nodes.append({"feature": term["feature"], "threshold": edges[middle], "missing": "left" if middle else "right"})
        nodes[number] |= {"left": add(first, middle), "right": add(middle + 1, end), "rows": sum(rows[first : end + 1])}
        return number

    add(0, len(edges))
    leaves = [{"rows": n, "steps": [(k, p * w) for k, w in enumerate(term["weights"])]} for n, p in zip(rows, places)]
    return {"nodes": nodes, "leaves": leaves}


def _shap_tree(tree: dict[str, Any], classes: int) -> dict[str, Any]:
    nodes, leaves = tree["nodes"], tree["leaves"]
    count = len(nodes) + len(leaves)

    def column(of_node: Any, of_leaf: Any, dtype: Any) -> Array:
        return np.array([*(of_node(node) for node in nodes), *[of_leaf] * len(leaves)], dtype)

    def below(side: str) -> Array:
        return column(lambda node: node[side] if node[side] >= 0 else len(nodes) - 1 - node[side], -1, np.int32)

    def threshold(node: dict[str, Any]) -> float:  # shap goes left at the threshold too
        return np.inf if node["threshold"] is None else float(np.nextafter(node["threshold"], -np.inf))

    values = np.zeros((count, classes))
    for i, leaf in enumerate(leaves):
        for k, step in leaf["steps"]:
            values[len(nodes) + i, int(k)] = step
    return {
        "children_left": below("left"),
        "children_right": below("right"),
        "children_default": column(lambda node: _default(node, len(nodes)), -1, np.int32),
        "features": column(lambda node: node["feature"], -2, np.int32),
        "thresholds": column(threshold, -2.0, np.float64),
        "values": values,
        "node_sample_weight": np.array([of["rows"] for of in (*nodes, *leaves)], np.float64),
    }


def _default(node: dict[str, Any], nodes: int) -> int:
    child: int = node[node["missing"]]
    return child if child >= 0 else nodes - 1 - child
