"""Functions and layers for object detection.

A box is x1, y1, x2, y2; boxes_num int32 [N] is the number of boxes of each image.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal, overload

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
from ..nn.type_aliases import Ints, ParamAttrLike
from ..tensor.convert import full, to_tensor
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


def _pooled_size_attrs(output_size: Ints) -> dict[str, int]:
    height, width = to_int_list_of_length(output_size)
    return {"pooled_height": height, "pooled_width": width}


def roi_align(
    x: Tensor,
    boxes: Tensor,
    boxes_num: Tensor,
    output_size: Ints,
    spatial_scale: float = 1.0,
    sampling_ratio: int = -1,
    aligned: bool = True,
    name: str | None = None,
) -> Tensor:
    """RoIAlign: the mean of interpolated samples in each bin of a region (He et al. 2017).

    Each region is divided into equal bins. Samples are placed on a regular grid in each bin and
    interpolated bilinearly between the pixels; samples outside of `x` are 0.

    Parameters
    ----------
    x : Tensor [N, C, H, W], float16 | bfloat16 | float32 | float64
        Feature maps.
    boxes : Tensor [R, 4], dtype of x
        Regions x1, y1, x2, y2 in pixels of the image, sorted by image.
    boxes_num : Tensor [N], int32 | int64
        Number of regions of each image.
    output_size : int or (int, int)
        Bins along the height and width.
    spatial_scale : float, default 1.0
        Size of `x` relative to the image, such as 1 / 16.
    sampling_ratio : int, default -1
        Samples per axis of a bin; 0 or less: ceil(height or width of the bin). At most 1024.
    aligned : bool, default True
        Shift the regions by half a pixel, so that pixel centers are at integer positions. False: as
        in older models; regions are at least one pixel wide and high.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [R, C, *output_size], dtype of x

    Raises
    ------
    OpError
        If shapes or dtypes do not fit, or `boxes_num` does not add up to the number of boxes.

    Notes
    -----
    The gradient is that of `x`; boxes have none.

    See Also
    --------
    paddle.vision.ops.RoIAlign : The same as a layer.

    Examples
    --------
    >>> x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
    >>> boxes = paddle.to_tensor([[0.0, 0.0, 4.0, 4.0]])
    >>> boxes_num = paddle.to_tensor([1], dtype="int32")
    >>> paddle.vision.ops.roi_align(x, boxes, boxes_num, 2).tolist()
    [[[[2.5, 4.5], [10.5, 12.5]]]]
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
    output_size: Ints,
    spatial_scale: float = 1.0,
    name: str | None = None,
) -> Tensor:
    """RoIPool: the maximum in each bin of a region (Girshick 2015).

    Regions and bins are rounded to whole pixels; an empty bin is 0.

    Parameters
    ----------
    x : Tensor [N, C, H, W], float16 | bfloat16 | float32 | float64
        Feature maps.
    boxes : Tensor [R, 4], dtype of x
        Regions x1, y1, x2, y2 in pixels of the image, sorted by image.
    boxes_num : Tensor [N], int32 | int64
        Number of regions of each image.
    output_size : int or (int, int)
        Bins along the height and width.
    spatial_scale : float, default 1.0
        Size of `x` relative to the image, such as 1 / 16.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [R, C, *output_size], dtype of x

    Raises
    ------
    OpError
        If shapes or dtypes do not fit, or `boxes_num` does not add up to the number of boxes.

    Notes
    -----
    The gradient is that of `x`; boxes have none.

    See Also
    --------
    paddle.vision.ops.RoIPool : The same as a layer.

    Examples
    --------
    >>> x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
    >>> boxes = paddle.to_tensor([[0.0, 0.0, 3.0, 3.0]])
    >>> boxes_num = paddle.to_tensor([1], dtype="int32")
    >>> paddle.vision.ops.roi_pool(x, boxes, boxes_num, 2).tolist()
    [[[[5.0, 7.0], [13.0, 15.0]]]]
    """
    return OPS["roi_pool"](
        x, boxes, boxes_num, **_pooled_size_attrs(output_size), spatial_scale=float(spatial_scale)
    )[0]


