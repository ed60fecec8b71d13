"""Rows joined by segments.

data [N, *], segment_ids int [N], not falling -> [last segment + 1, *]; an empty one is 0
"""

from __future__ import annotations

from typing import Any

from ..core.op import OPS
from ..core.tensor import Tensor

__all__ = ["segment_max", "segment_mean", "segment_min", "segment_sum"]


def _segment(word: str, what: str) -> Any:
    def function(data: Tensor, segment_ids: Tensor, name: str | None = None) -> Tensor:
        return OPS["segment_pool"](data, segment_ids, pooltype=word)[0]

    function.__name__ = function.__qualname__ = f"segment_{word.lower()}"
    function.__doc__ = (
        f"The {what} of the rows of each segment.   data [N, *], segment_ids int [N] -> [S, *]"
    )
    return function


segment_sum, segment_mean = _segment("SUM", "sum"), _segment("MEAN", "mean")
segment_max, segment_min = _segment("MAX", "largest"), _segment("MIN", "smallest")
