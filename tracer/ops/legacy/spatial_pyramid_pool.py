"""spp: spatial pyramid pooling (He et al., 2014)."""

from __future__ import annotations

from typing import Any

from ...core.arrays import np
from ...core.op import OPS, Meta, check, op
from ..elementwise import add
from ..pool import pool2d, pool_grad
from ..shared_op_rules import check_float, scale_dim, vjp_input_shape


def _level_pool_attrs(sizes: tuple[int, ...], level: int, pooling_type: str) -> dict[str, Any]:
    """The attributes of the pool2d of one level, whose result has 2 ** level bins along each axis.

    sizes: height and width.
    """
    bins = 1 << level
    kernel = [-(-size // bins) for size in sizes]
    pads = [(k * bins - size + 1) // 2 for k, size in zip(kernel, sizes, strict=True)]
    made = [(size + 2 * pad - k) // k + 1 for k, pad, size in zip(kernel, pads, sizes, strict=True)]
    check(made == [bins] * 2, f"an image of {list(sizes)} is too small for {bins} x {bins} bins")
    return {"pooling_type": pooling_type, "ksize": kernel, "strides": kernel, "paddings": pads}


def _check_pyramid_height(levels: int) -> None:
    check(0 < levels < 12, f"pyramid_height={levels} is not in 1 ... 11")


@op("spp", "X -> Out")
def spp(x, *, pyramid_height: int, pooling_type: str):
    """Out = X, pooled to 1, 2 * 2, 4 * 4, ... bins; the results are concatenated.

    X [N,C,H,W] -> Out [N, C * (4 ** pyramid_height - 1) / 3]
    """
    check_float(x)
    _check_pyramid_height(pyramid_height)
    levels = [
        pool2d.kernel(x, **_level_pool_attrs(x.shape[2:], i, pooling_type))
        for i in range(pyramid_height)
    ]
    return np.concatenate(
        [level.reshape(len(x), level.shape[1] * level.shape[2] ** 2) for level in levels], axis=1
    )


@spp.meta
def _(x, *, pyramid_height, pooling_type):
    check_float(x)
    check(len(x.shape) == 4, "images need the shape [N, C, H, W]")
    check(pooling_type in ("max", "avg"), f"pooling_type={pooling_type!r} is neither max nor avg")
    _check_pyramid_height(pyramid_height)
    if min(x.shape[2:]) >= 0:
        check(min(x.shape[2:]) > 0, "the image has no elements")
        for level in range(pyramid_height):
            _level_pool_attrs(x.shape[2:], level, pooling_type)
    return Meta((x.shape[0], scale_dim(x.shape[1], (4**pyramid_height - 1) // 3)), x.dtype)


@spp.vjp
def _(g, x, *, pyramid_height, pooling_type, Out):
    batch, channels, *sizes = vjp_input_shape(x)
    total, start = None, 0
    for level in range(pyramid_height):
        attrs, end = (
            _level_pool_attrs(tuple(sizes), level, pooling_type),
            start + (channels << 2 * level),
        )

        def slice_level_bins(
            t: Any, start: int = start, end: int = end, bins: int = 1 << level
        ) -> Any:
            flat = OPS["slice"](t, axes=[1], starts=[start], ends=[end])
            return OPS["reshape2"](flat, shape=[batch, channels, bins, bins])

        found = pool_grad(x, slice_level_bins(Out), slice_level_bins(g), **attrs)
        total, start = found if total is None else add(total, found), end
    return total
