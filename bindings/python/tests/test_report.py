"""What models show of themselves: tables of trees, summaries, explanations, plots."""

from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import aoso

X = np.random.default_rng(0).normal(size=(300, 3))
Y = np.array(["low", "<mid>", "high"])[np.digitize(X[:, 0] + 0.3 * X[:, 1], [-0.5, 0.5])]


@pytest.fixture(scope="module")
def model():
    return aoso.AOSOClassifier(n_estimators=8, max_leaves=6, calibration="none").fit(pd.DataFrame(X, columns=["a", "b", "<c>"]), Y)


def test_trees_as_a_table(model):
    table = model.booster_.trees_to_dataframe()
    assert len(table) == 8 * (2 * 6 - 1) and table.node_index.is_unique
    splits, leaves = table[table.left_child.notna()], table[table.left_child.isna()]
    by_name = table.set_index("node_index")
    for _, split in splits.iterrows():
        left, right = by_name.loc[split.left_child], by_name.loc[split.right_child]
        assert left["count"] + right["count"] == split["count"]
        assert left.parent_index == right.parent_index == split.node_index
        assert left.node_depth == right.node_depth == split.node_depth + 1
        assert set(split.class_pairs[0]) <= set(Y)
    assert splits.split_gain.sum() == pytest.approx(model.booster_.importance().sum())
    # The leaf values of a row sum to its raw scores.
    at = model.booster_.predict_leaf(X[:1])[0]
    value = by_name.loc[[f"{tree}-L{leaf}" for tree, leaf in enumerate(at)], "value"]
    sums = [sum(of.get(label, 0) for of in value) for label in model.booster_.classes]
    np.testing.assert_allclose(sums, model.booster_.predict_raw(X[:1])[0], atol=1e-12)
    assert leaves.value.map(len).min() >= 2


def test_categories_in_the_table():
    town = np.array(["Bonn", "Oslo", "Rome"])[np.arange(90) % 3]
    booster = aoso.train({"n_estimators": 2, "max_leaves": 3}, aoso.Dataset(pd.DataFrame({"town": town}), town))
    thresholds = booster.trees_to_dataframe().threshold.dropna()
    assert all(set(names) < {"Bonn", "Oslo", "Rome"} for names in thresholds)
    with pytest.raises(ValueError, match="categorical features town; allowed: numeric"):
        booster.to_shap()


def test_summary_for_notebooks(model):
    text = model.booster_._repr_html_()
    assert "<td>8</td>" in text and "3: &lt;mid&gt;, high, low" in text and "&lt;c&gt;" in text and "<c>" not in text
    assert len(ElementTree.fromstring(f"<div>{text}</div>").findall(".//rect")) == 3


def test_a_path_opens_the_file(model, tmp_path):
    model.save_model(tmp_path / "m.aoso")
    assert aoso.Booster(tmp_path / "m.aoso").fingerprint == model.booster_.fingerprint


def test_estimators_keep_the_type_of_labels(tmp_path):
    y = pd.Series(X[:, 0] > 0)
    aoso.AOSOClassifier(n_estimators=5).fit(X, y).save_model(tmp_path / "m.aoso")
    loaded = aoso.AOSOClassifier().load_model(tmp_path / "m.aoso")
    assert loaded.classes_.dtype == loaded.predict(X).dtype == bool and loaded.score(X, y) > 0.9
    of_booster = aoso.AOSOClassifier.from_booster(aoso.Booster(tmp_path / "m.aoso"))
    np.testing.assert_array_equal(of_booster.predict(X), loaded.predict(X))
    assert of_booster.get_params()["n_estimators"] == 5


def test_plots(model):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ax = aoso.plot_confusion(model, X, Y, normalize=False)
    counts = pd.crosstab(pd.Series(Y), pd.Series(model.predict(X)))
    assert {text.get_text() for text in ax.texts} == {str(n) for n in counts.to_numpy().ravel() if n}
    assert [tick.get_text() for tick in ax.get_xticklabels()] == model.classes_.tolist()
    ax = aoso.plot_split_value_histogram(model, "a")
    table = model.booster_.trees_to_dataframe()
    assert sum(patch.get_height() for patch in ax.patches) == (table.split_feature == "a").sum()
    with pytest.raises(ValueError, match="feature is 'd'; allowed: a name, or 0 to 2"):
        aoso.plot_split_value_histogram(model, "d")
