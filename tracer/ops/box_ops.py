"""Bounding boxes for detection: prior boxes, box encoding and YOLO decoding.

A box is (x1, y1, x2, y2).
"""

from __future__ import annotations

import math
from typing import Any

from ..core.arrays import np
from ..core.op import HOST_PYTHON_LOOP, Floats, Ints, Meta, check, check_dtype, op
from .half_precision import computed_in_float32_if_half
from .shared_op_rules import check_float, dims_match, num_elements

NO_GRAD_BOXES = "its boxes are targets or results; Paddle passes no gradient through them"


# -- prior_box
# ------------------------------------------------------------------------------


def _expand_aspect_ratios(aspect_ratios: Any, flip: bool) -> list[float]:
    """The aspect ratios without duplicates, starting with 1. With `flip`, each ratio is followed by
    its reciprocal.
    """
    found = [1.0]
    for ratio in aspect_ratios:
        if all(abs(ratio - r) >= 1e-6 for r in found):
            found += [ratio, 1 / ratio] if flip else [ratio]
    return found


def _prior_sizes(
    low: Any, high: Any, ratios: list[float], ratios_last: bool
) -> list[tuple[float, float]]:
    """Width and height of the prior boxes at one position of the feature map."""
    found = []
    for i, size in enumerate(low):
        plain = [(size * math.sqrt(r), size / math.sqrt(r)) for r in ratios]
        large = [(math.sqrt(size * high[i]),) * 2] if high else []
        found += [plain[0], *large, *plain[1:]] if ratios_last else [*plain, *large]
    return found


@op(
    "prior_box",
    "Input, Image -> Boxes, Variances",
    no_grad_reason=NO_GRAD_BOXES,
    host_reason=HOST_PYTHON_LOOP,
)
@computed_in_float32_if_half
def prior_box(
    x,
    image,
    *,
    min_sizes: Floats,
    max_sizes: Floats = [],
    aspect_ratios: Floats = [],
    variances: Floats = [],
    flip: bool = True,
    clip: bool = True,
    step_w: float = 0.0,
    step_h: float = 0.0,
    offset: float = 0.5,
    min_max_aspect_ratios_order: bool = False,
):
    """Boxes = P prior boxes of several sizes around each position of the feature map, in fractions
    of the image size (Liu et al., 2016). The output Variances repeats the attribute `variances` for
    each box.

    Input [N,C,H,W] -> Boxes, Variances [H,W,P,4]
    """
    check_float(x)
    high, wide = x.shape[2:]
    image_high, image_wide = image.shape[2:]
    steps = step_w or image_wide / wide, step_h or image_high / high
    sizes = np.array(
        _prior_sizes(
            min_sizes,
            max_sizes,
            _expand_aspect_ratios(aspect_ratios, flip),
            min_max_aspect_ratios_order,
        )
    )
    centers = np.stack(
        np.meshgrid((np.arange(wide) + offset) * steps[0], (np.arange(high) + offset) * steps[1]),
        axis=-1,
    )
    edges = [centers[:, :, None] - sizes / 2, centers[:, :, None] + sizes / 2]
    boxes = (
        np.concatenate(edges, axis=-1) / [image_wide, image_high, image_wide, image_high]
    ).astype(x.dtype)
    boxes = np.clip(boxes, x.dtype.type(0), x.dtype.type(1)) if clip else boxes
    return boxes, np.broadcast_to(np.array(variances, x.dtype), boxes.shape).copy()


@prior_box.meta
def _(x, image, *, min_sizes, max_sizes, aspect_ratios, variances, flip, **_):
    check_float(x)
    check(len(x.shape) == len(image.shape) == 4, "Input and Image need four axes")
    check(len(variances) == 4, f"variances={list(variances)} are not four numbers")
    check(len(max_sizes) in (0, len(min_sizes)), "max_sizes and min_sizes differ in number")
    count = len(min_sizes) * len(_expand_aspect_ratios(aspect_ratios, flip)) + len(max_sizes)
    return (Meta((*x.shape[2:], count, 4), x.dtype),) * 2


# -- box_coder
# ------------------------------------------------------------------------------


def _centers_and_sizes(boxes: Any, extra: Any) -> tuple[Any, Any]:
    """Return the centers [*,2] and the sizes [*,2] of boxes [*,4]."""
    sizes = boxes[..., 2:] - boxes[..., :2] + extra
    return boxes[..., :2] + sizes / 2, sizes


@op(
    "box_coder",
    "PriorBox, PriorBoxVar?, TargetBox -> OutputBox",
    no_grad_reason=NO_GRAD_BOXES,
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
)
@np.errstate(all="ignore")
@computed_in_float32_if_half
def box_coder(
    prior,
    prior_var,
    target,
    *,
    code_type: str = "encode_center_size",
    box_normalized: bool = True,
    axis: int = 0,
    variance: Floats = [],
):
    """Encode boxes as offsets from prior boxes, or decode such offsets (Girshick et al., 2014).

    encode_center_size: PriorBox [M,4], TargetBox [N,4] -> OutputBox [N,M,4].
    decode_center_size: PriorBox [M,4], TargetBox [N,M,4] -> OutputBox [N,M,4]. `axis` is the axis
    of size 1 that is inserted into PriorBox so that it broadcasts to TargetBox.
    """
    t = target.dtype.type
    extra = t(0 if box_normalized else 1)
    center, size = _centers_and_sizes(prior, extra)
    spread = (
        np.array(variance, target.dtype)
        if variance
        else np.ones(4, target.dtype)
        if prior_var is None
        else prior_var
    )
    if code_type == "encode_center_size":
        wanted, wanted_size = _centers_and_sizes(target[:, None], extra)
        wanted = (target[:, None, 2:] + target[:, None, :2]) / 2
        coded = np.concatenate(
            [(wanted - center) / size, np.log(np.abs(wanted_size / size))], axis=-1
        )
        return (coded / spread).astype(target.dtype)
    center, size = (np.expand_dims(v, axis) for v in (center, size))
    spread = np.expand_dims(spread, axis) if spread.ndim == 2 else spread
    middle = target[..., :2] * spread[..., :2] * size + center
    half = np.exp(target[..., 2:] * spread[..., 2:]) * size / t(2)
    return np.concatenate([middle - half, middle + half - extra], axis=-1)


