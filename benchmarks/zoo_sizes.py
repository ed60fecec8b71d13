"""More models for the zoo, whose shapes depend on values: region proposals, graph edges, lengths,
and the results of branches.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import paddle
from paddle import nn
from paddle.nn import functional as F
from paddle.vision import ops
from zoo_parts import Inputs, Stages, model, tokens
from zoo_vision import NMS_ATTRS, multiclass_nms


def collect_fpn_proposals(
    rois: list[Any], scores: list[Any], counts: list[Any], limit: int
) -> tuple[Any, Any]:
    """Append the op collect_fpn_proposals, for which Paddle has no public function."""
    if paddle.__version__ >= "3":
        from paddle import _C_ops

        return _C_ops.collect_fpn_proposals(rois, scores, counts, limit)
    from paddle.base.layer_helper import LayerHelper

    helper = LayerHelper("collect_fpn_proposals")
    merged, rois_num = (
        helper.create_variable_for_type_inference(dtype) for dtype in ("float32", "int32")
    )
    helper.append_op(
        type="collect_fpn_proposals",
        inputs={"MultiLevelRois": rois, "MultiLevelScores": scores, "MultiLevelRoIsNum": counts},
        outputs={"FpnRois": merged, "RoisNum": rois_num},
        attrs={"post_nms_topN": limit},
    )
    return merged, rois_num


class Rcnn(nn.Layer):
    """Faster R-CNN: a region proposal network, and a head that classifies each region."""

    STRIDES = (4, 8, 16)

    def __init__(self, classes: int = 5) -> None:
        super().__init__()
        self.classes = classes
        self.backbone = Stages((16, 16, 16), nn.ReLU)
        self.conv, self.score, self.delta = (
            nn.Conv2D(16, 16, 3, padding=1),
            nn.Conv2D(16, 3, 1),
            nn.Conv2D(16, 12, 1),
        )
        self.fc, self.class_scores, self.box_deltas = (
            nn.Linear(16 * 49, 64),
            nn.Linear(64, classes + 1),
            nn.Linear(64, 4 * classes),
        )

    def anchors(self, feature: Any, stride: int) -> Any:
        """Return three boxes at each position."""
        size = paddle.shape(feature)
        y, x = paddle.meshgrid(
            *(paddle.arange(0, size[i] * stride, stride, dtype="float32") for i in (2, 3))
        )
        center = paddle.stack([x.flatten(), y.flatten()] * 2, axis=1).unsqueeze(1)
        half = np.array([[1.0, 2.0], [1.5, 1.5], [2.0, 1.0]], "float32") * stride
        return (center + paddle.to_tensor(np.concatenate([-half, half], 1)).unsqueeze(0)).reshape(
            [-1, 4]
        )

    def proposals(self, features: list[Any], im_shape: Any) -> tuple[Any, Any]:
        """Return the best proposals of all levels and their number per image."""
        levels = []
        for feature, stride in zip(features, self.STRIDES):
            x, anchors = F.relu(self.conv(feature)), self.anchors(feature, stride)
            levels.append(
                ops.generate_proposals(
                    F.sigmoid(self.score(x)),
                    self.delta(x) * 0.1,
                    im_shape,
                    anchors,
                    paddle.ones_like(anchors),
                    100,
                    40,
                    0.7,
                    0.0,
                    return_rois_num=True,
                )
            )
        return collect_fpn_proposals(*(list(part) for part in zip(*levels)), limit=60)

    def pool_regions(self, features: list[Any], rois: Any, counts: Any) -> Any:
        """Pool each region from its feature level."""
        levels, restore, numbers = ops.distribute_fpn_proposals(rois, 2, 4, 3, 56, rois_num=counts)
        parts = [
            ops.roi_align(*roi_args, 7, 1 / stride, 2)
            for *roi_args, stride in zip(features, levels, numbers, self.STRIDES)
        ]
        return paddle.gather(paddle.concat(parts), restore)

    def forward(self, image: Any, im_shape: Any) -> tuple[Any, Any]:
        features = self.backbone(image)
        rois, counts = self.proposals(features, im_shape)
        x = F.relu(self.fc(self.pool_regions(features, rois, counts).flatten(1)))
        deltas = self.box_deltas(x).reshape([-1, self.classes, 4])
        boxes = rois.unsqueeze(1) + deltas * (rois[:, 2:] - rois[:, :2]).tile([1, 2]).unsqueeze(1)
        scores = F.softmax(self.class_scores(x))[:, :-1]
        return multiclass_nms(
            boxes, scores, counts, **(NMS_ATTRS | {"keep_top_k": 30, "normalized": True})
        )


@model
def faster_rcnn() -> tuple[Any, Inputs]:
    """Faster R-CNN as PaddleDetection exports it."""
    array = np.random.default_rng(0).standard_normal((1, 3, 96, 128)).astype("float32")
    return Rcnn(), [
        ("image", array, [None, 3, None, None]),
        ("im_shape", np.array([[96, 128]], "float32"), [None, 2]),
    ]


class GraphAttention(nn.Layer):
    """Attention along the edges of a graph, and a mean over each graph."""

    def __init__(self) -> None:
        super().__init__()
        self.fc, self.left, self.right = nn.Linear(16, 32), nn.Linear(32, 1), nn.Linear(32, 1)

    def forward(self, nodes: Any, source: Any, target: Any, graph: Any) -> tuple[Any, Any]:
        x = self.fc(nodes)
        weight = paddle.exp(
            F.leaky_relu(paddle.geometric.send_uv(self.left(x), self.right(x), source, target))
        )
        total = paddle.geometric.send_ue_recv(
            paddle.ones_like(x[:, :1]), weight, source, target, "mul", "sum"
        )
        x = paddle.geometric.send_ue_recv(x, weight, source, target, "mul", "sum") / (total + 1e-6)
        return x, paddle.geometric.segment_mean(x, graph)


@model
def graph_attention() -> tuple[Any, Inputs]:
    """Graph attention on nine nodes of two graphs."""
    rng = np.random.default_rng(0)
    ends = rng.integers(0, 9, (2, 30))
    return GraphAttention(), [
        ("nodes", rng.standard_normal((9, 16)).astype("float32"), [None, 16]),
        ("source", ends[0], [None]),
        ("target", ends[1], [None]),
        ("graph", np.array([0] * 4 + [1] * 5), [None]),
    ]


class RelativePositions(nn.Layer):
    """Scores of relative positions, looked up by distance and shifted row by row, as in
    Transformer-XL.
    """

    def __init__(self) -> None:
        super().__init__()
        self.words, self.positions = nn.Embedding(1000, 16), nn.Embedding(128, 16)

    def forward(self, ids: Any) -> Any:
        x, count = self.words(ids), paddle.shape(ids)[1]
        scores = paddle.einsum(
            "bid,jd->bij", x, self.positions(paddle.arange(2 * count - 1, -1, -1))
        )
        scores = F.pad(scores.unsqueeze(1), [1, 0, 0, 0]).reshape([0, 1, -1, count])[:, :, 1:]
        return F.softmax(scores.reshape([0, 1, count, -1])[:, :, :, :count])


@model
def relative_positions() -> tuple[Any, Inputs]:
    """Relative positions with a dynamic length."""
    return RelativePositions(), tokens(9, 2)


class EarlyReturns(nn.Layer):
    """Return statements in branches and in a loop."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(8, 8)

    def forward(self, x: Any, mode: Any) -> Any:
        y = self.fc(x)
        if mode == 0:
            return F.softmax(y)
        if mode == 1:
            for _ in range(3):
                y = self.fc(y)
                if y.abs().max() > 100.0:
                    return y * 0
            return y
        return y + 1


