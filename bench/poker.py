"""Random poker hands and their classes by the rules."""

from __future__ import annotations

import numpy as np

FEATURES = 25


def hands(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Hands of five different cards in the order drawn, as suits from 1 to 4 and ranks from 1 to 13."""
    rng = np.random.default_rng(seed)
    cards = rng.integers(52, size=(count, 5))
    while len(twice := np.flatnonzero((np.diff(np.sort(cards, axis=1), axis=1) == 0).any(axis=1))):
        cards[twice] = rng.integers(52, size=(len(twice), 5))
    return cards // 13 + 1, cards % 13 + 1


def classes(suits: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """0 nothing, 1 pair, 2 two pairs, 3 three of a kind, 4 straight, 5 flush, 6 full house, 7 four of a kind,
    8 straight flush, 9 royal flush. An ace has rank 1 and can also follow the king."""
    of_rank = (ranks[:, :, None] == np.arange(1, 14)).sum(axis=1)
    most = np.sort(of_rank, axis=1)[:, ::-1]
    ordered = np.sort(ranks, axis=1)
    royal = (ordered == [1, 10, 11, 12, 13]).all(axis=1)
    straight = (np.diff(ordered, axis=1) == 1).all(axis=1) | royal
    flush = (suits == suits[:, :1]).all(axis=1)
    return np.select(
        [flush & royal, flush & straight, most[:, 0] == 4, (most[:, 0] == 3) & (most[:, 1] == 2), flush, straight,
         most[:, 0] == 3, most[:, 1] == 2, most[:, 0] == 2],
        [9, 8, 7, 6, 5, 4, 3, 2, 1],
    )  # fmt: skip


def features(suits: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """The paper's 25 features: for each card, an indicator of each suit and the rank."""
    indicators = (suits[:, :, None] == np.arange(1, 5)).reshape(len(suits), 20)
    return np.hstack([indicators, ranks]).astype(np.float32)
