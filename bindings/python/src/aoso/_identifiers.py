"""Columns that identify rows, such as row numbers: what a model learns from them is of no use for other rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from ._capi import Array
from ._input import _DENSE, _TABLE, Matrix

# A column of texts or whole numbers identifies rows if this share of its values are different. Fewer rows can differ by chance.
_SHARE, _FEWEST, _SAMPLE = 0.95, 50, 1000


def readable(matrix: Matrix) -> bool:
    """Whether the columns can be read here: not those of sparse matrices and Arrow tables."""
    return matrix.kind in (_DENSE, _TABLE)


def numbers(matrix: Matrix) -> Iterator[tuple[int, Array]]:
    """The columns of numbers, with their positions."""
    if matrix.kind == _DENSE:
        (array,) = matrix.parts
        yield from enumerate(array.T)
    elif matrix.kind == _TABLE:
        yield from ((j, part.values) for j, part in enumerate(matrix.parts) if part.categories is None)


def warn(matrix: Matrix, x: Any) -> None:
    """Warn of columns that identify rows, in a table that was read from ``x``. Times may all be different."""
    dtypes = getattr(x, "dtypes", None)
    dtypes = [getattr(x, "dtype", None)] * matrix.shape[1] if dtypes is None else list(dtypes)
    times = {j for j, dtype in enumerate(dtypes) if getattr(dtype, "kind", "") in ("m", "M") or (dtype == object and hasattr(x, "dtypes"))}
    found = sorted([*_texts(matrix), *(j for j, values in numbers(matrix) if j not in times and _identifies(values))])
    if found:
        names = [repr(matrix.names[j]) if matrix.names else str(j) for j in found]
        which = f"column {names[0]} has" if len(found) == 1 else f"columns {', '.join(names)} have"
        warnings.warn(f"{which} a different value in nearly every row, as row numbers and identifiers do; leave them out unless they are measured", stacklevel=4)


def _texts(matrix: Matrix) -> Iterator[int]:
    """The columns of texts that identify rows."""
    rows = matrix.shape[0]
    if matrix.kind == _TABLE and rows >= _FEWEST:
        yield from (j for j, part in enumerate(matrix.parts) if part.categories is not None and len(part.categories) >= _SHARE * rows)


def _identifies(values: Array) -> bool:
    """Whether nearly every value is another whole number. Most columns show in their first rows that they are none."""
    for some in (values[:_SAMPLE], values):
        some = some[np.isfinite(some)]
        if len(some) < _FEWEST or (some.dtype.kind == "f" and (some % 1 != 0).any()) or len(np.unique(some)) < _SHARE * len(some):
            return False
    return True
