"""Crop a block of a tensor."""

from __future__ import annotations

from typing import Any

from ..core.arrays import np
from ..core.op import Ints, Meta, check, op
from .dynamic_sizes import sizes_from_tensors_or_attr
from .shared_op_rules import like_x_meta


def _block_starts_and_sizes(x: Any, starts: Any, shape: Any) -> tuple[Any, Any]:
    """Return the starts and sizes of a block of `x`; a size of -1 is replaced by the size from the
    start to the end of the axis.
    """
    starts = [0] * len(x.shape) if not len(starts) else list(starts)
    shape = list(x.shape) if not len(shape) else list(shape)
    check(
        len(starts) == len(shape) == len(x.shape),
        "offsets and shape do not have one element per axis of X",
    )
    return starts, [d - s if n == -1 else n for d, s, n in zip(x.shape, starts, shape, strict=True)]


@op("crop_tensor", "X, Shape?, ShapeTensor*?, Offsets?, OffsetsTensor*? -> Out", public_name="crop")
def crop_tensor(
    x,
    shape_tensor=None,
    shape_tensors=None,
    offsets_tensor=None,
    offset_tensors=None,
    *,
    offsets: Ints = [],
    shape: Ints = [],
):
    """Out = the block of X that starts at `offsets` and has the shape `shape`.

    shape: -1 for all elements from the offset on.

    X [*] -> Out [*shape]
    """
    starts, wanted = _block_starts_and_sizes(
        x,
        sizes_from_tensors_or_attr(offsets_tensor, offset_tensors, offsets),
        sizes_from_tensors_or_attr(shape_tensor, shape_tensors, shape),
    )
    inside = all(
        s >= 0 and n >= 0 and s + n <= d for s, n, d in zip(starts, wanted, x.shape, strict=True)
    )
    check(inside, f"offsets={starts} and shape={wanted} describe a block that is not inside X")
    return x[tuple(slice(s, s + n) for s, n in zip(starts, wanted, strict=True))].copy()


@crop_tensor.meta
def _(x, shape_tensor, shape_tensors, offsets_tensor, offset_tensors, *, offsets, shape):
    if shape_tensor is not None or shape_tensors or offsets_tensor is not None or offset_tensors:
        known = (
            shape
            if shape_tensor is None
            and not shape_tensors
            and all(n != -1 for n in shape)
            and len(shape)
            else None
        )
        return Meta(tuple(known) if known else (-1,) * len(x.shape), x.dtype)
    starts, wanted = _block_starts_and_sizes(x, offsets, shape)
    fits = [
        s >= 0 and (d < 0 or (n >= 0 and s + n <= d))
        for s, n, d in zip(starts, wanted, x.shape, strict=True)
    ]
    check(
        all(fits), f"offsets={starts} and shape={list(shape)} describe a block that is not inside X"
    )
    return Meta(
        tuple(-1 if d < 0 and n < 0 else n for n, d in zip(wanted, x.shape, strict=True)), x.dtype
    )


@crop_tensor.vjp
def _(g, x, shape_tensor, shape_tensors, offsets_tensor, offset_tensors, *, offsets):
    return crop_grad(x, g, offsets_tensor, offset_tensors, offsets=offsets), None, None, None, None


@op(
    "crop_tensor_grad",
    "X, Out@GRAD, Offsets?, OffsetsTensor*? -> X@GRAD",
    meta=like_x_meta,
    internal=True,
)
def crop_grad(x, g, offsets_tensor=None, offset_tensors=None, *, offsets: Ints = []):
    """X@GRAD = zeros like X, with Out@GRAD as the block that starts at `offsets`. X [*], Out@GRAD
    [*shape] -> X@GRAD like X
    """
    starts, _ = _block_starts_and_sizes(
        x, sizes_from_tensors_or_attr(offsets_tensor, offset_tensors, offsets), []
    )
    out = np.zeros(x.shape, g.dtype)
    out[tuple(slice(s, s + n) for s, n in zip(starts, g.shape, strict=True))] = g
    return out


@crop_grad.vjp
def _(gg, x, g, offsets_tensor, offset_tensors, *, offsets):
    taken = crop_like(gg, g, offsets_tensor, offset_tensors, offsets=offsets)
    return None, taken, None, None


@op(
    "crop_like",
    "X, Y, Offsets?, OffsetsTensor*? -> Out",
    meta=lambda x, y, *_, **__: Meta(y.shape, x.dtype),
    internal=True,
)
def crop_like(x, y, offsets_tensor=None, offset_tensors=None, *, offsets: Ints = []):
    """Out = the block of X that starts at `offsets` and has the shape of Y.

    X [*], Y [*S] -> Out [*S]
    """
    return crop_tensor.kernel(
        x, None, None, offsets_tensor, offset_tensors, offsets=offsets, shape=list(y.shape)
    )


@crop_like.vjp
def _(g, x, y, offsets_tensor, offset_tensors, *, offsets):
    return crop_grad(x, g, offsets_tensor, offset_tensors, offsets=offsets), None, None, None


@op("crop", "X, Y?!, Offsets?! -> Out")
def crop(x, y=None, offsets_tensor=None, *, offsets: Ints = [], shape: Ints = []):
    """Out = the block of X that starts at `offsets`. The shape of Out is that of Y or, without Y,
    the attribute `shape`.

    shape: -1 for all elements from the offset on.

    X [*] -> Out [*shape]
    """
    starts, wanted = (
        offsets if offsets_tensor is None else offsets_tensor.tolist(),
        shape if y is None else y.shape,
    )
    check(len(starts) == x.ndim, f"offsets={list(starts)} do not have one element per axis of X")
    return crop_tensor.kernel(x, offsets=list(starts), shape=list(wanted))


@crop.meta
def _(x, y, offsets_tensor, *, offsets, shape):
    wanted = list(shape if y is None else y.shape)
    check(len(wanted) == len(x.shape), f"shape={wanted} does not have one element per axis of X")
    if offsets_tensor is not None:
        return Meta(tuple(wanted), x.dtype)
    check(
        len(offsets) == len(x.shape),
        f"offsets={list(offsets)} do not have one element per axis of X",
    )
    known = [-1 if n < 0 else n for n in wanted]
    found = crop_tensor.infer((x,), {"offsets": list(offsets), "shape": known})
    return Meta(
        tuple(
            -1 if n < 0 and y is not None else m for n, m in zip(wanted, found.shape, strict=True)
        ),
        x.dtype,
    )


@crop.vjp
def _(g, x, y, offsets_tensor, *, offsets):
    return crop_grad(x, g, offsets_tensor, None, offsets=offsets), None, None
