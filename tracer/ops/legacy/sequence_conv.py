"""Convolution over the rows of each sequence."""

from __future__ import annotations

from ...core.arrays import np
from ...core.op import HOST_PYTHON_LOOP, Meta, check, op
from ..lod import require_row_offsets, sequence_id_per_row
from ..matmul import matmul
from ..shared_op_rules import like_x_meta, make_vjp_rule_rejecting_second_order


def _window_row_indices_and_mask(lod, length, start):
    """For each row and each position of the window around it, the index of the row there, and
    whether that row belongs to the same sequence.

    [R, length]
    """
    offsets = require_row_offsets(lod)
    places = np.arange(offsets[-1])[:, None] + start + np.arange(length)
    owner = sequence_id_per_row(offsets)
    inside = (places >= offsets[owner][:, None]) & (places < offsets[owner + 1][:, None])
    return np.where(inside, places, 0), inside


@op("sequence_context", "X, X@LOD*?! -> Out", internal=True, host_reason=HOST_PYTHON_LOOP)
def sequence_context(x, lod=None, *, contextLength: int, contextStart: int = 0):
    """Out = the rows in the window of each row, concatenated; zeros outside of its sequence.

    X [R,D] -> Out [R, contextLength D]
    """
    places, inside = _window_row_indices_and_mask(lod, contextLength, contextStart)
    return (x[places] * inside[:, :, None].astype(x.dtype)).reshape(x.shape[0], -1)


@sequence_context.meta
def _(x, lod, *, contextLength, contextStart):
    return Meta((x.shape[0], x.shape[1] * contextLength), x.dtype)


sequence_context.vjp(make_vjp_rule_rejecting_second_order("sequence_conv"))


@op(
    "sequence_context_grad",
    "X, X@LOD*?!, Out@GRAD -> X@GRAD",
    meta=like_x_meta,
    internal=True,
    host_reason=HOST_PYTHON_LOOP,
)
def sequence_context_grad(x, lod=None, g=None, *, contextLength: int, contextStart: int = 0):
    """The gradient of the op that concatenates the rows in each window.

    Out@GRAD [R, contextLength D] -> X@GRAD [R,D]
    """
    places, inside = _window_row_indices_and_mask(lod, contextLength, contextStart)
    out = np.zeros_like(x)
    np.add.at(
        out, places, g.reshape(x.shape[0], contextLength, -1) * inside[:, :, None].astype(x.dtype)
    )
    return out


sequence_context_grad.vjp(make_vjp_rule_rejecting_second_order("sequence_conv"))


@op(
    "sequence_conv",
    "X, X@LOD*?!, PaddingData?, Filter -> Out",
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
)
def sequence_conv(
    x,
    lod=None,
    padding_data=None,
    filter=None,
    *,
    contextLength: int,
    contextStart: int = 0,
    contextStride: int = 1,
    paddingTrainable: bool = False,
):
    """Out = (the concatenated rows in the window of each row, zeros outside of its sequence) @
    Filter.

    X [R,D], Filter [contextLength D, M] -> Out [R,M]
    """
    return (
        sequence_context.numpy_kernel(
            x, lod, contextLength=contextLength, contextStart=contextStart
        )
        @ filter
    )


@sequence_conv.meta
def _(
    x, lod, padding_data, filter, *, contextLength, contextStart, contextStride, paddingTrainable
):
    check(contextStride == 1, f"contextStride={contextStride} is not 1")
    check(
        not paddingTrainable and padding_data is None,
        "paddingTrainable and PaddingData are not supported",
    )
    check(
        len(x.shape) == 2 and filter.shape[0] in (-1, x.shape[1] * contextLength),
        "Filter does not fit the window",
    )
    return Meta((x.shape[0], filter.shape[1]), x.dtype)


@sequence_conv.vjp
def _(g, x, lod, padding_data, filter, *, contextLength, contextStart):
    window = {"contextLength": contextLength, "contextStart": contextStart}

    def filter_grad():
        return matmul(sequence_context(x, lod, **window), g, trans_x=True)

    return (
        sequence_context_grad(x, lod, matmul(g, filter, trans_y=True), **window),
        None,
        None,
        filter_grad,
    )
