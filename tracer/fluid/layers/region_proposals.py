"""Two-stage detectors: proposal of regions, assignment to pyramid levels, and training targets."""

from __future__ import annotations

from typing import Any

from ...core.errors import OpError, append_user_line
from ...core.op import OPS
from .indexing import gather
from .layer_utils import deprecated_layer, set_stop_gradient
from .manipulation import reshape
from .tensors import cast

__all__ = [
    "collect_fpn_proposals",
    "distribute_fpn_proposals",
    "generate_mask_labels",
    "generate_proposal_labels",
    "generate_proposals",
    "locality_aware_nms",
    "retinanet_detection_output",
    "retinanet_target_assign",
    "rpn_target_assign",
]


def _set_stop_gradient_if_given(x: Any) -> Any:
    """Set stop_gradient of a variable and return it; return None for None."""
    return None if x is None else set_stop_gradient(x)


def _gather_anchor_predictions(predictions: Any, width: int, indices: Any) -> Any:
    """Select the predictions of some anchors: [N, A, width] -> [K, width]."""
    return gather(reshape(predictions, (-1, width)), indices)


def rpn_target_assign(
    bbox_pred: Any,
    cls_logits: Any,
    anchor_box: Any,
    anchor_var: Any,
    gt_boxes: Any,
    is_crowd: Any,
    im_info: Any,
    rpn_batch_size_per_im: int = 256,
    rpn_straddle_thresh: float = 0.0,
    rpn_fg_fraction: float = 0.5,
    rpn_positive_overlap: float = 0.7,
    rpn_negative_overlap: float = 0.3,
    use_random: bool = True,
) -> Any:
    """Sample anchors to train a region proposal network; return its predictions and their targets
    (Ren et al. 2015).

    bbox_pred: [N, A, 4].
    cls_logits: [N, A, 1].
    anchor_box: [A, 4].
    im_info: [N, 3].
    gt_boxes: [G, 4].
    is_crowd: int32 [G]; with LoD, one sequence per image.

    Returns scores [F + B, 1], box offsets [F, 4], their targets int32 [F + B, 1] and [F, 4], and
    weights of the offsets [F, 4].
    """
    location_index, score_index, boxes, labels, weights, *_ = map(
        _set_stop_gradient_if_given,
        OPS["rpn_target_assign"](
            anchor_box,
            gt_boxes,
            None,
            is_crowd,
            im_info,
            rpn_batch_size_per_im=rpn_batch_size_per_im,
            rpn_straddle_thresh=float(rpn_straddle_thresh),
            rpn_positive_overlap=float(rpn_positive_overlap),
            rpn_negative_overlap=float(rpn_negative_overlap),
            rpn_fg_fraction=float(rpn_fg_fraction),
            use_random=use_random,
        ),
    )
    return (
        _gather_anchor_predictions(cls_logits, 1, score_index),
        _gather_anchor_predictions(bbox_pred, 4, location_index),
        labels,
        boxes,
        weights,
    )


def retinanet_target_assign(
    bbox_pred: Any,
    cls_logits: Any,
    anchor_box: Any,
    anchor_var: Any,
    gt_boxes: Any,
    gt_labels: Any,
    is_crowd: Any,
    im_info: Any,
    num_classes: int = 1,
    positive_overlap: float = 0.5,
    negative_overlap: float = 0.4,
) -> Any:
    """Select anchors to train RetinaNet; return its predictions and their targets (Lin et al.
    2017).

    bbox_pred: [N, A, 4].
    cls_logits: [N, A, C].
    gt_labels: int32 [G, 1]; others as in rpn_target_assign.

    Returns the results of rpn_target_assign, and the number of foreground anchors plus one, int32
    [N, 1].
    """
    location_index, score_index, boxes, labels, weights, fg_num, *_ = map(
        _set_stop_gradient_if_given,
        OPS["retinanet_target_assign"](
            anchor_box,
            gt_boxes,
            None,
            gt_labels,
            is_crowd,
            im_info,
            positive_overlap=float(positive_overlap),
            negative_overlap=float(negative_overlap),
        ),
    )
    return (
        _gather_anchor_predictions(cls_logits, num_classes, score_index),
        _gather_anchor_predictions(bbox_pred, 4, location_index),
        labels,
        boxes,
        weights,
        fg_num,
    )


