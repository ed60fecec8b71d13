"""Adaptive pooling with output sizes given as a tensor."""

from __future__ import annotations

from typing import Any

from ..core.arrays import np
from ..core.op import Meta, check, op
from .half_precision import computed_in_float32_if_half
from .pool import pool_grad, pool_op_for_shape
from .shared_op_rules import vjp_input_shape


@op("pool_to", "X, Size*! -> Out", internal=True)
@computed_in_float32_if_half
def pool_to_size(x, sizes, *, pooling_type: str = "", data_format: str = "NCHW"):
    """Adaptive pooling: Out = the maximum or the mean of X in each window. The input Size is the
    number of windows along each axis.

    X [N,C,*S] -> Out [N,C,*Size]
    """
    wanted = [int(np.asarray(s).reshape(-1)[0]) for s in sizes]
    return pool_op_for_shape(x.shape).kernel(
        x, **_adaptive_pool_attrs(wanted, pooling_type, data_format)
    )


def _adaptive_pool_attrs(sizes: list[int], kind: str, data_format: str) -> dict[str, Any]:
    return {
        "pooling_type": kind,
        "ksize": sizes,
        "strides": [1] * len(sizes),
        "paddings": [0] * len(sizes),
        "adaptive": True,
        "data_format": data_format,
    }


@pool_to_size.meta
def _(x, sizes, *, pooling_type, data_format):
    check(len(x.shape) == len(sizes) + 2, "Size needs one number per axis of the images")
    spatial, channels = (-1,) * len(sizes), x.shape[-1 if data_format[-1] == "C" else 1]
    return Meta(
        (x.shape[0], *spatial, channels)
        if data_format[-1] == "C"
        else (x.shape[0], channels, *spatial),
        x.dtype,
    )


@pool_to_size.vjp
def _(g, x, sizes, *, pooling_type, data_format, Out):
    out = vjp_input_shape(Out)
    spatial = out[1:-1] if data_format[-1] == "C" else out[2:]
    return pool_grad(
        x, Out, g, **_adaptive_pool_attrs(list(spatial), pooling_type, data_format)
    ), None
