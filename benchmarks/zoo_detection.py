"""Detectors of the zoo, built like PP-YOLOE+, PicoDet and RT-DETR, with fewer channels."""

from __future__ import annotations

from typing import Any

import numpy as np
import paddle
from paddle import nn
from paddle.nn import functional as F
from zoo_ocr import HgNetV2
from zoo_parts import Inputs, Stages, conv_bn, image, model
from zoo_vision import NMS_ATTRS, multiclass_nms

STRIDES = (8, 16, 32)


def _image_and_scale(size: int, batch: int = 1) -> Inputs:
    scale = np.full((batch, 2), 1.25, "float32")
    return [*image(size, batch=batch), ("scale_factor", scale, [None, 2])]


def anchor_points(maps: list[Any]) -> tuple[Any, Any]:
    """Return the centers of all cells of all maps, [n, 2], and their strides, [n, 1]."""
    points, strides = [], []
    for feature, stride in zip(maps, STRIDES):
        height, width = feature.shape[2], feature.shape[3]
        y, x = paddle.meshgrid(
            (paddle.arange(height).astype("float32") + 0.5) * stride,
            (paddle.arange(width).astype("float32") + 0.5) * stride,
        )
        points.append(paddle.stack([x, y], axis=-1).reshape([-1, 2]))
        strides.append(paddle.full([height * width, 1], stride, "float32"))
    return paddle.concat(points), paddle.concat(strides)


# ---- PP-YOLOE+ ----


class EffectiveSqueeze(nn.Layer):
    """Effective squeeze and excitation: one convolution of the mean, and a sigmoid."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.fc = nn.Conv2D(width, width, 1)

    def forward(self, x: Any) -> Any:
        return x * F.hardsigmoid(self.fc(x.mean((2, 3), keepdim=True)))


class CspBlock(nn.Layer):
    """Cross-stage partial block: half of the channels pass through residual convolutions."""

    def __init__(self, in_channels: int, out_channels: int, learned_scale: bool = True) -> None:
        super().__init__()
        mid_channels = out_channels // 2
        self.conv1, self.conv2 = (
            conv_bn(in_channels, mid_channels, 1, 1, nn.Swish),
            conv_bn(in_channels, mid_channels, 1, 1, nn.Swish),
        )
        self.residual = nn.Sequential(
            conv_bn(mid_channels, mid_channels, 3, 1, nn.Swish),
            nn.Conv2D(mid_channels, mid_channels, 3, 1, 1),
        )
        self.learned_scale = (
            self.create_parameter([1], default_initializer=nn.initializer.Constant(1.0))
            if learned_scale
            else None
        )
        self.attention = EffectiveSqueeze(out_channels)
        self.conv3 = conv_bn(out_channels, out_channels, 1, 1, nn.Swish)

    def forward(self, x: Any) -> Any:
        y = self.conv2(x)
        z = self.residual(y)
        y = y + (z if self.learned_scale is None else self.learned_scale * z)
        return self.conv3(self.attention(paddle.concat([self.conv1(x), y], axis=1)))


class PyramidPooling(nn.Layer):
    """Spatial pyramid pooling: max pooling with several windows."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.pools = nn.LayerList([nn.MaxPool2D(k, 1, k // 2) for k in (5, 9, 13)])
        self.conv = conv_bn(4 * width, width, 1, 1, nn.Swish)

    def forward(self, x: Any) -> Any:
        return self.conv(paddle.concat([x, *[pool(x) for pool in self.pools]], axis=1))


class PathAggregation(nn.Layer):
    """Features from top to bottom and back; returns three maps of equal width."""

    def __init__(self, widths: tuple[int, ...], width: int, learned_scale: bool) -> None:
        super().__init__()
        self.pool = PyramidPooling(width)
        self.lateral = nn.LayerList([conv_bn(w, width, 1, 1, nn.Swish) for w in widths])
        self.top_down = nn.LayerList([CspBlock(2 * width, width, learned_scale) for _ in range(2)])
        self.down = nn.LayerList([conv_bn(width, width, 3, 2, nn.Swish) for _ in range(2)])
        self.bottom_up = nn.LayerList([CspBlock(2 * width, width, learned_scale) for _ in range(2)])

    def forward(self, maps: list[Any]) -> list[Any]:
        maps = [lateral(m) for lateral, m in zip(self.lateral, maps)]
        maps[2] = self.pool(maps[2])
        for i in (1, 0):
            upper = F.interpolate(maps[i + 1], scale_factor=2.0, mode="nearest")
            maps[i] = self.top_down[i](paddle.concat([upper, maps[i]], axis=1))
        for i in (0, 1):
            lower = self.down[i](maps[i])
            maps[i + 1] = self.bottom_up[i](paddle.concat([lower, maps[i + 1]], axis=1))
        return maps


