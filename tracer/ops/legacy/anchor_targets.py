"""Training targets of anchors: match anchors with ground-truth boxes (rpn_target_assign,
retinanet_target_assign).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...core import rng
from ...core.arrays import np
from ...core.op import HOST_PYTHON_LOOP, Meta, check, op
from ..box_ops import NO_GRAD_BOXES
from ..detection_helpers import INT32, INT64, NO_HALF_BOXES
from ..lod import offsets_from_lengths, require_row_offsets
from ..nms import box_ious
from ..shared_op_rules import check_float, dims_match

EQUAL_OVERLAP_TOLERANCE = 1e-5  # overlaps that differ by less are treated as equal


OUTPUT_SLOTS = (
    " LocationIndex@LOD~?, ScoreIndex@LOD~?, TargetBBox@LOD~?, TargetLabel@LOD~?, "
    "BBoxInsideWeight@LOD~?"
)


def truncate_or_sample_indices(places: Any, count: int, use_random: bool) -> Any:
    """Return at most `count` of the indices `places`: the first ones, or with `use_random` a random
    choice.
    """
    if len(places) <= count:
        return places
    return np.sort(rng.generator().permutation(places)[:count]) if use_random else places[:count]


def encode_boxes(boxes: Any, wanted: Any) -> Any:
    """Encode boxes as regression targets: the offsets of the centers relative to the box size, and
    the logarithms of the size ratios.

    both [K,4] -> [K,4]
    """
    sizes, wanted_sizes = boxes[:, 2:] - boxes[:, :2] + 1, wanted[:, 2:] - wanted[:, :2] + 1
    middle, wanted_middle = boxes[:, :2] + sizes / 2, wanted[:, :2] + wanted_sizes / 2
    return np.concatenate(
        [(wanted_middle - middle) / sizes, np.log(wanted_sizes / sizes)], axis=1
    ).astype(boxes.dtype)


class AnchorSamplingSettings(NamedTuple):
    """Settings of the sampling of anchors: overlap thresholds and the number of anchors.

    foreground_overlap, background_overlap: overlap from which an anchor is foreground, and below
    which it is background.
    max_samples: maximal number of anchors, -1 for all.
    max_foreground_fraction: maximal fraction of foreground anchors.
    use_random: sample at random; otherwise take the first anchors.
    """

    foreground_overlap: float
    background_overlap: float
    max_samples: int = -1
    max_foreground_fraction: float = -1.0
    use_random: bool = False


class SampledAnchors(NamedTuple):
    """The sampled anchors.

    foreground, background: indices of the foreground and background anchors.
    box_target_anchors: the anchors with box targets: `foreground`, preceded by placeholders with
    weight 0.
    matched_boxes: the ground-truth box of each anchor in `box_target_anchors`.
    box_weights: the weight of each anchor in `box_target_anchors`, 1 or 0.
    """

    foreground: Any
    box_target_anchors: Any
    matched_boxes: Any
    box_weights: Any
    background: Any


def _match_and_sample_anchors(over: Any, limits: AnchorSamplingSettings) -> SampledAnchors:
    """Match anchors with ground-truth boxes by their overlap, and sample foreground and background
    anchors. over [A,G]: the overlaps
    """
    best = np.max(over, axis=1, initial=-1)
    nearest = np.any(
        np.abs(np.max(over, axis=0, initial=-1) - over) < np.float32(EQUAL_OVERLAP_TOLERANCE),
        axis=1,
    )
    found = np.flatnonzero(nearest | (best >= np.float32(limits.foreground_overlap)))
    none = np.flatnonzero(best < np.float32(limits.background_overlap))
    if limits.max_samples > 0 and limits.max_foreground_fraction > 0:
        found = truncate_or_sample_indices(
            found, int(limits.max_samples * limits.max_foreground_fraction), limits.use_random
        )
        none = truncate_or_sample_indices(none, limits.max_samples - len(found), limits.use_random)
    # one placeholder for each anchor that is the nearest to a box, but overlaps it by less than the
    # background threshold
    fake = int(np.isin(none, found).sum())
    positive = np.setdiff1d(found, none)
    moved = np.concatenate([np.repeat(found[:1], fake), positive])
    box = np.argmax(over, axis=1)[moved] if over.shape[1] else np.zeros(0, np.int64)
    return SampledAnchors(positive, moved, box, np.repeat([0, 1], [fake, len(positive)]), none)


def _indices_of_anchors_inside_image(anchors: Any, info: Any, straddle: float) -> Any:
    """The indices of the anchors that extend beyond the image by less than `straddle` pixels; the
    indices of all anchors if `straddle` is negative.
    """
    if straddle < 0:
        return np.arange(len(anchors))
    low, high = (
        np.all(anchors[:, :2] >= -straddle, axis=1),
        anchors[:, 2:] < info[[1, 0]] + straddle,
    )
    return np.flatnonzero(low & np.all(high, axis=1))


class AnchorTargetsPerImage(NamedTuple):
    """Collects the targets of the images of a batch; each list has one entry per image."""

    location_indices: list[Any]
    score_indices: list[Any]
    labels: list[Any]
    boxes: list[Any]
    weights: list[Any]
    foreground_counts: list[Any]


def _assign_targets_per_image(
    anchors: Any,
    boxes: Any,
    lod: Any,
    labels: Any,
    crowd: Any,
    infos: Any,
    straddle: float,
    limits: AnchorSamplingSettings,
) -> AnchorTargetsPerImage:
    """Compute the targets of all images of a batch. The anchor indices of an image are offset by
    the number of anchors of all images before it.
    """
    made = AnchorTargetsPerImage([], [], [], [], [], [])
    cuts = require_row_offsets(lod, "GtBoxes")
    for n in range(len(cuts) - 1):
        own = slice(cuts[n], cuts[n + 1])
        single = crowd.reshape(-1)[own] == 0
        there = boxes[own][single] * infos[n, 2]
        near = _indices_of_anchors_inside_image(anchors, infos[n], straddle)
        c = _match_and_sample_anchors(
            box_ious(anchors[near], there, 1.0).astype(anchors.dtype), limits
        )
        kinds = (
            labels[own].reshape(-1)[single] if labels is not None else np.ones(len(there), np.int32)
        )
        kind_of = (
            np.argmax(box_ious(anchors[near[c.foreground]], there, 1.0), axis=1)
            if len(there)
            else c.foreground
        )
        made.location_indices.append(near[c.box_target_anchors] + n * len(anchors))
        made.score_indices.append(
            near[np.concatenate([c.foreground, c.background])] + n * len(anchors)
        )
        made.labels.append(np.concatenate([kinds[kind_of], np.zeros(len(c.background), np.int32)]))
        made.boxes.append(encode_boxes(anchors[near[c.box_target_anchors]], there[c.matched_boxes]))
        made.weights.append(np.repeat(c.box_weights[:, None], 4, axis=1))
        made.foreground_counts.append(len(c.box_target_anchors) + 1)
    return made


def _concat_targets_of_images(made: AnchorTargetsPerImage, dtype: Any) -> tuple[Any, ...]:
    """Return the outputs LocationIndex, ScoreIndex, TargetBBox, TargetLabel and BBoxInsideWeight:
    the targets of all images, concatenated.
    """
    return (
        np.concatenate(made.location_indices).astype(np.int32),
        np.concatenate(made.score_indices).astype(np.int32),
        np.concatenate(made.boxes).astype(dtype),
        np.concatenate(made.labels).astype(np.int32)[:, None],
        np.concatenate(made.weights).astype(dtype),
    )


def _lod_offsets_of_outputs(made: AnchorTargetsPerImage) -> tuple[Any, ...]:
    """For each output, in the order of OUTPUT_SLOTS, the LoD offsets of the rows of each image."""
    places, scores = (
        offsets_from_lengths([len(p) for p in parts])
        for parts in (made.location_indices, made.score_indices)
    )
    return places, scores, places, scores, places


def _targets_meta(anchors: Meta, boxes: Meta, infos: Meta) -> tuple[Meta, ...]:
    check_float(anchors)
    fits = all(len(m.shape) == 2 and dims_match(m.shape[1], 4) for m in (anchors, boxes))
    check(fits, "Anchor and GtBoxes need the shape [boxes, 4]")
    check(
        len(infos.shape) == 2 and dims_match(infos.shape[1], 3),
        "ImInfo needs height, width and scale of each image",
    )
    return (
        Meta((-1,), INT32),
        Meta((-1,), INT32),
        Meta((-1, 4), anchors.dtype),
        Meta((-1, 1), INT32),
        Meta((-1, 4), anchors.dtype),
    )


@op(
    "rpn_target_assign",
    "Anchor, GtBoxes, GtBoxes@LOD*?!, IsCrowd, ImInfo -> LocationIndex, ScoreIndex, "
    "TargetBBox, TargetLabel, BBoxInsideWeight," + OUTPUT_SLOTS,
    no_grad_reason=NO_GRAD_BOXES,
    value_dependent_shape=True,
    random=True,
    no_half_reason=NO_HALF_BOXES,
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
)
def rpn_target_assign(
    anchors,
    boxes,
    lod,
    crowd,
    infos,
    *,
    rpn_batch_size_per_im: int = 256,
    rpn_straddle_thresh: float,
    rpn_positive_overlap: float = 0.7,
    rpn_negative_overlap: float = 0.3,
    rpn_fg_fraction: float = 0.25,
    use_random: bool = True,
):
    """Sample foreground and background anchors, and compute their class and box targets (Ren et
    al., 2015).

    Anchor [A,4], GtBoxes [G,4], IsCrowd [G], ImInfo [N,3]: height, width, scale

    LocationIndex int32 [P + F]: in each image, placeholders (copies of its first matched anchor),
    then its foreground anchors, as indices over the batch. P, F: their total numbers.
    ScoreIndex int32 [F + B]: in each image, its foreground anchors, then its background anchors.
    TargetBBox [P + F,4]: the offsets of the boxes from the anchors in LocationIndex.
    TargetLabel int32 [F + B,1]: the classes of the anchors in ScoreIndex.
    BBoxInsideWeight [P + F,4]: 0 for placeholders, else 1.
    """
    limits = AnchorSamplingSettings(
        rpn_positive_overlap,
        rpn_negative_overlap,
        rpn_batch_size_per_im,
        rpn_fg_fraction,
        use_random,
    )
    made = _assign_targets_per_image(
        anchors, boxes, lod, None, crowd, infos, rpn_straddle_thresh, limits
    )
    return *_concat_targets_of_images(made, anchors.dtype), *_lod_offsets_of_outputs(made)


@rpn_target_assign.meta
def _(anchors, boxes, lod, crowd, infos, **_):
    return *_targets_meta(anchors, boxes, infos), *[Meta((-1,), INT64)] * 5


@op(
    "retinanet_target_assign",
    "Anchor, GtBoxes, GtBoxes@LOD*?!, GtLabels, IsCrowd, ImInfo -> LocationIndex, "
    "ScoreIndex, TargetBBox, TargetLabel, BBoxInsideWeight,"
    " ForegroundNumber," + OUTPUT_SLOTS + ", ForegroundNumber@LOD~?",
    no_grad_reason=NO_GRAD_BOXES,
    value_dependent_shape=True,
    no_half_reason=NO_HALF_BOXES,
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
)
def retinanet_target_assign(
    anchors,
    boxes,
    lod,
    labels,
    crowd,
    infos,
    *,
    positive_overlap: float = 0.5,
    negative_overlap: float = 0.4,
):
    """rpn_target_assign without sampling; the label of a foreground anchor is that of its box
    (Lin et al., 2017).

    GtLabels int32 [G,1]

    ForegroundNumber int32 [N,1]: the number of rows of LocationIndex of each image (placeholders
    and foreground anchors), plus one.
    """
    made = _assign_targets_per_image(
        anchors,
        boxes,
        lod,
        labels,
        crowd,
        infos,
        -1.0,
        AnchorSamplingSettings(positive_overlap, negative_overlap),
    )
    counts = np.array(made.foreground_counts, np.int32)[:, None]
    return (
        *_concat_targets_of_images(made, anchors.dtype),
        counts,
        *_lod_offsets_of_outputs(made),
        np.arange(len(counts) + 1),
    )


@retinanet_target_assign.meta
def _(anchors, boxes, lod, labels, crowd, infos, **_):
    found = _targets_meta(anchors, boxes, infos)
    return *found, Meta((infos.shape[0], 1), INT32), *[Meta((-1,), INT64)] * 6
