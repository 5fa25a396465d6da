"""Baselines of next-word prediction: how often words, pairs and triples of words occur."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from bench.peers.clock import Clock

DISCOUNT = 0.75


class NGrams:
    """Interpolated absolute discounting (H. Ney, U. Essen, R. Kneser, On structuring probabilistic dependences in stochastic
    language modelling, 1994): of each count of a word after a context, DISCOUNT goes to the shorter contexts."""

    version = ""

    def __init__(self, words: int) -> None:
        self.words = words  # of a context; 0: how often a word occurs at all

    def train(
        self, x: np.ndarray, y: np.ndarray, params: dict[str, Any], iterations: int | None, threads: int, clock: Clock
    ) -> None:
        clock.start()
        self.classes = int(y.max()) + 1
        self.counts: list[dict[bytes, np.ndarray]] = []
        for length in range(1, self.words + 1):
            contexts, number = np.unique(x[:, :length], axis=0, return_inverse=True)
            order = np.argsort(number, kind="stable")
            ends = np.cumsum(np.bincount(number))
            follow = np.split(y[order], ends[:-1])
            self.counts.append({context.tobytes(): labels for context, labels in zip(contexts, follow, strict=True)})
        self.shares = np.bincount(y, minlength=self.classes) / len(y)
        clock.tick()

    def staged(self, x: np.ndarray, stages: Sequence[int]) -> Iterator[np.ndarray]:
        p = np.tile(self.shares, (len(x), 1))
        for length, counts in enumerate(self.counts, 1):
            for row, words in zip(p, x, strict=True):
                after = counts.get(words[:length].tobytes())
                if after is not None:
                    found, times = np.unique(after, return_counts=True)
                    row *= DISCOUNT * len(found) / len(after)
                    row[found] += (times - DISCOUNT) / len(after)
        yield np.log(p)