class DistributionHead(nn.Layer):
    """Scores, and distances to the sides of a box as expectations of a distribution over bins."""

    def __init__(self, width: int, classes: int, bins: int) -> None:
        super().__init__()
        self.classes, self.bins = classes, bins
        self.scores = nn.LayerList([nn.Conv2D(width, classes, 3, padding=1) for _ in STRIDES])
        self.distances = nn.LayerList(
            [nn.Conv2D(width, 4 * (bins + 1), 3, padding=1) for _ in STRIDES]
        )
        self.attention = nn.LayerList([EffectiveSqueeze(width) for _ in STRIDES])
        self.project = nn.Conv2D(bins + 1, 1, 1, bias_attr=False)
        self.project.weight.set_value(
            np.arange(bins + 1, dtype="float32").reshape([1, bins + 1, 1, 1])
        )

    def forward(self, maps: list[Any]) -> tuple[Any, Any]:
        scores, distances = [], []
        for i, feature in enumerate(maps):
            height, width = feature.shape[2:]
            pooled = F.adaptive_avg_pool2d(feature, (1, 1))
            score = self.scores[i](self.attention[i](feature) + feature + pooled)
            distance = self.distances[i](self.attention[i](feature)).reshape(
                [-1, 4, self.bins + 1, height * width]
            )
            distance = self.project(F.softmax(distance.transpose([0, 2, 3, 1]), axis=1)).squeeze(1)
            scores.append(F.sigmoid(score).reshape([-1, self.classes, height * width]))
            distances.append(distance)
        points, strides = anchor_points(maps)
        start, end = paddle.split(paddle.concat(distances, axis=1), 2, axis=-1)
        boxes = paddle.concat([points / strides - start, points / strides + end], axis=-1) * strides
        return boxes, paddle.concat(scores, axis=-1)


class Detector(nn.Layer):
    """Backbone, neck, head; boxes at the scale of the original image; suppression."""

    def __init__(self, neck: Any, head: Any, apply_nms: bool = True) -> None:
        super().__init__()
        self.backbone, self.neck, self.head = Stages((16, 24, 32, 48), nn.Swish), neck, head
        self.apply_nms = apply_nms

    def forward(self, image: Any, scale_factor: Any) -> tuple[Any, Any]:
        boxes, scores = self.head(self.neck(self.backbone(image)[1:]))
        y, x = paddle.split(scale_factor, 2, axis=-1)
        boxes = boxes / paddle.concat([x, y, x, y], axis=-1).reshape([-1, 1, 4])
        if not self.apply_nms:
            return boxes, scores
        return multiclass_nms(boxes, scores, **NMS_ATTRS)


@model
def pp_yoloe_plus() -> tuple[Any, Inputs]:
    """PP-YOLOE+ as PaddleDetection exports it."""
    neck = PathAggregation((24, 32, 48), 32, learned_scale=True)
    return Detector(neck, DistributionHead(32, 20, 16)), _image_and_scale(160)


# ---- PicoDet ----


class DepthwisePyramid(nn.Layer):
    """PicoDet's pyramid: depthwise and pointwise convolutions of concatenated maps."""

    def __init__(self, widths: tuple[int, ...], width: int) -> None:
        super().__init__()
        self.lateral = nn.LayerList([conv_bn(w, width, 1) for w in widths])
        self.merge = nn.LayerList(
            [
                nn.Sequential(
                    conv_bn(2 * width, 2 * width, 5, 1, groups=2 * width),
                    conv_bn(2 * width, width, 1),
                )
                for _ in range(4)
            ]
        )
        self.down = nn.LayerList([conv_bn(width, width, 5, 2, groups=width) for _ in range(2)])

    def forward(self, maps: list[Any]) -> list[Any]:
        low, middle, high = [lateral(m) for lateral, m in zip(self.lateral, maps)]
        middle = self.merge[0](
            paddle.concat([F.interpolate(high, size=middle.shape[2:]), middle], 1)
        )
        low = self.merge[1](paddle.concat([F.interpolate(middle, size=low.shape[2:]), low], 1))
        middle = self.merge[2](paddle.concat([self.down[0](low), middle], 1))
        return [low, middle, self.merge[3](paddle.concat([self.down[1](middle), high], 1))]


@model
def picodet() -> tuple[Any, Inputs]:
    """PicoDet as PaddleDetection exports it, with suppression."""
    head = DistributionHead(24, 20, 7)
    return Detector(DepthwisePyramid((24, 32, 48), 24), head), _image_and_scale(160)


