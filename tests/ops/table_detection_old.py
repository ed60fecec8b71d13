"""Rows of the detectors of Paddle 1.x.

Where regions belong to pictures by sequences, tests/fluid compares programs with real Paddle 1.8.5.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from .rows import Numbers, Row
from .table_detection import CLASSES, MANY, NMS, boxes, scores
from .table_lod import REAL

n = Numbers(61)
f, pos, ints, distinct = n.f, n.pos, n.ints, n.distinct

NO_ENGINE = "the graph has no offsets"
OwnRow = partial(Row, paddle=REAL, engine=NO_ENGINE, second=False)
GONE = "2.6.2 has removed the op; tests/fluid compares programs with real Paddle 1.8.5"
OldRow = partial(Row, paddle=GONE, engine=NO_ENGINE, second=False)


def at(*ends):
    return [np.array([0, *ends], np.int64)]


VARIANCES = [0.1, 0.1, 0.2, 0.2]
MAP, IMAGE = f(2, 3, 4, 5), f(2, 3, 30, 40)
DENSE = {
    "variances": VARIANCES,
    "fixed_sizes": [6.0, 9.0],
    "fixed_ratios": [1.0, 2.0],
    "densities": [2, 1],
}
ANCHORS = {"anchor_sizes": [20.0, 32.0], "aspect_ratios": [0.5, 1.0], "variances": VARIANCES}
INFO = np.array([[30, 40, 1.0], [36, 24, 1.5]], "f")
THERE, SEEN = boxes(5, size=20.0), boxes(9, size=20.0)
NEAR = pos(5, 6)
MATCHED = np.array([[0, -1, 2, -1, 1, -1], [-1, 1, -1, -1, -1, 0]], "int32")
RPN = {"pre_nms_topN": 20, "post_nms_topN": 6, "nms_thresh": 0.5, "min_size": 2.0, "eta": 1.0}
MAPS = [scores(2, 2, 3, 4), f(2, 8, 3, 4) * 0.5, INFO, boxes(3, 4, 2, size=30.0), pos(3, 4, 2, 4)]
TARGETS = {
    "rpn_straddle_thresh": -1.0,
    "rpn_positive_overlap": 0.4,
    "use_random": False,
    "rpn_batch_size_per_im": 6,
}
CROWD, KINDS = np.array([0, 0, 1, 0, 0], "int32"), np.array([[1], [2], [1], [3], [2]], "int32")
LABELS = {
    "batch_size_per_im": 8, "fg_fraction": 0.5, "fg_thresh": 0.3, "bg_thresh_hi": 0.5, "bg_thresh_lo": 0.0, "bbox_reg_weights": VARIANCES,
    "class_nums": 4, "use_random": False,
}  # fmt: skip
FPN = {"min_level": 2, "max_level": 4, "refer_level": 3, "refer_scale": 6}
LEVELS, OF_LEVELS = [boxes(3, size=9.0), boxes(4, size=9.0)], [scores(3, 1), scores(4, 1) + 0.01]
COUNTS = [np.array([1, 2], "int32"), np.array([3, 1], "int32")]
SAMPLED = [SEEN, at(5, 9), KINDS, CROWD, THERE, at(3, 5), INFO]
RETINA = {
    "score_threshold": 0.2,
    "nms_top_k": 8,
    "nms_threshold": 0.3,
    "nms_eta": 1.0,
    "keep_top_k": 6,
}
PYRAMID = [
    [f(2, 4, 4) * 0.3, f(2, 3, 4) * 0.3],
    [scores(2, 4, 2), scores(2, 3, 2)],
    [boxes(4, size=20.0), boxes(3, size=20.0)],
    INFO,
]
YOLO = {
    "anchors": [10, 13, 16, 30, 33, 23],
    "anchor_mask": [0, 2],
    "class_num": 3,
    "ignore_thresh": 0.4,
    "downsample_ratio": 16,
}
FOUND = np.array(
    [[[0.2, 0.3, 0.2, 0.25], [0.7, 0.6, 0.6, 0.4]], [[0.5, 0.9, 0.3, 0.5], [0.1, 0.1, 0.0, 0.0]]],
    "f",
)
REGIONS = np.array([[0.3, 0.7, 4.2, 4.1], [1.4, 1.2, 5.7, 4.3], [1.1, 0.6, 3.4, 4.5]], "f")
QUADS = np.array([[0.6, 0.4, 5.1, 1.3, 4.5, 4.2, 1.2, 4.1], [1, 1, 5, 1, 5, 4, 1, 4]], "f")
SHIFTED = {
    "no_trans": False, "spatial_scale": 1.0, "output_dim": 2, "group_size": [1, 2], "pooled_height": 2, "pooled_width": 2,
    "part_size": [2, 1], "sample_per_part": 2, "trans_std": 0.1,
}  # fmt: skip
OUTLINES = np.array([[2, 2], [12, 3], [10, 14], [3, 12], [15, 2], [25, 2], [20, 12]], "f")


def mean_of_samples(x, rois, lod, counts=None, out=(2, 2), fine=64):
    """Return the mean over a fine grid of interpolated points."""
    y = np.zeros((len(rois), x.shape[1], *out))
    for r, owner in enumerate(np.repeat([0, 1], [1, 2])):
        x0, y0, x1, y1 = rois[r]
        rows = [
            np.maximum(
                1 - np.abs((y0 + (i + 0.5) / fine * (y1 - y0) / out[0]) - np.arange(x.shape[2])), 0
            )
            for i in range(fine * out[0])
        ]
        columns = [
            np.maximum(
                1 - np.abs((x0 + (j + 0.5) / fine * (x1 - x0) / out[1]) - np.arange(x.shape[3])), 0
            )
            for j in range(fine * out[1])
        ]
        whole = np.array(rows) @ x[owner] @ np.array(columns).T
        y[r] = whole.reshape(-1, out[0], fine, out[1], fine).mean(axis=(2, 4))
    return y


def corners_moved(x):
    out = np.empty_like(x)
    for at_ in np.ndindex(x.shape):
        out[at_] = 4 * at_[3 if at_[1] % 2 == 0 else 2] - x[at_]
    return out


def taken(x, lod, matched, negative=None, negative_lod=None):
    out, weight = np.full((2, 6, 2), 5.0), np.zeros((2, 6, 1))
    for b, k in np.ndindex(2, 6):
        if matched[b, k] >= 0:
            out[b, k], weight[b, k] = x[lod[-1][b] + matched[b, k], 0], 1
    for b, k in [] if negative is None else [(0, 1), (1, 0), (1, 3)]:
        out[b, k], weight[b, k] = 5.0, 1
    return out, weight


DETECTED = np.array(
    [[1, 0.9, 0.1, 0.1, 0.5, 0.5], [1, 0.8, 0.6, 0.6, 0.9, 0.9], [2, 0.7, 0.2, 0.2, 0.6, 0.6]], "f"
)
LABELED = np.array(
    [
        [1, 0.1, 0.1, 0.5, 0.5],
        [2, 0.1, 0.1, 0.5, 0.5],
        [2, 0.2, 0.2, 0.6, 0.6],
        [1, 0, 0, 0.2, 0.2],
    ],
    "f",
)
STATE = [
    np.array([1], "int32"),
    np.array([[0], [2], [1]], "int32"),
    np.array([[1, 0.5, 1]], "f"),
    np.array([[1, 0.5, 0]], "f"),
]


def mean_precision(*_):
    """Class 1: the first of two is right, and one box is missed; class 2: the only one is right,
    and one is missed.
    """
    return None, None, None, np.array([(0.5 + 0.5) / 2])


ROWS = [
    Row("anchor_generator", [MAP], ANCHORS),
    Row("anchor_generator", [MAP], {**ANCHORS, "stride": [7.0, 9.0], "offset": 0.3}),
    Row("density_prior_box", [MAP, IMAGE], DENSE),
    Row("density_prior_box", [MAP, IMAGE], {**DENSE, "clip": False, "flatten_to_2d": True, "step_w": 7.0, "step_h": 8.0, "offset": 0.2}),
    Row("iou_similarity", [THERE, SEEN], {}),
    Row("iou_similarity", [THERE, SEEN], {"box_normalized": False}),
    Row("bipartite_match", [NEAR], {}),
    Row("bipartite_match", [NEAR], {"match_type": "per_prediction", "dist_threshold": 0.6}),
    OwnRow("bipartite_match", [NEAR, at(3, 5)], {"match_type": "per_prediction"}),
    OldRow("target_assign", [f(5, 1, 2), at(3, 5), MATCHED], {"mismatch_value": 5}, taken),
    OldRow(
        "target_assign", [f(5, 1, 2), at(3, 5), MATCHED, np.array([[1], [0], [3]], "int32"), at(1, 3)], {"mismatch_value": 5}, taken
    ),
    Row("mine_hard_examples", [pos(2, 6), None, MATCHED, pos(2, 6)], {"neg_pos_ratio": 0.7, "neg_dist_threshold": 0.8}),
    Row("mine_hard_examples", [pos(2, 6), pos(2, 6), MATCHED, pos(2, 6)], {"mining_type": "hard_example", "sample_size": 3}),
    OwnRow("box_clip", [SEEN * 3 - 9, at(4, 9), INFO], {}),
    Row("box_decoder_and_assign", [SEEN, np.array(VARIANCES, "f"), f(9, 12), pos(9, 3)], {}, tol=2e-5),
    Row("box_decoder_and_assign", [SEEN, np.array(VARIANCES, "f"), f(9, 8) * 20, pos(9, 2)], {"box_clip": 2.0}, tol=2e-5),
    Row("polygon_box_transform", [f(2, 4, 3, 5)], {}, corners_moved),
    Row("multiclass_nms", [MANY, None, CLASSES], NMS),
    Row("multiclass_nms", [MANY, None, CLASSES], {**NMS, "score_threshold": 2.0}),
    OwnRow("multiclass_nms", [boxes(8, 2), at(5, 8), scores(8, 2)], {**NMS, "background_label": -1}),
    Row("multiclass_nms2", [MANY, None, CLASSES], {**NMS, "nms_eta": 0.9, "nms_threshold": 0.7, "normalized": False}),
    Row("multiclass_nms2", [MANY, None, CLASSES], {**NMS, "score_threshold": 2.0}),
    Row("locality_aware_nms", [MANY, scores(2, 1, 8)], NMS, tol=2e-5),
    Row("retinanet_detection_output", PYRAMID, RETINA, tol=2e-5),
    Row("generate_proposals", MAPS, RPN, tol=3e-5),
    Row("generate_proposals", MAPS, {**RPN, "min_size": 90.0}, tol=3e-5),
    Row("collect_fpn_proposals", [LEVELS, None, OF_LEVELS, COUNTS], {"post_nms_topN": 5}),
    OwnRow("collect_fpn_proposals", [LEVELS, [*at(1, 3), *at(3, 4)], OF_LEVELS], {"post_nms_topN": 5}),
    OwnRow("distribute_fpn_proposals", [boxes(8, size=30.0), None, at(5, 8)], FPN),
    OwnRow("rpn_target_assign", [SEEN, THERE, at(3, 5), CROWD, INFO], TARGETS),
    OwnRow("rpn_target_assign", [SEEN, THERE, at(3, 5), CROWD, INFO], {"rpn_straddle_thresh": 0.0, "rpn_batch_size_per_im": 4}, random=True),
    OwnRow("retinanet_target_assign", [SEEN, THERE, at(3, 5), KINDS, CROWD, INFO], {}),
    OwnRow("generate_proposal_labels", SAMPLED, LABELS),
    OwnRow("generate_proposal_labels", SAMPLED, {**LABELS, "is_cascade_rcnn": True, "is_cls_agnostic": True}),
    OwnRow("generate_proposal_labels", SAMPLED, {**LABELS, "use_random": True, "batch_size_per_im": 3}, random=True),
    OwnRow("generate_mask_labels", [
        INFO, KINDS[:2], at(1, 2), CROWD[:2], OUTLINES, [*at(1, 2), *at(1, 2), *at(4, 7)], boxes(3, size=20.0), at(2, 3), KINDS[:3],
    ], {"num_classes": 3, "resolution": 5}),
    Row("yolov3_loss", [f(2, 16, 3, 3), FOUND, ints(2, 2, high=3, dtype="int32")], YOLO, tol=2e-5, second=False),
    Row("yolov3_loss", [f(2, 16, 3, 3), FOUND, ints(2, 2, high=3, dtype="int32"), pos(2, 2)],
        {**YOLO, "use_label_smooth": False, "scale_x_y": 1.2}, tol=2e-5, second=False),
    OldRow("prroi_pool", [f(2, 3, 6, 7), REGIONS, at(1, 3)], {"pooled_height": 2, "pooled_width": 2}, mean_of_samples, tol=1e-3),
    OldRow("prroi_pool", [f(2, 3, 6, 7), REGIONS, None, np.array([2, 1], "int32")], {"spatial_scale": 0.8, "pooled_width": 3}),
    OwnRow("deformable_psroi_pooling", [f(2, 4, 6, 7), REGIONS, at(1, 3), f(3, 4, 2, 1)], SHIFTED, tol=2e-5),
    OwnRow("deformable_psroi_pooling", [f(2, 4, 6, 7), REGIONS, at(1, 3), f(3, 4, 2, 1)], {**SHIFTED, "no_trans": True}, constant=frozenset({"Trans"})),
    OwnRow("detection_map", [DETECTED, at(2, 3), LABELED, at(2, 4)], {"class_num": 3}, mean_precision),
    OwnRow("detection_map", [DETECTED, at(2, 3), LABELED, at(2, 4), *STATE], {"class_num": 3, "ap_type": "11point"}),
    OldRow("roi_perspective_transform", [f(2, 3, 6, 7), QUADS, at(1, 2)], {"transformed_height": 3, "transformed_width": 4}),
]  # fmt: skip
ROWS += [
    OwnRow(
        "roi_align",
        [f(2, 3, 6, 7), REGIONS, None, at(1, 3)],
        {"pooled_height": 2, "sampling_ratio": 2},
    ),
    OwnRow("roi_pool", [distinct(2, 3, 6, 7), REGIONS, None, at(1, 3)], {"pooled_width": 2}),
    OwnRow(
        "psroi_pool",
        [f(2, 4, 6, 7), REGIONS, None, at(1, 3)],
        {"pooled_height": 2, "output_channels": 2},
    ),
]
