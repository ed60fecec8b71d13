"""Region proposals: generate, distribute to levels of a feature pyramid, and collect."""

from __future__ import annotations

import math
from typing import Any

from ..core.arrays import np
from ..core.op import HOST_PYTHON_LOOP, Meta, check, op
from .box_ops import NO_GRAD_BOXES
from .detection_helpers import INT32, INT64, NO_HALF_BOXES, row_offsets_or_single_image
from .half_precision import computed_in_float32_if_half
from .lod import offsets_from_lengths, sequence_lengths
from .nms import nms_of_sorted_boxes
from .shared_op_rules import check_float, dims_match

MAX_LOG_SCALE = float(np.log(1000.0 / 16.0))  # largest logarithm of a ratio of box sizes


# -- generate_proposals
# -------------------------------------------------------------------------------------------


def decode_boxes(anchors: Any, deltas: Any, variances: Any, extra: float) -> Any:
    """Decode boxes: apply the encoded offsets `deltas` to anchors. All arguments and the result are
    [K,4].
    """
    sizes = anchors[:, 2:] - anchors[:, :2] + extra
    middle = variances[:, :2] * deltas[:, :2] * sizes + anchors[:, :2] + sizes / 2
    half = np.exp(np.minimum(variances[:, 2:] * deltas[:, 2:], MAX_LOG_SCALE)) * sizes / 2
    return np.concatenate([middle - half, middle + half - extra], axis=1)


def _valid_proposals_mask(boxes: Any, least: float, extra: Any, image: Any, scale: Any) -> Any:
    """A mask of the proposals that are at least `least` wide and high in the unscaled image. With
    pixel offset, the center of a proposal must also be in the image.
    """
    sizes = boxes[:, 2:] - boxes[:, :2]
    kept = np.all(sizes / scale + extra >= least, axis=1)
    middle = boxes[:, :2] + (sizes + extra) / 2
    return kept & (middle[:, 0] <= image[1]) & (middle[:, 1] <= image[0]) if extra else kept


def _propose_regions_of_batch(
    scores: Any,
    deltas: Any,
    image: Any,
    scales: Any,
    anchors: Any,
    variances: Any,
    extra: Any,
    pre_nms_topN: int,
    post_nms_topN: int,
    nms_thresh: float,
    min_size: float,
    eta: float,
) -> tuple[Any, Any, Any]:
    """Select the proposals of a batch; return regions, scores, and the number of regions per image.
    An image without regions gets one empty region with score 0.
    """
    t = scores.dtype.type
    anchors, variances = anchors.reshape(-1, 4), variances.reshape(-1, 4)
    rois, probs = [], []
    for n in range(scores.shape[0]):
        score = scores[n].transpose(1, 2, 0).ravel()
        delta = deltas[n].reshape(-1, 4, *deltas.shape[2:]).transpose(2, 3, 0, 1).reshape(-1, 4)
        order = np.argsort(-score, kind="stable")[: pre_nms_topN if pre_nms_topN > 0 else None]
        boxes = decode_boxes(anchors[order], delta[order], variances[order], extra).astype(
            scores.dtype
        )
        high, wide = image[n, 0], image[n, 1]
        boxes = np.clip(boxes, t(0), np.array([wide, high, wide, high], scores.dtype) - extra)
        kept = _valid_proposals_mask(boxes, max(min_size, 1.0), extra, (high, wide), scales[n])
        boxes, order = boxes[kept], order[kept]
        chosen = (
            nms_of_sorted_boxes(boxes, nms_thresh, float(extra), eta)
            if nms_thresh > 0
            else list(range(len(boxes)))
        )
        chosen = chosen[:post_nms_topN] if post_nms_topN > 0 else chosen
        rois.append(boxes[chosen] if chosen else np.zeros((1, 4), scores.dtype))
        probs.append(score[order[chosen]][:, None] if chosen else np.zeros((1, 1), scores.dtype))
    return np.concatenate(rois), np.concatenate(probs), np.array([len(r) for r in rois], np.int32)


