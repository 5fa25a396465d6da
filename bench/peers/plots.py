"""Plots test errors and log loss against CPU seconds of training, with a panel for each set."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from bench import panels
from bench.peers import plan
from bench.peers.run import TITLES, Measured, Run

COLOURS = dict(zip(TITLES, ("#d62728", "#1f77b4", "#2ca02c", "#98c46a", "#e6a817", "#7f7f7f")))
ERRORS, LOSS = "test errors, %", "test log loss"


def errors(sets: list[Measured], path: Path, others: dict[str, float] | None = None, title: str = "") -> None:
    """Plots the error rate: lines for the matched setting, points for the final errors of the defaults, and a horizontal line for an
    error rate from elsewhere, by set."""
    _draw([(s, ERRORS) for s in sets], path, others, title)


def mixtures(sets: list[Measured], path: Path) -> None:
    """Plots the error rate and the log loss."""
    _draw([(s, what) for s in sets for what in (ERRORS, LOSS)], path)


def noisy(sets: list[Measured], path: Path) -> None:
    """Plots the log loss of all settings, without the first iterations."""
    if not sets:
        return
    legend = [Line2D([], [], color=COLOURS[k], label=TITLES[k]) for k in ("aoso", "lightgbm", "xgboost")]
    legend += [
        Line2D([], [], color="black", linestyle="--", label="default"),
        Line2D([], [], color="black", label="matched; aoso: suggested"),
        Line2D([], [], color="black", linestyle=":", label=plan.PAPER),
    ]
    with panels.picture(len(sets), legend, 5, path) as axes:
        for axis, s in zip(axes, sets):
            for run in s.runs:
                style = {"default": "--", plan.PAPER: ":"}.get(run.setting, "-")
                axis.plot(run.cpu, run.logloss, style, color=COLOURS[run.system], linewidth=2 if run.system == "aoso" else 1.2)
            lowest, ends = min(run.lowest for run in s.runs), [run.logloss[-1] for run in s.runs]
            spread = max(max(ends) - lowest, 0.01)
            axis.set_ylim(lowest - 0.1 * spread, lowest + 3 * spread)
            axis.set(xscale="log", title=s.name, xlabel="CPU seconds", ylabel=LOSS)
            _ticks(axis.xaxis, (1, 2, 5))
            axis.grid(alpha=0.3)


def _draw(shown: list[tuple[Measured, str]], path: Path, others: dict[str, float] | None = None, title: str = "") -> None:
    if not shown:
        return
    legend = [Line2D([], [], color=COLOURS[k], label=title) for k, title in TITLES.items()]
    legend.append(Line2D([], [], color="black", marker="o", linestyle="", label="end of the library's defaults"))
    if others:
        legend.append(Line2D([], [], color=COLOURS["aoso"], linestyle="--", label=title))
    with panels.picture(len(shown), legend, 4, path) as axes:
        for axis, (s, what) in zip(axes, shown):
            _panel(axis, s, what)
            if others:
                axis.axhline(others[s.name], color=COLOURS["aoso"], linestyle="--", linewidth=1)


def _panel(axis: Axes, s: Measured, what: str) -> None:
    shown = []
    for system in TITLES:
        if run := s.find(system, "matched"):
            times, values = _curve(run, what)
            axis.plot(times, values, color=COLOURS[system], linewidth=2 if system == "aoso" else 1.2)
            shown += values
        if run := s.find(system, "default"):
            times, values = _curve(run, what)
            axis.plot(times[-1:], values[-1:], "o", color=COLOURS[system], markersize=5, markeredgecolor="white")
            shown += values[-1:]
    axis.set(xscale="log", yscale="log", title=s.name, xlabel="CPU seconds", ylabel=what)
    # Show values up to ten times the best. Larger ones occur only in the first iterations.
    if finite := [v for v in shown if 0 < v < float("inf")]:
        axis.set_ylim(0.9 * min(finite), min(10 * min(finite), max(finite)))
    _ticks(axis.xaxis, (1,))
    _ticks(axis.yaxis, (1, 2, 5))
    axis.grid(alpha=0.3)


def _ticks(scale: Axis, marked: tuple[int, ...]) -> None:
    """Labels a logarithmic axis with plain numbers."""
    scale.set_major_locator(LogLocator(subs=marked))
    scale.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    scale.set_minor_formatter(NullFormatter())


def _curve(run: Run, what: str) -> tuple[list[float], list[float]]:
    if what == LOSS:
        return run.cpu, run.logloss
    return run.cpu, [100 * e / run.test_rows for e in run.errors]