@box_coder.meta
def _(prior, prior_var, target, *, code_type, box_normalized, axis, variance):
    known = code_type in ("encode_center_size", "decode_center_size")
    check(known, f"code_type={code_type} is neither encode_center_size nor decode_center_size")
    check(
        len(prior.shape) == 2 and dims_match(prior.shape[1], 4),
        "PriorBox needs the shape [boxes, 4]",
    )
    check(len(variance) in (0, 4), f"variance={list(variance)} are not four numbers")
    check_dtype(target.dtype == prior.dtype, "the dtypes differ")
    if code_type == "encode_center_size":
        check(len(target.shape) == 2, "TargetBox needs two axes to encode")
        return Meta((target.shape[0], prior.shape[0], 4), target.dtype)
    check(
        len(target.shape) == 3 and axis in (0, 1),
        "TargetBox needs three axes to decode, and axis is 0 or 1",
    )
    check(dims_match(target.shape[1 - axis], prior.shape[0]), "PriorBox does not fit TargetBox")
    return target


# -- yolo_box
# ------------------------------------------------------------------------------


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


@op(
    "yolo_box",
    "X, ImgSize -> Boxes, Scores",
    no_grad_reason=NO_GRAD_BOXES,
    host_reason=HOST_PYTHON_LOOP,
)
@computed_in_float32_if_half
def yolo_box(
    x,
    image_size,
    *,
    anchors: Ints = [],
    class_num: int = 1,
    conf_thresh: float = 0.01,
    downsample_ratio: int = 32,
    clip_bbox: bool = True,
    scale_x_y: float = 1.0,
    iou_aware: bool = False,
    iou_aware_factor: float = 0.5,
):
    """Decode the output map of a YOLO network to boxes and class scores (Redmon and Farhadi 2018).

    X [N,S*(5+K),H,W], ImgSize int [N,2] -> Boxes [N,S*H*W,4], Scores [N,S*H*W,K]

    conf_thresh: boxes and scores with a lower objectness are 0.
    iou_aware: X has S more channels at the front with the predicted IoU of each box.
    """
    check_float(x)
    n, _, high, wide = x.shape
    sizes = np.array(anchors, x.dtype).reshape(-1, 2)
    count = len(sizes)
    maps = (x[:, count:] if iou_aware else x).reshape(n, count, 5 + class_num, high, wide)
    confidence = _sigmoid(maps[:, :, 4])
    if iou_aware:
        confidence = (
            confidence ** (1 - iou_aware_factor) * _sigmoid(x[:, :count]) ** iou_aware_factor
        )
    image = image_size.astype(x.dtype)[:, ::-1, None, None, None]  # width, height
    cells = np.stack(np.meshgrid(np.arange(wide), np.arange(high)))[:, None]
    grid = np.array([wide, high], x.dtype).reshape(2, 1, 1, 1)
    offsets = np.moveaxis(maps[:, :, :2], 2, 1)
    center = (cells + _sigmoid(offsets) * scale_x_y - 0.5 * (scale_x_y - 1)) * image / grid
    half = (
        np.exp(np.moveaxis(maps[:, :, 2:4], 2, 1))
        * sizes.T.reshape(2, -1, 1, 1)
        * image
        / (downsample_ratio * grid)
        / 2
    )
    low, top = center - half, center + half
    if clip_bbox:
        low, top = np.maximum(low, 0), np.minimum(top, image - 1)
    kept = confidence >= conf_thresh
    boxes = np.moveaxis(np.concatenate([low, top], axis=1) * kept[:, None], 1, -1).reshape(n, -1, 4)
    scores = np.moveaxis(
        confidence[:, :, None] * _sigmoid(maps[:, :, 5:]) * kept[:, :, None], 2, -1
    ).reshape(n, -1, class_num)
    return boxes.astype(x.dtype), scores.astype(x.dtype)


@yolo_box.meta
def _(x, image_size, *, anchors, class_num, iou_aware, **_):
    check_float(x)
    check(
        len(x.shape) == 4 and len(image_size.shape) == 2, "needs X with four axes and ImgSize [N,2]"
    )
    check(
        len(anchors) > 0 and len(anchors) % 2 == 0,
        f"anchors={list(anchors)} are not pairs of numbers",
    )
    count = len(anchors) // 2
    wanted = count * (5 + class_num + int(iou_aware))
    check(
        dims_match(x.shape[1], wanted),
        f"{x.shape[1]} channels are not the {wanted} of {count} anchors and {class_num} classes",
    )
    places = num_elements((count, *x.shape[2:]))
    return Meta((x.shape[0], places, 4), x.dtype), Meta((x.shape[0], places, class_num), x.dtype)
