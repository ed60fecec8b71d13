"""LoD (level of detail): the offsets of packed sequences in one tensor.

Offsets `[0, 2, 5]` describe a sequence of two rows and one of three rows, with lengths `[2, 3]`.
With several levels, the offsets of a level are indices of sequences of the next level, and the
offsets of the last level are indices of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Offsets = list[Any]  # a list of int64 arrays, one per level, the outermost level first


def lengths_to_offsets(lengths: Sequence[Sequence[int]]) -> Offsets:
    """Convert the sequence lengths of each level to LoD offsets."""
    return [
        np.concatenate([[0], np.cumsum(level, dtype=np.int64)]).astype(np.int64)
        for level in lengths
    ]


def offsets_to_lengths(offsets: Offsets) -> list[list[int]]:
    """Convert the LoD offsets of each level to sequence lengths."""
    return [np.diff(level).tolist() for level in offsets]


def are_lod_levels_consistent(offsets: Offsets, rows: int) -> bool:
    """Whether the offsets of each level cover all sequences of the next level, and those of the
    last level cover all rows. True if there are no levels.
    """
    if not offsets:
        return True
    ends = [*(len(level) - 1 for level in offsets[1:]), rows]
    return all(
        len(level) > 0 and level[0] == 0 and bool((np.diff(level) >= 0).all()) and level[-1] == end
        for level, end in zip(offsets, ends, strict=True)
    )
