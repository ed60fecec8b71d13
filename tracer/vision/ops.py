"""Functions and layers for object detection.

A box is x1, y1, x2, y2; boxes_num int32 [N] is the number of boxes of each image.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..core.errors import OpError, append_user_line
from ..core.op import OPS
from ..core.operand_checks import axis_out_of_range_error, check_tensors
from ..core.tensor import Tensor
from ..nn.activation import ReLU  # type: ignore[attr-defined]  # created from a table
from ..nn.container import Sequential
from ..nn.conv import Conv2D
from ..nn.conv_filters import he_normal_initializer, require_valid_groups
from ..nn.functional.common import add_channel_bias
from ..nn.functional.conv import to_int_list_of_length
from ..nn.layer import Layer
from ..nn.norm import BatchNorm2D
from ..tensor.convert import to_tensor
from ..tensor.logic import equal
from ..tensor.manipulation import concat, gather, reshape, where
from ..tensor.search import argsort

__all__ = [
    "ConvNormActivation",
    "DeformConv2D",
    "PSRoIPool",
    "RoIAlign",
    "RoIPool",
    "box_coder",
    "deform_conv2d",
    "distribute_fpn_proposals",
    "generate_proposals",
    "matrix_nms",
    "nms",
    "prior_box",
    "psroi_pool",
    "roi_align",
    "roi_pool",
    "yolo_box",
    "yolo_loss",
]

# -- regions
# ------------------------------------------------------------------------------


def _pooled_size_attrs(output_size: Any) -> dict[str, int]:
    height, width = to_int_list_of_length(output_size)
    return {"pooled_height": height, "pooled_width": width}


def roi_align(
    x: Tensor,
    boxes: Tensor,
    boxes_num: Tensor,
    output_size: Any,
    spatial_scale: float = 1.0,
    sampling_ratio: int = -1,
    aligned: bool = True,
    name: str | None = None,
) -> Tensor:
    """RoIAlign: average interpolated samples in the bins of each box (He et al. 2017).

    x [N, C, H, W], boxes [R, 4] -> [R, C, *output_size]
    """
    return OPS["roi_align"](
        x,
        boxes,
        boxes_num,
        **_pooled_size_attrs(output_size),
        spatial_scale=float(spatial_scale),
        sampling_ratio=sampling_ratio,
        aligned=aligned,
    )


def roi_pool(
    x: Tensor,
    boxes: Tensor,
    boxes_num: Tensor,
    output_size: Any,
    spatial_scale: float = 1.0,
    name: str | None = None,
) -> Tensor:
    """RoIPool: maximum in the bins of each box (Girshick 2015).

    x [N, C, H, W], boxes [R, 4] -> [R, C, *output_size]
    """
    return OPS["roi_pool"](
        x, boxes, boxes_num, **_pooled_size_attrs(output_size), spatial_scale=float(spatial_scale)
    )[0]


def psroi_pool(
    x: Tensor,
    boxes: Tensor,
    boxes_num: Tensor,
    output_size: Any,
    spatial_scale: float = 1.0,
    name: str | None = None,
) -> Tensor:
    """Position-sensitive RoI pooling: average in the bins of each box, each bin with its own
    channels (Dai et al. 2016).

    x [N, C * PH * PW, H, W] -> [R, C, PH, PW]
    """
    check_tensors(x)
    bins = _pooled_size_attrs(output_size)
    if x.ndim < 2:
        raise axis_out_of_range_error(x, 1)
    channels = x.meta.shape[1] // math.prod(bins.values())
    return OPS["psroi_pool"](
        x, boxes, boxes_num, **bins, output_channels=channels, spatial_scale=float(spatial_scale)
    )


class _RoILayer(Layer):
    """Base of the RoI layers."""

    def __init__(self, output_size: Any, spatial_scale: float = 1.0) -> None:
        super().__init__()
        self._output_size = output_size
        self._spatial_scale = spatial_scale


class RoIAlign(_RoILayer):
    """RoIAlign, as `roi_align`.

    x [N, C, H, W], boxes [R, 4] -> [R, C, *output_size]
    """

    def forward(self, x: Tensor, boxes: Tensor, boxes_num: Tensor, aligned: bool = True) -> Tensor:
        return roi_align(
            x, boxes, boxes_num, self._output_size, self._spatial_scale, aligned=aligned
        )


class RoIPool(_RoILayer):
    """RoIPool, as `roi_pool`.

    x [N, C, H, W], boxes [R, 4] -> [R, C, *output_size]
    """

    def forward(self, x: Tensor, boxes: Tensor, boxes_num: Tensor) -> Tensor:
        return roi_pool(x, boxes, boxes_num, self._output_size, self._spatial_scale)

    def extra_repr(self) -> str:
        return f"output_size={self._output_size}, spatial_scale={self._spatial_scale}"


class PSRoIPool(_RoILayer):
    """Position-sensitive RoI pooling, as `psroi_pool`.

    x [N, C * PH * PW, H, W], boxes [R, 4] -> [R, C, *output_size]
    """

    def forward(self, x: Tensor, boxes: Tensor, boxes_num: Tensor) -> Tensor:
        return psroi_pool(x, boxes, boxes_num, self._output_size, self._spatial_scale)


# -- suppression
# --------------------------------------------------------------------------------------------------


def nms(
    boxes: Tensor,
    iou_threshold: float = 0.3,
    scores: Tensor | None = None,
    category_idxs: Tensor | None = None,
    categories: Sequence[int] | None = None,
    top_k: int | None = None,
) -> Tensor:
    """Non-maximum suppression: indices of boxes that no better box overlaps by more than
    iou_threshold.

    boxes [N, 4], scores [N], category_idxs [N] -> int64 [K]

    Without scores the boxes are in descending order. With category_idxs each of `categories` is
    suppressed separately; top_k limits the total number.
    """
    if scores is None:
        return OPS["nms"](boxes, iou_threshold=float(iou_threshold))
    if category_idxs is None:
        return _nms_indices_by_score(boxes, scores, iou_threshold)
    if categories is None:
        raise OpError(
            append_user_line(f"nms: category_idxs requires categories (boxes={boxes.meta})")
        )
    selected = []
    for category in categories:
        members = reshape(
            where(equal(category_idxs, to_tensor(category, category_idxs.dtype)))[0], [-1]
        )
        if members.meta.shape[0]:
            selected.append(
                gather(
                    members,
                    _nms_indices_by_score(
                        gather(boxes, members), gather(scores, members), iou_threshold
                    ),
                )
            )
    indices = concat(selected)
    indices = gather(indices, argsort(gather(scores, indices), descending=True))
    return indices if top_k is None else indices[:top_k]


def _nms_indices_by_score(boxes: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    """Return the indices of the boxes that NMS selects, in descending order of their scores."""
    order = argsort(scores, descending=True)
    return gather(order, OPS["nms"](gather(boxes, order), iou_threshold=float(iou_threshold)))


def matrix_nms(
    bboxes: Tensor,
    scores: Tensor,
    score_threshold: float,
    post_threshold: float,
    nms_top_k: int,
    keep_top_k: int,
    use_gaussian: bool = False,
    gaussian_sigma: float = 2.0,
    background_label: int = 0,
    normalized: bool = True,
    return_index: bool = False,
    return_rois_num: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor | None, Tensor | None]:
    """Matrix NMS: reduce scores by the overlap with better boxes (Wang et al. 2020).

    bboxes [N, M, 4], scores [N, C, M] -> class, score, box [K, 6], counts [N], index [K, 1]
    """
    out, index, counts = OPS["matrix_nms"](
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
    return out, counts if return_rois_num else None, index if return_index else None


# -- boxes
# ------------------------------------------------------------------------------


def _float_list(values: Any) -> list[float]:
    return [float(v) for v in values] if isinstance(values, list | tuple) else [float(values)]


def prior_box(
    input: Tensor,
    image: Tensor,
    min_sizes: Any,
    max_sizes: Any = None,
    aspect_ratios: Any = [1.0],  # noqa: B006 - as in Paddle
    variance: Any = [0.1, 0.1, 0.2, 0.2],  # noqa: B006 - as in Paddle
    flip: bool = False,
    clip: bool = False,
    steps: Any = [0.0, 0.0],  # noqa: B006 - as in Paddle
    offset: float = 0.5,
    min_max_aspect_ratios_order: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Anchor boxes of several sizes at each position, relative to the image size (Liu et al. 2016).

    input [N, C, H, W] -> two [H, W, P, 4]
    """
    max_size_list = [] if max_sizes is None else [s for s in _float_list(max_sizes) if s > 0]
    outs = OPS["prior_box"](
        input,
        image,
        min_sizes=_float_list(min_sizes),
        max_sizes=max_size_list,
        aspect_ratios=_float_list(aspect_ratios),
        variances=_float_list(variance),
        flip=flip,
        clip=clip,
        step_w=float(steps[0]),
        step_h=float(steps[1]),
        offset=float(offset),
        min_max_aspect_ratios_order=min_max_aspect_ratios_order,
    )
    return outs[0], outs[1]


