"""Two classes, of which XGBoost and LightGBM model the second only."""

from __future__ import annotations

import numpy as np


def both(second: np.ndarray, first: np.ndarray | float) -> np.ndarray:
    """A column for each class, if there is but the second one's; else what is there."""
    if second.ndim == 2:
        return second
    return np.stack([np.broadcast_to(first, second.shape), second], axis=1)
