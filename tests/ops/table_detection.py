"""Rows of RoI pooling, boxes, NMS and deformable convolution. Most references are recorded results
of real Paddle.
"""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(38)
f, pos, distinct = n.f, n.pos, n.distinct


def boxes(*shape, size=10.0):
    """Return boxes between 0 and `size` whose edges lie between pixels."""
    low = pos(*shape, 2) * size * 0.5
    return np.concatenate([low, low + pos(*shape, 2) * size * 0.5 + 0.3], axis=-1)


def scores(*shape):
    """Different numbers between 0 and 1."""
    return ((distinct(*shape) - distinct(*shape).min()) / (0.1 * np.prod(shape) + 0.1)).astype("f")


def aligned(x, rois, counts=None, scale=1.0, out=(2, 3), ratio=2):
    """Sample by sample, the regions aligned."""
    owners = np.repeat(np.arange(len(x)), counts)
    y = np.zeros((len(rois), x.shape[1], *out))
    for r, i, j, a, b in np.ndindex(len(rois), *out, ratio, ratio):
        x0, y0, x1, y1 = rois[r] * scale - 0.5
        py = max(y0 + (i + (a + 0.5) / ratio) * (y1 - y0) / out[0], 0)
        px = max(x0 + (j + (b + 0.5) / ratio) * (x1 - x0) / out[1], 0)
        for dy, dx in np.ndindex(2, 2):
            sy, sx = min(int(py) + dy, x.shape[2] - 1), min(int(px) + dx, x.shape[3] - 1)
            share = abs(1 - dy - (py - int(py))) * abs(1 - dx - (px - int(px)))
            y[r, :, i, j] += share * x[owners[r], :, sy, sx] / ratio**2
    return y


def greedy(threshold):
    def of(b):
        kept = []
        for i in range(len(b)):
            shared = [
                np.prod(
                    np.maximum(np.minimum(b[i, 2:], b[k, 2:]) - np.maximum(b[i, :2], b[k, :2]), 0)
                )
                for k in kept
            ]
            area = lambda k: np.prod(b[k, 2:] - b[k, :2])
            if all(
                s / (area(i) + area(k) - s) <= threshold for s, k in zip(shared, kept, strict=True)
            ):
                kept.append(i)
        return np.array(kept)

    return of


def deformed(x, offset, w, mask=None):
    """Deformable convolution by definition, for one deformable group, stride 1 and no padding."""
    out = np.zeros((len(x), len(w), x.shape[2] - w.shape[2] + 1, x.shape[3] - w.shape[3] + 1))
    for b, i, j, u, v in np.ndindex(len(x), *out.shape[2:], *w.shape[2:]):
        k = u * w.shape[3] + v
        py, px = i + u + offset[b, 2 * k, i, j], j + v + offset[b, 2 * k + 1, i, j]
        for dy, dx in np.ndindex(2, 2):
            sy, sx = int(np.floor(py)) + dy, int(np.floor(px)) + dx
            if 0 <= sy < x.shape[2] and 0 <= sx < x.shape[3]:
                share = (
                    (1 - abs(py - sy))
                    * (1 - abs(px - sx))
                    * (1 if mask is None else mask[b, k, i, j])
                )
                out[b, :, i, j] += share * w[:, :, u, v] @ x[b, :, sy, sx]
    return out