@model
def early_returns() -> tuple[Any, Inputs]:
    """An input that selects the loop."""
    x = np.random.default_rng(0).standard_normal((4, 8)).astype("float32")
    return EarlyReturns(), [("x", x, [None, 8]), ("mode", np.array([1], "int32"), [1])]


class MultiScale(nn.Layer):
    """Join feature maps of two sizes to one sequence, mix it, and split it again."""

    def __init__(self) -> None:
        super().__init__()
        self.backbone, self.mix = Stages((16, 16), nn.ReLU), nn.Linear(16, 16)

    def forward(self, image: Any) -> list[Any]:
        maps = self.backbone(image)
        sizes = [paddle.shape(m)[2:] for m in maps]
        x = self.mix(
            paddle.concat([m.flatten(2) for m in maps], axis=2).transpose([0, 2, 1])
        ).transpose([0, 2, 1])
        parts = paddle.split(x, [h * w for h, w in sizes], axis=2)
        return [part.reshape([0, 16, h, w]) for part, (h, w) in zip(parts, sizes)]


@model
def two_scales() -> tuple[Any, Inputs]:
    """Two feature maps, flattened as in detectors with deformable attention."""
    array = np.random.default_rng(0).standard_normal((1, 3, 48, 64)).astype("float32")
    return MultiScale(), [("image", array, [None, 3, None, None])]
