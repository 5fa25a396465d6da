"""Pictures with several panels and a legend below them."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from PIL import Image

COLUMNS = 4


@contextlib.contextmanager
def picture(count: int, legend: Sequence[Line2D], across: int, path: Path) -> Iterator[list[Axes]]:
    """Yields ``count`` panels to draw on and saves the picture afterwards. A row of the legend has as many entries as a row of
    panels, but at most ``across``."""
    columns = min(COLUMNS, count)
    rows = -(-count // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(4.2 * columns, 3.4 * rows), squeeze=False, layout="constrained")
    yield list(axes.flat[:count])
    for axis in axes.flat[count:]:
        axis.axis("off")
    figure.legend(handles=legend, loc="outside lower center", ncols=min(across, columns), frameon=False)
    image = io.BytesIO()
    figure.savefig(image, dpi=110)
    plt.close(figure)
    Image.open(image).convert("RGB").quantize(64, dither=Image.Dither.NONE).save(path, optimize=True)  # a third of the size
