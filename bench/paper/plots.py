"""Test errors against the number of trees, a panel a set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt

from bench.paper import figures, plan

COLUMNS = 4
LINES = {
    plan.key(plan.LEAVES, plan.SHRINKAGE): ("Algorithm 1 here", "#d62728"),
    "default": ("default here", "#1f77b4"),
    "abc": ("ABC-LogitBoost here", "#7f7f7f"),
}


def curves(rows: list[tuple[figures.Row, dict[str, Any]]], path: Path) -> None:
    """The end of the paper's AOSO and ABC as level lines."""
    if not rows:
        return
    columns = min(COLUMNS, len(rows))
    lines = -(-len(rows) // columns)
    figure, axes = plt.subplots(lines, columns, figsize=(4.2 * columns, 3.4 * lines), squeeze=False, layout="constrained")
    for axis, (row, runs) in zip(axes.flat, rows):
        for key, (_, colour) in LINES.items():
            if key in runs:
                curve = runs[key]["curve"]
                axis.plot(curve["trees"], [100 * e / row.test_rows for e in curve["errors"]], color=colour)
        axis.axhline(100 * row.aoso / row.test_rows, color="#d62728", linestyle="--", linewidth=1)
        axis.axhline(100 * row.abc / row.test_rows, color="#7f7f7f", linestyle="--", linewidth=1)
        floor = 100 * min(row.aoso, row.abc) / row.test_rows
        axis.set(xscale="log", title=row.set, xlabel="trees", ylabel="test errors, %", ylim=(0.7 * floor, 3.5 * floor))
        axis.grid(alpha=0.3)
    for axis in axes.flat[len(rows) :]:
        axis.axis("off")
    handles = [plt.Line2D([], [], color=colour, label=title) for title, colour in LINES.values()]
    handles.append(plt.Line2D([], [], color="#d62728", linestyle="--", label="AOSO in the paper, at its end"))
    handles.append(plt.Line2D([], [], color="#7f7f7f", linestyle="--", label="ABC in the paper, at its end"))
    figure.legend(handles=handles, loc="outside lower center", ncols=min(5, columns), frameon=False)
    figure.savefig(path, dpi=110)
    plt.close(figure)
