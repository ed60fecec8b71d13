"""Reductions of rows by segments.

data [N, *], segment_ids int [N], ascending -> [last segment + 1, *]; an empty segment is 0
"""

from __future__ import annotations

from typing import Protocol

from ..core.op import OPS
from ..core.tensor import Tensor

__all__ = ["segment_max", "segment_mean", "segment_min", "segment_sum"]


_DOCSTRING = """{summary}

    out[s] = {formula} over the rows n with segment_ids[n] = s of data[n]

    Parameters
    ----------
    data : Tensor [N, *], a numeric dtype
    segment_ids : Tensor [N], int32 | int64
        Segment of each row, ascending from 0 or more; numbers may be left out.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [S, *], dtype of `data`
        S is the last segment + 1. A segment without rows is 0.

    Raises
    ------
    OpError
        If `segment_ids` is not a vector of integers with one element per row, or it has a
        negative or decreasing element.

    Examples
    --------
    >>> data = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> paddle.geometric.{name}(data, paddle.to_tensor([0, 0, 2])).tolist()
    [{first_segment}, [0.0, 0.0], [5.0, 6.0]]
    """


class SegmentReduction(Protocol):
    """A function that reduces the rows of each segment."""

    def __call__(self, data: Tensor, segment_ids: Tensor, name: str | None = None) -> Tensor:
        """Return one row per segment."""


def _make_segment_reduction_function(
    pool_type: str, summary: str, formula: str, first_segment: list[float]
) -> SegmentReduction:
    """Return the function of a reduction.

    first_segment: the reduction of the rows [1, 2] and [3, 4], for the example
    """

    def function(data: Tensor, segment_ids: Tensor, name: str | None = None) -> Tensor:
        return OPS["segment_pool"](data, segment_ids, pooltype=pool_type)[0]

    function.__name__ = function.__qualname__ = f"segment_{pool_type.lower()}"
    function.__doc__ = _DOCSTRING.format(
        summary=summary, formula=formula, name=function.__name__, first_segment=first_segment
    )
    return function


segment_sum = _make_segment_reduction_function(
    "SUM", "Return the sum of the rows of each segment.", "sum", [4.0, 6.0]
)
segment_mean = _make_segment_reduction_function(
    "MEAN", "Return the mean of the rows of each segment.", "mean", [2.0, 3.0]
)
segment_max = _make_segment_reduction_function(
    "MAX", "Return the maximum of the rows of each segment, element by element.", "max", [3.0, 4.0]
)
segment_min = _make_segment_reduction_function(
    "MIN", "Return the minimum of the rows of each segment, element by element.", "min", [1.0, 2.0]
)
