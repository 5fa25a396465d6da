"""Draws the pictures of the documentation from training on the Letter data: make pictures (half a minute)."""

from __future__ import annotations

import gzip
from pathlib import Path

import matplotlib
import numpy as np

import aoso
from aoso import plotting

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs/pictures"
BLUE, GREY = "#2a78d6", "#6b6a66"


def letters() -> tuple[np.ndarray, np.ndarray, list[str]]:
    with gzip.open(ROOT / "testdata/letter.csv.gz", "rt") as file:
        names = file.readline().strip().split(",")[:-1]
        rows = [line.strip().split(",") for line in file]
    return np.array([row[:-1] for row in rows], float), np.array([row[-1] for row in rows]), names


def save(axes, name: str) -> None:
    """As SVG whose text is text: small, and the same for the same numbers."""
    axes.figure.savefig(FOLDER / f"{name}.svg", metadata={"Date": None, "Creator": None}, bbox_inches="tight")
    print("written:", FOLDER / f"{name}.svg")


def tree(x, y, names) -> None:
    """The first tree of a small model of five letters."""
    some = np.isin(y, list("BDHKR"))
    train = aoso.Dataset(x[some][:2500], y[some][:2500], feature_names=names)
    model = aoso.train({"n_estimators": 1, "max_leaves": 5, "pairs": 1, "leaf": "pair", "calibration": "none"}, train)
    save(plotting.plot_tree(model), "tree")


def pairs(x, y, names) -> None:
    """Which letters a model confuses."""
    model = aoso.train({"n_estimators": 100, "calibration": "none"}, aoso.Dataset(x[:4000], y[:4000], feature_names=names))
    save(plotting.plot_class_pairs(model, x[16000:], y[16000:], most=40), "pairs")


def trees(x, y, names) -> None:
    """Test errors by the number of trees: one tree for all classes against one for each."""
    train = aoso.Dataset(x[:4000], y[:4000], feature_names=names)
    axes = plotting._axes(None, (7, 3.6))
    for method, label, colour in (("aoso", "aoso: one tree for all classes", BLUE), ("logitboost", "LogitBoost: one tree per class", GREY)):
        model = aoso.train({"preset": "paper", "method": method, "n_estimators": 780}, train)
        every = model.trees_per_iteration
        errors = model.evaluate(x[16000:], y[16000:], every=1)["error"]
        axes.plot(every * np.arange(1, len(errors) + 1), errors, color=colour, label=label, linewidth=1.8)
    axes.set(xlabel="trees", ylabel="test errors, share of the rows", ylim=(0, 0.4), xlim=(0, 780))
    axes.legend(frameon=False)
    save(axes, "trees")


def phases(x, y, names) -> None:
    """The log loss of the held-out rows, in the first phase of training."""
    runs: list[list[float]] = []

    def watch(now) -> None:
        if now.phase == "holdout":
            if now.trees == 1:  # another setting
                runs.append([])
            runs[-1].append(now.metrics["holdout"]["logloss"])

    booster = aoso.train(None, aoso.Dataset(x[:4000], y[:4000], feature_names=names), callbacks=[watch])
    axes = plotting._axes(None, (7, 3.4))
    for number, (losses, colour) in enumerate(zip(runs, (BLUE, "#1baf7a", "#eda100")), 1):
        axes.plot(range(1, len(losses) + 1), losses, color=colour, linewidth=1.8, label=f"setting {number}")
    held_out = booster.result.held_out.logloss
    axes.axhline(held_out, color=GREY, linewidth=1, linestyle=(0, (4, 3)), label="the best, with its temperature")
    axes.set(xlabel="trees in the first phase", ylabel="log loss", ylim=(0, 1.5))
    axes.legend(frameon=False)
    save(axes, "phases")


if __name__ == "__main__":
    matplotlib.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "aoso", "font.family": "sans-serif"}
    FOLDER.mkdir(exist_ok=True)
    data = letters()
    for picture in (tree, pairs, trees, phases):
        picture(*data)
