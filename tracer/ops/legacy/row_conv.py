"""Row convolution: for each time step, a weighted sum of this step and the following steps (Amodei
et al., 2015).
"""

from __future__ import annotations

from typing import Any

from ...core.arrays import np
from ...core.op import Meta, check, op
from ..half_precision import computed_in_float32_if_half
from ..lod import require_row_offsets, sequence_id_per_row
from ..shared_op_rules import dims_match, make_vjp_rule_rejecting_second_order


def _later_row_indices_and_mask(x: Any, lod: Any, count: int) -> tuple[Any, Any]:
    """For each row and each i, the index of the row i steps later, and whether that row belongs to
    the same sequence.

    [R, count]

    Without LoD, axis 1 of X is time.
    """
    offsets = require_row_offsets(lod) if x.ndim == 2 else np.arange(x.shape[0] + 1) * x.shape[1]
    places = np.arange(offsets[-1])[:, None] + np.arange(count)
    inside = places < offsets[sequence_id_per_row(offsets) + 1][:, None]
    return np.where(inside, places, 0), inside[:, :, None].astype(x.dtype)


@op("row_conv", "X, X@LOD*?!, Filter -> Out", same_dtype="X Filter", validate_before_kernel=True)
@computed_in_float32_if_half
def row_conv(x, lod=None, filter=None):
    """Out[t] = sum over i of Filter[i] * X[t + i], within a sequence.

    X [R,D] of sequences, or [B,T,D]; Filter [N,D] -> Out like X
    """
    places, inside = _later_row_indices_and_mask(x, lod, len(filter))
    rows = x.reshape(-1, x.shape[-1])
    return (rows[places] * inside * filter).sum(1).reshape(x.shape)


@row_conv.meta
def _(x, lod, filter):
    check(len(x.shape) in (2, 3), "X needs two axes, of sequences, or three")
    check(
        len(filter.shape) == 2 and dims_match(filter.shape[1], x.shape[-1]), "Filter does not fit X"
    )
    return Meta(x.shape, x.dtype)


@row_conv.vjp
def _(g, x, lod, filter):
    of_x, of_filter = row_conv_grad(x, lod, filter, g)
    return of_x, None, of_filter


@op("row_conv_grad", "X, X@LOD*?!, Filter, Out@GRAD -> X@GRAD, Filter@GRAD", internal=True)
@computed_in_float32_if_half
def row_conv_grad(x, lod=None, filter=None, g=None):
    """The gradients of row_conv with respect to X and Filter. Out@GRAD like X -> X@GRAD,
    Filter@GRAD
    """
    places, inside = _later_row_indices_and_mask(x, lod, len(filter))
    rows, back = x.reshape(-1, x.shape[-1]), g.reshape(-1, 1, x.shape[-1]) * inside
    of_x = np.zeros_like(rows)
    np.add.at(of_x, places, back * filter)
    return of_x.reshape(x.shape), (back * rows[places]).sum(0)


@row_conv_grad.meta
def _(x, lod, filter, g):
    return Meta(x.shape, x.dtype), Meta(filter.shape, filter.dtype)


row_conv_grad.vjp(make_vjp_rule_rejecting_second_order("row_conv"))
