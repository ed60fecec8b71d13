"""Windows larger than the image by less than a stride: Paddle computes one window over the image."""

import numpy as np
import pytest

import oarlock as paddle
from oarlock.nn import functional as F


@pytest.mark.parametrize(("exclusive", "wanted"), [(True, 1.5), (False, 1.5)])
def test_average_over_valid_elements(exclusive: bool, wanted: float) -> None:
    x = paddle.to_tensor([[[[1.0, 2.0, 3.0]]]], stop_gradient=False)
    y = F.avg_pool2d(x, 2, exclusive=exclusive)
    y.sum().backward()
    np.testing.assert_array_equal(y.numpy(), [[[[wanted]]]])
    np.testing.assert_array_equal(x.grad.numpy(), [[[[0.5, 0.5, 0.0]]]])


def test_convolution_over_valid_elements() -> None:
    x = paddle.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]], stop_gradient=False)
    y = F.conv2d(x, paddle.ones([1, 1, 3, 3]), stride=3)
    y.sum().backward()
    np.testing.assert_array_equal(y.numpy(), [[[[10.0]]]])
    np.testing.assert_array_equal(x.grad.numpy(), np.ones([1, 1, 2, 2]))
