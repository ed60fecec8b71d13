"""Average pooling with a divisor, as PaddlePaddle 2.6.2 computes it."""

from __future__ import annotations

import pytest

import oarlock as paddle
from oarlock.nn import functional as F

VALUES = [0.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("exclusive", "factor"), [(True, 2.0), (False, 0.5)], ids=["exclusive", "inclusive"]
)
@pytest.mark.parametrize("rank", [2, 3])
def test_divisor_with_padding(rank: int, exclusive: bool, factor: float) -> None:
    # each window of 2 x 2 contains one element of x and three of the padding
    x = paddle.to_tensor(VALUES).reshape([1] * rank + [2, 2])
    function, front = (F.avg_pool2d, []) if rank == 2 else (F.avg_pool3d, [1])
    padding = [0] * len(front) + [1, 1]
    y = function(x, [*front, 2, 2], None, padding, False, exclusive, divisor_override=2)
    assert y.reshape([4]).tolist() == [value * factor for value in VALUES]
