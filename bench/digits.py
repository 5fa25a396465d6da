"""Variations on the MNIST digits, made by the published recipe.

H. Larochelle, D. Erhan, A. Courville, J. Bergstra, Y. Bengio: An Empirical Evaluation of Deep Architectures on Problems with
Many Factors of Variation. ICML 2007. An image has 28 x 28 values from 0 to 1, and a digit hides its background where it is brighter.
The rows are not those of the authors' files, which draw other digits and another background.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

SIDE = 28
BANDWIDTH = 6  # of the Gaussian kernel, in pixels

Change = Callable[[np.ndarray, np.random.Generator], np.ndarray]  # of images, one a row


def unchanged(digits: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return digits


def rotated(digits: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Turns each digit by a random angle."""
    from scipy import ndimage

    turned = np.empty_like(digits)
    for row, digit in enumerate(digits):
        image = ndimage.rotate(digit.reshape(SIDE, SIDE), rng.uniform(0, 360), reshape=False, order=1)
        turned[row] = image.ravel()
    return turned


def on_noise(digits: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Puts each digit on uniform noise."""
    return np.maximum(digits, rng.random(digits.shape, np.float32))


def on_correlated_noise(correlation: float) -> Change:
    """Puts each digit on noise that is uniform in each pixel and correlated between near ones, by a Gaussian kernel with this weight."""

    def change(digits: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        from scipy.special import ndtr

        at = np.stack(np.divmod(np.arange(SIDE * SIDE), SIDE), axis=1)
        distance = ((at[:, None] - at) ** 2).sum(axis=2)
        covariance = (1 - correlation) * np.eye(SIDE * SIDE) + correlation * np.exp(-distance / BANDWIDTH**2)
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(values.clip(min=0))  # the kernel alone is singular
        return np.maximum(digits, ndtr(rng.standard_normal(digits.shape) @ root.T).astype(np.float32))

    return change


def on_photograph(digits: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Puts each digit on a patch of a photograph: the portrait of Grace Hopper by the US Navy, in the public domain, that matplotlib brings."""
    from matplotlib import cbook, image

    with cbook.get_sample_data("grace_hopper.jpg") as file:
        photograph = image.imread(file, format="jpg").mean(axis=2, dtype=np.float32) / 255
    patches = np.lib.stride_tricks.sliding_window_view(photograph, (SIDE, SIDE))
    varied = np.argwhere(patches.std(axis=(2, 3)) > 0.1)  # the recipe leaves out patches of low variance, and gives no limit
    top, left = rng.choice(varied, len(digits)).T
    return np.maximum(digits, patches[top, left].reshape(digits.shape))


# The order of the six sets of correlated noise is that of the authors' files, from the strongest correlation to none.
VARIATIONS: dict[str, tuple[int, int, Change]] = {  # with the numbers of training rows and test rows
    "m-basic": (12_000, 50_000, unchanged),
    "m-rotate": (12_000, 50_000, rotated),
    "m-image": (12_000, 50_000, on_photograph),
    "m-rand": (12_000, 50_000, on_noise),
} | {f"m-noise{level}": (10_000, 2_000, on_correlated_noise((6 - level) / 5)) for level in range(1, 7)}


def vary(name: str, digits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Draws the rows of a set from all digits, and changes their images. Returns the rows and the images, training rows first."""
    rows, test_rows, change = VARIATIONS[name]
    rng = np.random.default_rng(list(VARIATIONS).index(name))
    chosen = rng.permutation(len(digits))[: rows + test_rows]
    return chosen, change(digits[chosen] / np.float32(255), rng)
