"""Boxes of a detector: laid out beforehand, matched with those that are there, and what it loses by
them.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

from ...core.errors import OpError, with_user_line
from ...core.op import OPS
from .conv import conv2d
from .elsewhere import elsewhere
from .helper import listed, stopped, today
from .losses import smooth_l1, softmax_with_cross_entropy
from .reduce import reduce_sum  # type: ignore[attr-defined]  # made from a table
from .regions import box_coder, iou_similarity, multiclass_nms, prior_box
from .shapes import concat, flatten, reshape, shape, slice, transpose
from .tensors import cast
from .unary import softmax

__all__ = [
    "anchor_generator",
    "bipartite_match",
    "box_clip",
    "box_decoder_and_assign",
    "density_prior_box",
    "detection_output",
    "multi_box_head",
    "polygon_box_transform",
    "ssd_loss",
    "target_assign",
    "yolov3_loss",
]

__getattr__ = elsewhere(__name__)


def _floats(values: Any) -> list[float]:
    return [float(v) for v in listed(values)]


def _pair(values: Any, what: str) -> list[float]:
    """Two numbers, of the width and of the height.   Raises OpError for others."""
    if not isinstance(values, list | tuple) or len(values) != 2:
        raise OpError(
            with_user_line(
                f"{what}={values} is not a list of two numbers, of the width and of the height"
            )
        )
    return _floats(values)


# -- laid out beforehand
# ----------------------------------------------------------------------------------------------


def anchor_generator(
    input: Any,
    anchor_sizes: Any = None,
    aspect_ratios: Any = None,
    variance: Any = (0.1, 0.1, 0.2, 0.2),
    stride: Any = None,
    offset: float = 0.5,
    name: str | None = None,
) -> Any:
    """Boxes of these sizes and shapes at each place of a map, in pixels

    (Ren et al. 2015).
    input [N, C, H, W] -> boxes, variances [H, W, P, 4]
    """
    boxes, spread = OPS["anchor_generator"](
        input,
        anchor_sizes=_floats(anchor_sizes),
        aspect_ratios=_floats(aspect_ratios),
        variances=_floats(variance),
        stride=_pair(stride, "anchor_generator: stride"),
        offset=float(offset),
    )
    return stopped(boxes), stopped(spread)


def density_prior_box(
    input: Any,
    image: Any,
    densities: Any = None,
    fixed_sizes: Any = None,
    fixed_ratios: Any = None,
    variance: Any = (0.1, 0.1, 0.2, 0.2),
    clip: bool = False,
    steps: Any = (0.0, 0.0),
    offset: float = 0.5,
    flatten_to_2d: bool = False,
    name: str | None = None,
) -> Any:
    """Several boxes of each size side by side at each place of a map

    (Zhang et al. 2017).
    -> boxes, variances [H, W, P, 4]

    input [N, C, H, W], image [N, C', H', W']; flatten_to_2d: -> both [H * W * P, 4].
    """
    step = _pair(steps, "density_prior_box: steps")
    boxes, spread = OPS["density_prior_box"](
        input,
        image,
        densities=[int(d) for d in densities],
        fixed_sizes=_floats(fixed_sizes),
        fixed_ratios=_floats(fixed_ratios),
        variances=_floats(variance),
        clip=clip,
        step_w=step[0],
        step_h=step[1],
        offset=float(offset),
        flatten_to_2d=flatten_to_2d,
    )
    return stopped(boxes), stopped(spread)


def _sizes_by_ratio(
    count: int, base: int, least: int, most: int
) -> tuple[list[float], list[float]]:
    """The smallest and largest box of each of several maps, in equal steps of percents of
    a base.
    """
    step = math.floor((most - least) / (count - 2))
    low = [base * 0.10] + [base * r / 100.0 for r in range(least, most + 1, step)]
    return low, [base * 0.20] + [base * (r + step) / 100.0 for r in range(least, most + 1, step)]


def _check_per_map(count: int, **given: Any) -> None:
    for what, values in given.items():
        if values and (not isinstance(values, list | tuple) or len(values) != count):
            raise OpError(
                with_user_line(
                    f"multi_box_head: {what}={values} is not a list with one entry for each of "
                    f"{count} maps"
                )
            )


def multi_box_head(
    inputs: Any,
    image: Any,
    base_size: int,
    num_classes: int,
    aspect_ratios: Any,
    min_ratio: int | None = None,
    max_ratio: int | None = None,
    min_sizes: Any = None,
    max_sizes: Any = None,
    steps: Any = None,
    step_w: Any = None,
    step_h: Any = None,
    offset: float = 0.5,
    variance: Any = (0.1, 0.1, 0.2, 0.2),
    flip: bool = True,
    clip: bool = False,
    kernel_size: int = 1,
    pad: int = 0,
    stride: int = 1,
    name: str | None = None,
    min_max_aspect_ratios_order: bool = False,
) -> Any:
    """Places and classes that a network says of the prior boxes of several maps

    (Liu et al. 2016).
    inputs [N, C, H, W] each

    -> places [N, P, 4], classes [N, P, num_classes], boxes [P, 4], variances [P, 4]
    """
    _check_per_map(
        len(inputs), aspect_ratios=aspect_ratios, step_w=step_w, step_h=step_h, steps=steps
    )
    if len(inputs) > 2 and min_sizes is None and max_sizes is None:
        if min_ratio is None or max_ratio is None:
            raise OpError(
                with_user_line(
                    "multi_box_head: needs min_ratio and max_ratio, or min_sizes and max_sizes"
                )
            )
        min_sizes, max_sizes = _sizes_by_ratio(len(inputs), base_size, min_ratio, max_ratio)
    across, down = steps or step_w, steps or step_h
    found = []
    for i, map in enumerate(inputs):
        step = [across[i] if across else 0.0, down[i] if across else 0.0]
        ratios = listed(aspect_ratios[i]) if aspect_ratios is not None else []
        boxes = prior_box(
            map,
            image,
            listed(min_sizes[i]),
            listed(max_sizes[i]),
            ratios,
            variance,
            flip,
            clip,
            step,
            offset,
            None,
            min_max_aspect_ratios_order,
        )
        said = [
            flatten(
                transpose(
                    conv2d(map, boxes[0].shape[2] * size, kernel_size, stride, pad), [0, 2, 3, 1]
                ),
                1,
            )
            for size in (4, num_classes)
        ]
        found.append((*said, *boxes))
    if len(found) == 1:
        return found[0]
    places, classes, boxes, spread = zip(*found, strict=True)
    return (
        reshape(concat(list(places), axis=1), [0, -1, 4]),
        reshape(concat(list(classes), axis=1), [0, -1, num_classes]),
        *(stopped(concat([flatten(b, 3) for b in every])) for every in (boxes, spread)),
    )


# -- matched
# ------------------------------------------------------------------------------


def bipartite_match(
    dist_matrix: Any,
    match_type: str | None = None,
    dist_threshold: float | None = None,
    name: str | None = None,
) -> Any:
    """Each row of a picture with one column, the nearest first.

    dist_matrix [R, C], sequences -> rows int32 [N, C], -1 for none, how near [N, C]

    match_type 'per_prediction': columns left over get their nearest row, if it is dist_threshold
    near.
    """
    settings = {"match_type": match_type, "dist_threshold": dist_threshold}
    return OPS["bipartite_match"](
        dist_matrix, None, **{k: v for k, v in settings.items() if v is not None}
    )


def target_assign(
    input: Any,
    matched_indices: Any,
    negative_indices: Any = None,
    mismatch_value: int | None = None,
    name: str | None = None,
) -> Any:
    """What each box is matched with, else mismatch_value, and 1 where it counts.

    input [R, P, K], matched_indices [N, M] -> [N, M, K], [N, M, 1]
    """
    return OPS["target_assign"](
        input,
        None,
        matched_indices,
        negative_indices,
        None,
        mismatch_value=mismatch_value if mismatch_value else 0,
    )


def ssd_loss(
    location: Any,
    confidence: Any,
    gt_box: Any,
    gt_label: Any,
    prior_box: Any,
    prior_box_var: Any = None,
    background_label: int = 0,
    overlap_threshold: float = 0.5,
    neg_pos_ratio: float = 3.0,
    neg_overlap: float = 0.5,
    loc_loss_weight: float = 1.0,
    conf_loss_weight: float = 1.0,
    match_type: str = "per_prediction",
    mining_type: str = "max_negative",
    normalize: bool = True,
    sample_size: int | None = None,
) -> Any:
    """The loss of a single shot detector

    (Liu et al. 2016).
    location [N, P, 4], confidence [N, P, C], prior_box [P, 4] -> [N, 1]

    gt_box [G, 4], gt_label [G, 1]: the boxes that are there, a sequence for each picture.
    """
    if mining_type != "max_negative":
        raise OpError(
            with_user_line(f"ssd_loss: mining_type={mining_type}: only max_negative is known")
        )
    sizes = stopped(slice(shape(confidence), axes=[0], starts=[0], ends=[2]))
    confidence = flatten(confidence, 2)

    def class_loss(target: Any) -> Any:
        return softmax_with_cross_entropy(confidence, stopped(flatten(cast(target, "int64"), 2)))

    matched, near = bipartite_match(
        iou_similarity(gt_box, prior_box), match_type, overlap_threshold
    )
    gt_label = stopped(reshape(gt_label, (*itertools.repeat(0, len(gt_label.shape) - 1), -1, 1)))
    target, _ = target_assign(gt_label, matched, mismatch_value=background_label)
    lost = stopped(reshape(class_loss(target), [-1, 0], actual_shape=sizes))
    negative, matched, _ = OPS["mine_hard_examples"](
        lost,
        None,
        matched,
        near,
        neg_pos_ratio=float(neg_pos_ratio),
        neg_dist_threshold=float(neg_overlap),
        mining_type=mining_type,
        sample_size=int(sample_size or 0),
    )
    coded = box_coder(prior_box, prior_box_var, gt_box, "encode_center_size")
    target_box, box_counts = target_assign(coded, matched, mismatch_value=background_label)
    target, class_counts = target_assign(
        gt_label, matched, negative, mismatch_value=background_label
    )
    class_part = class_loss(target) * stopped(flatten(class_counts, 2))
    box_counts = stopped(flatten(box_counts, 2))
    box_part = smooth_l1(flatten(location, 2), stopped(flatten(target_box, 2))) * box_counts
    loss = class_part * conf_loss_weight + box_part * loc_loss_weight
    loss = reduce_sum(reshape(loss, [-1, 0], actual_shape=sizes), dim=1, keep_dim=True)
    return loss / reduce_sum(box_counts) if normalize else loss


@today("paddle.vision.ops.yolo_loss")
def yolov3_loss(
    x: Any,
    gt_box: Any,
    gt_label: Any,
    anchors: Any,
    anchor_mask: Any,
    class_num: int,
    ignore_thresh: float,
    downsample_ratio: int,
    gt_score: Any = None,
    use_label_smooth: bool = True,
    name: str | None = None,
    scale_x_y: float = 1.0,
) -> Any:
    """The loss of a YOLO map

    (Redmon and Farhadi 2018).
    x [N, A * (5 + C), H, W], gt_box [N, B, 4], gt_label int32 [N, B] -> [N]
    """
    return OPS["yolov3_loss"](
        x,
        gt_box,
        gt_label,
        gt_score,
        anchors=list(anchors),
        anchor_mask=list(anchor_mask),
        class_num=class_num,
        ignore_thresh=float(ignore_thresh),
        downsample_ratio=downsample_ratio,
        use_label_smooth=use_label_smooth,
        scale_x_y=float(scale_x_y),
    )[0]


# -- decoding of network outputs
# --------------------------------------------------------------------------------------


def detection_output(
    loc: Any,
    scores: Any,
    prior_box: Any,
    prior_box_var: Any,
    background_label: int = 0,
    nms_threshold: float = 0.3,
    nms_top_k: int = 400,
    keep_top_k: int = 200,
    score_threshold: float = 0.01,
    nms_eta: float = 1.0,
    return_index: bool = False,
) -> Any:
    """The best boxes of a single shot detector.

    loc [N, P, 4], scores [N, P, C], before their softmax, prior_box [P, 4] -> [R, 6], sequences

    As in Paddle 1.8, background_label is 0 and nms_eta 1, whatever is given.
    """
    boxes = box_coder(prior_box, prior_box_var, loc, "decode_center_size")
    shares = stopped(transpose(softmax(scores), [0, 2, 1]))
    if not return_index:
        return multiclass_nms(boxes, shares, score_threshold, nms_top_k, keep_top_k, nms_threshold)
    found = OPS["multiclass_nms2"](
        boxes,
        None,
        shares,
        score_threshold=float(score_threshold),
        nms_top_k=nms_top_k,
        keep_top_k=keep_top_k,
        nms_threshold=float(nms_threshold),
    )
    return stopped(found[0]), stopped(found[1])


def box_clip(input: Any, im_info: Any, name: str | None = None) -> Any:
    """Boxes cut at the edge of their picture.

    input [T, *, 4], a sequence for each picture, im_info [N, 3]: height, width, scale -> same
    """
    return OPS["box_clip"](input, None, im_info)


def box_decoder_and_assign(
    prior_box: Any,
    prior_box_var: Any,
    target_box: Any,
    box_score: Any,
    box_clip: float,
    name: str | None = None,
) -> Any:
    """Boxes moved for each class, and those of the likeliest.

    prior_box [R, 4], target_box [R, 4 * C], box_score [R, C] -> [R, 4 * C], [R, 4]
    """
    return OPS["box_decoder_and_assign"](
        prior_box, prior_box_var, target_box, box_score, box_clip=float(box_clip)
    )


def polygon_box_transform(input: Any, name: str | None = None) -> Any:
    """Corners from their distances to places four pixels apart

    (Zhou et al. 2017).
    input [N, 2 * K, H, W] -> same
    """
    return OPS["polygon_box_transform"](input)


def detection_map(
    detect_res: Any,
    label: Any,
    class_num: int | None,
    background_label: int = 0,
    overlap_threshold: float = 0.3,
    evaluate_difficult: bool = True,
    has_state: Any = None,
    input_states: Any = None,
    out_states: Any = None,
    ap_version: str = "integral",
) -> Any:
    """The mean average precision of a detector

    (Everingham et al. 2010).
    detect_res [K, 6], label [G, 5] or [G, 6], sequences -> [1]

    has_state int32 [1]: whether input_states hold what was found before; out_states, the same
    variables, get what is known after. As in Paddle 1.8, background_label is 0, whatever is given.
    """
    counts, right, wrong = input_states or (None, None, None)
    made = OPS["detection_map"](
        detect_res,
        None,
        label,
        None,
        has_state,
        counts,
        right,
        wrong,
        class_num=class_num,
        overlap_threshold=float(overlap_threshold),
        evaluate_difficult=evaluate_difficult,
        ap_type=ap_version,
    )
    return stopped(made[3])
