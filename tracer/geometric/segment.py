"""Reductions of rows by segments.

data [N, *], segment_ids int [N], ascending -> [last segment + 1, *]; an empty segment is 0
"""

from __future__ import annotations

from typing import Any

from ..core.op import OPS
from ..core.tensor import Tensor

__all__ = ["segment_max", "segment_mean", "segment_min", "segment_sum"]


def _make_segment_reduction_function(pool_type: str, noun: str) -> Any:
    def function(data: Tensor, segment_ids: Tensor, name: str | None = None) -> Tensor:
        return OPS["segment_pool"](data, segment_ids, pooltype=pool_type)[0]

    function.__name__ = function.__qualname__ = f"segment_{pool_type.lower()}"
    function.__doc__ = (
        f"{noun} of the rows of each segment: data [N, *], segment_ids int [N] -> [S, *]."
    )
    return function


segment_sum, segment_mean = (
    _make_segment_reduction_function("SUM", "Sum"),
    _make_segment_reduction_function("MEAN", "Mean"),
)
segment_max, segment_min = (
    _make_segment_reduction_function("MAX", "Maximum"),
    _make_segment_reduction_function("MIN", "Minimum"),
)