@deprecated_layer("paddle.vision.ops.generate_proposals")
def generate_proposals(
    scores: Any,
    bbox_deltas: Any,
    im_info: Any,
    anchors: Any,
    variances: Any,
    pre_nms_top_n: int = 6000,
    post_nms_top_n: int = 1000,
    nms_thresh: float = 0.5,
    min_size: float = 0.1,
    eta: float = 1.0,
    name: str | None = None,
    return_rois_num: bool = False,
) -> Any:
    """Propose regions from the outputs of a region proposal network (Ren et al. 2015).

    scores: [N, A, H, W].
    bbox_deltas: [N, 4 * A, H, W].
    im_info: [N, 3].

    Returns regions [K, 4] and scores [K, 1] with LoD, one sequence per image; with return_rois_num
    also the end of each sequence, int64 [N].
    """
    rois, probs, counts, *_ = OPS["generate_proposals"](
        scores,
        bbox_deltas,
        im_info,
        anchors,
        variances,
        pre_nms_topN=pre_nms_top_n,
        post_nms_topN=post_nms_top_n,
        nms_thresh=float(nms_thresh),
        min_size=float(min_size),
        eta=float(eta),
    )
    outputs = set_stop_gradient(rois), set_stop_gradient(probs)
    return (
        (*outputs, set_stop_gradient(OPS["cumsum"](cast(counts, "int64"))))
        if return_rois_num
        else outputs
    )


def generate_proposal_labels(
    rpn_rois: Any,
    gt_classes: Any,
    is_crowd: Any,
    gt_boxes: Any,
    im_info: Any,
    batch_size_per_im: int = 256,
    fg_fraction: float = 0.25,
    fg_thresh: float = 0.25,
    bg_thresh_hi: float = 0.5,
    bg_thresh_lo: float = 0.0,
    bbox_reg_weights: Any = (0.1, 0.1, 0.2, 0.2),
    class_nums: int | None = None,
    use_random: bool = True,
    is_cls_agnostic: bool = False,
    is_cascade_rcnn: bool = False,
) -> Any:
    """Sample regions for training, and return their targets (Girshick 2015).

    rpn_rois: [R, 4].
    gt_classes, is_crowd: int32 [G, 1].
    gt_boxes: [G, 4].

    Returns regions [K, 4], classes int32 [K, 1], targets, and inside and outside weights [K, 4 *
    class_nums], all with one sequence per image.
    """
    outputs = OPS["generate_proposal_labels"](
        rpn_rois,
        None,
        gt_classes,
        is_crowd,
        gt_boxes,
        None,
        im_info,
        None,
        batch_size_per_im=batch_size_per_im,
        fg_fraction=float(fg_fraction),
        fg_thresh=float(fg_thresh),
        bg_thresh_hi=float(bg_thresh_hi),
        bg_thresh_lo=float(bg_thresh_lo),
        bbox_reg_weights=[float(w) for w in bbox_reg_weights],
        class_nums=class_nums,
        use_random=use_random,
        is_cls_agnostic=is_cls_agnostic,
        is_cascade_rcnn=is_cascade_rcnn,
    )
    return tuple(map(set_stop_gradient, outputs[:5]))


def generate_mask_labels(
    im_info: Any,
    gt_classes: Any,
    is_crowd: Any,
    gt_segms: Any,
    rois: Any,
    labels_int32: Any,
    num_classes: int,
    resolution: int,
) -> Any:
    """Return the mask targets of regions (He et al. 2017).

    rois: [R, 4].
    labels_int32: [R, 1].
    gt_segms: [P, 2] with three LoD levels: objects of images, polygons of objects, points of
    polygons

    Returns regions with a mask [K, 4], their indices int32 [K, 1], and masks int32 [K, num_classes
    * resolution * resolution] with -1 for other classes.
    """
    outputs = OPS["generate_mask_labels"](
        im_info,
        gt_classes,
        None,
        is_crowd,
        gt_segms,
        None,
        rois,
        None,
        labels_int32,
        num_classes=num_classes,
        resolution=resolution,
    )
    return tuple(map(set_stop_gradient, outputs[:3]))