def psroi_pool(
    x: Tensor,
    boxes: Tensor,
    boxes_num: Tensor,
    output_size: Ints,
    spatial_scale: float = 1.0,
    name: str | None = None,
) -> Tensor:
    """Position-sensitive RoI pooling: means in the bins of regions (Dai et al. 2016).

    Bin (i, j) of output channel c is averaged over the input channel (c * PH + i) * PW + j.

    Parameters
    ----------
    x : Tensor [N, C * PH * PW, H, W], float16 | bfloat16 | float32 | float64
        Feature maps.
    boxes : Tensor [R, 4], dtype of x
        Regions x1, y1, x2, y2 in pixels of the image, sorted by image.
    boxes_num : Tensor [N], int32 | int64
        Number of regions of each image.
    output_size : int or (int, int)
        Bins along the height and width.
    spatial_scale : float, default 1.0
        Size of `x` relative to the image, such as 1 / 16.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [R, C, PH, PW], dtype of x

    Raises
    ------
    OpError
        If shapes or dtypes do not fit, or `boxes_num` does not add up to the number of boxes.

    Notes
    -----
    `PH` and `PW` are the two elements of `output_size`. The gradient is that of `x`; boxes have
    none.

    See Also
    --------
    paddle.vision.ops.PSRoIPool : The same as a layer.

    Examples
    --------
    >>> x = paddle.arange(16, dtype="float32").reshape([1, 4, 2, 2])
    >>> boxes = paddle.to_tensor([[0.0, 0.0, 1.0, 1.0]])
    >>> boxes_num = paddle.to_tensor([1], dtype="int32")
    >>> paddle.vision.ops.psroi_pool(x, boxes, boxes_num, 2).tolist()
    [[[[0.0, 5.0], [10.0, 15.0]]]]
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

    def __init__(self, output_size: Ints, spatial_scale: float = 1.0) -> None:
        super().__init__()
        self._output_size = output_size
        self._spatial_scale = spatial_scale


class RoIAlign(_RoILayer):
    """RoIAlign: the mean of interpolated samples in each bin of a region (He et al. 2017).

    Each region is divided into equal bins. Samples are placed on a regular grid in each bin and
    interpolated bilinearly between the pixels; samples outside of `x` are 0.

    Parameters
    ----------
    output_size : int or (int, int)
        Bins along the height and width.
    spatial_scale : float, default 1.0
        Size of `x` relative to the image, such as 1 / 16.

    Shape
    -----
    x : [N, C, H, W], float16 | bfloat16 | float32 | float64
    boxes : [R, 4], dtype of x; regions x1, y1, x2, y2 in pixels of the image, sorted by image
    boxes_num : [N], int32 | int64; the number of regions of each image
    aligned : bool, default True; see `roi_align`
    returns : [R, C, *output_size], dtype of x

    Raises
    ------
    OpError
        In a call, if shapes or dtypes do not fit, or `boxes_num` does not add up to the number of
        boxes.

    See Also
    --------
    paddle.vision.ops.roi_align : The same as a function.

    Examples
    --------
    >>> x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
    >>> boxes = paddle.to_tensor([[0.0, 0.0, 4.0, 4.0]])
    >>> pool = paddle.vision.ops.RoIAlign(2)
    >>> pool(x, boxes, paddle.to_tensor([1], dtype="int32")).tolist()
    [[[[2.5, 4.5], [10.5, 12.5]]]]
    """

    def forward(self, x: Tensor, boxes: Tensor, boxes_num: Tensor, aligned: bool = True) -> Tensor:
        return roi_align(
            x, boxes, boxes_num, self._output_size, self._spatial_scale, aligned=aligned
        )


class RoIPool(_RoILayer):
    """RoIPool: the maximum in each bin of a region (Girshick 2015).

    Regions and bins are rounded to whole pixels; an empty bin is 0.

    Parameters
    ----------
    output_size : int or (int, int)
        Bins along the height and width.
    spatial_scale : float, default 1.0
        Size of `x` relative to the image, such as 1 / 16.

    Shape
    -----
    x : [N, C, H, W], float16 | bfloat16 | float32 | float64
    boxes : [R, 4], dtype of x; regions x1, y1, x2, y2 in pixels of the image, sorted by image
    boxes_num : [N], int32 | int64; the number of regions of each image
    returns : [R, C, *output_size], dtype of x

    Raises
    ------
    OpError
        In a call, if shapes or dtypes do not fit, or `boxes_num` does not add up to the number of
        boxes.

    See Also
    --------
    paddle.vision.ops.roi_pool : The same as a function.

    Examples
    --------
    >>> x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
    >>> boxes = paddle.to_tensor([[0.0, 0.0, 3.0, 3.0]])
    >>> pool = paddle.vision.ops.RoIPool(2)
    >>> pool(x, boxes, paddle.to_tensor([1], dtype="int32")).tolist()
    [[[[5.0, 7.0], [13.0, 15.0]]]]
    """

    def forward(self, x: Tensor, boxes: Tensor, boxes_num: Tensor) -> Tensor:
        return roi_pool(x, boxes, boxes_num, self._output_size, self._spatial_scale)

    def extra_repr(self) -> str:
        return f"output_size={self._output_size}, spatial_scale={self._spatial_scale}"


class PSRoIPool(_RoILayer):
    """Position-sensitive RoI pooling: means in the bins of regions (Dai et al. 2016).

    Bin (i, j) of output channel c is averaged over the input channel (c * PH + i) * PW + j.

    Parameters
    ----------
    output_size : int or (int, int)
        Bins along the height and width.
    spatial_scale : float, default 1.0
        Size of `x` relative to the image, such as 1 / 16.

    Shape
    -----
    x : [N, C * PH * PW, H, W], float16 | bfloat16 | float32 | float64
    boxes : [R, 4], dtype of x; regions x1, y1, x2, y2 in pixels of the image, sorted by image
    boxes_num : [N], int32 | int64; the number of regions of each image
    returns : [R, C, PH, PW], dtype of x

    Raises
    ------
    OpError
        In a call, if shapes or dtypes do not fit, or `boxes_num` does not add up to the number of
        boxes.

    See Also
    --------
    paddle.vision.ops.psroi_pool : The same as a function.

    Examples
    --------
    >>> x = paddle.arange(16, dtype="float32").reshape([1, 4, 2, 2])
    >>> boxes = paddle.to_tensor([[0.0, 0.0, 1.0, 1.0]])
    >>> pool = paddle.vision.ops.PSRoIPool(2)
    >>> pool(x, boxes, paddle.to_tensor([1], dtype="int32")).tolist()
    [[[[0.0, 5.0], [10.0, 15.0]]]]
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
    """Non-maximum suppression: indices of the boxes that no better box overlaps too much.

    Parameters
    ----------
    boxes : Tensor [N, 4], float16 | bfloat16 | float32 | float64
        Boxes x1, y1, x2, y2.
    iou_threshold : float, default 0.3
        A box is dropped if its intersection over union with a selected box is larger.
    scores : Tensor [N], optional
        Without scores, the boxes are in descending order of their quality.
    category_idxs : Tensor [N], integer, optional
        Category of each box. Boxes of different categories do not suppress each other.
    categories : sequence of int, optional
        The categories to select from; required with `category_idxs`.
    top_k : int, optional
        Maximal number of results over all categories; used with `category_idxs` only, as in Paddle.

    Returns
    -------
    Tensor [K], int64
        Indices of the selected boxes: in descending order of `scores`, or in ascending order
        without scores.

    Raises
    ------
    OpError
        If shapes do not fit, or `categories` is missing.

    Examples
    --------
    >>> boxes = paddle.to_tensor([[0.0, 0, 10, 10], [1, 1, 10, 10], [20, 20, 30, 30]])
    >>> paddle.vision.ops.nms(boxes, 0.5).tolist()
    [0, 2]
    >>> paddle.vision.ops.nms(boxes, 0.5, paddle.to_tensor([0.6, 0.9, 0.8])).tolist()
    [1, 2]
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
    if not selected:
        return full([0], 0, "int64")
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
    """Matrix NMS: lower the scores of boxes by their overlap with better boxes (Wang et al. 2020).

    The score of a box is multiplied by min over better boxes i of f(iou) / f(largest iou of box i
    with better boxes), where f(iou) = 1 - iou or, for `use_gaussian`, exp(-gaussian_sigma * iou^2).

    Parameters
    ----------
    bboxes : Tensor [N, M, 4], float16 | bfloat16 | float32 | float64
        Boxes x1, y1, x2, y2.
    scores : Tensor [N, C, M], dtype of bboxes
        Scores of each class.
    score_threshold : float
        Boxes with a lower or equal score are dropped before.
    post_threshold : float
        Boxes with a lower or equal score are dropped after.
    nms_top_k : int
        Boxes per class that are considered, the best first; -1: all.
    keep_top_k : int
        Results per image; -1: all.
    use_gaussian : bool, default False
    gaussian_sigma : float, default 2.0
    background_label : int, default 0
        This class is left out; -1: none.
    normalized : bool, default True
        False: coordinates are pixels, and a box has the width x2 - x1 + 1.
    return_index, return_rois_num : bool, default False and True
    name : str, optional
        Not used.

    Returns
    -------
    out : Tensor [K, 6], dtype of bboxes
        Class, score, x1, y1, x2, y2; sorted by image and descending score.
    rois_num : Tensor [N], int32
        Results of each image; None unless `return_rois_num`.
    index : Tensor [K, 1], int32
        Positions in the flattened [N * M] boxes; None unless `return_index`.

    Raises
    ------
    OpError
        If shapes or dtypes do not fit.

    Notes
    -----
    Results have no gradient.

    Examples
    --------
    >>> boxes = paddle.to_tensor([[[0.0, 0, 10, 10], [1, 1, 10, 10], [20, 20, 30, 30]]])
    >>> scores = paddle.to_tensor([[[0.6, 0.9, 0.8]]])
    >>> out, rois_num, _ = paddle.vision.ops.matrix_nms(
    ...     boxes, scores, 0.1, 0.0, nms_top_k=10, keep_top_k=10, background_label=-1
    ... )
    >>> out[:, 1].numpy().round(3)  # the last box overlaps the first
    array([0.9  , 0.8  , 0.114], dtype=float32)
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


