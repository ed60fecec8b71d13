"""box_clip, box_decoder_and_assign and polygon_box_transform."""

from __future__ import annotations

from typing import Any

from ...core.arrays import np
from ...core.op import check, op
from ..box_ops import NO_GRAD_BOXES
from ..detection_helpers import NO_HALF_BOXES
from ..lod import require_row_offsets, sequence_id_per_row
from ..shared_op_rules import check_float, dims_match, like_x_meta_requiring_float


def round_half_away_from_zero(x: Any) -> Any:
    """Round to integers, with halves away from zero."""
    return np.sign(x) * np.floor(np.abs(x) + x.dtype.type(0.5))


def unscaled_image_max_coordinates(info: Any) -> Any:
    """The largest x and y coordinates in images before they were scaled.

    [n,3]: height, width, scale -> [n,4]
    """
    last = round_half_away_from_zero(info[:, :2] / info[:, 2:]) - 1
    return last[:, [1, 0, 1, 0]]


# -- box_clip
# ------------------------------------------------------------------------------


@op(
    "box_clip",
    "Input, Input@LOD*?!, ImInfo -> Output",
    no_grad_reason=NO_GRAD_BOXES,
    no_half_reason=NO_HALF_BOXES,
    validate_before_kernel=True,
)
def box_clip(boxes, lod, info):
    """Clip boxes to the border that their image has before it was scaled.

    Input [T,*,4], ImInfo [n,3]: height, width, scale -> like Input
    """
    offsets = require_row_offsets(lod, "Input")
    check(len(offsets) - 1 == len(info), "Input and ImInfo have different numbers of images")
    last = unscaled_image_max_coordinates(info.astype(boxes.dtype))[sequence_id_per_row(offsets)]
    return np.maximum(np.minimum(boxes, last.reshape(-1, *[1] * (boxes.ndim - 2), 4)), 0).astype(
        boxes.dtype
    )


@box_clip.meta
def _(boxes, lod, info):
    check_float(boxes)
    check(len(boxes.shape) >= 2 and dims_match(boxes.shape[-1], 4), "boxes need four numbers")
    check(
        len(info.shape) == 2 and dims_match(info.shape[1], 3),
        "ImInfo needs height, width and scale of each image",
    )
    return boxes


# -- box_decoder_and_assign
# -----------------------------------------------------------------------------------------


@op(
    "box_decoder_and_assign",
    "PriorBox, PriorBoxVar?, TargetBox, BoxScore -> DecodeBox, OutputAssignBox",
    no_grad_reason=NO_GRAD_BOXES,
    no_half_reason=NO_HALF_BOXES,
    validate_before_kernel=True,
)
def box_decoder_and_assign(prior, variance, target, score, *, box_clip: float = 4.135):
    """DecodeBox = the box of each class; OutputAssignBox = the box of the class with the highest
    score, background (class 0) excluded.

    PriorBox [R,4], PriorBoxVar [4], TargetBox [R,4*C], BoxScore [R,C] -> [R,4*C], [R,4]

    box_clip: upper limit of the logarithm of a size ratio.
    """
    t = prior.dtype.type
    spread = np.ones(4, prior.dtype) if variance is None else variance.reshape(-1)[:4]
    moves = target.reshape(len(prior), -1, 4)
    sizes = (prior[:, 2:] - prior[:, :2] + t(1))[:, None]
    middle = moves[..., :2] * spread[:2] * sizes + prior[:, None, :2] + sizes / t(2)
    half = np.exp(np.minimum(moves[..., 2:] * spread[2:], t(box_clip))) * sizes / t(2)
    decoded = np.concatenate([middle - half, middle + half - t(1)], axis=-1)
    best = np.argmax(score[:, 1:], axis=1) + 1 if score.shape[1] > 1 else None
    return decoded.reshape(target.shape), prior.copy() if best is None else decoded[
        np.arange(len(prior)), best
    ]


@box_decoder_and_assign.meta
def _(prior, variance, target, score, *, box_clip):
    check_float(prior)
    check(
        len(prior.shape) == len(target.shape) == len(score.shape) == 2, "needs operands of two axes"
    )
    check(dims_match(prior.shape[1], 4), "PriorBox needs the shape [boxes, 4]")
    wanted = 4 * score.shape[1] if score.shape[1] >= 0 else -1
    check(dims_match(target.shape[1], wanted), "TargetBox does not fit BoxScore")
    return target, prior


# -- polygon_box_transform
# ------------------------------------------------------------------------------------------


def _check_even_channels(x: Any) -> None:
    even = len(x.shape) == 4 and (x.shape[1] % 2 == 0 or x.shape[1] < 0)
    check(even, "Input needs four axes and an even number of channels")


@op(
    "polygon_box_transform",
    "Input -> Output",
    no_grad_reason=NO_GRAD_BOXES,
    no_half_reason=NO_HALF_BOXES,
)
def polygon_box_transform(x):
    """Output = absolute corner coordinates, computed from distances to grid positions that are four
    pixels apart. The channels of Input and Output hold x and y alternately (Zhou et al., 2017).

    Input [N,2*K,H,W] -> Output [N,2*K,H,W]
    """
    check_float(x)
    _check_even_channels(x)
    out = np.empty_like(x)
    out[:, 0::2] = 4 * np.arange(x.shape[3], dtype=x.dtype) - x[:, 0::2]
    out[:, 1::2] = 4 * np.arange(x.shape[2], dtype=x.dtype)[:, None] - x[:, 1::2]
    return out


@polygon_box_transform.meta
def _(x):
    _check_even_channels(x)
    return like_x_meta_requiring_float(x)
