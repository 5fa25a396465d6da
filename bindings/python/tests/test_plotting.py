import runpy
import subprocess
import sys

import matplotlib
import numpy as np
import pytest
from conftest import ROOT

import aoso
from aoso import plotting

matplotlib.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def model(small_letters):
    x, y = small_letters
    return aoso.AOSOClassifier(n_estimators=30, early_stopping_rounds=10).fit(
        x[:1000], y[:1000], eval_set=[(x[:1000], y[:1000]), (x[1000:], y[1000:])], eval_names=["training", "validation"]
    )


@pytest.fixture(scope="module")
def small_letters(letters):
    x, y, _ = letters
    few = np.flatnonzero(np.isin(y, list("ABCIJ")))[:1500]
    return x[few], y[few]


def drawn(ax):
    """The texts of a plot, after drawing it."""
    ax.figure.canvas.draw()
    return [text.get_text() for text in ax.texts]


def test_metrics(model):
    ax = plotting.plot_metric(model)
    training, validation = ax.get_lines()[:2]
    assert training.get_ydata().tolist() == model.evals_result_["training"]["logloss"]
    assert validation.get_ydata().tolist() == model.evals_result_["validation"]["logloss"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["training", "validation"]
    assert drawn(ax) == [f"best: {model.best_iteration_}"]
    history = {"valid": {"error": [0.5, 0.25]}}
    ax = plotting.plot_metric(history, "error", ax=plt.figure().add_subplot())
    assert ax.get_ylabel() == "error rate" and drawn(ax) == []
    with pytest.raises(ValueError, match="metric is 'auc'; allowed: error"):
        plotting.plot_metric(history, "auc")
    with pytest.raises(ValueError, match="allowed: none, history has no metrics"):
        plotting.plot_metric({})


@pytest.mark.parametrize("kind", ["gain", "split", "cover"])
def test_importance(model, kind):
    ax = plotting.plot_importance(model, kind=kind, most=5)
    values = np.sort(model.booster_.importance(kind))[-5:]
    assert [bar.get_width() for bar in ax.patches] == values.tolist()
    assert ax.get_yticklabels()[-1].get_text() == f"f{model.booster_.importance(kind).argmax()}"


def test_class_pairs(model, small_letters):
    for data in ((), small_letters):
        ax = plotting.plot_class_pairs(model, *data, most=7)
        assert drawn(ax) == list("ABCIJ")
        assert len(ax.collections[0].get_segments()) == 7
    # The letters that are alike are those confused most.
    ends = ax.collections[0].get_segments()[-1]
    labels = {tuple(np.round(text.get_position(), 6)): text.get_text() for text in ax.texts}
    assert sorted(labels[tuple(np.round(1.14 * end, 6))] for end in ends) == ["I", "J"]


def test_a_class_pair_graph_of_a_model_that_splits_nothing():
    booster = aoso.train({"n_estimators": 2}, aoso.Dataset([[1], [1]], ["a", "b"]))
    assert drawn(plotting.plot_class_pairs(booster)) == ["a", "b"]


@pytest.mark.parametrize("params", [{}, {"leaf": "pair", "pairs": 1}, {"method": "logitboost"}])
@pytest.mark.parametrize("tree", [0, -1])
def test_trees(small_letters, params, tree):
    booster = aoso.train({"n_estimators": 10, "max_leaves": 6, **params}, aoso.Dataset(*small_letters))
    texts = drawn(plotting.plot_tree(booster, tree))
    dump = booster.export("text").split("tree ")[1:][tree]
    assert sum(text.endswith("rows") for text in texts) == 11
    assert sorted(text.split()[-2] for text in texts if text.endswith("rows")) == sorted(
        line.split()[-1] for line in dump.splitlines()[1:]
    )
    assert sum(text == "yes" for text in texts) == sum(text == "no" for text in texts) == 5


def test_a_tree_of_one_leaf():
    booster = aoso.train({"n_estimators": 2}, aoso.Dataset([[1], [1], [1]], ["a", "b", "b"]))
    assert drawn(plotting.plot_tree(booster))[-1].endswith("3 rows")


def test_a_tree_as_deep_as_it_can_be():
    x = np.arange(3000.0).reshape(-1, 1)
    booster = aoso.train({"n_estimators": 1, "max_leaves": 1500, "trim": 0}, aoso.Dataset(x, x[:, 0] % 2, max_bin=255))
    assert len(plotting._layout(booster, 0)) > 100


def test_a_split_on_what_is_missing():
    x = np.where(np.arange(40) % 2, np.nan, 1.0).reshape(-1, 1)
    texts = drawn(plotting.plot_tree(aoso.train({"n_estimators": 1}, aoso.Dataset(x, np.arange(40) % 2))))
    assert any(text.startswith("f0 is there\n0|1\n40 rows") for text in texts)


def test_a_split_on_categories():
    x = np.array([["red"], ["blue"], ["green"], ["grey"], ["pink"], ["black"]] * 20)
    booster = aoso.train({"preset": "paper", "n_estimators": 1, "category_l2": 0}, aoso.Dataset(x, np.arange(120) % 6 == 1))
    texts = drawn(plotting.plot_tree(booster))
    assert any(text.startswith(("f0 in {blue}\n", "f0 not in {blue}\n")) for text in texts)


def test_what_is_refused(model):
    trees = model.booster_.num_trees
    with pytest.raises(ValueError, match=f"tree is {trees}; allowed: -{trees} to {trees - 1}"):
        plotting.plot_tree(model, trees)
    with pytest.raises(ValueError, match="model is a str; allowed: a Booster or a fitted AOSOClassifier"):
        plotting.plot_importance("model")
    with pytest.raises(ValueError, match="kind is 'weight'"):
        plotting.plot_importance(model, kind="weight")


def test_the_example(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["letters.py", str(tmp_path)])
    runpy.run_path(str(ROOT / "bindings/python/examples/letters.py"))
    assert "the best is" in capsys.readouterr().out
    assert sorted(path.stem for path in tmp_path.glob("*.png")) == [
        "class_pairs", "confusion", "error", "importance", "metric", "tree",
    ]  # fmt: skip


def test_matplotlib_is_loaded_for_plots_only():
    program = """
import sys, aoso, aoso.plotting
print([name for name in ("matplotlib", "sklearn", "pandas", "scipy", "tqdm") if name in sys.modules])
"""
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_reliability(model, small_letters):
    x, y = small_letters
    report = model.reliability(x[1000:], y[1000:])
    ax = plotting.plot_reliability(model, x[1000:], y[1000:])
    diagonal, points = ax.get_lines()
    assert diagonal.get_xdata()[1] == 1
    np.testing.assert_array_equal(points.get_xdata(), report.bins["confidence"])
    np.testing.assert_array_equal(points.get_ydata(), report.bins["accuracy"])
    assert ax.get_title("left") == f"ECE {report.ece:.3g}, Brier score {report.brier:.3g}"
