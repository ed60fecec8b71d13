"""Pooling of regions, prior boxes, coding of boxes, non-maximum suppression, and two functions
for selected rows.
"""

from __future__ import annotations

from typing import Any

from ...core.op import OPS
from ...core.tensor import Tensor
from ...tensor.convert import cast
from .layer_utils import deprecated_layer, set_stop_gradient, to_list

__all__ = [
    "box_coder",
    "deformable_roi_pooling",
    "get_tensor_from_selected_rows",
    "iou_similarity",
    "matrix_nms",
    "merge_selected_rows",
    "multiclass_nms",
    "prior_box",
    "prroi_pool",
    "psroi_pool",
    "roi_align",
    "roi_perspective_transform",
    "roi_pool",
    "yolo_box",
]


def _row_splits_to_counts(row_splits: Any) -> Any:
    """Convert row splits [images + 1] to counts int32 [images]; None if the regions have a LoD."""
    if row_splits is None:
        return None
    attrs = {"axes": [0], "infer_flags": [1], "decrease_axis": []}
    ends = OPS["slice"](row_splits, starts=[1], ends=[2**31 - 1], **attrs)
    starts = OPS["slice"](row_splits, starts=[0], ends=[-1], **attrs)
    return cast(OPS["elementwise_sub"](ends, starts), "int32")


@deprecated_layer("paddle.vision.ops.roi_pool")
def roi_pool(
    input: Any,
    rois: Any,
    pooled_height: int = 1,
    pooled_width: int = 1,
    spatial_scale: float = 1.0,
    rois_lod: Any = None,
) -> Any:
    """Maximum of each bin of a region (Girshick 2015).

    input: [N, C, H, W]
    rois: [R, 4] with LoD, one sequence per image; or rois_lod: row splits [N + 1]

    Returns [R, C, *pooled].
    """
    size = {
        "pooled_height": pooled_height,
        "pooled_width": pooled_width,
        "spatial_scale": float(spatial_scale),
    }
    return OPS["roi_pool"](input, rois, _row_splits_to_counts(rois_lod), **size)[0]


@deprecated_layer("paddle.vision.ops.roi_align")
def roi_align(
    input: Any,
    rois: Any,
    pooled_height: int = 1,
    pooled_width: int = 1,
    spatial_scale: float = 1.0,
    sampling_ratio: int = -1,
    name: str | None = None,
    rois_lod: Any = None,
) -> Any:
    """Average of bilinear samples in each bin of a region (He et al. 2017).

    input: [N, C, H, W]
    rois: [R, 4] with LoD, one sequence per image; or rois_lod: row splits [N + 1]

    Returns [R, C, *pooled].
    """
    size = {
        "pooled_height": pooled_height,
        "pooled_width": pooled_width,
        "spatial_scale": float(spatial_scale),
    }
    return OPS["roi_align"](
        input, rois, _row_splits_to_counts(rois_lod), sampling_ratio=sampling_ratio, **size
    )


@deprecated_layer("paddle.vision.ops.psroi_pool")
def psroi_pool(
    input: Any,
    rois: Any,
    output_channels: int,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
    name: str | None = None,
) -> Any:
    """Position-sensitive average: each bin of a region reads its own channels (Dai et al. 2016).

    rois: [R, 4].
    Returns [R, output_channels, *pooled].
    """
    size = {
        "pooled_height": pooled_height,
        "pooled_width": pooled_width,
        "spatial_scale": float(spatial_scale),
    }
    return OPS["psroi_pool"](input, rois, None, output_channels=output_channels, **size)


def prroi_pool(
    input: Any,
    rois: Any,
    spatial_scale: float = 1.0,
    pooled_height: int = 1,
    pooled_width: int = 1,
    batch_roi_nums: Any = None,
    name: str | None = None,
) -> Any:
    """Exact integral average of each bin of a region (Jiang et al. 2018).

    input: [N, C, H, W].
    rois: [R, 4] with LoD.
    batch_roi_nums: [N]; the number of regions per image, if rois have no LoD
    Returns [R, C, *pooled].

    The newer name is `paddle.vision.ops.roi_align`.
    """
    size = {
        "pooled_height": pooled_height,
        "pooled_width": pooled_width,
        "spatial_scale": float(spatial_scale),
    }
    return OPS["prroi_pool"](input, rois, None, batch_roi_nums, **size)


