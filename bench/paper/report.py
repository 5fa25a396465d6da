"""Writes the paper's tables, with the paper's numbers and ours side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench import readme, sets
from bench.paper import figures, plan, plots, significance
from bench.peers import plots as peer_plots
from bench.peers.run import TITLES, Measured
from bench.readme import bold, number, table
from bench.results import Results

PAGE = sets.ROOT / "docs/paper.md"
PEERS = {system: title for system, title in TITLES.items() if system != "aoso"}
Runs = dict[str, dict[str, Any]]


def write(folder: Path) -> None:
    """Fills the page with the results in the folder."""
    stores = {row.set: Results(folder, "paper", row.set.lower()) for row in figures.table3()}
    runs = {name: store.runs for name, store in stores.items()}
    rows = [row for row in figures.table3() if runs[row.set]]
    measured = {row.set: Measured(Results(folder, "peers", row.set.lower())) for row in rows}
    sections = {
        "paper totals": totals(rows, runs),
        "paper table 2": grid_errors(runs[plan.GRID_SET]),
        "paper table 2 abc": grid_abc(runs[plan.GRID_SET]),
        "paper table 3": errors(rows, runs) if rows else "",
        "paper table 3 best": best(rows, runs),
        "paper notes": notes(stores),
        "paper table 4": convergence(runs),
        "paper table 5": grid_convergence(runs[plan.GRID_SET]),
        "paper ablations": ablations(rows, runs),
        "paper peers": beside(rows, runs, measured),
    }
    plots.curves([(row, runs[row.set]) for row in rows], folder / "paper.png")
    compared = [row for row in rows if measured[row.set].runs]
    rates = {row.set.lower(): 100 * row.aoso / row.test_rows for row in compared}
    peer_plots.errors([measured[row.set] for row in compared], folder / "paper-peers.png", rates, "AOSO in the paper")
    readme.fill(sections, folder, PAGE, nothing="Not trained yet: `make paper`.")


def totals(rows: list[figures.Row], runs: dict[str, Runs]) -> str:
    """How many of the paper's figures were reproduced."""
    grid, rows_of_grid = _grid(runs[plan.GRID_SET]), _grid_test_rows()
    tables = [
        ("2, errors on Mnist10k", [(grid.get((c.leaves, c.shrinkage)), c.aoso, rows_of_grid) for c in figures.table2()]),
        ("3, errors on each set", [(algorithm_1(row, runs), row.aoso, row.test_rows) for row in figures.table3()]),
    ]
    lines = []
    for title, cells in tables:
        verdicts = [significance.verdict(run["errors"], paper, test_rows) for run, paper, test_rows in cells if run]
        lines.append([title, str(len(cells)), str(len(verdicts)), *(str(verdicts.count(word)) for word in ("equal", "**fewer**", "**more**"))])
    return table(["table", "figures in the paper", "trained here", "equal", "fewer errors", "more errors"], lines) if rows else ""


def beside(rows: list[figures.Row], runs: dict[str, Runs], measured: dict[str, Measured]) -> str:
    """Errors and CPU seconds of Algorithm 1, of the defaults, and of the best setting of each of today's libraries."""
    lines = []
    for row in rows:
        own, found = algorithm_1(row, runs), measured[row.set].best()
        found.pop("aoso", None)
        if not own or not found:
            continue
        default = measured[row.set].find("aoso", "default")
        least = min([own["errors"], *([default.last] if default else []), *(run.best for run in found.values())])
        line = [row.set, str(row.aoso), bold(own["errors"], least) + (f" in {number(own['cpu'])} s" if "cpu" in own else "")]
        line.append(f"{bold(default.last, least)} in {number(default.seconds)} s" if default else "–")
        for system in PEERS:
            run = found.get(system)
            line.append(f"{bold(run.best, least)} in {number(run.reach(run.best))} s" if run else "–")
        lines.append(line)
    head = ["set", "AOSO, paper", "Algorithm 1 here", "aoso, defaults", *PEERS.values()]
    return table(head, lines) if lines else ""