def _proposals_meta(scores: Meta, deltas: Meta, anchors: Meta) -> tuple[Meta, Meta, Meta]:
    check_float(scores)
    check(len(scores.shape) == len(deltas.shape) == 4, "Scores and BboxDeltas need four axes")
    check(
        dims_match(deltas.shape[1], 4 * scores.shape[1] if scores.shape[1] >= 0 else -1),
        "BboxDeltas do not fit Scores",
    )
    check(
        len(anchors.shape) >= 2 and dims_match(anchors.shape[-1], 4),
        "the last axis of Anchors should have the size 4",
    )
    places, count = (*scores.shape[1:],), (*anchors.shape[:-1],)
    known = min(*places, *count) >= 0
    check(not known or math.prod(places) == math.prod(count), "Anchors do not fit Scores")
    return Meta((-1, 4), scores.dtype), Meta((-1, 1), scores.dtype), Meta((scores.shape[0],), INT32)


@op(
    "generate_proposals_v2",
    "Scores, BboxDeltas, ImShape, Anchors, Variances -> RpnRois, RpnRoiProbs, RpnRoisNum",
    no_grad_reason=NO_GRAD_BOXES,
    value_dependent_shape=True,
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
    public_name="generate_proposals",
)
@computed_in_float32_if_half
def generate_proposals_v2(
    scores,
    deltas,
    image,
    anchors,
    variances,
    *,
    pre_nms_topN: int,
    post_nms_topN: int,
    nms_thresh: float,
    min_size: float,
    eta: float,
    pixel_offset: bool = True,
):
    """Region proposals of a region proposal network (Ren et al., 2015): boxes, their scores, and
    their number per image.

    Scores [N,A,H,W], BboxDeltas [N,4*A,H,W] -> RpnRois [K,4], RpnRoiProbs [K,1], RpnRoisNum [N]

    ImShape [N,2]: height and width of the images.
    Anchors, Variances: [H,W,A,4] or [H*W*A,4].
    """
    extra, scales = scores.dtype.type(1 if pixel_offset else 0), np.ones(len(image), scores.dtype)
    return _propose_regions_of_batch(
        scores,
        deltas,
        image,
        scales,
        anchors,
        variances,
        extra,
        pre_nms_topN,
        post_nms_topN,
        nms_thresh,
        min_size,
        eta,
    )


@generate_proposals_v2.meta
def _(scores, deltas, image, anchors, variances, **_):
    return _proposals_meta(scores, deltas, anchors)


@op(
    "generate_proposals",
    "Scores, BboxDeltas, ImInfo, Anchors, Variances -> RpnRois, RpnRoiProbs, RpnRoisNum, "
    "RpnRois@LOD~?, RpnRoiProbs@LOD~?",
    no_grad_reason=NO_GRAD_BOXES,
    value_dependent_shape=True,
    no_half_reason=NO_HALF_BOXES,
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
)
def generate_proposals(
    scores,
    deltas,
    info,
    anchors,
    variances,
    *,
    pre_nms_topN: int,
    post_nms_topN: int,
    nms_thresh: float,
    min_size: float,
    eta: float,
):
    """generate_proposals_v2 of Paddle 1.x: the minimal box size applies to the image before it was
    scaled.

    ImInfo [N,3]: height, width, scale
    """
    found = _propose_regions_of_batch(
        scores,
        deltas,
        info,
        info[:, 2],
        anchors,
        variances,
        scores.dtype.type(1),
        pre_nms_topN,
        post_nms_topN,
        nms_thresh,
        min_size,
        eta,
    )
    offsets = offsets_from_lengths(found[2])
    return *found, offsets, offsets


@generate_proposals.meta
def _(scores, deltas, info, anchors, variances, **_):
    check(
        len(info.shape) == 2 and dims_match(info.shape[1], 3),
        "ImInfo needs height, width and scale of each image",
    )
    offsets = Meta((scores.shape[0] + 1 if scores.shape[0] >= 0 else -1,), INT64)
    return *_proposals_meta(scores, deltas, anchors), offsets, offsets


# -- levels of a pyramid
# ------------------------------------------------------------------------------------------