def box_coder(
    prior_box: Tensor,
    prior_box_var: Any,
    target_box: Tensor,
    code_type: str = "encode_center_size",
    box_normalized: bool = True,
    axis: int = 0,
    name: str | None = None,
) -> Tensor:
    """Encode boxes as offsets from priors, or decode them (Girshick et al. 2014).

    prior_box [M, 4], target_box [N, 4] or [N, M, 4] -> [N, M, 4]
    """
    is_tensor = isinstance(prior_box_var, Tensor)
    return OPS["box_coder"](
        prior_box,
        prior_box_var if is_tensor else None,
        target_box,
        code_type=code_type,
        box_normalized=box_normalized,
        axis=axis,
        variance=[] if is_tensor else _float_list(prior_box_var),
    )


def yolo_box(
    x: Tensor,
    img_size: Tensor,
    anchors: Sequence[int],
    class_num: int,
    conf_thresh: float,
    downsample_ratio: int,
    clip_bbox: bool = True,
    name: str | None = None,
    scale_x_y: float = 1.0,
    iou_aware: bool = False,
    iou_aware_factor: float = 0.5,
) -> tuple[Tensor, Tensor]:
    """Boxes and scores of a YOLO output (Redmon and Farhadi 2018).

    x [N, S * (5 + K), H, W], img_size [N, 2] -> [N, S*H*W, 4], [N, S*H*W, K]
    """
    outs = OPS["yolo_box"](
        x,
        img_size,
        anchors=list(anchors),
        class_num=class_num,
        conf_thresh=float(conf_thresh),
        downsample_ratio=downsample_ratio,
        clip_bbox=clip_bbox,
        scale_x_y=float(scale_x_y),
        iou_aware=iou_aware,
        iou_aware_factor=float(iou_aware_factor),
    )
    return outs[0], outs[1]


