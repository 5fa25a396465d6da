"""Plots test errors against the number of trees, with a panel for each set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from bench import panels
from bench.paper import figures, plan

LINES = {
    plan.key(plan.LEAVES, plan.SHRINKAGE): ("Algorithm 1 here", "#d62728"),
    "preset=paper": ("preset=paper here", "#1f77b4"),
    "abc": ("ABC-LogitBoost here", "#7f7f7f"),
}


def curves(rows: list[tuple[figures.Row, dict[str, Any]]], path: Path) -> None:
    """The final errors of the paper's AOSO and ABC are horizontal lines."""
    if not rows:
        return
    legend = [Line2D([], [], color=colour, label=title) for title, colour in LINES.values()]
    legend.append(Line2D([], [], color="#d62728", linestyle="--", label="AOSO in the paper, at its end"))
    legend.append(Line2D([], [], color="#7f7f7f", linestyle="--", label="ABC in the paper, at its end"))
    with panels.picture(len(rows), legend, 5, path) as axes:
        for axis, (row, runs) in zip(axes, rows):
            panel(axis, row, runs)


def panel(axis: Axes, row: figures.Row, runs: dict[str, Any]) -> None:
    for key, (_, colour) in LINES.items():
        if key in runs:
            curve = runs[key]["curve"]
            axis.plot(curve["trees"], [100 * e / row.test_rows for e in curve["errors"]], color=colour)
    axis.axhline(100 * row.aoso / row.test_rows, color="#d62728", linestyle="--", linewidth=1)
    axis.axhline(100 * row.abc / row.test_rows, color="#7f7f7f", linestyle="--", linewidth=1)
    floor = 100 * min(row.aoso, row.abc) / row.test_rows
    axis.set(xscale="log", title=row.set, xlabel="trees", ylabel="test errors, %", ylim=(0.7 * floor, 3.5 * floor))
    axis.grid(alpha=0.3)
