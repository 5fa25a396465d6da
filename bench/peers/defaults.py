"""The tables of what each library does with its defaults."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

from bench.peers import plan
from bench.peers.run import TITLES, Measured, Run, deviation
from bench.readme import number, table

# Errors within so many standard deviations of the fewest count as equal.
EQUAL = 0.5

# The aims: log loss as a multiple of the best peer's, and CPU time as a multiple of that of preset=paper.
LOSS_RATIO, CPU_RATIO = 1.03, 2

PAPER = f"aoso, {plan.PAPER}"


def tables(sets: Sequence[Measured]) -> str:
    """Log loss, Brier score, errors and CPU time, and how ours compare with those of the peers."""
    shown = [s for s in sets if s.find("aoso", "default") and s.peers("default")]
    if not shown:
        return ""
    return "\n\n".join(
        [
            "Log loss:",
            _table(shown, lambda run: run.logloss[-1], lambda loss: f"{loss:#.4g}" if loss < 1000 else f"{loss:,.0f}"),
            "Brier score, the sum of (p − y)² over the classes:",
            _table(shown, lambda run: run.brier, lambda brier: f"{brier:#.4g}"),
            "Errors:",
            _table(shown, lambda run: run.last, str),
            "CPU seconds:",
            _table(shown, lambda run: run.seconds, number, timed=True),
            "† The time limit ended the training. ‡ Measured on another machine than aoso.",
            *verdicts(shown),
        ]
    )


def _table(sets: Sequence[Measured], figure: Callable[[Run], float | None], text: Callable[..., str], timed: bool = False) -> str:
    """A column for each system. The least figure of the defaults is bold, of times that of this machine."""
    rows = []
    for s in sets:
        runs = {title: s.find(system, "default") for system, title in TITLES.items()}
        ours = runs["aoso"]
        compared = [run for run in runs.values() if run and not (timed and run.machine != ours.machine)]
        values = [value for run in compared if (value := figure(run)) is not None]
        least = min(values) if len(values) > 1 else None
        runs = {"aoso": ours, PAPER: s.find("aoso", plan.PAPER)} | runs
        cells = []
        for title, run in runs.items():
            value = figure(run) if run else None
            if value is None:
                cells.append("–")
                continue
            elsewhere = timed and run.machine != ours.machine
            cell = f"**{text(value)}**" if value == least and title != PAPER and not elsewhere else text(value)
            cells.append(cell + "†" * run.cut + "‡" * elsewhere)
        rows.append([s.name, *cells])
    return table(["set", "aoso", PAPER, *[title for title in TITLES.values() if title != "aoso"]], rows)


def verdicts(sets: Sequence[Measured]) -> list[str]:
    """How our defaults compare with those of the peers, a sentence for each figure."""
    ours = {s.name: s.find("aoso", "default") for s in sets}
    losses, spreads, against = {}, {}, {}
    for s in sets:
        own, peers = ours[s.name], s.peers("default")
        losses[s.name] = own.logloss[-1] / min(run.logloss[-1] for run in peers)
        fewest = min(own.last, *(run.last for run in peers))
        spreads[s.name] = (own.last - fewest) / max(deviation(fewest, own.test_rows), 1)
        against |= {s.name: own.seconds / run.seconds for run in peers if run.system == "lightgbm" and run.machine == own.machine}
    papers = {s.name: run for s in sets if (run := s.find("aoso", plan.PAPER))}
    lower = {name: ours[name].logloss[-1] / run.logloss[-1] for name, run in papers.items()}
    times = {name: ours[name].seconds / run.seconds for name, run in papers.items() if run.machine == ours[name].machine}
    return [
        f"aoso has the least log loss on {_count(losses, 1)}. Its log loss is at most {LOSS_RATIO} times the best peer's on"
        f" {_count(losses, LOSS_RATIO)}{_others(losses, LOSS_RATIO, '.2f')}.",
        f"Its log loss is at most that of {plan.PAPER} on {_count(lower, 1)}{_others(lower, 1, '.2f')}.",
        f"Its errors are the fewest, or within {EQUAL} standard deviations of the fewest, on {_count(spreads, EQUAL)}"
        f"{_others(spreads, EQUAL, '.1f', ' sd')}.",
        *_times(against, "It takes less CPU time than LightGBM", 1),
        *_times(times, f"It takes at most {CPU_RATIO} times the CPU time of {plan.PAPER}", CPU_RATIO),
    ]


def _times(ratios: dict[str, float], what: str, most: float) -> list[str]:
    if not ratios:
        return []
    return [f"{what} on {_count(ratios, most)}; the median is {statistics.median(ratios.values()):.2f} ×{_others(ratios, most, '.1f')}."]


def _count(values: dict[str, float], most: float) -> str:
    """On how many benchmark sets and tables a value is at most that."""
    kinds = {"sets": (*plan.REAL, *plan.SYNTHETIC), "tables": plan.TABLES, "large noisy sets": plan.NOISY}
    counts = []
    for kind, names in kinds.items():
        if there := [values[name] for name in names if name in values]:
            counts.append(f"{sum(value <= most for value in there)} of {len(there)} {kind}")
    return ", ".join(counts)


def _others(values: dict[str, float], most: float, form: str, unit: str = " ×") -> str:
    """The names with greater values, the worst first."""
    worse = sorted((name for name, value in values.items() if value > most), key=lambda name: -values[name])
    return f" (more: {', '.join(f'{name} {values[name]:{form}}{unit}' for name in worse)})" if worse else ""
