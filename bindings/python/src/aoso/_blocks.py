"""Rows that come in blocks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _capi, _labels, _matrix, _soft
from ._capi import Array
from .errors import ArgumentError


class Source:
    """Blocks of rows, described for the library, each time from the first one on."""

    def __init__(self, blocks: Any, feature_names: list[str] | None) -> None:
        if not callable(blocks) and not hasattr(blocks, "__iter__"):
            raise ArgumentError(f"blocks is a {type(blocks).__name__}; allowed: a function that returns an iterator, or a list")
        if not callable(blocks) and iter(blocks) is blocks:
            raise ArgumentError(
                "blocks is an iterator, which can be read only once; allowed: a function that returns one, or a list"
            )
        self._blocks, self._feature_names = blocks, feature_names
        self._names: list[str] | None = None
        self.classes: Array = np.array([])  # so far, sorted

    def _read(self, x: Any) -> _capi.Matrix:
        """A block, with its columns in the order of those of the first block."""
        if self._names is None or self._feature_names is not None:
            return _matrix.read(x, self._feature_names)
        return _matrix.read_as(x, self._names, True, (), labelled=True)

    def __iter__(self) -> Iterator[tuple[_capi.Matrix, _capi.Labels, Array | None, Array | None]]:
        blocks = self._blocks() if callable(self._blocks) else self._blocks
        for number, block in enumerate(blocks):
            if not isinstance(block, (tuple, list)) or not 2 <= len(block) <= 4:
                raise ArgumentError(f"block {number} is a {type(block).__name__}; allowed: (x, y), (x, y, weight) or (x, y, weight, row_id)")
            x, y, weight, row_id = (*block, None, None)[:4]
            matrix = self._read(x)
            if number == 0:
                self._names = matrix.names
            elif (matrix.names is None) != (self._names is None):
                raise ArgumentError(f"block {number} has the columns {matrix.names}; allowed: {self._names}, as in the first block")
            rows = matrix.shape[0]
            labels, classes = _labels.read(y, rows)
            if self.classes.size and _labels.kind(classes) != _labels.kind(self.classes):
                raise ArgumentError(f"block {number} has labels that are {_labels.kind(classes)}; allowed: {_labels.kind(self.classes)}, as before")
            if not self.classes.size:
                self.classes = classes
            elif not _soft.given(y):  # else the library compares the classes of each block with those of the first
                self.classes = np.union1d(self.classes, classes)
            yield matrix, labels, _matrix.weights(weight, rows), _matrix.row_ids(row_id, rows)
