"""Helpers for LoD: row splits of packed sequences."""

from __future__ import annotations

from typing import Any

from ..core.arrays import np
from ..core.op import Op, check

Offsets = Any  # [n + 1], int64


def require_row_offsets(lod: Any, what: str = "X") -> Offsets:
    """The row offsets of the innermost level of an LoD; raises OpError if there is none."""
    check(bool(lod), f"{what} holds no sequences")
    return np.asarray(lod[-1], np.int64)


def sequence_lengths(offsets: Offsets) -> Any:
    """The length of each sequence."""
    return np.diff(offsets)


def sequence_id_per_row(offsets: Offsets) -> Any:
    """For each row, the index of the sequence that it belongs to."""
    return np.repeat(np.arange(len(offsets) - 1), sequence_lengths(offsets))


def offsets_from_lengths(counts: Any) -> Offsets:
    """Convert lengths to offsets."""
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)


def row_indices_of_ranges(starts: Any, counts: Any) -> Any:
    """The row indices of several ranges, concatenated; range i has counts[i] rows from starts[i]
    on.
    """
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(
        np.asarray(starts) - (ends - counts), counts
    )


def segment_sum(x: Any, offsets: Offsets) -> Any:
    """The sum of the rows of each sequence; zeros for empty sequences."""
    out = np.zeros((len(offsets) - 1, *x.shape[1:]), x.dtype)
    full = sequence_lengths(offsets) > 0
    if full.any():
        out[full] = np.add.reduceat(x, offsets[:-1][full], axis=0)
    return out


def reshape_row_values_to_broadcast(values: Any, like: Any) -> Any:
    """Reshape numbers [R], one per row, and cast them so that they broadcast with the tensor `like`
    [R,*].
    """
    return values.astype(like.dtype).reshape(-1, *[1] * (like.ndim - 1))


def set_lod_rules_to_no_lod(made: Op) -> None:
    """Declare that the results of an op on sequences have no LoD."""
    made.lod(lambda *_: 0)(lambda *_, **__: [])