@op(
    "distribute_fpn_proposals",
    "FpnRois, RoisNum?, FpnRois@LOD*?! -> MultiFpnRois*, RestoreIndex, "
    "MultiLevelRoIsNum*, MultiFpnRois@LOD*~?",
    no_grad_reason=NO_GRAD_BOXES,
    value_dependent_shape=True,
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
)
def distribute_fpn_proposals(
    rois,
    counts=None,
    lod=None,
    *,
    min_level: int,
    max_level: int,
    refer_level: int,
    refer_scale: int,
    pixel_offset: bool = True,
):
    """Assign regions to the levels of a feature pyramid by their size (Lin et al., 2017).

    FpnRois [R,4], RoisNum int32 [N] -> MultiFpnRois list of [*,4]

    RestoreIndex int32 [R,1]: the index of each region in the concatenated MultiFpnRois.
    MultiLevelRoIsNum list of int32 [N]: the number of regions of each image, per level.
    """
    extra = rois.dtype.type(1 if pixel_offset else 0)
    wide, high = rois[:, 2] - rois[:, 0], rois[:, 3] - rois[:, 1]
    area = np.where((wide < 0) | (high < 0), 0, (wide + extra) * (high + extra))
    level = np.floor(np.log2(np.sqrt(area) / refer_scale + 1e-6) + refer_level)
    level = np.clip(level, min_level, max_level).astype(np.int64)
    counts = (
        sequence_lengths(row_offsets_or_single_image(lod, len(rois))) if counts is None else counts
    )
    owner = np.repeat(np.arange(len(counts)), counts)
    chosen = [np.flatnonzero(level == one) for one in range(min_level, max_level + 1)]
    restore = np.empty((len(rois), 1), np.int32)
    restore[np.concatenate(chosen), 0] = np.arange(len(rois))
    sizes = [np.bincount(owner[c], minlength=len(counts)).astype(np.int32) for c in chosen]
    return [rois[c] for c in chosen], restore, sizes, [offsets_from_lengths(n) for n in sizes]


@distribute_fpn_proposals.meta
def _(rois, counts, lod, *, min_level, max_level, refer_level, refer_scale, pixel_offset):
    check_float(rois)
    check(
        len(rois.shape) == 2 and dims_match(rois.shape[1], 4), "FpnRois need the shape [regions, 4]"
    )
    check(max_level >= min_level, f"max_level={max_level} is below min_level={min_level}")
    check(counts is None or len(counts.shape) == 1, "RoisNum needs one axis")
    levels = range(max_level - min_level + 1)
    batch = -1 if counts is None else counts.shape[0]
    return (
        [Meta((-1, 4), rois.dtype) for _ in levels],
        Meta((rois.shape[0], 1), INT32),
        [Meta((batch,), INT32) for _ in levels],
        [Meta((batch + 1 if batch >= 0 else -1,), INT64) for _ in levels],
    )


@op(
    "collect_fpn_proposals",
    "MultiLevelRois*, MultiLevelRois@LOD*?!, MultiLevelScores*, MultiLevelRoIsNum*? -> "
    "FpnRois, RoisNum, FpnRois@LOD~?",
    no_grad_reason=NO_GRAD_BOXES,
    value_dependent_shape=True,
    no_half_reason=NO_HALF_BOXES,
    host_reason=HOST_PYTHON_LOOP,
)
def collect_fpn_proposals(rois, lods, scores, counts=None, *, post_nms_topN: int):
    """FpnRois = the post_nms_topN regions of all levels with the highest scores, sorted by image.

    MultiLevelRois list of [*,4], MultiLevelScores list of [*,1] -> [K,4], [N]

    The LoD of MultiLevelRois, or MultiLevelRoIsNum (list of int32 [N]), holds the number of regions
    of each image, per level.
    """
    check_float(rois[0])
    if counts is None:
        levels = lods if lods else [None] * len(rois)
        counts = [
            sequence_lengths(
                at if isinstance(at, np.ndarray) else row_offsets_or_single_image(at, len(r))
            )
            for at, r in zip(levels, rois, strict=True)
        ]
    owner = np.concatenate([np.repeat(np.arange(len(n)), n) for n in counts])
    score = np.concatenate([s.reshape(-1) for s in scores])
    best = np.argsort(-score, kind="stable")[:post_nms_topN]
    best = best[np.argsort(owner[best], kind="stable")]
    sizes = np.bincount(owner[best], minlength=len(counts[0])).astype(np.int32)
    return np.concatenate(rois)[best], sizes, offsets_from_lengths(sizes)


@collect_fpn_proposals.meta
def _(rois, lods, scores, counts, *, post_nms_topN):
    for one in rois:
        check_float(one)
        check(
            len(one.shape) == 2 and dims_match(one.shape[1], 4),
            "MultiLevelRois need the shape [regions, 4]",
        )
    check(len(rois) == len(scores), "MultiLevelRois and MultiLevelScores differ in number")
    check(post_nms_topN >= 0, f"post_nms_topN={post_nms_topN} is negative")
    batch = counts[0].shape[0] if counts else -1
    return (
        Meta((-1, 4), rois[0].dtype),
        Meta((batch,), INT32),
        Meta((batch + 1 if batch >= 0 else -1,), INT64),
    )
