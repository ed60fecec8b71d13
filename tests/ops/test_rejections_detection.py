"""Errors of detection ops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .rejected_calls import assert_rejected

# Warnings are not errors here: an op must reject invalid operands also where NumPy only warns.
pytestmark = pytest.mark.filterwarnings("ignore")


def f(*shape: int) -> Any:
    return np.ones(shape, "float32")


def ix(*shape: int) -> Any:
    return np.zeros(shape, "int32")


AT = [np.array([0, 1, 2])]
AT1 = [np.array([0, 1])]
SIZES = {"anchor_sizes": [4.0], "aspect_ratios": [1.0], "variances": [0.1] * 4}
DENSE = {"variances": [0.1] * 4, "fixed_sizes": [4.0], "fixed_ratios": [1.0], "densities": [1]}
YOLO = {"anchors": [4, 4], "anchor_mask": [0], "class_num": 2}
NMS = {"score_threshold": 0.1, "nms_top_k": 2, "keep_top_k": 2}
POOLED = {
    "no_trans": False, "spatial_scale": 1.0, "output_dim": 2, "group_size": [1, 1], "pooled_height": 1, "pooled_width": 1,
    "part_size": [1, 1], "sample_per_part": 1, "trans_std": 0.1,
}  # fmt: skip
MASKS = {"num_classes": 2, "resolution": 2}
# fmt: off
REJECTED = [
    ("anchor_generator", [f(2, 2)], SIZES, "Input needs four axes"),
    ("anchor_generator", [f(1, 1, 2, 2)], {**SIZES, "variances": [0.1]}, "variances=[0.1] are not four numbers"),
    ("anchor_generator", [f(1, 1, 2, 2)], {**SIZES, "stride": [0.0, 1.0]}, "stride=[0.0, 1.0] are not two positive numbers"),
    ("density_prior_box", [f(1, 1, 2, 2), f(1, 1, 4, 4)], {**DENSE, "densities": [0]}, "densities=[0] are not all positive"),
    ("density_prior_box", [f(1, 1, 2, 2), f(1, 1, 4, 4)], {**DENSE, "densities": []}, "fixed_sizes and densities differ in number"),
    ("iou_similarity", [f(2, 4), f(2, 3)], {}, "X and Y need the shape [boxes, 4]"),
    ("bipartite_match", [f(2, 2)], {"match_type": "all"}, "match_type=all is neither bipartite nor per_prediction"),
    ("target_assign", [f(2, 1), AT, ix(2, 3)], {}, "X needs three axes"),
    ("target_assign", [f(2, 1, 1), AT, ix(3, 3)], {}, "X and MatchIndices have different numbers of images"),
    ("mine_hard_examples", [f(2, 2), None, ix(2, 2), f(2, 2)], {"mining_type": "easy"}, "mining_type=easy is neither max_negative nor hard_example"),
    ("box_clip", [f(2, 4), None, f(2, 3)], {}, "Input holds no sequences"),
    ("box_clip", [f(2, 4), AT, f(1, 3)], {}, "Input and ImInfo have different numbers of images"),
    ("box_decoder_and_assign", [f(2, 4), None, f(2, 4), f(2, 2)], {}, "TargetBox does not fit BoxScore"),
    ("polygon_box_transform", [f(1, 3, 2, 2)], {}, "an even number of channels"),
    ("yolov3_loss", [f(1, 7, 2, 3), f(1, 1, 4), ix(1, 1)], YOLO, "the height and width of X differ"),
    ("yolov3_loss", [f(1, 6, 2, 2), f(1, 1, 4), ix(1, 1)], YOLO, "6 channels are not the 7 of 1 anchors and 2 classes"),
    ("yolov3_loss", [f(1, 7, 2, 2), f(1, 1, 4), ix(1, 1)], {**YOLO, "anchor_mask": [1]}, "anchor_mask=[1] contains an index that is not in anchors"),
    ("multiclass_nms", [f(1, 2, 4), None, f(1, 1, 3)], NMS, "Scores do not fit BBoxes"),
    ("locality_aware_nms", [f(1, 2, 4), f(1, 2, 2)], NMS, "Scores are of more than one class"),
    ("rpn_target_assign", [f(2, 4), f(2, 4), None, ix(2), f(2, 3)], {"rpn_straddle_thresh": 0.0}, "GtBoxes holds no sequences"),
    ("generate_mask_labels", [f(2, 3), ix(2, 1), AT, ix(2, 1), f(2, 2), AT, f(2, 4), AT, ix(2, 1)], MASKS, "GtSegms needs three LoD levels"),
    ("collect_fpn_proposals", [[f(2, 4)], None, []], {"post_nms_topN": 1}, "MultiLevelRois and MultiLevelScores differ in number"),
    ("prroi_pool", [f(2, 1, 2, 2), f(1, 4)], {}, "ROIs are sequences of 1 images, and there are 2"),
    ("prroi_pool", [f(2, 1, 2, 2), f(1, 4), None, ix(2)], {}, "do not add up to that of ROIs"),
    ("deformable_psroi_pooling", [f(1, 1, 2, 2), f(1, 4), None, f(1, 2, 1, 1)], POOLED, "1 channels of Input are fewer than output_dim * group_size, which is 2"),
    ("roi_perspective_transform", [f(1, 1, 2, 2), f(1, 4)], {}, "ROIs need the shape [regions, 8]"),
    ("roi_align", [f(2, 1, 2, 2), f(2, 4), None, [np.array([0, 2])]], {}, "ROIs are sequences of another number of images than X has"),
    ("detection_map", [f(2, 6), AT, f(2, 5), AT], {"class_num": 2, "ap_type": "mean"}, "ap_type=mean is neither integral nor 11point"),
    ("detection_map", [f(2, 6), AT, f(2, 5), None], {"class_num": 2}, "Label holds no sequences"),
    ("generate_mask_labels", [f(1, 3), ix(1, 1) + 1, AT1, ix(1, 1) + 1, f(3, 2), [*AT1, *AT1, np.array([0, 3])], f(1, 4), AT1, ix(1, 1) + 1], MASKS,
     "all its objects are crowds"),
    ("linear_chain_crf", [f(1, 2, 3), None, f(5, 3), ix(1, 2, 1), ix(1) + 3], {}, "Length is not between 0 and 2"),
    ("crf_decoding", [f(1, 2, 3), None, f(5, 3), None, ix(1) - 1], {}, "Length is not between 0 and 2"),
]
# fmt: on


@pytest.mark.parametrize(("type", "args", "attrs", "words"), REJECTED)
def test_rejected(type: str, args: list[Any], attrs: dict[str, Any], words: str) -> None:
    assert_rejected(type, args, attrs, words)