def _float_list(values: float | Sequence[float]) -> list[float]:
    return [float(v) for v in values] if isinstance(values, Sequence) else [float(values)]


def prior_box(
    input: Tensor,
    image: Tensor,
    min_sizes: float | Sequence[float],
    max_sizes: float | Sequence[float] | None = None,
    aspect_ratios: float | Sequence[float] = [1.0],
    variance: Sequence[float] = [0.1, 0.1, 0.2, 0.2],
    flip: bool = False,
    clip: bool = False,
    steps: Sequence[float] = [0.0, 0.0],
    offset: float = 0.5,
    min_max_aspect_ratios_order: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Anchor boxes of several sizes around each position of a feature map (SSD, Liu et al. 2016).

    Boxes are x1, y1, x2, y2 as fractions of the image size.

    Parameters
    ----------
    input : Tensor [N, C, H, W], float16 | bfloat16 | float32 | float64
        Feature maps; only the shape is used.
    image : Tensor [N, C, H_image, W_image]
        Images; only the shape is used.
    min_sizes : float or sequence of float
        Sizes of the square boxes in pixels of the image.
    max_sizes : float or sequence of float, optional
        One per element of `min_sizes`: adds a square box of the size sqrt(min_size * max_size).
    aspect_ratios : float or sequence of float, default [1.0]
        Ratios width / height of boxes with the areas of `min_sizes`; 1 is always included.
    variance : sequence of 4 float, default [0.1, 0.1, 0.2, 0.2]
        Returned for each box.
    flip : bool, default False
        Add the reciprocal of each aspect ratio.
    clip : bool, default False
        Clip coordinates to [0, 1].
    steps : (float, float), default [0.0, 0.0]
        Distance of neighboring positions along the width and height in pixels of the image; 0:
        image size / size of the feature map.
    offset : float, default 0.5
        The center of the first box in units of `steps`.
    min_max_aspect_ratios_order : bool, default False
        Order of the boxes of one min_size: True: square, square of max_size, other ratios (as in
        Caffe); False: square, other ratios, square of max_size.
    name : str, optional
        Not used.

    Returns
    -------
    boxes, variances : Tensor [H, W, P, 4], dtype of input
        P is the number of boxes of a position.

    Raises
    ------
    OpError
        If shapes do not fit, `variance` has not four elements, or `min_sizes` and `max_sizes` have
        different lengths.

    Examples
    --------
    >>> boxes, variances = paddle.vision.ops.prior_box(
    ...     paddle.zeros([1, 8, 1, 2]), paddle.zeros([1, 3, 10, 20]), min_sizes=[4.0]
    ... )
    >>> boxes.numpy()[0, :, 0].round(2)
    array([[0.15, 0.3 , 0.35, 0.7 ],
           [0.65, 0.3 , 0.85, 0.7 ]], dtype=float32)
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
    prior_box_var: Tensor | Sequence[float],
    target_box: Tensor,
    code_type: str = "encode_center_size",
    box_normalized: bool = True,
    axis: int = 0,
    name: str | None = None,
) -> Tensor:
    """Encode boxes as offsets from prior boxes, or decode them (Girshick et al. 2014).

    offsets = ((cx - px) / pw, (cy - py) / ph, log(w / pw), log(h / ph)) / variance for a box with
    center cx, cy and size w, h, and a prior with center px, py and size pw, ph

    Parameters
    ----------
    prior_box : Tensor [M, 4], float16 | bfloat16 | float32 | float64
        Priors x1, y1, x2, y2.
    prior_box_var : Tensor [M, 4] or sequence of 4 float
        Variances of each prior, or of all.
    target_box : Tensor, dtype of prior_box
        Boxes x1, y1, x2, y2 [N, 4] to encode, or offsets [N, M, 4] to decode.
    code_type : "encode_center_size" or "decode_center_size", default "encode_center_size"
    box_normalized : bool, default True
        False: coordinates are pixels, and a box has the width x2 - x1 + 1.
    axis : 0 or 1, default 0
        For decoding: 0 applies prior m to ``target_box[:, m]``, 1 prior n to ``target_box[n]``.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, M, 4], dtype of prior_box
        Offsets of each box from each prior, or decoded boxes x1, y1, x2, y2.

    Raises
    ------
    OpError
        If shapes or dtypes do not fit, or `code_type` has another value.

    Notes
    -----
    Results have no gradient.

    Examples
    --------
    >>> prior = paddle.to_tensor([[0.0, 0.0, 10.0, 10.0]])
    >>> box = paddle.to_tensor([[0.0, 0.0, 10.0, 20.0]])
    >>> offsets = paddle.vision.ops.box_coder(prior, [0.1, 0.1, 0.2, 0.2], box)
    >>> offsets.numpy()[0].round(3)
    array([[0.   , 5.   , 0.   , 3.466]], dtype=float32)
    >>> paddle.vision.ops.box_coder(
    ...     prior, [0.1, 0.1, 0.2, 0.2], offsets, "decode_center_size"
    ... ).numpy().round(3).tolist()
    [[[0.0, 0.0, 10.0, 20.0]]]
    """
    if not isinstance(prior_box_var, Tensor | Sequence | float | int):
        problem = f"prior_box_var is {type(prior_box_var).__name__}, neither a Tensor nor a list"
        raise OpError(append_user_line(f"box_coder: {problem}"))
    return OPS["box_coder"](
        prior_box,
        prior_box_var if isinstance(prior_box_var, Tensor) else None,
        target_box,
        code_type=code_type,
        box_normalized=box_normalized,
        axis=axis,
        variance=[] if isinstance(prior_box_var, Tensor) else _float_list(prior_box_var),
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
    """Decode the output of a YOLO network to boxes and scores (Redmon and Farhadi 2018).

    For the outputs tx, ty, tw, th, to, tc of an anchor with the size aw, ah at column i and row j:
    center ((i + s(tx)) / W, (j + s(ty)) / H) and size (aw * exp(tw) / (ratio * W), ah * exp(th) /
    (ratio * H)) relative to the image; score s(to) * s(tc); s is the sigmoid.

    Parameters
    ----------
    x : Tensor [N, S * (5 + class_num), H, W], float16 | bfloat16 | float32 | float64
        Output of the network for S anchors; with `iou_aware` S more channels at the front.
    img_size : Tensor [N, 2], int32
        Height and width of each image.
    anchors : sequence of int
        Widths and heights of the S anchors in pixels of the network's input: w0, h0, w1, h1, ...
    class_num : int
    conf_thresh : float
        Boxes and scores with a lower objectness s(to) are 0.
    downsample_ratio : int
        Size of the network's input relative to `x`.
    clip_bbox : bool, default True
        Clip boxes to the image.
    name : str, optional
        Not used.
    scale_x_y : float, default 1.0
        Replaces s(tx) by scale_x_y * s(tx) - (scale_x_y - 1) / 2, and s(ty) likewise.
    iou_aware : bool, default False
        Whether the network predicts the IoU of each box (Wu et al. 2019).
    iou_aware_factor : float, default 0.5
        The objectness becomes s(to)^(1 - factor) * s(iou)^factor.

    Returns
    -------
    boxes : Tensor [N, S * H * W, 4], dtype of x
        x1, y1, x2, y2 in pixels of the image.
    scores : Tensor [N, S * H * W, class_num], dtype of x

    Raises
    ------
    OpError
        If shapes do not fit `anchors` and `class_num`.

    Notes
    -----
    Results have no gradient; train with `yolo_loss`.

    Examples
    --------
    >>> boxes, scores = paddle.vision.ops.yolo_box(
    ...     paddle.zeros([1, 6, 1, 1]),
    ...     paddle.to_tensor([[64, 64]], dtype="int32"),
    ...     anchors=[16, 32],
    ...     class_num=1,
    ...     conf_thresh=0.1,
    ...     downsample_ratio=32,
    ... )
    >>> boxes.tolist(), scores.tolist()
    ([[[16.0, 0.0, 48.0, 63.0]]], [[[0.25]]])
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
    """Loss of the output of a YOLO network for known boxes (Redmon and Farhadi 2018).

    Per image: cross entropy of the centers and L1 distance of the sizes, weighted by 2 - w * h, and
    cross entropies of classes and objectness. Each box belongs to the anchor of the best fitting
    shape.

    Parameters
    ----------
    x : Tensor [N, A * (5 + class_num), H, H], float32 | float64
        Output of the network for the A anchors of `anchor_mask`.
    gt_box : Tensor [N, B, 4], dtype of x
        Center x, y, width and height as fractions of the image; boxes with width or height 0 are
        ignored.
    gt_label : Tensor [N, B], int32
        Classes in [0, class_num).
    anchors : sequence of int
        Widths and heights of all anchors in pixels of the network's input: w0, h0, w1, h1, ...
    anchor_mask : sequence of int
        Indices of the anchors that `x` predicts.
    class_num : int
    ignore_thresh : float
        A prediction without box has no objectness loss if its IoU with a box is larger.
    downsample_ratio : int
        Size of the network's input relative to `x`.
    gt_score : Tensor [N, B], optional
        Weights of the boxes, such as those of mixup; default 1.
    use_label_smooth : bool, default True
        Class targets 1 - d and d instead of 1 and 0, with d = min(1 / class_num, 1 / 40).
    name : str, optional
        Not used.
    scale_x_y : float, default 1.0
        As in `yolo_box`.

    Returns
    -------
    Tensor [N], dtype of x

    Raises
    ------
    OpError
        If shapes do not fit, or `anchor_mask` has an index that is not in `anchors`.

    Notes
    -----
    The gradient is that of `x`; there is no second gradient.

    Examples
    --------
    >>> loss = paddle.vision.ops.yolo_loss(
    ...     paddle.zeros([1, 6, 1, 1]),
    ...     paddle.to_tensor([[[0.5, 0.5, 0.5, 0.5]]]),
    ...     paddle.to_tensor([[0]], dtype="int32"),
    ...     anchors=[16, 16],
    ...     anchor_mask=[0],
    ...     class_num=1,
    ...     ignore_thresh=0.7,
    ...     downsample_ratio=32,
    ... )
    >>> loss.numpy().round(3)
    array([3.812], dtype=float32)
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


@overload
def generate_proposals(
    scores: Tensor,
    bbox_deltas: Tensor,
    img_size: Tensor,
    anchors: Tensor,
    variances: Tensor,
    pre_nms_top_n: int = ...,
    post_nms_top_n: int = ...,
    nms_thresh: float = ...,
    min_size: float = ...,
    eta: float = ...,
    pixel_offset: bool = ...,
    return_rois_num: Literal[False] = False,
    name: str | None = ...,
) -> tuple[Tensor, Tensor, None]: ...
@overload
def generate_proposals(
    scores: Tensor,
    bbox_deltas: Tensor,
    img_size: Tensor,
    anchors: Tensor,
    variances: Tensor,
    pre_nms_top_n: int = ...,
    post_nms_top_n: int = ...,
    nms_thresh: float = ...,
    min_size: float = ...,
    eta: float = ...,
    pixel_offset: bool = ...,
    *,
    return_rois_num: Literal[True],
    name: str | None = ...,
) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def generate_proposals(
    scores: Tensor,
    bbox_deltas: Tensor,
    img_size: Tensor,
    anchors: Tensor,
    variances: Tensor,
    pre_nms_top_n: int = ...,
    post_nms_top_n: int = ...,
    nms_thresh: float = ...,
    min_size: float = ...,
    eta: float = ...,
    pixel_offset: bool = ...,
    return_rois_num: bool = ...,
    name: str | None = ...,
) -> Any: ...
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
    """Proposals of a region proposal network (Faster R-CNN, Ren et al. 2015).

    Per image: take the best `pre_nms_top_n` anchors, decode their offsets, clip them to the image,
    drop small boxes, apply non-maximum suppression, and return the best `post_nms_top_n` boxes.

    Parameters
    ----------
    scores : Tensor [N, A, H, W], float16 | bfloat16 | float32 | float64
        Scores of A anchors at each position.
    bbox_deltas : Tensor [N, 4 * A, H, W], dtype of scores
        Offsets from the anchors, as `box_coder` encodes them; sizes grow by a factor of at most
        62.5.
    img_size : Tensor [N, 2], dtype of scores
        Height and width of each image.
    anchors, variances : Tensor [H, W, A, 4] or [H * W * A, 4], dtype of scores
        Anchors x1, y1, x2, y2, and the factors of the offsets.
    pre_nms_top_n : int, default 6000
        0 or less: all anchors.
    post_nms_top_n : int, default 1000
        0 or less: all boxes.
    nms_thresh : float, default 0.5
        IoU threshold; 0 or less: no suppression.
    min_size : float, default 0.1
        Minimal width and height; at least 1 is used.
    eta : float, default 1.0
        Below 1: `nms_thresh` is multiplied by it after each selected box while it is above 0.5.
    pixel_offset : bool, default False
        Coordinates are pixels, and a box has the width x2 - x1 + 1.
    return_rois_num : bool, default False
    name : str, optional
        Not used.

    Returns
    -------
    rois : Tensor [K, 4], dtype of scores
        x1, y1, x2, y2, sorted by image; an image without proposals has one box of zeros.
    probs : Tensor [K, 1], dtype of scores
        Scores of the boxes.
    rois_num : Tensor [N], int32
        Boxes of each image; None unless `return_rois_num`.

    Raises
    ------
    OpError
        If shapes do not fit.

    Notes
    -----
    Results have no gradient.

    Examples
    --------
    >>> rois, probs, rois_num = paddle.vision.ops.generate_proposals(
    ...     scores=paddle.to_tensor([[[[0.875, 0.5]]]]),
    ...     bbox_deltas=paddle.zeros([1, 4, 1, 2]),
    ...     img_size=paddle.to_tensor([[32.0, 32.0]]),
    ...     anchors=paddle.to_tensor([[0.0, 0.0, 8.0, 8.0], [8.0, 0.0, 16.0, 8.0]]),
    ...     variances=paddle.ones([2, 4]),
    ...     return_rois_num=True,
    ... )
    >>> rois.tolist(), probs.tolist(), rois_num.tolist()
    ([[0.0, 0.0, 8.0, 8.0], [8.0, 0.0, 16.0, 8.0]], [[0.875], [0.5]], [2])
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
    """Assign boxes to the levels of a feature pyramid by their size (Lin et al. 2017).

    level = clip(floor(refer_level + log2(sqrt(area) / refer_scale)), min_level, max_level)

    Parameters
    ----------
    fpn_rois : Tensor [R, 4], float16 | bfloat16 | float32 | float64
        Boxes x1, y1, x2, y2.
    min_level, max_level : int
        Lowest and highest level.
    refer_level : int
        Level of boxes of the size `refer_scale`.
    refer_scale : int
        Square root of an area, such as 224.
    pixel_offset : bool, default False
        Coordinates are pixels, and a box has the width x2 - x1 + 1.
    rois_num : Tensor [N], int32, optional
        Boxes of each image; `fpn_rois` is sorted by image.
    name : str, optional
        Not used.

    Returns
    -------
    multi_rois : list of Tensor [*, 4]
        Boxes of each level, from `min_level` to `max_level`.
    restore_ind : Tensor [R, 1], int32
        ``gather(concat(multi_rois), restore_ind)`` is `fpn_rois`.
    rois_num_per_level : list of Tensor [N], int32
        Boxes of each image by level; None without `rois_num`.

    Raises
    ------
    OpError
        If shapes do not fit, or `max_level` is below `min_level`.

    Notes
    -----
    Results have no gradient.

    Examples
    --------
    >>> rois = paddle.to_tensor([[0.0, 0.0, 200.0, 200.0], [0.0, 0.0, 20.0, 20.0]])
    >>> levels, restore, _ = paddle.vision.ops.distribute_fpn_proposals(rois, 2, 4, 4, 224)
    >>> [level.tolist() for level in levels]
    [[[0.0, 0.0, 20.0, 20.0]], [[0.0, 0.0, 200.0, 200.0]], []]
    >>> restore.tolist()
    [[1], [0]]
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
    stride: Ints = 1,
    padding: Ints = 0,
    dilation: Ints = 1,
    deformable_groups: int = 1,
    groups: int = 1,
    mask: Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Deformable convolution: the filter samples the image at learned positions (Zhu et al. 2019).

    out[p] = sum over kernel positions k of weight[k] * mask[k, p] * x[stride * p + dilation * k +
    offset[k, p] - padding], with bilinear interpolation; positions outside of x are 0.

    Parameters
    ----------
    x : Tensor [N, C, H, W], float16 | bfloat16 | float32 | float64
    offset : Tensor [N, 2 * deformable_groups * kH * kW, H', W'], dtype of x
        Row and column offsets in pixels, which alternate.
    weight : Tensor [M, C / groups, kH, kW], dtype of x
    bias : Tensor [M], optional
    stride, padding, dilation : int or (int, int), default 1, 0 and 1
    deformable_groups : int, default 1
        Groups of channels with their own offsets; divides C.
    groups : int, default 1
        Each group of filters sees only its group of channels; divides C and M.
    mask : Tensor [N, deformable_groups * kH * kW, H', W'], optional
        Weights of the samples (version 2); without them, version 1 (Dai et al. 2017).
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, M, H', W'], dtype of x
        H' = (H + 2 * padding - dilation * (kH - 1) - 1) // stride + 1 (W' likewise)

    Raises
    ------
    OpError
        If shapes, dtypes or groups do not fit.

    Notes
    -----
    There is no second gradient.

    See Also
    --------
    paddle.vision.ops.DeformConv2D : The layer with its own weights.

    Examples
    --------
    >>> x, weight = paddle.ones([1, 1, 3, 3]), paddle.ones([1, 1, 2, 2])
    >>> paddle.vision.ops.deform_conv2d(x, paddle.zeros([1, 8, 2, 2]), weight).tolist()
    [[[[4.0, 4.0], [4.0, 4.0]]]]
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
    """Deformable convolution with its own weights (Dai et al. 2017, Zhu et al. 2019).

    The filter samples the image at positions that are moved by `offset`.

    Parameters
    ----------
    in_channels, out_channels : int
        Channels of the input and of the output; both are multiples of `groups`.
    kernel_size : int or (int, int)
        Height and width of the filter.
    stride, padding, dilation : int or (int, int), default 1, 0 and 1
    deformable_groups : int, default 1
        Groups of channels with their own offsets; divides `in_channels`.
    groups : int, default 1
    weight_attr, bias_attr : ParamAttr, Initializer, str or False, optional
        Initialization, name, regularizer. ``bias_attr=False``: no bias. Default weights:
        Normal(0, sqrt(2 / (in_channels * kH * kW))).

    Shape
    -----
    x : [N, in_channels, H, W], float16 | bfloat16 | float32 | float64
    offset : [N, 2 * deformable_groups * kH * kW, H', W']; row and column offsets, which alternate
    mask : [N, deformable_groups * kH * kW, H', W'], optional; weights of the samples
    returns : [N, out_channels, H', W'] with H' = (H + 2 * padding - dilation * (kH - 1) - 1) //
        stride + 1

    Raises
    ------
    OpError
        If `groups` or `deformable_groups` does not divide `in_channels`; in a call, if shapes or
        dtypes do not fit.

    See Also
    --------
    paddle.vision.ops.deform_conv2d : The same as a function.

    Examples
    --------
    >>> conv = paddle.vision.ops.DeformConv2D(3, 8, 3, padding=1)
    >>> conv(paddle.zeros([2, 3, 5, 5]), paddle.zeros([2, 18, 5, 5])).shape
    [2, 8, 5, 5]
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Ints,
        stride: Ints = 1,
        padding: Ints = 0,
        dilation: Ints = 1,
        deformable_groups: int = 1,
        groups: int = 1,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
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
    """Convolution followed by a normalization and an activation.

    Parameters
    ----------
    in_channels, out_channels : int
    kernel_size : int, default 3
    stride : int, default 1
    padding : int, optional
        Default: (kernel_size - 1) // 2 * dilation, which preserves the size at stride 1.
    groups : int, default 1
    norm_layer : callable or None, default BatchNorm2D
        Function from the number of channels to a layer; None: no normalization.
    activation_layer : callable or None, default ReLU
        Function without arguments that returns a layer; None: no activation.
    dilation : int, default 1
    bias : bool, optional
        Whether the convolution has a bias. Default: only without normalization.

    Shape
    -----
    x : [N, in_channels, H, W], float32 | float64
    returns : [N, out_channels, H', W']

    Examples
    --------
    >>> block = paddle.vision.ops.ConvNormActivation(3, 8, stride=2)
    >>> block(paddle.zeros([1, 3, 32, 32])).shape
    [1, 8, 16, 16]
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int = 3,
        stride: int = 1,
        padding: int | None = None,
        groups: int = 1,
        norm_layer: Callable[[int], Layer] | None = BatchNorm2D,
        activation_layer: Callable[[], Layer] | None = ReLU,
        dilation: int = 1,
        bias: bool | None = None,
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
