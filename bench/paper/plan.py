"""The training runs for the paper's tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bench.paper import figures

# The paper's algorithm: everything that the paper does not have is switched off.
PRESET = {"preset": "paper"}
ALGORITHM_1 = PRESET | {"leaf": "pair", "pairs": 1, "trim": 0}
# ABC-LogitBoost. In each iteration, the base class is the class with the largest loss.
ABC = PRESET | {"method": "abc", "trim": 0}
ABLATIONS = {name: ALGORITHM_1 | {"pair_selection": name} for name in ("root", "first_order")}

LEAVES, SHRINKAGE = 20, 0.1
# The sets for which the paper gives the best result over all J and v. Mnist10k has the grid of Tables 2 and 5, of both systems.
SEARCHED = ("Letter", "Letter4k", "Letter2k", "Pendigits", "Zipcode", "Isolet", "Optdigits")
SEARCH = [(j, v) for j in (6, 10, 14, 20, 30) for v in (0.04, 0.1)]
POKER_SEARCHED = ("Poker25kT1", "Poker25kT2")
POKER_SEARCH = [(j, 0.1) for j in (4, 6, 8, 12, 20)]
GRID_SET = "Mnist10k"
ABLATED = ("Letter", "Letter4k", "Letter2k", "Pendigits", "Zipcode", "Isolet", "Optdigits", "Mnist10k")


Training = tuple[str, dict[str, Any], int]  # its name, parameters and number of trees; 0: the library's default


def trainings(row: figures.Row) -> Iterator[Training]:
    """The training runs for a row of Table 3. The grids come last."""
    trees = max_trees(row)
    at = POKER_SEARCH if row.set in POKER_SEARCHED else [(LEAVES, SHRINKAGE)]
    yield "preset=paper", PRESET, 0
    yield from (_algorithm_1(j, v, trees) for j, v in at)
    shape = {"max_leaves": LEAVES, "learning_rate": SHRINKAGE}
    if not row.set.startswith("Poker"):
        yield "abc", ABC | shape, trees
    if row.set in ABLATED:
        yield from ((name, params | shape, trees) for name, params in ABLATIONS.items())
    grid = SEARCH if row.set in SEARCHED else [(c.leaves, c.shrinkage) for c in figures.table2()] if row.set == GRID_SET else []
    others = [(j, v) for j, v in grid if (j, v) not in at]
    yield from (_algorithm_1(j, v, trees) for j, v in others)
    if row.set == GRID_SET:
        yield from ((f"abc {key(j, v)}", ABC | {"max_leaves": j, "learning_rate": v}, trees) for j, v in others)


def _algorithm_1(leaves: int, shrinkage: float, trees: int) -> Training:
    return key(leaves, shrinkage), ALGORITHM_1 | {"max_leaves": leaves, "learning_rate": shrinkage}, trees


def key(leaves: int, shrinkage: float) -> str:
    """The name of the run of Algorithm 1 with these parameters."""
    return f"J={leaves} v={shrinkage:g}"


def max_trees(row: figures.Row) -> int:
    """The paper's limit: the number of trees in M iterations of ABC-LogitBoost."""
    large = row.set.startswith("Covertype") or (row.set.startswith("Poker") and row.rows > 30_000)
    return (5_000 if large else 10_000) * (row.classes - 1)