def errors(rows: list[figures.Row], runs: dict[str, Runs]) -> str:
    """Table 3, middle panel."""
    lines, same = [], 0
    for row in rows:
        paper, default = algorithm_1(row, runs), runs[row.set].get("preset=paper")
        lines.append(
            [row.set, f"{row.test_rows:,}", str(row.abc), str(row.aoso)]
            + _compared(paper and paper["errors"], row.aoso, row.test_rows)
            + _compared(default and default["errors"], row.aoso, row.test_rows)
        )
        same += bool(paper) and significance.p_value(paper["errors"], row.aoso, row.test_rows) >= significance.LEVEL
    head = ["set", "test rows", "ABC, paper", "AOSO, paper", "Algorithm 1 here", "p", "verdict", "preset=paper here", "p", "verdict"]
    trained = sum(bool(algorithm_1(row, runs)) for row in rows)
    checked = [(row, significance.p_value(row.aoso, row.abc, row.test_rows, "less")) for row in figures.table3()]
    agree = sum(abs(p - row.p) < 2e-4 for row, p in checked)
    return "\n\n".join(
        [
            table(head, lines),
            f"On {same} of {trained} sets, the errors of Algorithm 1 here do not differ significantly from the paper's. The "
            "p-values are two-sided and compare our errors with the paper's AOSO; the verdicts use the 5 % level. As a check, "
            "the same test, one-sided, on the paper's errors of ABC and AOSO gives the paper's p-values on "
            f"{agree} of {len(checked)} sets.",
        ]
    )


def best(rows: list[figures.Row], runs: dict[str, Runs]) -> str:
    """Table 3, right panel: the fewest errors over J and v."""
    lines = []
    for row in rows:
        tried = _grid(runs[row.set])
        if row.aoso_best is None or len(tried) < 2:
            continue
        (leaves, shrinkage), run = min(tried.items(), key=lambda item: item[1]["errors"])
        lines.append(
            [row.set, str(len(tried)), str(row.abc_best), str(row.aoso_best), plan.key(leaves, shrinkage)]
            + _compared(run["errors"], row.aoso_best, row.test_rows)
        )
    head = ["set", "J, v tried here", "ABC, paper", "AOSO, paper", "best J, v here", "errors", "p", "verdict"]
    return table(head, lines) if lines else ""


def grid_errors(runs: Runs) -> str:
    """Table 2."""
    tried, test_rows = _grid(runs), _grid_test_rows()
    lines, verdicts = [], []
    cells = {(c.leaves, c.shrinkage): c for c in figures.table2()}
    steps = sorted({v for _, v in cells})
    for leaves in sorted({j for j, _ in cells}):
        line = [str(leaves)]
        for shrinkage in steps:
            cell, run = cells[leaves, shrinkage], tried.get((leaves, shrinkage))
            if run:
                verdicts.append(significance.verdict(run["errors"], cell.aoso, test_rows))
            line.append(f"{cell.abc} / {cell.aoso} / " + (f"{run['errors']} {verdicts[-1]}" if run else "–"))
        lines.append(line)
    if not verdicts:
        return ""
    counts = ", ".join(f"{word.strip('*')} {verdicts.count(word)}" for word in ("equal", "**fewer**", "**more**"))
    return f"{table(['J', *(f'v = {v:g}' for v in steps)], lines)}\n\nOf {len(verdicts)} training runs: {counts}."


def grid_abc(runs: Runs) -> str:
    """The cells of Tables 2 and 5 that ABC-LogitBoost was trained for."""
    tried, test_rows = _grid(runs, "abc"), _grid_test_rows()
    trees = {(c.leaves, c.shrinkage): c.abc_trees for c in figures.table5()}
    lines = []
    for c in figures.table2():
        if run := tried.get((c.leaves, c.shrinkage)):
            paper = trees.get((c.leaves, c.shrinkage))
            line = [str(c.leaves), f"{c.shrinkage:g}", str(c.abc), *_compared(run["errors"], c.abc, test_rows)]
            lines.append([*line, f"{paper:,}" if paper else "–", _trees(run)])
    head = ["J", "v", "errors, paper", "errors here", "p", "verdict", "trees, paper", "trees here"]
    return table(head, lines, left=2) if lines else ""


