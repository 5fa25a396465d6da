"""Pictures of several panels, a legend below them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

COLUMNS = 4


@contextlib.contextmanager
def picture(count: int, legend: Sequence[Line2D], across: int, path: Path) -> Iterator[list[Axes]]:
    """So many panels to draw on, saved afterwards. The legend has as many entries in a row as panels, ``across`` at most."""
    columns = min(COLUMNS, count)
    rows = -(-count // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(4.2 * columns, 3.4 * rows), squeeze=False, layout="constrained")
    yield list(axes.flat[:count])
    for axis in axes.flat[count:]:
        axis.axis("off")
    figure.legend(handles=legend, loc="outside lower center", ncols=min(across, columns), frameon=False)
    figure.savefig(path, dpi=110)
    plt.close(figure)
