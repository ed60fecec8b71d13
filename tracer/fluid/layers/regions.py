"""Regions of pictures: pooled, and boxes made, coded, compared and sifted."""

from __future__ import annotations

from typing import Any

from ...core.op import OPS
from ...core.tensor import Tensor
from ...tensor.convert import cast
from .helper import listed, stopped, today

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


def _counts(offsets: Any) -> Any:
    """How many regions each picture has, by offsets [pictures + 1]; None where the regions are
    sequences.

    -> int32 [pictures]
    """
    if offsets is None:
        return None
    cuts = {"axes": [0], "infer_flags": [1], "decrease_axis": []}
    ends = OPS["slice"](offsets, starts=[1], ends=[2**31 - 1], **cuts)
    return cast(
        OPS["elementwise_sub"](ends, OPS["slice"](offsets, starts=[0], ends=[-1], **cuts)), "int32"
    )


@today("paddle.vision.ops.roi_pool")
def roi_pool(
    input: Any,
    rois: Any,
    pooled_height: int = 1,
    pooled_width: int = 1,
    spatial_scale: float = 1.0,
    rois_lod: Any = None,
) -> Any:
    """The largest of each part of a region

    (Girshick 2015).
    input [N, C, H, W], rois [R, 4], a sequence for each picture -> [R, C, *pooled]
    """
    size = {
        "pooled_height": pooled_height,
        "pooled_width": pooled_width,
        "spatial_scale": float(spatial_scale),
    }
    return OPS["roi_pool"](input, rois, _counts(rois_lod), **size)[0]


@today("paddle.vision.ops.roi_align")
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
    """The mean of points in each part of a region

    (He et al. 2017).
    input [N, C, H, W], rois [R, 4], a sequence for each picture -> [R, C, *pooled]
    """
    size = {
        "pooled_height": pooled_height,
        "pooled_width": pooled_width,
        "spatial_scale": float(spatial_scale),
    }
    return OPS["roi_align"](input, rois, _counts(rois_lod), sampling_ratio=sampling_ratio, **size)


@today("paddle.vision.ops.psroi_pool")
def psroi_pool(
    input: Any,
    rois: Any,
    output_channels: int,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
    name: str | None = None,
) -> Any:
    """The mean of each part of a region, each from channels of its own

    (Dai et al. 2016).
    rois [R, 4] -> [R, output_channels, *pooled]
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
    """The exact mean of each part of a region

    (Jiang et al. 2018).
    input [N, C, H, W], rois [R, 4], a sequence for each picture -> [R, C, *pooled]

    batch_roi_nums [N]: how many regions each picture has, where they are no sequences.
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
    """The mean of samples in each part of a region, moved by trans

    (Dai et al. 2017).
    input [N, C, H, W], rois [R, 4] -> [R, D, *pooled]

    rois: a sequence for each picture; trans [R, 2 * K, *part_size].
    position_sensitive: each part has channels of its own.
    """
    channels = input.shape[1]
    depth = channels // (pooled_height * pooled_width) if position_sensitive else channels
    groups, parts = (
        listed(s) * (2 // len(listed(s)))
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
        group_size=groups,
        pooled_height=pooled_height,
        pooled_width=pooled_width,
        part_size=parts,
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
    """Quadrilaterals of pictures made rectangles

    (Sun et al. 2018).
    rois [R, 8] -> [R, C, h, w], 1 inside int32 [R, 1, h, w], matrices [R, 9]
    """
    size = {"transformed_height": transformed_height, "transformed_width": transformed_width}
    return OPS["roi_perspective_transform"](
        input, rois, None, spatial_scale=float(spatial_scale), **size
    )


@today("paddle.vision.ops.prior_box")
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
    """Boxes of these sizes at each place of a map

    (Liu et al. 2016).
    input [N, C, H, W], image [N, C', H', W'] -> boxes, variances [H, W, P, 4]
    """
    largest = [float(s) for s in listed(max_sizes or [])]
    made = OPS["prior_box"](
        input,
        image,
        min_sizes=[float(s) for s in listed(min_sizes)],
        max_sizes=largest if largest and largest[0] > 0 else [],
        aspect_ratios=[float(r) for r in listed(aspect_ratios)],
        variances=[float(v) for v in variance],
        flip=flip,
        clip=clip,
        step_w=float(steps[0]),
        step_h=float(steps[1]),
        offset=float(offset),
        min_max_aspect_ratios_order=min_max_aspect_ratios_order,
    )
    return stopped(made[0]), stopped(made[1])


@today("paddle.vision.ops.box_coder")
def box_coder(
    prior_box: Any,
    prior_box_var: Any,
    target_box: Any,
    code_type: str = "encode_center_size",
    box_normalized: bool = True,
    name: str | None = None,
    axis: int = 0,
) -> Any:
    """Boxes as distances from priors, or back.

    prior_box [M, 4], its variances the same or four numbers -> [N, M, 4]
    """
    settings = {"code_type": code_type, "box_normalized": box_normalized, "axis": axis}
    if isinstance(prior_box_var, Tensor):
        return OPS["box_coder"](prior_box, prior_box_var, target_box, **settings)
    variance = [float(v) for v in prior_box_var or []]
    return OPS["box_coder"](prior_box, None, target_box, variance=variance, **settings)


@today("paddle.vision.ops.yolo_box")
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
    """Boxes and scores read from a map

    (Redmon and Farhadi 2018).
    x [N, A * (5 + C), H, W], img_size int32 [N, 2] -> [N, M, 4], [N, M, C]
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


@today("paddle.vision.ops.matrix_nms")
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
    """Boxes whose scores stay high when others overlap them

    (Wang et al. 2020).
    bboxes [N, M, 4], scores [N, C, M] -> [R, 6], numbers int32 [R, 1]
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
    return (stopped(out), index) if return_index else stopped(out)


@today("paddle.vision.ops.nms")
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
    """The best boxes of each class, without those that overlap them.

    bboxes [N, M, 4], scores [N, C, M] -> class, score and box [R, 6]

    A sequence for each picture; [[-1]] where nothing is found at all.
    Or bboxes [M, C, 4], sequences, and scores [M, C].
    """
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
        OPS["multiclass_nms"](bboxes, None, scores, normalized=normalized, **settings, **counts)[0]
    )


def iou_similarity(x: Any, y: Any, box_normalized: bool = True, name: str | None = None) -> Any:
    """The shared part over the joint part of each pair of boxes.   x [N, 4], y [M, 4] -> [N, M]"""
    return OPS["iou_similarity"](x, y, box_normalized=box_normalized)


def merge_selected_rows(x: Any, name: str | None = None) -> Any:
    """Gradients of rows, those of the same row added up: gradients are whole here, so that it is a
    copy.

    x [*] -> [*]
    """
    return OPS["assign"](x)


def get_tensor_from_selected_rows(x: Any, name: str | None = None) -> Any:
    """Gradients of rows as a tensor: gradients are whole here, so that it is a copy.

    x [*] -> [*]
    """
    return OPS["assign"](x)