X = f(2, 3, 6, 7)
D = distinct(2, 3, 6, 7)
ROIS, COUNTS = boxes(3, size=6.0), np.array([2, 1], "int32")
ROI = {"pooled_height": 2, "pooled_width": 3}
PRIORS, TARGETS = boxes(4), boxes(3)
VARIANCES = [0.1, 0.1, 0.2, 0.2]
SIZES = np.array([[60, 80], [50, 40]], "int32")
YOLO = {"anchors": [10, 13, 16, 30], "class_num": 3, "conf_thresh": 0.3, "downsample_ratio": 16}
MANY, CLASSES = boxes(2, 8), scores(2, 3, 8)
_TURNS = pos(2, 8, 1) * 3
_CORNERS = MANY[..., [0, 1, 2, 1, 2, 3, 0, 3]].reshape(2, 8, 4, 2)
_ARMS = _CORNERS - _CORNERS.mean(2, keepdims=True)
QUADS = (
    (  # the boxes, each turned about its middle
        _CORNERS.mean(2, keepdims=True)
        + np.stack(
            [
                _ARMS[..., 0] * np.cos(_TURNS) - _ARMS[..., 1] * np.sin(_TURNS),
                _ARMS[..., 0] * np.sin(_TURNS) + _ARMS[..., 1] * np.cos(_TURNS),
            ],
            -1,
        )
    )
    .reshape(2, 8, 8)
    .astype("f")
)
NMS = {"score_threshold": 0.1, "nms_top_k": 6, "keep_top_k": 5}
ANCHORS = boxes(3, 4, 2, size=30.0)
DELTAS = f(2, 8, 3, 4) * 0.5
RPN = {"pre_nms_topN": 20, "post_nms_topN": 6, "nms_thresh": 0.5, "min_size": 2.0, "eta": 1.0}
IMAGES = np.array([[30.0, 28.0], [25.0, 30.0]], "f")
FPN = {"min_level": 2, "max_level": 4, "refer_level": 3, "refer_scale": 6}
DEFORM = [f(2, 4, 5, 6), f(2, 18, 3, 4) * 0.7, f(3, 4, 3, 3), pos(2, 9, 3, 4)]
PARTED = [f(1, 4, 5, 6), f(1, 16, 3, 3) * 0.7, f(4, 2, 2, 2), pos(1, 8, 3, 3)]
PARTS = {
    "deformable_groups": 2,
    "groups": 2,
    "strides": [2, 3],
    "paddings": [1, 2],
    "dilations": [2, 1],
    "im2col_step": 1,
}
ROWS = [
    Row("roi_align", [X, ROIS, COUNTS], {**ROI, "sampling_ratio": 2, "aligned": True}, ref=aligned, tol=2e-5),
    Row("roi_align", [X, ROIS, COUNTS], {**ROI, "spatial_scale": 0.7}, tol=2e-5),
    Row("roi_align", [X, ROIS * 1.7 - 2, COUNTS], {"pooled_height": 3, "pooled_width": 2, "aligned": True}, tol=2e-5),
    Row("roi_pool", [D, ROIS, COUNTS], ROI),
    Row("roi_pool", [D, ROIS * 2 - 3, COUNTS], {**ROI, "spatial_scale": 0.5}),
    Row("psroi_pool", [f(2, 12, 6, 7), ROIS, COUNTS], {**ROI, "output_channels": 2}),
    Row("psroi_pool", [f(2, 12, 6, 7), ROIS * 1.3 - 1, COUNTS], {**ROI, "output_channels": 2, "spatial_scale": 0.8}),
    Row("prior_box", [X, f(2, 3, 30, 35)], {"min_sizes": [4.0, 8.0], "max_sizes": [6.0, 12.0], "aspect_ratios": [2.0], "variances": VARIANCES}),
    Row("prior_box", [X, f(2, 3, 30, 35)], {"min_sizes": [4.0], "max_sizes": [9.0], "aspect_ratios": [1.0, 2.0, 0.5], "variances": VARIANCES,
        "flip": False, "clip": False, "step_w": 4.0, "step_h": 5.0, "offset": 0.3, "min_max_aspect_ratios_order": True}),
    Row("box_coder", [PRIORS, None, TARGETS], {"variance": VARIANCES}, tol=2e-5),
    Row("box_coder", [PRIORS, pos(4, 4), TARGETS], {"box_normalized": False}, tol=2e-5),
    Row("box_coder", [PRIORS, None, f(3, 4, 4)], {"code_type": "decode_center_size", "variance": VARIANCES}, tol=2e-5),
    Row("box_coder", [PRIORS, pos(4, 4), f(3, 4, 4)], {"code_type": "decode_center_size", "box_normalized": False}, tol=2e-5),
    Row("box_coder", [PRIORS, pos(4, 4), f(4, 2, 4)], {"code_type": "decode_center_size", "axis": 1}, tol=2e-5),
    Row("yolo_box", [f(2, 16, 3, 4), SIZES], YOLO, tol=2e-5),
    Row("yolo_box", [f(2, 16, 3, 4), SIZES], {**YOLO, "clip_bbox": False, "scale_x_y": 1.2}, tol=2e-5),
    Row("yolo_box", [f(2, 18, 3, 4), SIZES], {**YOLO, "iou_aware": True, "iou_aware_factor": 0.4}, tol=2e-5),
    Row("nms", [boxes(12, size=4.0)], {"iou_threshold": 0.3}, ref=greedy(0.3)),
    Row("nms", [boxes(12, size=4.0)], {"iou_threshold": 0.6}, ref=greedy(0.6)),
    Row("multiclass_nms3", [MANY, CLASSES], NMS),
    Row("multiclass_nms3", [MANY, CLASSES], {**NMS, "keep_top_k": -1, "nms_top_k": -1, "background_label": -1, "nms_threshold": 0.6, "nms_eta": 0.9}),
    Row("multiclass_nms3", [MANY, CLASSES], {**NMS, "normalized": False}),
    Row("multiclass_nms3", [QUADS, CLASSES], {**NMS, "normalized": False}, engine="polygons have no lowering"),
    Row("multiclass_nms3", [boxes(9, 3), scores(9, 3), np.array([5, 0, 4], "int32")], {**NMS, "background_label": 2}),
    Row("multiclass_nms3", [boxes(9, 3), scores(9, 3), np.array([5, 4], "int32")], {**NMS, "normalized": False, "keep_top_k": 2}),
    Row("matrix_nms", [MANY, CLASSES], NMS, tol=2e-5),
    Row("matrix_nms", [MANY, CLASSES], {**NMS, "use_gaussian": True, "post_threshold": 0.1, "normalized": False, "background_label": -1}, tol=2e-5),
    Row("generate_proposals_v2", [scores(2, 2, 3, 4), DELTAS, IMAGES, ANCHORS, pos(3, 4, 2, 4)], RPN, tol=3e-5),
    Row("generate_proposals_v2", [scores(2, 2, 3, 4), DELTAS, IMAGES, ANCHORS, pos(3, 4, 2, 4)], {**RPN, "pixel_offset": False, "min_size": 0.5},
        tol=3e-5),
    Row("generate_proposals_v2", [scores(2, 2, 3, 4), DELTAS, IMAGES, ANCHORS.reshape(-1, 4), pos(24, 4)], RPN, tol=3e-5),
    Row("generate_proposals_v2", [scores(2, 2, 3, 4), DELTAS * 0.1, IMAGES, np.concatenate([ANCHORS[..., :2], ANCHORS[..., :2] + pos(3, 4, 2, 2) * 2], -1),
        np.ones((3, 4, 2, 4), "f")], {**RPN, "pixel_offset": False, "min_size": 0.0, "post_nms_topN": 20}, tol=3e-5),
    Row("distribute_fpn_proposals", [boxes(8, size=30.0), np.array([5, 3], "int32")], FPN),
    Row("distribute_fpn_proposals", [boxes(8, size=30.0), np.array([5, 3], "int32")], {**FPN, "pixel_offset": False}),
    Row("deformable_conv", DEFORM, {"im2col_step": 1}, ref=deformed, second=False, tol=2e-5),
    Row("deformable_conv", PARTED, PARTS, second=False, tol=2e-5),
    Row("deformable_conv_v1", DEFORM[:3], {"im2col_step": 1}, ref=deformed, second=False, tol=2e-5),
    Row("deformable_conv_v1", PARTED[:3], PARTS, second=False, tol=2e-5),
]  # fmt: skip
