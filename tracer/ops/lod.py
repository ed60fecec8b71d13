"""Helpers for LoD: row splits of packed sequences."""

from __future__ import annotations

from typing import Any

from ..core.arrays import np
from ..core.op import Op, check

Offsets = Any  # [n + 1], int64


def row_offsets(lod: Any, what: str = "X") -> Offsets:
    """The offsets of rows. Raises OpError where there are none."""
    check(bool(lod), f"{what} holds no sequences")
    return np.asarray(lod[-1], np.int64)


def lengths(offsets: Offsets) -> Any:
    """How long each sequence is."""
    return np.diff(offsets)


def sequence_ids(offsets: Offsets) -> Any:
    """The number of the sequence that each row belongs to."""
    return np.repeat(np.arange(len(offsets) - 1), lengths(offsets))


def offsets_from_lengths(counts: Any) -> Offsets:
    """Offsets of lengths."""
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)


def row_ranges(starts: Any, counts: Any) -> Any:
    """The rows of runs, one run after the other."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(
        np.asarray(starts) - (ends - counts), counts
    )


def segment_sum(x: Any, offsets: Offsets) -> Any:
    """The sum of the rows of each sequence, zeros for empty ones."""
    out = np.zeros((len(offsets) - 1, *x.shape[1:]), x.dtype)
    full = lengths(offsets) > 0
    if full.any():
        out[full] = np.add.reduceat(x, offsets[:-1][full], axis=0)
    return out


def as_column(values: Any, like: Any) -> Any:
    """Numbers per row, in the dtype and with as many axes as a tensor."""
    return values.astype(like.dtype).reshape(-1, *[1] * (like.ndim - 1))


def without_lod(made: Op) -> None:
    """Say that the result of an op on sequences holds none."""
    made.lod(lambda *_: 0)(lambda *_, **__: [])
