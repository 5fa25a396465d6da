"""The rows: Gaussian classes, the words of a text with the words before them, and classes of several places each."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np

from bench.many import places, words
from bench.sets import ROOT

TEST_ROWS = 10_000


def make(name: str, classes: int, rows: int, parent: Path) -> Path:
    """The folder of the rows, which is filled if it does not exist."""
    folder = parent / f"{name}-{classes}-{rows}"
    if not folder.exists():
        new = folder.with_suffix(".new")
        new.mkdir(parents=True, exist_ok=True)
        if own := {"words": words.rows, "places": places.rows}.get(name):
            for part, values in own(classes, rows).items():
                np.save(new / f"{part}.npy", values)
        else:
            sizes = ["-classes", str(classes), "-rows", str(rows), "-test", str(TEST_ROWS)]
            subprocess.run(["go", "run", "./bench/many", *sizes, "-write", new], cwd=ROOT, check=True)
        new.rename(folder)
    return folder


def load(folder: str, kind: str = "x") -> tuple[np.ndarray, ...]:
    """Training rows, their labels, test rows and their labels. The rows are the features ("x") or the "words" before them.
    Training rows are mapped, so that they take no memory."""
    first = np.load(Path(folder) / f"train.{kind}.npy", mmap_mode="r")
    return first, *(np.load(Path(folder) / f"{part}.npy") for part in ("train.y", f"test.{kind}", "test.y"))
