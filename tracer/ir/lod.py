"""Sequences of different lengths, one after the other in one tensor: where each begins, level by level (LoD, level of detail).

Offsets `[0, 2, 5]` are a sequence of two rows and one of three, lengths `[2, 3]`.   Of several levels each counts the sequences of the next,
and the last one rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Offsets = list[Any]  # int64 arrays, the outermost level first


def offsets_of(lengths: Sequence[Sequence[int]]) -> Offsets:
    """Offsets of the lengths of each level."""
    return [np.concatenate([[0], np.cumsum(level, dtype=np.int64)]).astype(np.int64) for level in lengths]


def lengths_of(offsets: Offsets) -> list[list[int]]:
    """Lengths of the offsets of each level."""
    return [np.diff(level).tolist() for level in offsets]


def is_valid(offsets: Offsets, rows: int) -> bool:
    """Whether each level counts all of the next one, and the last one all rows.   No levels are right for any rows."""
    if not offsets:
        return True
    ends = [*(len(level) - 1 for level in offsets[1:]), rows]
    return all(
        len(level) > 0 and level[0] == 0 and bool((np.diff(level) >= 0).all()) and level[-1] == end
        for level, end in zip(offsets, ends, strict=True)
    )