@model
def picodet_without_nms() -> tuple[Any, Inputs]:
    """PicoDet exported for engines that have no suppression, in batches."""
    detector = Detector(
        DepthwisePyramid((24, 32, 48), 24), DistributionHead(24, 20, 7), apply_nms=False
    )
    return detector, _image_and_scale(128, batch=2)


# ---- RT-DETR ----


def sine_positions(width: int, height: int, channels: int) -> Any:
    """Return 2-D sine and cosine position encodings, [1, width * height, channels]."""
    x, y = paddle.meshgrid(
        paddle.arange(width, dtype="float32"), paddle.arange(height, dtype="float32")
    )
    frequencies = 1.0 / 10000.0 ** (paddle.arange(channels // 4, dtype="float32") / (channels // 4))
    x, y = x.flatten()[:, None] * frequencies[None], y.flatten()[:, None] * frequencies[None]
    return paddle.concat([paddle.sin(x), paddle.cos(x), paddle.sin(y), paddle.cos(y)], axis=1)[None]


def inverse_sigmoid(x: Any, eps: float = 1e-5) -> Any:
    """Return log(x / (1 - x)) with x clipped to [0, 1]."""
    x = x.clip(0.0, 1.0)
    return paddle.log(x.clip(min=eps) / (1 - x).clip(min=eps))


class DeformableAttention(nn.Layer):
    """Attention to a few sampled points of several maps."""

    def __init__(self, width: int, heads: int, levels: int, points: int) -> None:
        super().__init__()
        self.heads, self.levels, self.points, self.size = heads, levels, points, width // heads
        self.offsets = nn.Linear(width, heads * levels * points * 2)
        self.weights = nn.Linear(width, heads * levels * points)
        self.value, self.out = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, query: Any, boxes: Any, memory: Any, shapes: list[tuple[int, int]]) -> Any:
        batch, queries = query.shape[:2]
        value = self.value(memory).reshape([batch, memory.shape[1], self.heads, self.size])
        samples = self.levels * self.points
        offsets = self.offsets(query).reshape(
            [batch, queries, self.heads, self.levels, self.points, 2]
        )
        weights = self.weights(query).reshape([batch, queries, self.heads, samples])
        weights = F.softmax(weights).reshape([batch, queries, self.heads, self.levels, self.points])
        box = boxes[:, :, None, None, None]
        locations = box[..., :2] + offsets / self.points * box[..., 2:] * 0.5
        values = value.split([h * w for h, w in shapes], axis=1)
        grids, sampled = 2 * locations - 1, []
        for level, (height, width) in enumerate(shapes):
            flat = values[level].flatten(2).transpose([0, 2, 1])
            grid = grids[:, :, :, level].transpose([0, 2, 1, 3, 4]).flatten(0, 1)
            sampled.append(
                F.grid_sample(
                    flat.reshape([batch * self.heads, self.size, height, width]),
                    grid,
                    mode="bilinear",
                    padding_mode="zeros",
                    align_corners=False,
                )
            )
        weights = weights.transpose([0, 2, 1, 3, 4]).reshape(
            [batch * self.heads, 1, queries, samples]
        )
        merged = paddle.stack(sampled, axis=-2).flatten(-2) * weights
        merged = merged.sum(-1).reshape([batch, self.heads * self.size, queries])
        return self.out(merged.transpose([0, 2, 1]))


class DecoderLayer(nn.Layer):
    """Self-attention of the queries, deformable attention to the maps, an MLP."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.self_attention = nn.MultiHeadAttention(width, 4)
        self.cross_attention = DeformableAttention(width, 4, 3, 2)
        self.norms = nn.LayerList([nn.LayerNorm(width) for _ in range(3)])
        self.mlp = nn.Sequential(
            nn.Linear(width, 2 * width), nn.ReLU(), nn.Linear(2 * width, width)
        )

    def forward(self, x: Any, position: Any, boxes: Any, memory: Any, shapes: Any) -> Any:
        q = x + position
        x = self.norms[0](x + self.self_attention(q, q, x))
        x = self.norms[1](x + self.cross_attention(x + position, boxes, memory, shapes))
        return self.norms[2](x + self.mlp(x))


class RtDetr(nn.Layer):
    """RT-DETR: hybrid encoder, queries of the highest scores, a decoder that refines boxes."""

    WIDTH, CLASSES, QUERIES, SIZE = 32, 12, 20, 128

    def __init__(self) -> None:
        super().__init__()
        width = self.WIDTH
        self.backbone = HgNetV2()
        self.encoder_layer = nn.TransformerEncoderLayer(
            width, 4, 2 * width, dropout=0.0, activation="gelu", normalize_before=False
        )
        self.neck = PathAggregation((width, width, width), width, learned_scale=False)
        self.lateral = nn.LayerList([conv_bn(w, width, 1, 1, None) for w in (32, 48, 64)])
        self.memory_head = nn.Sequential(nn.Linear(width, width), nn.LayerNorm(width))
        self.scores, self.offsets = nn.Linear(width, self.CLASSES), nn.Linear(width, 4)
        self.position = nn.Sequential(
            nn.Linear(4, 2 * width), nn.ReLU(), nn.Linear(2 * width, width)
        )
        self.decoder = nn.LayerList([DecoderLayer(width) for _ in range(2)])
        self.refine = nn.LayerList([nn.Linear(width, 4) for _ in range(2)])
        self.final_scores = nn.Linear(width, self.CLASSES)

    def anchors(self, shapes: list[tuple[int, int]]) -> tuple[Any, Any]:
        """Return the boxes of all cells before the sigmoid, and which of them are valid."""
        levels = []
        for level, (height, width) in enumerate(shapes):
            y, x = paddle.meshgrid(
                paddle.arange(height, dtype="float32"), paddle.arange(width, dtype="float32")
            )
            center = (paddle.stack([x, y], -1) + 0.5) / paddle.to_tensor([width, height], "float32")
            size = paddle.ones_like(center) * (0.05 * 2.0**level)
            levels.append(paddle.concat([center, size], -1).reshape([-1, height * width, 4]))
        boxes = paddle.concat(levels, 1)
        valid = ((boxes > 0.01) * (boxes < 0.99)).all(-1, keepdim=True)
        boxes = paddle.where(valid, paddle.log(boxes / (1 - boxes)), paddle.full([], 1e4))
        return boxes, valid

    def forward(self, image: Any, im_shape: Any, scale_factor: Any) -> tuple[Any, Any]:
        maps = [lateral(m) for lateral, m in zip(self.lateral, self.backbone(image)[1:])]
        height, width = maps[2].shape[2:]
        source = maps[2].flatten(2).transpose([0, 2, 1])
        source = self.encoder_layer(source + sine_positions(width, height, self.WIDTH))
        maps[2] = source.transpose([0, 2, 1]).reshape([-1, self.WIDTH, height, width])
        maps = self.neck(maps)
        shapes = [(m.shape[2], m.shape[3]) for m in maps]
        memory = paddle.concat([m.flatten(2).transpose([0, 2, 1]) for m in maps], axis=1)
        anchors, valid = self.anchors(shapes)
        selected = self.memory_head(paddle.where(valid, memory, paddle.to_tensor(0.0)))
        best = paddle.topk(self.scores(selected).max(-1), self.QUERIES, axis=1)[1]
        rows = paddle.arange(best.shape[0], dtype=best.dtype).unsqueeze(-1).tile([1, self.QUERIES])
        index = paddle.stack([rows, best], axis=-1)
        x = paddle.gather_nd(selected, index)
        boxes = F.sigmoid(paddle.gather_nd(self.offsets(selected) + anchors, index))
        for layer, refine in zip(self.decoder, self.refine):
            x = layer(x, self.position(boxes), boxes, memory, shapes)
            boxes = F.sigmoid(refine(x) + inverse_sigmoid(boxes))
        return self.select_top_boxes(boxes, F.sigmoid(self.final_scores(x)), im_shape, scale_factor)

    def select_top_boxes(
        self, boxes: Any, scores: Any, im_shape: Any, scale_factor: Any
    ) -> tuple[Any, Any]:
        """Return the best boxes of each image as class, score, corners, and their number."""
        center, size = paddle.split(boxes, 2, axis=-1)
        corners = paddle.concat([center - 0.5 * size, center + 0.5 * size], axis=-1)
        original = paddle.floor(im_shape / scale_factor + 0.5).flip(1).tile([1, 2]).unsqueeze(1)
        values, index = paddle.topk(scores.flatten(1), 10, axis=-1)
        labels, index = index % self.CLASSES, index // self.CLASSES
        rows = paddle.arange(scores.shape[0], dtype=index.dtype).unsqueeze(-1).tile([1, 10])
        chosen = paddle.gather_nd(corners * original, paddle.stack([rows, index], axis=-1))
        boxes = paddle.concat(
            [labels.unsqueeze(-1).astype("float32"), values.unsqueeze(-1), chosen], -1
        )
        number = paddle.to_tensor(10, dtype="int32").reshape([1]).tile([scores.shape[0]])
        return boxes.reshape([-1, 6]), number


@model
def rt_detr() -> tuple[Any, Inputs]:
    """RT-DETR as PaddleDetection exports it, in batches."""
    size = RtDetr.SIZE
    shape = np.full((2, 2), size, "float32")
    image_input, scale = _image_and_scale(size, batch=2)
    return RtDetr(), [image_input, ("im_shape", shape, [None, 2]), scale]