def deformable_roi_pooling(
    input: Any,
    rois: Any,
    trans: Any,
    no_trans: bool = False,
    spatial_scale: float = 1.0,
    group_size: Any = (1, 1),
    pooled_height: int = 1,
    pooled_width: int = 1,
    part_size: Any = None,
    sample_per_part: int = 1,
    trans_std: float = 0.1,
    position_sensitive: bool = False,
    name: str | None = None,
) -> Any:
    """Average of samples in each bin of a region, shifted by trans (Dai et al. 2017).

    input: [N, C, H, W].
    rois: [R, 4] with LoD.
    trans: [R, 2 * K, *part_size].
    position_sensitive: each bin reads its own channels
    Returns [R, D, *pooled].

    Paddle 2 has paddle.vision.ops.deform_conv2d and roi_align instead.
    """
    channels = input.shape[1]
    depth = channels // (pooled_height * pooled_width) if position_sensitive else channels
    group_sizes, part_sizes = (
        to_list(s) * (2 // len(to_list(s)))
        for s in (group_size, part_size or [pooled_height, pooled_width])
    )
    return OPS["deformable_psroi_pooling"](
        input,
        rois,
        None,
        trans,
        no_trans=no_trans,
        spatial_scale=float(spatial_scale),
        output_dim=depth,
        group_size=group_sizes,
        pooled_height=pooled_height,
        pooled_width=pooled_width,
        part_size=part_sizes,
        sample_per_part=sample_per_part,
        trans_std=float(trans_std),
    )[1]


def roi_perspective_transform(
    input: Any,
    rois: Any,
    transformed_height: int,
    transformed_width: int,
    spatial_scale: float = 1.0,
    name: str | None = None,
) -> Any:
    """Warp quadrilateral regions to rectangles (Sun et al. 2018).

    rois: [R, 8].
    Returns [R, C, h, w], a mask int32 [R, 1, h, w], and the transforms [R, 9].
    """
    size = {"transformed_height": transformed_height, "transformed_width": transformed_width}
    return OPS["roi_perspective_transform"](
        input, rois, None, spatial_scale=float(spatial_scale), **size
    )


@deprecated_layer("paddle.vision.ops.prior_box")
def prior_box(
    input: Any,
    image: Any,
    min_sizes: Any,
    max_sizes: Any = None,
    aspect_ratios: Any = (1.0,),
    variance: Any = (0.1, 0.1, 0.2, 0.2),
    flip: bool = False,
    clip: bool = False,
    steps: Any = (0.0, 0.0),
    offset: float = 0.5,
    name: str | None = None,
    min_max_aspect_ratios_order: bool = False,
) -> Any:
    """Prior boxes at each position of a feature map (Liu et al. 2016).

    input: [N, C, H, W].
    image: [N, C', H', W'].
    Returns boxes and variances [H, W, P, 4].
    """
    largest = [float(s) for s in to_list(max_sizes or [])]
    outputs = OPS["prior_box"](
        input,
        image,
        min_sizes=[float(s) for s in to_list(min_sizes)],
        max_sizes=largest if largest and largest[0] > 0 else [],
        aspect_ratios=[float(r) for r in to_list(aspect_ratios)],
        variances=[float(v) for v in variance],
        flip=flip,
        clip=clip,
        step_w=float(steps[0]),
        step_h=float(steps[1]),
        offset=float(offset),
        min_max_aspect_ratios_order=min_max_aspect_ratios_order,
    )
    return set_stop_gradient(outputs[0]), set_stop_gradient(outputs[1])


@deprecated_layer("paddle.vision.ops.box_coder")
def box_coder(
    prior_box: Any,
    prior_box_var: Any,
    target_box: Any,
    code_type: str = "encode_center_size",
    box_normalized: bool = True,
    name: str | None = None,
    axis: int = 0,
) -> Any:
    """Encode boxes as offsets from prior boxes, or decode them.

    prior_box: [M, 4].
    prior_box_var: the same shape, or four numbers.
    Returns [N, M, 4].
    """
    attrs = {"code_type": code_type, "box_normalized": box_normalized, "axis": axis}
    if isinstance(prior_box_var, Tensor):
        return OPS["box_coder"](prior_box, prior_box_var, target_box, **attrs)
    variance = [float(v) for v in prior_box_var or []]
    return OPS["box_coder"](prior_box, None, target_box, variance=variance, **attrs)


@deprecated_layer("paddle.vision.ops.yolo_box")
def yolo_box(
    x: Any,
    img_size: Any,
    anchors: Any,
    class_num: int,
    conf_thresh: float,
    downsample_ratio: int,
    clip_bbox: bool = True,
    name: str | None = None,
    scale_x_y: float = 1.0,
) -> Any:
    """Decode boxes and scores of a YOLOv3 feature map (Redmon and Farhadi 2018).

    x: [N, A * (5 + C), H, W].
    img_size: int32 [N, 2].
    Returns [N, M, 4], [N, M, C].
    """
    return OPS["yolo_box"](
        x,
        img_size,
        anchors=list(anchors),
        class_num=class_num,
        conf_thresh=float(conf_thresh),
        downsample_ratio=downsample_ratio,
        clip_bbox=clip_bbox,
        scale_x_y=float(scale_x_y),
    )


@deprecated_layer("paddle.vision.ops.matrix_nms")
def matrix_nms(
    bboxes: Any,
    scores: Any,
    score_threshold: float,
    post_threshold: float,
    nms_top_k: int,
    keep_top_k: int,
    use_gaussian: bool = False,
    gaussian_sigma: float = 2.0,
    background_label: int = 0,
    normalized: bool = True,
    return_index: bool = False,
    name: str | None = None,
) -> Any:
    """Matrix NMS: decay the scores of boxes that overlap boxes with a higher score (Wang et al.
    2020).

    bboxes: [N, M, 4].
    scores: [N, C, M].
    Returns [R, 6]; with return_index also indices int32 [R, 1].
    """
    out, index, _ = OPS["matrix_nms"](
        bboxes,
        scores,
        score_threshold=float(score_threshold),
        post_threshold=float(post_threshold),
        nms_top_k=nms_top_k,
        keep_top_k=keep_top_k,
        use_gaussian=use_gaussian,
        gaussian_sigma=float(gaussian_sigma),
        background_label=background_label,
        normalized=normalized,
    )
    return (set_stop_gradient(out), index) if return_index else set_stop_gradient(out)


@deprecated_layer("paddle.vision.ops.nms")
def multiclass_nms(
    bboxes: Any,
    scores: Any,
    score_threshold: float,
    nms_top_k: int,
    keep_top_k: int,
    nms_threshold: float = 0.3,
    normalized: bool = True,
    nms_eta: float = 1.0,
    background_label: int = 0,
    name: str | None = None,
) -> Any:
    """Non-maximum suppression per class.

    bboxes: [N, M, 4].
    scores: [N, C, M]; or bboxes [M, C, 4] with LoD and scores [M, C].

    Returns class, score and box [R, 6] with LoD, one sequence per image; [[-1]] if no box is
    selected.
    """
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
        OPS["multiclass_nms"](bboxes, None, scores, normalized=normalized, **thresholds, **counts)[
            0
        ]
    )


def iou_similarity(x: Any, y: Any, box_normalized: bool = True, name: str | None = None) -> Any:
    """Intersection over union of each pair of boxes: [N, 4], [M, 4] -> [N, M]."""
    return OPS["iou_similarity"](x, y, box_normalized=box_normalized)


def merge_selected_rows(x: Any, name: str | None = None) -> Any:
    """Return a copy: gradients are dense, so that there are no rows to merge."""
    return OPS["assign"](x)


def get_tensor_from_selected_rows(x: Any, name: str | None = None) -> Any:
    """Return a copy: gradients are dense tensors already."""
    return OPS["assign"](x)
