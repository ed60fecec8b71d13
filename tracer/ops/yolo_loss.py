"""The YOLOv3 loss."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..core.arrays import np
from ..core.op import Ints, Meta, check, op
from .box_ops import _sigmoid
from .detection_helpers import INT32, NO_HALF_BOXES
from .shared_op_rules import (
    check_float,
    dims_match,
    like_x_meta,
    make_vjp_rule_rejecting_second_order,
)

MIN_BOX_SIZE = 1e-6  # boxes with a smaller width or height are ignored


class YoloAttrs(NamedTuple):
    """The attributes of yolov3_loss."""

    anchors: Any
    anchor_mask: Any
    class_num: int
    ignore_thresh: float
    downsample_ratio: int
    use_label_smooth: bool
    scale_x_y: float


class YoloTargets(NamedTuple):
    """Ground-truth boxes assigned to an anchor of this map.

    indices: image, anchor of the mask, row, column, box index
    """

    indices: tuple[Any, Any, Any, Any, Any]
    # [K,4]: x and y relative to the cell, logarithms of the sizes relative to the anchor
    box_offsets: Any
    box_weight: Any  # [K]: the weight of the box loss
    confidence: Any  # [K]: the confidence score
    class_probabilities: Any  # [K,C]: the class probabilities


def _elementwise_box_ious(a: Any, b: Any) -> Any:
    """The intersection over union of boxes (center, size) [*,4], which broadcast."""
    sides = [
        np.minimum(a[..., i] + a[..., i + 2] / 2, b[..., i] + b[..., i + 2] / 2)
        - np.maximum(a[..., i] - a[..., i + 2] / 2, b[..., i] - b[..., i + 2] / 2)
        for i in (0, 1)
    ]
    shared = np.where((sides[0] < 0) | (sides[1] < 0), 0, sides[0] * sides[1])
    return shared / (a[..., 2] * a[..., 3] + b[..., 2] * b[..., 3] - shared)


def _reshape_channels_per_anchor(x: Any, s: YoloAttrs) -> Any:
    """Reshape X to [N,A,5+C,H,W]."""
    return x.reshape(x.shape[0], len(s.anchor_mask), 5 + s.class_num, *x.shape[2:])


def _anchor_and_image_sizes(x: Any, s: YoloAttrs) -> tuple[Any, int]:
    """Return the widths and heights of all anchors, [*,2], and the size of the image."""
    return np.array(s.anchors, x.dtype).reshape(-1, 2), s.downsample_ratio * x.shape[2]


def _predicted_boxes(maps: Any, s: YoloAttrs) -> Any:
    """Decode the boxes that an output map predicts. [N,A,H,W,4]"""
    high, wide = maps.shape[3:]
    sizes, whole = _anchor_and_image_sizes(maps[:, 0], s)
    shift = -0.5 * (s.scale_x_y - 1)
    x = (np.arange(wide) + _sigmoid(maps[:, :, 0]) * s.scale_x_y + shift) / high
    y = (np.arange(high)[:, None] + _sigmoid(maps[:, :, 1]) * s.scale_x_y + shift) / high
    own = sizes[list(s.anchor_mask)].T[:, None, :, None, None] / whole
    return np.stack(
        [x, y, np.exp(maps[:, :, 2]) * own[0], np.exp(maps[:, :, 3]) * own[1]], axis=-1
    ).astype(maps.dtype)


def _ignore_mask(maps: Any, boxes: Any, there: Any, s: YoloAttrs) -> Any:
    """A mask of the positions without objectness loss, because their predicted box overlaps a
    ground-truth box by more than ignore_thresh. [N,A,H,W]
    """
    seen = _predicted_boxes(maps, s)
    best = np.zeros(seen.shape[:-1], maps.dtype)
    for t in range(boxes.shape[1]):
        over = _elementwise_box_ious(seen, boxes[:, t, None, None, None])
        best = np.maximum(best, np.where(there[:, t, None, None, None], over, 0))
    return best > np.float32(s.ignore_thresh)


def _best_anchors_and_mask_indices(x: Any, boxes: Any, there: Any, s: YoloAttrs) -> tuple[Any, Any]:
    """For each ground-truth box, the anchor of the best matching size, and the index of this anchor
    in anchor_mask (-1 if it is not in anchor_mask).

    both [N,B]
    """
    sizes, whole = _anchor_and_image_sizes(x, s)
    alike = np.concatenate([np.zeros_like(sizes), sizes / whole], axis=1)
    shapes = np.concatenate([np.zeros_like(boxes[..., :2]), boxes[..., 2:]], axis=-1)
    best = np.argmax(
        _elementwise_box_ious(np.where(there[..., None], shapes, 1)[:, :, None], alike), axis=-1
    )
    number = {anchor: i for i, anchor in reversed(list(enumerate(s.anchor_mask)))}
    own = np.array([number.get(n, -1) for n in range(len(sizes))], np.int32)[best]
    return best, np.where(there, own, -1).astype(np.int32)


def _make_targets_and_anchor_matches(
    x: Any, boxes: Any, labels: Any, scores: Any, s: YoloAttrs
) -> tuple[YoloTargets, Any]:
    """Return the training targets, and the index of the anchor matched to each ground-truth box,
    int32 [N,B].
    """
    there = np.all(boxes[..., 2:] >= MIN_BOX_SIZE, axis=-1)
    best, match = _best_anchors_and_mask_indices(x, boxes, there, s)
    n, b = np.nonzero(match >= 0)
    own, (high, wide) = boxes[n, b], x.shape[2:]
    column, row = (own[:, 0] * wide).astype(np.int64), (own[:, 1] * high).astype(np.int64)
    sizes, whole = _anchor_and_image_sizes(x, s)
    shape = np.log(own[:, 2:] * whole / sizes[best[n, b]])
    place = np.concatenate(
        [(own[:, 0] * high - column)[:, None], (own[:, 1] * high - row)[:, None], shape], axis=1
    )
    smooth = min(1.0 / s.class_num, 1.0 / 40) if s.use_label_smooth else 0.0
    classes = np.where(labels[n, b, None] == np.arange(s.class_num), 1 - smooth, smooth).astype(
        x.dtype
    )
    score = np.ones(len(n), x.dtype) if scores is None else scores[n, b].astype(x.dtype)
    weight = (2 - own[:, 2] * own[:, 3]) * score
    return YoloTargets(
        (n, match[n, b], row, column, b), place.astype(x.dtype), weight, score, classes
    ), match


def _sigmoid_cross_entropy(x: Any, label: Any) -> Any:
    """The sigmoid cross entropy."""
    return np.maximum(x, 0) - x * label + np.log1p(np.exp(-np.abs(x)))


@op(
    "yolov3_loss",
    "X, GTBox!, GTLabel, GTScore?! -> Loss, ObjectnessMask~, GTMatchMask~",
    no_half_reason=NO_HALF_BOXES,
    validate_before_kernel=True,
)
def yolov3_loss(
    x,
    boxes,
    labels,
    scores=None,
    *,
    anchors: Ints = [],
    anchor_mask: Ints = [],
    class_num: int = 1,
    ignore_thresh: float = 0.7,
    downsample_ratio: int = 32,
    use_label_smooth: bool = True,
    scale_x_y: float = 1.0,
):
    """The YOLOv3 loss (Redmon and Farhadi 2018): Loss = box, class and objectness losses, summed
    per image.

    X [N,A*(5+C),H,W], GTBox [N,B,4], GTLabel int [N,B], GTScore [N,B] -> Loss [N]

    ObjectnessMask [N,A,H,W]: the score of the box at this position, 0 without a box, -1 where the
    objectness loss is ignored.
    GTMatchMask int32 [N,B]: the index in anchor_mask of the anchor of each box, -1 for none.
    """
    s = YoloAttrs(
        anchors,
        anchor_mask,
        class_num,
        ignore_thresh,
        downsample_ratio,
        use_label_smooth,
        scale_x_y,
    )
    maps = _reshape_channels_per_anchor(x, s)
    there = np.all(boxes[..., 2:] >= MIN_BOX_SIZE, axis=-1)
    present = np.where(_ignore_mask(maps, boxes, there, s), -1, 0).astype(x.dtype)
    want, match = _make_targets_and_anchor_matches(x, boxes, labels, scores, s)
    n, a, row, column, _ = want.indices
    present[n, a, row, column] = want.confidence
    own = maps[n, a, :, row, column]
    each = _sigmoid_cross_entropy(own[:, :2], want.box_offsets[:, :2]).sum(1) + np.abs(
        own[:, 2:4] - want.box_offsets[:, 2:]
    ).sum(1)
    each = (
        each * want.box_weight
        + _sigmoid_cross_entropy(own[:, 5:], want.class_probabilities).sum(1) * want.confidence
    )
    # bincount returns integers for an empty input
    loss = np.bincount(n, each, x.shape[0]).astype(np.float64)
    objectness_weight = np.where(present > 1e-5, present, np.where(present > -0.5, 1, 0))
    loss += (_sigmoid_cross_entropy(maps[:, :, 4], present > 1e-5) * objectness_weight).sum(
        axis=(1, 2, 3)
    )
    return loss.astype(x.dtype), present, match


@yolov3_loss.meta
def _(x, boxes, labels, scores, *, anchors, anchor_mask, class_num, **_):
    check_float(x)
    check(
        len(x.shape) == 4 and len(boxes.shape) == 3 and len(labels.shape) == 2,
        "needs X with four axes, GTBox [N,B,4] and GTLabel [N,B]",
    )
    check(
        len(anchors) > 0 and len(anchors) % 2 == 0,
        f"anchors={list(anchors)} are not pairs of numbers",
    )
    check(
        all(0 <= m < len(anchors) // 2 for m in anchor_mask),
        f"anchor_mask={list(anchor_mask)} contains an index that is not in anchors",
    )
    wanted = len(anchor_mask) * (5 + class_num)
    check(
        dims_match(x.shape[1], wanted),
        f"{x.shape[1]} channels are not the {wanted} of {len(anchor_mask)} anchors and "
        f"{class_num} classes",
    )
    check(dims_match(x.shape[2], x.shape[3]), "the height and width of X differ")
    check(dims_match(boxes.shape[2], 4), "boxes need four numbers")
    return (
        Meta((x.shape[0],), x.dtype),
        Meta((x.shape[0], len(anchor_mask), *x.shape[2:]), x.dtype),
        Meta(labels.shape, INT32),
    )


@yolov3_loss.vjp
def _(g, x, boxes, labels, scores, *, ObjectnessMask, GTMatchMask, **over):
    return yolov3_loss_grad(x, boxes, labels, scores, ObjectnessMask, g, **over), None, None, None


@op(
    "yolov3_loss_grad",
    "X, GTBox, GTLabel, GTScore?, ObjectnessMask, Loss@GRAD -> X@GRAD",
    meta=like_x_meta,
    attrs_of=yolov3_loss,
    internal=True,
)
def yolov3_loss_grad(x, boxes, labels, scores, present, g, **over):
    """The gradient of yolov3_loss with respect to X. If several boxes are assigned to the same
    anchor and position, only the last box counts.

    Loss@GRAD [N] -> X@GRAD [N,A*(5+C),H,W]
    """
    full = {name: over.get(name, spec.default) for name, spec in yolov3_loss.attrs.items()}
    s = YoloAttrs(**full)
    maps = _reshape_channels_per_anchor(x, s)
    out = np.zeros_like(maps)
    objectness_weight = np.where(present > 1e-5, present, np.where(present > -0.5, 1, 0))
    out[:, :, 4] = (
        (_sigmoid(maps[:, :, 4]) - (present > 1e-5)) * objectness_weight * g[:, None, None, None]
    )
    want, _ = _make_targets_and_anchor_matches(x, boxes, labels, scores, s)
    n, a, row, column, _ = want.indices
    own, lost = maps[n, a, :, row, column], g[n, None]
    out[n, a, :2, row, column] = (
        (_sigmoid(own[:, :2]) - want.box_offsets[:, :2]) * want.box_weight[:, None] * lost
    )
    out[n, a, 2:4, row, column] = (
        np.where(own[:, 2:4] > want.box_offsets[:, 2:], 1, -1) * want.box_weight[:, None] * lost
    )
    out[n, a, 5:, row, column] = (
        (_sigmoid(own[:, 5:]) - want.class_probabilities) * want.confidence[:, None] * lost
    )
    return out.reshape(x.shape).astype(x.dtype)


yolov3_loss_grad.vjp(make_vjp_rule_rejecting_second_order("yolov3_loss"))
