"""The trees of a model as numpy arrays, read from the bytes of its file."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from ._capi import Array

_DTYPES = {"u8": np.uint8, "u16": np.uint16, "i32": np.int32, "u32": np.uint32, "f32": np.float32, "f64": np.float64}


class Forest:
    """Trees in flat arrays, in the order they were grown.

    The nodes of tree t are ``first_node[t]`` to ``first_node[t + 1]``, its leaves ``first_leaf[t]`` to
    ``first_leaf[t + 1]``. A node sends a row left if the value of ``feature`` is below ``threshold``; ``left`` and
    ``right`` are a node of the tree, or -1 - a leaf of the tree. ``node_pairs`` has the class pairs that a node tells
    apart; a class number past the last means none. ``steps`` has what a leaf adds to the scores: of each class
    if ``full``, else of its ``leaf_pairs``, to the first and from the second.
    """

    first_node: Array
    first_leaf: Array
    feature: Array
    threshold: Array
    missing_left: Array
    left: Array
    right: Array
    gain: Array
    node_rows: Array
    node_pairs: Array
    leaf_rows: Array
    leaf_pairs: Array
    steps: Array

    def __init__(self, file: bytes) -> None:
        size = int.from_bytes(file[16:24], "little")
        header = json.loads(file[32 : 32 + size])
        meta = header["meta"]
        self.classes = len(meta["classes"])
        self.full: bool = meta["leaf"] == "full"
        for a in header["arrays"]:
            setattr(self, a["name"], np.frombuffer(file, _DTYPES[a["type"]], a["count"], a["offset"]))
        pairs: int = meta["pairs"]
        self.node_pairs = self.node_pairs.reshape(-1, pairs, 2)
        self.leaf_pairs = self.leaf_pairs.reshape(-1, pairs, 2)
        self.steps = self.steps.reshape(-1, self.classes if self.full else pairs)

    def staged(self, leaves: Array, every: int) -> Iterator[Array]:
        """The raw scores, rows × classes, after every so many trees and at the end, for rows × trees leaves.

        The array is the same each time, with the next scores in it.
        """
        rows, trees = leaves.shape
        # The last column takes what falls to no class.
        scores = np.zeros((rows, self.classes + 1))
        add = self._add_full if self.full else self._add_pairs
        for t in range(trees):
            add(self.first_leaf[t] + leaves[:, t], scores)
            if (t + 1) % every == 0 or t + 1 == trees:
                yield scores[:, :-1]

    def _add_full(self, leaves: Array, scores: Array) -> None:
        scores[:, :-1] += self.steps[leaves]

    def _add_pairs(self, leaves: Array, scores: Array) -> None:
        rows = np.arange(len(scores))
        steps, pairs = self.steps[leaves], np.minimum(self.leaf_pairs[leaves], self.classes)
        for p in range(steps.shape[1]):
            scores[rows, pairs[:, p, 0]] += steps[:, p]
            scores[rows, pairs[:, p, 1]] -= steps[:, p]

    def class_pairs(self, kind: str) -> Array:
        """The "gain" or number ("split") of the splits on each pair of classes, classes × classes, symmetric.

        A split on several pairs counts for each with an equal share of its gain. What tells a class from all others is
        on the diagonal.
        """
        r, s = (self.node_pairs[:, :, side].astype(np.intp) for side in (0, 1))
        real = r < self.classes
        value = np.ones(len(r)) if kind == "split" else self.gain / np.maximum(real.sum(axis=1), 1)
        value = np.broadcast_to(value[:, None], r.shape)[real]
        r, s = r[real], s[real]
        s = np.where(s < self.classes, s, r)
        sums = np.zeros((self.classes, self.classes))
        np.add.at(sums, (np.minimum(r, s), np.maximum(r, s)), value)
        return sums + np.triu(sums, 1).T
