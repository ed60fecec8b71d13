"""Older variants, with other attributes, of ops of Paddle 2 that rearrange or pad elements."""

from __future__ import annotations

import math
from typing import Any

from ...core.op import NO_GRAD_VALUE_INDEPENDENT, OPS, Ints, Meta, check, op
from ..creation import diag_v2, diag_v2_grad
from ..index import check_integers, one_hot_v2
from ..pad import pad3d, pad3d_grad
from ..pixel_shuffle import channel_shuffle
from ..shape import flip, reshape_like
from ..shared_op_rules import dims_match, numpy_dtype_of_proto, vjp_input_shape


@op("reverse", "X -> Out", breaks_lod=True, grad_keeps_shape=True)
def reverse(x, *, axis: Ints):
    """Out = X reversed along the axes. X [*] -> Out [*]"""
    return flip.kernel(x, axis=axis)


@reverse.meta
def _(x, *, axis):
    return flip.infer((x,), {"axis": axis})


@reverse.vjp
def _(g, x, *, axis):
    return reverse(g, axis=axis)


@op("flatten2", "X -> Out", older_types=("flatten",), public_name="flatten")
def flatten2(x, *, axis: int = 1):
    """Out = X as a matrix: the axes before `axis` are its rows, the other axes its columns.

    X [*A,*B] -> Out [prod(A),prod(B)]
    """
    check(0 <= axis <= x.ndim, f"axis={axis} is not in [0, {x.ndim}]")
    return x.reshape(math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))


@flatten2.meta
def _(x, *, axis):
    check(0 <= axis <= len(x.shape), f"axis={axis} is not in [0, {len(x.shape)}]")
    parts = x.shape[:axis], x.shape[axis:]
    return Meta(
        tuple(-1 if min(part, default=1) < 0 else math.prod(part) for part in parts), x.dtype
    )


@flatten2.vjp
def _(g, x):
    return reshape_like(g, x)


@op("diag", "Diagonal -> Out")
def diag(x):
    """Out = a matrix with Diagonal on its diagonal, zeros elsewhere. Diagonal [N] -> Out [N,N]"""
    return diag_v2.kernel(x)


@diag.meta
def _(x):
    check(len(x.shape) == 1, "Diagonal is not a vector")
    return Meta((x.shape[0], x.shape[0]), x.dtype)


@diag.vjp
def _(g, x):
    return diag_v2_grad(x, g)


@op("shuffle_channel", "X -> Out")
def shuffle_channel(x, *, group: int = 1):
    """Interleave the groups of channels: first channel 0 of each group, then channel 1 of each
    group, and so on (Zhang et al., 2017).

    X [N,C,H,W] -> Out [N,C,H,W]
    """
    return channel_shuffle.kernel(x, groups=group)


@shuffle_channel.meta
def _(x, *, group):
    return channel_shuffle.infer((x,), {"groups": group})


@shuffle_channel.vjp
def _(g, x, *, group):
    return shuffle_channel(g, group=vjp_input_shape(x)[1] // group)


def _pad3d_attrs_of_pad2d(paddings: Any, mode: str, data_format: str) -> dict[str, Any]:
    """Convert the attributes of pad2d to attributes of pad3d (paddings, mode, data_format) that pad
    in the same way.
    """
    check(len(paddings) == 4, f"paddings={list(paddings)} are not four")
    check(data_format in ("NCHW", "NHWC"), f"data_format={data_format!r} is neither NCHW nor NHWC")
    top, bottom, left, right = paddings
    kind = "replicate" if mode == "edge" else mode
    return {
        "paddings": [left, right, top, bottom, 0, 0],
        "mode": kind,
        "data_format": "NCDHW" if data_format == "NCHW" else "NDHWC",
    }


def _first_spatial_axis(data_format: str) -> int:
    return 2 if data_format == "NCHW" else 1


@op("pad2d", "X, Paddings? -> Out", public_name="pad")
def pad2d(
    x,
    paddings_tensor=None,
    *,
    paddings: Ints,
    mode: str = "constant",
    pad_value: float = 0.0,
    data_format: str = "NCHW",
):
    """Out = X, padded on its height and width as `mode` states.

    paddings: top, bottom, left, right.

    X [N,C,H,W] or [N,H,W,C] -> Out like X
    """
    given = paddings if paddings_tensor is None else [int(p) for p in paddings_tensor.reshape(-1)]
    border, at = _pad3d_attrs_of_pad2d(given, mode, data_format), _first_spatial_axis(data_format)
    shape = (*x.shape[:at], 1, *x.shape[at:])
    out = pad3d.kernel(x.reshape(shape), value=pad_value, **border)
    return out.reshape(*out.shape[:at], *out.shape[at + 1 :])


@pad2d.meta
def _(x, paddings_tensor, *, paddings, mode, pad_value, data_format):
    check(len(x.shape) == 4, "needs four axes")
    at = _first_spatial_axis(data_format)
    if paddings_tensor is not None:
        inner = (at, at + 1)
        return Meta(tuple(-1 if i in inner else d for i, d in enumerate(x.shape)), x.dtype)
    wide = Meta((*x.shape[:at], 1, *x.shape[at:]), x.dtype)
    found = pad3d.infer(
        (wide, None), {"value": pad_value, **_pad3d_attrs_of_pad2d(paddings, mode, data_format)}
    )
    return Meta((*found.shape[:at], *found.shape[at + 1 :]), x.dtype)


@pad2d.vjp
def _(g, x, paddings_tensor, *, paddings, mode, data_format):
    check(paddings_tensor is None, "the gradient is not supported if Paddings is given as a tensor")
    axes, border = (
        [_first_spatial_axis(data_format)],
        _pad3d_attrs_of_pad2d(paddings, mode, data_format),
    )
    wide = [OPS["unsqueeze2"](t, axes=axes) for t in (x, g)]
    if mode == "constant":
        made = pad3d(wide[1], **{**border, "paddings": [-p for p in border["paddings"]]})
    else:
        made = pad3d_grad(wide[0], None, wide[1], **border)
    return OPS["squeeze2"](made, axes=axes), None


@op("one_hot", "X, depth_tensor? -> Out", no_grad_reason=NO_GRAD_VALUE_INDEPENDENT)
def one_hot(
    x, depth_tensor=None, *, depth: int = -1, dtype: int = 5, allow_out_of_range: bool = False
):
    """one_hot_v2 of Paddle 1.x: X has a last axis of size 1, which is removed.

    X int [*, 1] -> Out [*, depth]
    """
    flat, free = x.reshape(x.shape[:-1]), allow_out_of_range
    return one_hot_v2.kernel(flat, depth_tensor, depth=depth, dtype=dtype, allow_out_of_range=free)


@one_hot.meta
def _(x, depth_tensor, *, depth, dtype, allow_out_of_range):
    check_integers(x)
    check(len(x.shape) > 0 and dims_match(x.shape[-1], 1), "X does not end in an axis of size 1")
    check(depth_tensor is not None or depth > 0, f"depth={depth} is not positive")
    return Meta((*x.shape[:-1], depth if depth_tensor is None else -1), numpy_dtype_of_proto(dtype))
