"""Helpers shared by detection ops."""

from __future__ import annotations

from typing import Any

from ..core.arrays import np
from .lod import require_row_offsets

NO_HALF_BOXES = "boxes are matched in float32 or float64, as in Paddle"
INT32, INT64 = np.dtype(np.int32), np.dtype(np.int64)


def row_offsets_or_single_image(lod: Any, rows: int) -> Any:
    """The offsets of the rows of each image in a batch of boxes, from the LoD. Without LoD, all
    rows belong to one image.
    """
    return require_row_offsets(lod) if lod else np.array([0, rows], np.int64)
