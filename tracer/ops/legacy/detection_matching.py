"""Match predicted boxes with ground-truth boxes: IoU, bipartite matching, target assignment, hard
negatives.
"""

from __future__ import annotations

from typing import Any

from ...core.arrays import np
from ...core.op import HOST_PYTHON_LOOP, Meta, check, op
from ..box_ops import NO_GRAD_BOXES
from ..detection_helpers import INT32, INT64, NO_HALF_BOXES, row_offsets_or_single_image
from ..lod import offsets_from_lengths, set_lod_rules_to_no_lod
from ..shared_op_rules import check_float, dims_match

NO_GRAD_BOX_CHOICE = "it selects boxes"
MATCHES, MININGS = ("bipartite", "per_prediction"), ("max_negative", "hard_example")
MIN_OVERLAP = 1e-6  # minimal overlap of a match


def _check_attr_is_one_of(what: str, given: str, known: tuple[str, str]) -> None:
    check(given in known, f"{what}={given} is neither {known[0]} nor {known[1]}")


# -- iou_similarity
# -------------------------------------------------------------------------------------------------


@op(
    "iou_similarity",
    "X, Y -> Out",
    no_grad_reason=NO_GRAD_BOXES,
    no_half_reason=NO_HALF_BOXES,
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
)
def iou_similarity(x, y, *, box_normalized: bool = True):
    """Out = the intersection over union of each pair of boxes.

    X [N,4], Y [M,4] -> Out [N,M]
    """
    extra = x.dtype.type(0 if box_normalized else 1)
    low, high = np.maximum(x[:, None, :2], y[:, :2]), np.minimum(x[:, None, 2:], y[:, 2:])
    shared = np.prod(np.maximum(high - low + extra, 0), axis=2)
    ours, theirs = (np.prod(b[:, 2:] - b[:, :2] + extra, axis=1) for b in (x, y))
    return shared / (ours[:, None] + theirs - shared)


@iou_similarity.meta
def _(x, y, *, box_normalized):
    check_float(x)
    fits = all(len(m.shape) == 2 and dims_match(m.shape[1], 4) for m in (x, y))
    check(fits, "X and Y need the shape [boxes, 4]")
    return Meta((x.shape[0], y.shape[0]), x.dtype)


# -- bipartite_match
# ------------------------------------------------------------------------------------------------


def _match_greedily(near: Any) -> tuple[Any, Any]:
    """Greedy bipartite matching, largest similarity first. Returns, for each column, the row that
    it is matched with (-1 for none) and their similarity.

    near [R,C] -> [C], [C]
    """
    rows, found = np.full(near.shape[1], -1, np.int32), np.zeros(near.shape[1], near.dtype)
    taken = np.zeros(near.shape[0], bool)
    order = np.argsort(-near, axis=None, kind="stable")
    for at in order[near.reshape(-1)[order] > 0]:
        row, column = divmod(int(at), near.shape[1])
        if rows[column] < 0 and not taken[row]:
            rows[column], found[column], taken[row] = row, near[row, column], True
        if taken.all():
            break
    return rows, found


def _match_remaining_columns_in_place(near: Any, rows: Any, found: Any, least: float) -> None:
    """Match each column without a match with its most similar row, if the similarity is at least
    `least`.
    """
    if near.shape[0]:
        best = np.max(near, axis=0)
        free = (rows < 0) & (best >= max(np.float32(least), MIN_OVERLAP))
        rows[free], found[free] = np.argmax(near, axis=0)[free], best[free]


@op(
    "bipartite_match",
    "DistMat, DistMat@LOD*?! -> ColToRowMatchIndices, ColToRowMatchDist",
    no_grad_reason=NO_GRAD_BOX_CHOICE,
    value_dependent_shape=True,
    no_half_reason=NO_HALF_BOXES,
    host_reason=HOST_PYTHON_LOOP,
)
def bipartite_match(near, lod=None, *, match_type: str = "bipartite", dist_threshold: float = 0.5):
    """Greedy bipartite matching, largest similarity first: ColToRowMatchIndices = for each column,
    the row that it is matched with, or -1. Each row is matched at most once.

    DistMat [R,C]: similarities, a sequence of rows per image -> both [n,C]

    match_type "per_prediction": also match each remaining column with its most similar row, if the
    similarity is at least dist_threshold.
    """
    check_float(near)
    _check_attr_is_one_of("match_type", match_type, MATCHES)
    cuts = row_offsets_or_single_image(lod, near.shape[0])
    rows, found = (
        np.empty((len(cuts) - 1, near.shape[1]), np.int32),
        np.empty((len(cuts) - 1, near.shape[1]), near.dtype),
    )
    for n in range(len(cuts) - 1):
        own = near[cuts[n] : cuts[n + 1]]
        rows[n], found[n] = _match_greedily(own)
        if match_type == "per_prediction":
            _match_remaining_columns_in_place(own, rows[n], found[n], dist_threshold)
    return rows, found


@bipartite_match.meta
def _(near, lod, *, match_type, dist_threshold):
    check_float(near)
    check(len(near.shape) == 2, "DistMat needs two axes")
    _check_attr_is_one_of("match_type", match_type, MATCHES)
    count = lod[-1].shape[0] - 1 if lod and lod[-1].shape[0] > 0 else -1
    shape = (count, near.shape[1])
    return Meta(shape, INT32), Meta(shape, near.dtype)


