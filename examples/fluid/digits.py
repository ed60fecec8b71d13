"""Digits as pictures of 12 x 12 points, drawn from a font, moved about and noisy: what the examples
in this folder learn to read.
"""

import numpy as np

FONT = [
    "111101101101111", "010110010010111", "111001111100111", "111001111001111", "101101111001001",
    "111100111001111", "111100111101111", "111001010010010", "111101111101111", "111101111001111",
]  # fmt: skip


def reader(count, seed):
    """A reader of pairs: float32 [1, 12, 12] from -1 to 1, and the digit."""

    def read():
        draws = np.random.RandomState(seed)
        for i in range(count):
            digit = np.array(list(FONT[i % 10]), "float32").reshape(5, 3).repeat(2, 0).repeat(2, 1)
            picture = draws.uniform(0, 0.3, (12, 12)).astype("float32")
            top, left = draws.randint(0, 2), draws.randint(0, 3)
            picture[top : top + 10, left : left + 6] += 0.7 * digit
            yield picture.reshape(1, 12, 12) * 2 - 1, i % 10

    return read


def arrays(batch):
    """Pictures [N, 1, 12, 12] and labels int64 [N, 1] of what `paddle.batch` gives."""
    return np.stack([picture for picture, _ in batch]), np.array(
        [label for _, label in batch], "int64"
    ).reshape(-1, 1)
