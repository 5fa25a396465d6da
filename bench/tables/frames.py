"""The twenty tables of other people, as pandas frames.

AOSO_TABLES names the folder with the files. The default is ../shared/tables. Its README says where they come from.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd

from bench.sets import ROOT

FOLDER = Path(os.environ.get("AOSO_TABLES") or ROOT.parent / "shared/tables")
FOLDS = 5
FEW_ROWS = 1000  # smaller tables are split with three seeds

# The smallest first.
TABLES = (
    "glass",
    "autos",
    "dermatology",
    "nci9",
    "libras",
    "eucalyptus",
    "cmc",
    "car",
    "steel-plates",
    "obesity",
    "student-dropout",
    "winequality-white",
    "waveform",
    "page-blocks",
    "texture",
    "theorem-proving",
    "skyserver",
    "nursery",
    "plants-shape",
    "kropt",
)


def missing(name: str) -> str:
    """The reason why a table is not available, or ""."""
    return "" if _file(name).is_file() else f"{_file(name)} does not exist; set AOSO_TABLES"


def load(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """The features and the labels, which are 0 to K - 1. Columns of text have strings, and None where the cell is empty. Rows
    of classes that are too small for all folds are left out."""
    table = pd.read_csv(_file(name), keep_default_na=False, na_values=[""])
    label = table.pop("label")
    enough = label.map(label.value_counts()) >= FOLDS
    table = table[enough].reset_index(drop=True)
    for column in texts(table):
        table[column] = table[column].astype(object).where(table[column].notna(), None)
    return table, np.unique(label[enough], return_inverse=True)[1].astype(np.int32)


def texts(table: pd.DataFrame) -> list[str]:
    """The names of the columns of text: the categories."""
    return [name for name in table if not pd.api.types.is_numeric_dtype(table[name])]


def _file(name: str) -> Path:
    return FOLDER / f"{name}.csv.gz"