set_lod_rules_to_no_lod(bipartite_match)


# -- target_assign
# --------------------------------------------------------------------------------------------------


@op(
    "target_assign",
    "X, X@LOD*?!, MatchIndices, NegIndices?, NegIndices@LOD*?! -> Out, OutWeight",
    no_grad_reason=NO_GRAD_BOXES,
    no_half_reason=NO_HALF_BOXES,
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
)
def target_assign(x, lod, matched, negative=None, negative_lod=None, *, mismatch_value: int = 0):
    """Out = for each prior box, the row of X that it is matched with, in the sequence of its image;
    mismatch_value if it has no match.

    X [R,P,K], MatchIndices int32 [n,M] -> [n,M,K]

    OutWeight float32 [n,M,1]: 1 for matched boxes and for the boxes in NegIndices int32 [*,1] (one
    sequence per image), else 0.
    P: 1 or M.
    """
    cuts, places = row_offsets_or_single_image(lod, x.shape[0]), np.arange(matched.shape[1])
    check(len(cuts) - 1 == matched.shape[0], "X and MatchIndices have different numbers of images")
    found = matched >= 0
    rows = np.where(found, matched + cuts[:-1, None], 0)
    out = np.full((*matched.shape, x.shape[2]), mismatch_value, x.dtype)
    out[found] = x[rows, places % x.shape[1]][found]
    weight = found.astype(np.float32)
    if negative is not None:
        own = row_offsets_or_single_image(negative_lod, negative.shape[0])
        at = np.repeat(np.arange(len(own) - 1), np.diff(own)), negative.reshape(-1)
        out[at], weight[at] = mismatch_value, 1
    return out, weight[:, :, None]


@target_assign.meta
def _(x, lod, matched, negative, negative_lod, *, mismatch_value):
    check(len(x.shape) == 3, "X needs three axes")
    check(len(matched.shape) == 2, "MatchIndices need two axes")
    fits = x.shape[1] == 1 or dims_match(x.shape[1], matched.shape[1])
    check(fits, "X does not fit MatchIndices")
    return Meta((*matched.shape, x.shape[2]), x.dtype), Meta(
        (*matched.shape, 1), np.dtype(np.float32)
    )


set_lod_rules_to_no_lod(target_assign)


# -- mine_hard_examples
# ---------------------------------------------------------------------------------------------


def _free_box_indices_with_largest_losses(loss: Any, free: Any, count: int) -> Any:
    """The indices of the `count` boxes with the largest losses among the boxes for which `free` is
    true.
    """
    order = np.flatnonzero(free)
    return order[np.argsort(-loss[order], kind="stable")[:count]]


@op(
    "mine_hard_examples",
    "ClsLoss, LocLoss?, MatchIndices, MatchDist -> NegIndices, UpdatedMatchIndices, "
    "NegIndices@LOD~?",
    no_grad_reason=NO_GRAD_BOX_CHOICE,
    value_dependent_shape=True,
    no_half_reason=NO_HALF_BOXES,
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
)
def mine_hard_examples(
    loss,
    place_loss,
    matched,
    near,
    *,
    neg_pos_ratio: float = 1.0,
    neg_dist_threshold: float = 0.5,
    sample_size: int = 0,
    mining_type: str = "max_negative",
):
    """NegIndices = for each image the hard negatives: boxes without a match that have the largest
    losses.

    ClsLoss, LocLoss, MatchIndices, MatchDist [n,M] -> int32 [*,1]

    mining_type "max_negative": neg_pos_ratio times the number of matched boxes; candidates have a
    MatchDist below neg_dist_threshold. "hard_example": of the sample_size boxes with the largest
    ClsLoss + LocLoss, those without a match; UpdatedMatchIndices int32 [n,M] keeps the matches of
    these boxes only.
    """
    _check_attr_is_one_of("mining_type", mining_type, MININGS)
    negative, updated = [], matched.copy()
    for n, own in enumerate(matched):
        if mining_type == "max_negative":
            free = (own == -1) & (near[n] < np.float32(neg_dist_threshold))
            count = int(np.sum(own != -1) * np.float32(neg_pos_ratio))
            negative.append(np.sort(_free_box_indices_with_largest_losses(loss[n], free, count)))
        else:
            both = loss[n] + (0 if place_loss is None else place_loss[n])
            taken = np.isin(
                np.arange(len(own)),
                _free_box_indices_with_largest_losses(both, np.ones(len(own), bool), sample_size),
            )
            negative.append(np.flatnonzero(taken & (own < 0)))
            updated[n, ~taken & (own > -1)] = -1
    return (
        np.concatenate(negative).astype(np.int32)[:, None],
        updated,
        offsets_from_lengths([len(n) for n in negative]),
    )


@mine_hard_examples.meta
def _(
    loss, place_loss, matched, near, *, mining_type, neg_pos_ratio, neg_dist_threshold, sample_size
):
    _check_attr_is_one_of("mining_type", mining_type, MININGS)
    check(
        len(loss.shape) == len(matched.shape) == len(near.shape) == 2,
        "needs operands [images, boxes]",
    )
    check(
        mining_type != "max_negative" or neg_pos_ratio > 0,
        f"neg_pos_ratio={neg_pos_ratio} is not positive",
    )
    count = matched.shape[0] + 1 if matched.shape[0] >= 0 else -1
    return Meta((-1, 1), INT32), matched, Meta((count,), INT64)