def yolo_loss(
    x: Tensor,
    gt_box: Tensor,
    gt_label: Tensor,
    anchors: Sequence[int],
    anchor_mask: Sequence[int],
    class_num: int,
    ignore_thresh: float,
    downsample_ratio: int,
    gt_score: Tensor | None = None,
    use_label_smooth: bool = True,
    name: str | None = None,
    scale_x_y: float = 1.0,
) -> Tensor:
    """Loss of a YOLO output (Redmon and Farhadi 2018).

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


def generate_proposals(
    scores: Tensor,
    bbox_deltas: Tensor,
    img_size: Tensor,
    anchors: Tensor,
    variances: Tensor,
    pre_nms_top_n: int = 6000,
    post_nms_top_n: int = 1000,
    nms_thresh: float = 0.5,
    min_size: float = 0.1,
    eta: float = 1.0,
    pixel_offset: bool = False,
    return_rois_num: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Proposals of a region proposal network (Ren et al. 2015).

    scores [N, A, H, W], bbox_deltas [N, 4 * A, H, W] -> [K, 4], [K, 1], [N]
    """
    rois, probs, counts = OPS["generate_proposals_v2"](
        scores,
        bbox_deltas,
        img_size,
        anchors,
        variances,
        pre_nms_topN=pre_nms_top_n,
        post_nms_topN=post_nms_top_n,
        nms_thresh=float(nms_thresh),
        min_size=float(min_size),
        eta=float(eta),
        pixel_offset=pixel_offset,
    )
    return rois, probs, counts if return_rois_num else None


