"""fsp: the FSP matrix ("flow of solution procedure") of two feature maps (Yim et al., 2017)."""

from __future__ import annotations

from typing import Any

from ...core.arrays import np
from ...core.op import OPS, Meta, check, check_dtype, op
from ..half_precision import computed_in_float32_if_half
from ..shared_op_rules import (
    check_float,
    dims_match,
    pick_known_dim,
    shapes_match,
    vjp_input_shape,
)


@op("fsp", "X, Y -> Out", same_dtype="X Y", validate_before_kernel=True)
@computed_in_float32_if_half
def fsp(x, y):
    """Out[n, c, d] = the mean over the pixels of X[n, c] * Y[n, d] (Yim et al., 2017).

    X [N,C,H,W], Y [N,D,H,W] -> Out [N,C,D]
    """
    pixels = x.shape[2] * x.shape[3]
    rows, columns = (t.reshape(*t.shape[:2], pixels) for t in (x, y))
    return np.matmul(rows, columns.swapaxes(1, 2)) / x.dtype.type(pixels)


@fsp.meta
def _(x, y):
    check_float(x)
    check_dtype(x.dtype == y.dtype, "the dtypes differ")
    check(len(x.shape) == len(y.shape) == 4, "images need the shape [N, C, H, W]")
    check(dims_match(x.shape[0], y.shape[0]), "the batch sizes differ")
    check(shapes_match(x.shape[2:], y.shape[2:]), "the images differ in height or width")
    check(0 not in x.shape[2:], "the images have no pixels")
    return Meta((pick_known_dim(x.shape[0], y.shape[0]), x.shape[1], y.shape[1]), x.dtype)


@fsp.vjp
def _(g, x, y):
    def flatten_pixels(t: Any) -> Any:
        return OPS["reshape2"](t, shape=[0, 0, -1])

    def reshape_and_divide_by_num_pixels(product: Any, like: Any) -> Any:
        height, width = vjp_input_shape(like)[2:]
        return OPS["scale"](OPS["reshape_like"](product, like), scale=1.0 / (height * width))

    return (
        lambda: reshape_and_divide_by_num_pixels(OPS["matmul_v2"](g, flatten_pixels(y)), x),
        lambda: reshape_and_divide_by_num_pixels(
            OPS["matmul_v2"](g, flatten_pixels(x), trans_x=True), y
        ),
    )
