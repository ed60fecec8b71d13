"""Anchors and prior boxes of a detector, their assignment to ground truth, losses, decoding of
network outputs, and mean average precision.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

from ...core.errors import OpError, append_user_line
from ...core.op import OPS
from .conv import conv2d
from .layer_utils import deprecated_layer, set_stop_gradient, to_list
from .losses import smooth_l1, softmax_with_cross_entropy
from .manipulation import concat, flatten, reshape, shape, slice, transpose
from .parent_package_getattr import make_getattr_from_package
from .reduce import reduce_sum  # type: ignore[attr-defined]  # generated from a table
from .roi_and_boxes import box_coder, iou_similarity, multiclass_nms, prior_box
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

__getattr__ = make_getattr_from_package(__name__)


def _float_list(values: Any) -> list[float]:
    return [float(v) for v in to_list(values)]


def _require_width_height(values: Any, name: str) -> list[float]:
    """Check that `values` is [width, height], and return it as floats. Raises OpError for other
    values.
    """
    if not isinstance(values, list | tuple) or len(values) != 2:
        raise OpError(append_user_line(f"{name}={values} must be [width, height]"))
    return _float_list(values)


# -- anchors and prior boxes
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
    """Generate anchor boxes in pixels at each position of a feature map (Ren et al. 2015).

    input: [N, C, H, W].
    Returns boxes and variances [H, W, P, 4].
    """
    boxes, variances = OPS["anchor_generator"](
        input,
        anchor_sizes=_float_list(anchor_sizes),
        aspect_ratios=_float_list(aspect_ratios),
        variances=_float_list(variance),
        stride=_require_width_height(stride, "anchor_generator: stride"),
        offset=float(offset),
    )
    return set_stop_gradient(boxes), set_stop_gradient(variances)


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
    """Generate several shifted prior boxes of each size at each position of a feature map (Zhang et
    al. 2017).

    input: [N, C, H, W].
    image: [N, C', H', W'].
    Returns boxes and variances [H, W, P, 4]; with flatten_to_2d [H * W * P, 4].

    The newer name is `paddle.vision.ops.prior_box`.
    """
    step = _require_width_height(steps, "density_prior_box: steps")
    boxes, variances = OPS["density_prior_box"](
        input,
        image,
        densities=[int(d) for d in densities],
        fixed_sizes=_float_list(fixed_sizes),
        fixed_ratios=_float_list(fixed_ratios),
        variances=_float_list(variance),
        clip=clip,
        step_w=step[0],
        step_h=step[1],
        offset=float(offset),
        flatten_to_2d=flatten_to_2d,
    )
    return set_stop_gradient(boxes), set_stop_gradient(variances)


def _box_sizes_per_map_from_ratios(
    num_maps: int, base_size: int, min_ratio: int, max_ratio: int
) -> tuple[list[float], list[float]]:
    """Return the minimum and maximum box sizes of each feature map: percentages of base_size in
    equal steps.
    """
    step = math.floor((max_ratio - min_ratio) / (num_maps - 2))
    ratios = range(min_ratio, max_ratio + 1, step)
    min_sizes = [base_size * 0.10] + [base_size * r / 100.0 for r in ratios]
    return min_sizes, [base_size * 0.20] + [base_size * (r + step) / 100.0 for r in ratios]


def _check_one_entry_per_map(num_maps: int, **args: Any) -> None:
    for name, values in args.items():
        if values and (not isinstance(values, list | tuple) or len(values) != num_maps):
            raise OpError(
                append_user_line(
                    f"multi_box_head: {name}={values} must be a list with one entry for each of "
                    f"the {num_maps} feature maps"
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
    """Predict box offsets and class scores for the prior boxes of several feature maps (Liu et al.
    2016).

    inputs: list of [N, C, H, W]

    Returns offsets [N, P, 4], scores [N, P, num_classes], prior boxes [P, 4] and variances [P, 4].
    """
    _check_one_entry_per_map(
        len(inputs), aspect_ratios=aspect_ratios, step_w=step_w, step_h=step_h, steps=steps
    )
    needs_ratios = min_sizes is None and max_sizes is None and len(inputs) > 2
    if needs_ratios and min_ratio is not None and max_ratio is not None:
        min_sizes, max_sizes = _box_sizes_per_map_from_ratios(
            len(inputs), base_size, min_ratio, max_ratio
        )
    if min_sizes is None or max_sizes is None:
        why = "min_ratio and max_ratio (for more than two feature maps), or min_sizes and max_sizes"
        raise OpError(append_user_line(f"multi_box_head: requires {why}"))
    _check_one_entry_per_map(len(inputs), min_sizes=min_sizes, max_sizes=max_sizes)
    width_steps, height_steps = steps or step_w, steps or step_h
    outputs = []
    for i, feature_map in enumerate(inputs):
        step = [
            width_steps[i] if width_steps else 0.0,
            height_steps[i] if width_steps else 0.0,
        ]
        ratios = to_list(aspect_ratios[i]) if aspect_ratios is not None else []
        boxes = prior_box(
            feature_map,
            image,
            to_list(min_sizes[i]),
            to_list(max_sizes[i]),
            ratios,
            variance,
            flip,
            clip,
            step,
            offset,
            None,
            min_max_aspect_ratios_order,
        )
        predictions = [
            flatten(
                transpose(
                    conv2d(feature_map, boxes[0].shape[2] * size, kernel_size, stride, pad),
                    [0, 2, 3, 1],
                ),
                1,
            )
            for size in (4, num_classes)
        ]
        outputs.append((*predictions, *boxes))
    if len(outputs) == 1:
        return outputs[0]
    locations, scores, boxes, variances = zip(*outputs, strict=True)
    return (
        reshape(concat(list(locations), axis=1), [0, -1, 4]),
        reshape(concat(list(scores), axis=1), [0, -1, num_classes]),
        *(
            set_stop_gradient(concat([flatten(b, 3) for b in items]))
            for items in (boxes, variances)
        ),
    )


# -- matched
# ------------------------------------------------------------------------------


def bipartite_match(
    dist_matrix: Any,
    match_type: str | None = None,
    dist_threshold: float | None = None,
    name: str | None = None,
) -> Any:
    """Match rows and columns one to one, in the order of decreasing similarity.

    dist_matrix: [R, C] with LoD, one sequence per image
    match_type: with "per_prediction", unmatched columns are matched to their most similar row if
    the similarity is at least dist_threshold

    Returns the matched rows int32 [N, C], -1 for none, and the similarities [N, C].
    """
    attrs = {"match_type": match_type, "dist_threshold": dist_threshold}
    return OPS["bipartite_match"](
        dist_matrix, None, **{k: v for k, v in attrs.items() if v is not None}
    )


def target_assign(
    input: Any,
    matched_indices: Any,
    negative_indices: Any = None,
    mismatch_value: int | None = None,
    name: str | None = None,
) -> Any:
    """Return the target of each box, mismatch_value for unmatched boxes, and weights of 1 for
    matched ones.

    input: [R, P, K].
    matched_indices: [N, M].
    Returns [N, M, K], [N, M, 1].
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
    """Loss of a single shot detector (Liu et al. 2016).

    location: [N, P, 4].
    confidence: [N, P, C].
    prior_box: [P, 4].
    gt_box: [G, 4].
    gt_label: [G, 1]; ground truth with LoD, one sequence per image.

    Returns [N, 1].
    """
    if mining_type != "max_negative":
        raise OpError(
            append_user_line(
                f"ssd_loss: mining_type={mining_type!r} is not supported, only 'max_negative'"
            )
        )
    sizes = set_stop_gradient(slice(shape(confidence), axes=[0], starts=[0], ends=[2]))
    confidence = flatten(confidence, 2)

    def class_loss(target: Any) -> Any:
        return softmax_with_cross_entropy(
            confidence, set_stop_gradient(flatten(cast(target, "int64"), 2))
        )

    matched, similarity = bipartite_match(
        iou_similarity(gt_box, prior_box), match_type, overlap_threshold
    )
    gt_label = set_stop_gradient(
        reshape(gt_label, (*itertools.repeat(0, len(gt_label.shape) - 1), -1, 1))
    )
    target, _ = target_assign(gt_label, matched, mismatch_value=background_label)
    mining_loss = set_stop_gradient(reshape(class_loss(target), [-1, 0], actual_shape=sizes))
    negative, matched, _ = OPS["mine_hard_examples"](
        mining_loss,
        None,
        matched,
        similarity,
        neg_pos_ratio=float(neg_pos_ratio),
        neg_dist_threshold=float(neg_overlap),
        mining_type=mining_type,
        sample_size=int(sample_size or 0),
    )
    encoded = box_coder(prior_box, prior_box_var, gt_box, "encode_center_size")
    target_box, box_weights = target_assign(encoded, matched, mismatch_value=background_label)
    target, class_weights = target_assign(
        gt_label, matched, negative, mismatch_value=background_label
    )
    conf_loss = class_loss(target) * set_stop_gradient(flatten(class_weights, 2))
    box_weights = set_stop_gradient(flatten(box_weights, 2))
    loc_loss = (
        smooth_l1(flatten(location, 2), set_stop_gradient(flatten(target_box, 2))) * box_weights
    )
    loss = conf_loss * conf_loss_weight + loc_loss * loc_loss_weight
    loss = reduce_sum(reshape(loss, [-1, 0], actual_shape=sizes), dim=1, keep_dim=True)
    return loss / reduce_sum(box_weights) if normalize else loss


@deprecated_layer("paddle.vision.ops.yolo_loss")
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
    """Loss of a YOLOv3 feature map (Redmon and Farhadi 2018).

    x: [N, A * (5 + C), H, W].
    gt_box: [N, B, 4].
    gt_label: int32 [N, B].
    Returns [N].
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
    """Decode and select the boxes of a single shot detector.

    loc: [N, P, 4].
    scores: [N, P, C] before the softmax.
    prior_box: [P, 4].

    Returns class, score and box [R, 6] with LoD. As in Paddle 1.8, background_label and nms_eta
    have no effect: they are 0 and 1.

    Paddle 2 has paddle.vision.ops.box_coder and nms instead.
    """
    boxes = box_coder(prior_box, prior_box_var, loc, "decode_center_size")
    probabilities = set_stop_gradient(transpose(softmax(scores), [0, 2, 1]))
    if not return_index:
        return multiclass_nms(
            boxes, probabilities, score_threshold, nms_top_k, keep_top_k, nms_threshold
        )
    selected, indices, *_ = OPS["multiclass_nms2"](
        boxes,
        None,
        probabilities,
        score_threshold=float(score_threshold),
        nms_top_k=nms_top_k,
        keep_top_k=keep_top_k,
        nms_threshold=float(nms_threshold),
    )
    return set_stop_gradient(selected), set_stop_gradient(indices)


def box_clip(input: Any, im_info: Any, name: str | None = None) -> Any:
    """Clip boxes to the area of the image that they belong to.

    input: [T, *, 4] with LoD, one sequence per image.
    im_info: [N, 3] with height, width and scale.
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
    """Decode the box of each class, and return also that of the class with the highest score.

    prior_box: [R, 4].
    target_box: [R, 4 * C].
    box_score: [R, C].
    Returns [R, 4 * C], [R, 4].
    """
    return OPS["box_decoder_and_assign"](
        prior_box, prior_box_var, target_box, box_score, box_clip=float(box_clip)
    )


def polygon_box_transform(input: Any, name: str | None = None) -> Any:
    """Convert offsets to the coordinates of polygon corners, on a grid with a stride of 4 pixels
    (Zhou et al. 2017).

    input: [N, 2 * K, H, W].
    Returns the same shape.
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
    """Mean average precision of a detector (Everingham et al. 2010), [1].

    detect_res: [K, 6].
    label: [G, 5] or [G, 6]; both with LoD.
    has_state: int32 [1]; whether input_states contain earlier statistics
    out_states: the same variables, which are updated

    As in Paddle 1.8, background_label has no effect: it is 0.
    """
    counts, true_positives, false_positives = input_states or (None, None, None)
    outputs = OPS["detection_map"](
        detect_res,
        None,
        label,
        None,
        has_state,
        counts,
        true_positives,
        false_positives,
        class_num=class_num,
        overlap_threshold=float(overlap_threshold),
        evaluate_difficult=evaluate_difficult,
        ap_type=ap_version,
    )
    return set_stop_gradient(outputs[3])