def distribute_fpn_proposals(
    fpn_rois: Tensor,
    min_level: int,
    max_level: int,
    refer_level: int,
    refer_scale: int,
    pixel_offset: bool = False,
    rois_num: Tensor | None = None,
    name: str | None = None,
) -> tuple[list[Tensor], Tensor, list[Tensor] | None]:
    """Assign boxes to the levels of a feature pyramid by size (Lin et al. 2017).

    fpn_rois [R, 4] -> boxes by level, restore index [R, 1], counts by level
    """
    rois, restore, counts, _ = OPS["distribute_fpn_proposals"](
        fpn_rois,
        rois_num,
        min_level=min_level,
        max_level=max_level,
        refer_level=refer_level,
        refer_scale=refer_scale,
        pixel_offset=pixel_offset,
    )
    return rois, restore, None if rois_num is None else counts


# -- convolutions
# -------------------------------------------------------------------------------------------------


def deform_conv2d(
    x: Tensor,
    offset: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    deformable_groups: int = 1,
    groups: int = 1,
    mask: Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Deformable convolution: samples at offset positions, weighted by `mask` (Zhu et al. 2019).

    x [N, C, H, W], offset [N, 2*DG*kH*kW, H', W'] -> [N, M, H', W']
    """
    attrs = {
        "strides": to_int_list_of_length(stride),
        "paddings": to_int_list_of_length(padding),
        "dilations": to_int_list_of_length(dilation),
        "deformable_groups": deformable_groups,
        "groups": groups,
        "im2col_step": 1,
    }
    if mask is None:
        return add_channel_bias(OPS["deformable_conv_v1"](x, offset, weight, **attrs), bias)
    return add_channel_bias(OPS["deformable_conv"](x, offset, weight, mask, **attrs), bias)


class DeformConv2D(Layer):
    """Deformable convolution with its weights, as `deform_conv2d`.

    x [N, C, H, W], offset [N, 2*DG*kH*kW, H', W'], mask [N, DG*kH*kW, H', W'] -> [N, M, H', W']
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        deformable_groups: int = 1,
        groups: int = 1,
        weight_attr: Any = None,
        bias_attr: Any = None,
    ) -> None:
        super().__init__()
        require_valid_groups("DeformConv2D", groups, in_channels=in_channels)
        if deformable_groups <= 0 or in_channels % deformable_groups:
            why = f"deformable_groups={deformable_groups} does not divide in_channels={in_channels}"
            raise OpError(append_user_line(f"DeformConv2D: {why}"))
        size = to_int_list_of_length(kernel_size)
        self._conv_args = (stride, padding, dilation, deformable_groups, groups)
        initializer = he_normal_initializer(in_channels, size)
        self.weight: Any = self.create_parameter(
            [out_channels, in_channels // groups, *size],
            weight_attr,
            default_initializer=initializer,
        )
        self.bias: Any = self.create_parameter([out_channels], bias_attr, is_bias=True)

    def forward(self, x: Tensor, offset: Tensor, mask: Tensor | None = None) -> Tensor:
        return deform_conv2d(x, offset, self.weight, self.bias, *self._conv_args, mask=mask)


class ConvNormActivation(Sequential):
    """Convolution followed by a normalization and an activation, each of which may be None.

    x [N, C, H, W] -> [N, M, H', W']

    padding: by default preserves the size at stride 1.
    bias: by default only without normalization.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int = 3,
        stride: int = 1,
        padding: int | None = None,
        groups: int = 1,
        norm_layer: Any = BatchNorm2D,
        activation_layer: Any = ReLU,
        dilation: int = 1,
        bias: Any = None,
    ) -> None:
        if padding is None:
            padding = (kernel_size - 1) // 2 * dilation
        bias = norm_layer is None if bias is None else bias
        layers: list[Layer] = [
            Conv2D(
                in_channels,
                out_channels,
                kernel_size,
                stride,
                padding,
                dilation,
                groups,
                bias_attr=None if bias else False,
            )
        ]
        if norm_layer is not None:
            layers.append(norm_layer(out_channels))
        if activation_layer is not None:
            layers.append(activation_layer())
        super().__init__(*layers)