@deprecated_layer("paddle.vision.ops.distribute_fpn_proposals")
def distribute_fpn_proposals(
    fpn_rois: Any,
    min_level: int,
    max_level: int,
    refer_level: int,
    refer_scale: int,
    name: str | None = None,
) -> Any:
    """Distribute regions to pyramid levels by their size (Lin et al. 2017).

    fpn_rois: [R, 4] with LoD.
    Returns a list of the regions per level, and the original order [R, 1].
    """
    levels = {
        "min_level": min_level,
        "max_level": max_level,
        "refer_level": refer_level,
        "refer_scale": refer_scale,
    }
    return OPS["distribute_fpn_proposals"](fpn_rois, None, None, **levels)[:2]


def collect_fpn_proposals(
    multi_rois: Any,
    multi_scores: Any,
    min_level: int,
    max_level: int,
    post_nms_top_n: int,
    name: str | None = None,
) -> Any:
    """Select the regions with the highest scores over all levels (Lin et al. 2017).

    multi_rois, multi_scores: lists of [*, 4] and [*, 1] with LoD.
    Returns [K, 4] with LoD.
    """
    num_levels = max_level - min_level + 1
    operands = list(multi_rois[:num_levels]), None, list(multi_scores[:num_levels])
    return set_stop_gradient(
        OPS["collect_fpn_proposals"](*operands, None, post_nms_topN=post_nms_top_n)[0]
    )


def retinanet_detection_output(
    bboxes: Any,
    scores: Any,
    anchors: Any,
    im_info: Any,
    score_threshold: float = 0.05,
    nms_top_k: int = 1000,
    keep_top_k: int = 100,
    nms_threshold: float = 0.3,
    nms_eta: float = 1.0,
) -> Any:
    """Decode and select the boxes of RetinaNet (Lin et al. 2017).

    bboxes, scores, anchors: lists of [N, M, 4], [N, M, C] and [M, 4]

    Returns class, score and box [R, 6] with LoD. As in Paddle 1.8, nms_eta has no effect: it is 1.
    """
    thresholds = {
        "score_threshold": float(score_threshold),
        "nms_threshold": float(nms_threshold),
        "nms_eta": 1.0,
    }
    return set_stop_gradient(
        OPS["retinanet_detection_output"](
            list(bboxes),
            list(scores),
            list(anchors),
            im_info,
            nms_top_k=nms_top_k,
            keep_top_k=keep_top_k,
            **thresholds,
        )[0]
    )


def locality_aware_nms(
    bboxes: Any,
    scores: Any,
    score_threshold: float,
    nms_top_k: int,
    keep_top_k: int,
    nms_threshold: float = 0.3,
    normalized: bool = True,
    nms_eta: float = 1.0,
    background_label: int = -1,
    name: str | None = None,
) -> Any:
    """Non-maximum suppression that first merges neighboring boxes (Zhou et al. 2017).

    bboxes: [N, M, S].
    scores: [N, 1, M].
    Returns [R, 2 + S] with LoD.
    S is 4, or twice the number of corners of convex polygons.

    The newer name is `paddle.vision.ops.matrix_nms`.
    """
    if len(scores.shape) != 3 or scores.shape[1] != 1:
        raise OpError(
            append_user_line(f"locality_aware_nms: scores must be [N, 1, M] (X={scores.meta})")
        )
    thresholds = {
        "score_threshold": float(score_threshold),
        "nms_threshold": float(nms_threshold),
        "nms_eta": float(nms_eta),
    }
    counts = {
        "nms_top_k": nms_top_k,
        "keep_top_k": keep_top_k,
        "background_label": background_label,
    }
    return set_stop_gradient(
        OPS["locality_aware_nms"](bboxes, scores, normalized=normalized, **thresholds, **counts)[0]
    )
