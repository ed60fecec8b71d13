"""Transposed convolutions and unpooling with output sizes given as tensors."""

from __future__ import annotations

from typing import Any

from ..core.arrays import np
from ..core.op import Ints, Meta, check, op
from .conv import conv2d_transpose, conv3d_transpose, conv_transpose_vjp
from .half_precision import computed_in_float32_if_half
from .max_pool_with_index import unpool_images, unpool_vjp


def ints_from_size_tensors(sizes: Any) -> list[int]:
    """Return sizes that are given as one tensor or as a list of one-element tensors, as a list of
    ints.
    """
    return [int(n) for s in sizes for n in np.asarray(s).reshape(-1)]


@op("conv_transpose_to", "Input, Filter, Bias?, Size*! -> Output", internal=True)
@computed_in_float32_if_half
def conv_transpose_to_size(
    x,
    w,
    bias,
    sizes,
    *,
    strides: Ints = [1, 1],
    paddings: Ints = [0, 0],
    padding_algorithm: str = "EXPLICIT",
    dilations: Ints = [1, 1],
    groups: int = 1,
    data_format: str = "NCHW",
):
    """conv2d_transpose or conv3d_transpose with the output sizes given by the input Size.

    Input [N,C,*S], Filter [C,M/groups,*K] -> [N,M,*Size]
    """
    flat = x.ndim == 4
    return (conv2d_transpose if flat else conv3d_transpose).kernel(
        x,
        w,
        *([bias] if flat else []),
        strides=strides,
        paddings=paddings,
        padding_algorithm=padding_algorithm,
        dilations=dilations,
        groups=groups,
        data_format=data_format,
        output_size=ints_from_size_tensors(sizes),
    )


@conv_transpose_to_size.meta
def _(x, w, bias, sizes, *, groups, data_format, **_):
    rank = len(x.shape) - 2
    check(
        rank in (2, 3) and len(w.shape) == rank + 2, "images and filters require four or five axes"
    )
    spatial, channels = (-1,) * rank, w.shape[1] * groups if w.shape[1] >= 0 else -1
    last = data_format[-1] == "C"
    return Meta(
        (x.shape[0], *spatial, channels) if last else (x.shape[0], channels, *spatial), x.dtype
    )


@conv_transpose_to_size.vjp
def _(
    g, x, w, bias, sizes, *, strides, paddings, padding_algorithm, dilations, groups, data_format
):
    operands = (g, x, w) if bias is None else (g, x, w, bias)
    back = conv_transpose_vjp(
        *operands,
        strides=strides,
        paddings=paddings,
        padding_algorithm=padding_algorithm,
        dilations=dilations,
        groups=groups,
        data_format=data_format,
    )
    return (*back, *([] if len(back) == 3 else [None]), None)


@op("unpool_to", "X, Indices, Size*! -> Out", internal=True, validate_before_kernel=True)
def unpool_to_size(x, mask, sizes):
    """Unpooling: Out = zeros, with each element of X at its position in Indices. The input Size
    determines the output sizes.

    X [N,C,*S], Indices int like X -> Out [N,C,*Size]
    """
    return unpool_images(x, mask, ints_from_size_tensors(sizes)[2 - x.ndim :])


@unpool_to_size.meta
def _(x, mask, sizes):
    check(len(x.shape) in (4, 5), "images require four or five axes")
    check(
        len(mask.shape) == len(x.shape) and mask.dtype.kind in "iu",
        "Indices are not whole numbers like X",
    )
    return Meta((*x.shape[:2], *(-1,) * (len(x.shape) - 2)), x.dtype)


@unpool_to_size.vjp
def _(g, x, mask, sizes):
    return *unpool_vjp(g, x, mask), None