def convergence(runs: dict[str, Runs]) -> str:
    """Table 4."""
    lines = []
    for row in figures.table4():
        own, abc = (runs[row.set].get(key) for key in (plan.key(plan.LEAVES, plan.SHRINKAGE), "abc"))
        if own:
            paper = row.abc_trees * row.ratio
            lines.append(
                [row.set, f"{row.abc_trees:,}", f"{paper:,.0f}", f"{row.ratio:.4f}"]
                + [_trees(own), f"{own['trees'] / paper - 1:+.1%}"]
                + ([_trees(abc), f"{own['trees'] / abc['trees']:.4f}"] if abc else ["–", "–"])
            )
        else:
            lines.append([row.set, f"{row.abc_trees:,}", f"{row.abc_trees * row.ratio:,.0f}", f"{row.ratio:.4f}", *"––––"])
    head = ["set", "ABC, paper", "AOSO, paper", "ratio", "Algorithm 1 here", "against the paper's", "ABC here", "ratio here"]
    return table(head, lines) if any(runs[row.set] for row in figures.table4()) else ""


def grid_convergence(runs: Runs) -> str:
    """Table 5."""
    tried = _grid(runs)
    cells = {(c.leaves, c.shrinkage): c for c in figures.table5()}
    steps = sorted({v for _, v in cells})
    lines = []
    for leaves in sorted({j for j, _ in cells}):
        line = [str(leaves)]
        for shrinkage in steps:
            cell, run = cells[leaves, shrinkage], tried.get((leaves, shrinkage))
            own = f"{run['trees'] / cell.abc_trees:.4f}" if run else "–"
            line.append(f"{cell.abc_trees:,} / {cell.ratio:.4f} / {own}")
        lines.append(line)
    return table(["J", *(f"v = {v:g}" for v in steps)], lines) if tried else ""


def ablations(rows: list[figures.Row], runs: dict[str, Runs]) -> str:
    """Compares one pair per tree, and the first-order choice of the pair, with Algorithm 1."""
    lines = []
    for row in rows:
        base = runs[row.set].get(plan.key(plan.LEAVES, plan.SHRINKAGE))
        if not base or not any(name in runs[row.set] for name in plan.ABLATIONS):
            continue
        line = [row.set, str(base["errors"]), _trees(base)]
        for name in plan.ABLATIONS:
            run = runs[row.set].get(name)
            line += [*_compared(run and run["errors"], base["errors"], row.test_rows), _trees(run) if run else "–"]
        lines.append(line)
    head = ["set", "Algorithm 1", "trees"]
    for title in ("one pair a tree", "first order"):
        head += [title, "p", "verdict", "trees"]
    return table(head, lines) if lines else ""


def notes(stores: dict[str, Results]) -> str:
    """Remarks on the data, and the sets that were not trained."""
    lines = [f"- {name}: {store.shape['note']}" for name, store in stores.items() if store.shape.get("note")]
    if absent := [name for name, store in stores.items() if not store.runs]:
        lines.append(f"- not trained: {', '.join(absent)}")
    return "\n".join(lines)


def algorithm_1(row: figures.Row, runs: dict[str, Runs]) -> dict[str, Any] | None:
    """The run of the middle panel: J = 20 and v = 0.1. For the two small Poker sets, J and v are those that do best on the
    test rows of the other set, as in the paper."""
    own = runs[row.set]
    if row.set in plan.POKER_SEARCHED:
        (other,) = set(plan.POKER_SEARCHED) - {row.set}
        both = {at: run for at, run in _grid(runs[other]).items() if at in _grid(own)}
        return _grid(own)[min(both, key=lambda at: both[at]["errors"])] if both else None
    return own.get(plan.key(plan.LEAVES, plan.SHRINKAGE))


def _grid(runs: Runs, begins: str = "J=") -> dict[tuple[int, float], dict[str, Any]]:
    """The runs whose names begin so, by J and v: those of Algorithm 1, or "abc"."""
    return {(run["params"]["max_leaves"], run["params"]["learning_rate"]): run for key, run in runs.items() if key.startswith(begins)}


def _grid_test_rows() -> int:
    return next(row.test_rows for row in figures.table3() if row.set == plan.GRID_SET)


def _compared(ours: int | None, theirs: int, rows: int) -> list[str]:
    if ours is None:
        return ["–", "–", "–"]
    return [str(ours), f"{significance.p_value(ours, theirs, rows):.4f}", significance.verdict(ours, theirs, rows)]


def _trees(run: dict[str, Any]) -> str:
    """Number of trees at convergence, with a mark if the limit was reached first."""
    return f"{run['trees']:,}" + (" (limit)" if run["stopped_by"] == "trees" else "")
