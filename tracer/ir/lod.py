"""LoD (level of detail): the offsets of packed sequences in one tensor.

Offsets `[0, 2, 5]` describe a sequence of two rows and one of three rows, with lengths `[2, 3]`.
With several levels, the offsets of a level are indices of sequences of the next level; those of the
last level are row indices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Offsets = list[Any]  # int64 arrays, the outermost level first


def lengths_to_offsets(lengths: Sequence[Sequence[int]]) -> Offsets:
    """Convert the lengths of each level to offsets."""
    return [
        np.concatenate([[0], np.cumsum(level, dtype=np.int64)]).astype(np.int64)
        for level in lengths
    ]


def offsets_to_lengths(offsets: Offsets) -> list[list[int]]:
    """Convert the offsets of each level to lengths."""
    return [np.diff(level).tolist() for level in offsets]


def are_offsets_valid(offsets: Offsets, rows: int) -> bool:
    """Whether each level covers all sequences of the next one, and the last level covers all
    rows. True if there are no levels.
    """
    if not offsets:
        return True
    ends = [*(len(level) - 1 for level in offsets[1:]), rows]
    return all(
        len(level) > 0 and level[0] == 0 and bool((np.diff(level) >= 0).all()) and level[-1] == end
        for level, end in zip(offsets, ends, strict=True)
    )
