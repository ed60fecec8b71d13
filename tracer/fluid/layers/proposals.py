"""Detectors in two steps: regions proposed, shared out to levels, and what they and their anchors
are to become.
"""

from __future__ import annotations

from typing import Any

from ...core.errors import OpError, with_user_line
from ...core.op import OPS
from .helper import stopped, today
from .pick import gather
from .shapes import reshape
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


def _fixed(x: Any) -> Any:
    """A result that no gradient flows through, where there is one."""
    return None if x is None else stopped(x)


def _picked(said: Any, width: int, places: Any) -> Any:
    """What a network says of some anchors.   said [N, A, width] -> [K, width]"""
    return gather(reshape(said, (-1, width)), places)


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
    """What a region proposal network says of the anchors to learn from, and what it should

    (Ren et al. 2015).
    bbox_pred [N, A, 4]

    cls_logits [N, A, 1], anchor_box [A, 4], im_info [N, 3]; gt_boxes [G, 4], is_crowd int32 [G]: a
    sequence for each picture. -> scores [F + B, 1], places [F, 4], their targets int32 [F + B, 1],
    [F, 4], and 1 where a place counts [F, 4].
    """
    places, scores, boxes, labels, weights, *_ = map(
        _fixed,
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
    return _picked(cls_logits, 1, scores), _picked(bbox_pred, 4, places), labels, boxes, weights


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
    """What RetinaNet says of the anchors to learn from, and what it should

    (Lin et al. 2017).
    bbox_pred [N, A, 4], cls_logits [N, A, C]

    As rpn_target_assign, gt_labels int32 [G, 1] beside; the last result is the number of anchors of
    boxes and one, int32 [N, 1].
    """
    places, scores, boxes, labels, weights, found, *_ = map(
        _fixed,
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
        _picked(cls_logits, num_classes, scores),
        _picked(bbox_pred, 4, places),
        labels,
        boxes,
        weights,
        found,
    )


@today("paddle.vision.ops.generate_proposals")
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
    """Where a region proposal network sees something

    (Ren et al. 2015).
    scores [N, A, H, W], bbox_deltas [N, 4 * A, H, W], im_info [N, 3]

    -> regions [K, 4] and their scores [K, 1], a sequence for each picture; return_rois_num: where
    each ends, int64 [N], too.
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
    found = stopped(rois), stopped(probs)
    return (*found, stopped(OPS["cumsum"](cast(counts, "int64")))) if return_rois_num else found


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
    """Regions to learn from, and what they are to become

    (Girshick 2015).
    rpn_rois [R, 4], gt_classes, is_crowd int32 [G, 1], gt_boxes [G, 4]

    -> regions [K, 4], classes int32 [K, 1], targets, weights inside and outside [K, 4 *
    class_nums], all a sequence for each picture.
    """
    made = OPS["generate_proposal_labels"](
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
    return tuple(map(stopped, made[:5]))


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
    """The masks that regions are to become

    (He et al. 2017).
    rois [R, 4], labels_int32 [R, 1], gt_segms [P, 2]: pictures, things, outlines

    -> regions with a mask [K, 4], their numbers int32 [K, 1], masks int32 [K, num_classes *
    resolution * resolution], -1 for other classes.
    """
    made = OPS["generate_mask_labels"](
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
    return tuple(map(stopped, made[:3]))


@today("paddle.vision.ops.distribute_fpn_proposals")
def distribute_fpn_proposals(
    fpn_rois: Any,
    min_level: int,
    max_level: int,
    refer_level: int,
    refer_scale: int,
    name: str | None = None,
) -> Any:
    """The regions of each level of a pyramid, by size

    (Lin et al. 2017).
    fpn_rois [R, 4], a sequence for each picture -> list, where each is [R, 1]
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
    """The best regions of all levels, picture by picture

    (Lin et al. 2017).
    lists of [*, 4] and [*, 1], sequences -> [K, 4], sequences
    """
    levels = max_level - min_level + 1
    given = list(multi_rois[:levels]), None, list(multi_scores[:levels])
    return stopped(OPS["collect_fpn_proposals"](*given, None, post_nms_topN=post_nms_top_n)[0])


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
    """What RetinaNet sees

    (Lin et al. 2017).
    lists of bboxes [N, M, 4], scores [N, M, C], anchors [M, 4] -> class, score, box [R, 6],
    sequences

    As in Paddle 1.8, nms_eta is 1, whatever is given.
    """
    settings = {
        "score_threshold": float(score_threshold),
        "nms_threshold": float(nms_threshold),
        "nms_eta": 1.0,
    }
    return stopped(
        OPS["retinanet_detection_output"](
            list(bboxes),
            list(scores),
            list(anchors),
            im_info,
            nms_top_k=nms_top_k,
            keep_top_k=keep_top_k,
            **settings,
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
    """What is left when neighbours that overlap are made one

    (Zhou et al. 2017).
    bboxes [N, M, S], scores [N, 1, M] -> [R, 2 + S], sequences

    S is 4, or twice the corners of convex polygons.
    """
    if len(scores.shape) != 3 or scores.shape[1] != 1:
        raise OpError(
            with_user_line(
                f"locality_aware_nms: scores are not [N, 1, M], of one class (X={scores.meta})"
            )
        )
    settings = {
        "score_threshold": float(score_threshold),
        "nms_threshold": float(nms_threshold),
        "nms_eta": float(nms_eta),
    }
    counts = {
        "nms_top_k": nms_top_k,
        "keep_top_k": keep_top_k,
        "background_label": background_label,
    }
    return stopped(
        OPS["locality_aware_nms"](bboxes, scores, normalized=normalized, **settings, **counts)[0]
    )
