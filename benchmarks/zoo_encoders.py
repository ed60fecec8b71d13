"""Encoders and classifiers of the zoo, built like ERNIE, PP-HGNetV2, PP-LCNet and the Swin
Transformer, with fewer channels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import paddle
from paddle import nn
from paddle.nn import functional as F
from zoo_ocr import HgNetV2, LCNetV3
from zoo_parts import Inputs, image, model, tokens


class Ernie(nn.Layer):
    """Embeddings of tokens, positions, segments and tasks, a Transformer encoder, and a pooler."""

    def __init__(self, width: int = 48) -> None:
        super().__init__()
        self.words = nn.Embedding(1000, width, padding_idx=0)
        self.positions, self.segments = nn.Embedding(64, width), nn.Embedding(4, width)
        self.tasks = nn.Embedding(3, width)
        self.norm, self.dropout = nn.LayerNorm(width), nn.Dropout(0.1)
        layer = nn.TransformerEncoderLayer(width, 4, 2 * width, activation="gelu")
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.pooler, self.classifier = nn.Linear(width, width), nn.Linear(width, 3)

    def forward(self, ids: Any, segments: Any) -> tuple[Any, Any]:
        mask = (ids == 0).astype("float32").unsqueeze([1, 2]) * -1e4
        ones = paddle.ones_like(ids, dtype="int64")
        positions = paddle.cumsum(ones, axis=1) - ones
        x = self.words(ids) + self.positions(positions) + self.segments(segments)
        x = self.dropout(self.norm(x + self.tasks(paddle.zeros_like(ids))))
        x = self.encoder(x, mask)
        return x, self.classifier(paddle.tanh(self.pooler(x[:, 0])))


@model
def ernie() -> tuple[Any, Inputs]:
    """Sequence classification with ERNIE."""
    ((name, ids, shape),) = tokens(17, batch=3)
    ids[1, 9:] = 0
    segments = np.zeros_like(ids)
    segments[:, 8:] = 1
    return Ernie(), [(name, ids, shape), ("segments", segments, shape)]


class Classifier(nn.Layer):
    """The mean of a backbone's last map, a hidden layer, and probabilities of classes."""

    def __init__(self, backbone: Any, width: int, classes: int = 10) -> None:
        super().__init__()
        self.backbone = backbone
        self.pool, self.flatten = nn.AdaptiveAvgPool2D(1), nn.Flatten()
        self.hidden = nn.Conv2D(width, 96, 1, bias_attr=False)
        self.fc = nn.Linear(96, classes)

    def forward(self, x: Any) -> Any:
        x = F.hardswish(self.hidden(self.pool(self.backbone(x)[-1])))
        return F.softmax(self.fc(self.flatten(F.dropout(x, 0.2, training=self.training))))


@model
def pp_hgnetv2() -> tuple[Any, Inputs]:
    """Image classification with PP-HGNetV2."""
    return Classifier(HgNetV2(), 64), image(96, batch=2)


@model
def pp_lcnet() -> tuple[Any, Inputs]:
    """Orientation of a document, with PP-LCNet."""
    return Classifier(LCNetV3((2, 2, 2, 2)), 64, 4), image(96, batch=2)


def window_partition(x: Any, window: int) -> Any:
    """Split [N, H, W, C] into windows, [N * windows, window * window, C]."""
    _, height, width, channels = x.shape
    x = x.reshape([-1, height // window, window, width // window, window, channels])
    return x.transpose([0, 1, 3, 2, 4, 5]).reshape([-1, window * window, channels])


class SwinBlock(nn.Layer):
    """Attention in windows, which are shifted in every second block."""

    def __init__(self, width: int, size: int, window: int, shift: int, heads: int) -> None:
        super().__init__()
        self.size, self.window, self.shift, self.heads, self.width = (
            size,
            window,
            shift,
            heads,
            width,
        )
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)
        )
        self.bias = self.create_parameter(
            [(2 * window - 1) ** 2, heads], default_initializer=nn.initializer.Normal(std=0.5)
        )
        steps = np.stack(np.meshgrid(np.arange(window), np.arange(window), indexing="ij")).reshape(
            2, -1
        )
        distance = (steps[:, :, None] - steps[:, None]).transpose(1, 2, 0) + window - 1
        index = distance[..., 0] * (2 * window - 1) + distance[..., 1]
        self.register_buffer("index", paddle.to_tensor(index.reshape(-1).astype("int64")))
        self.register_buffer("mask", paddle.to_tensor(self.region_mask()))

    def region_mask(self) -> Any:
        """Return -100 for pairs of cells that only the shift brought into one window."""
        regions = np.zeros((self.size, self.size), "int64")
        if self.shift:
            edges = [0, self.size - self.window, self.size - self.shift, self.size]
            for i in range(3):
                for j in range(3):
                    regions[edges[i] : edges[i + 1], edges[j] : edges[j + 1]] = 3 * i + j
        count = self.size // self.window
        regions = regions.reshape(count, self.window, count, self.window).transpose(0, 2, 1, 3)
        regions = regions.reshape(count * count, -1)
        return np.where(regions[:, None] != regions[:, :, None], -100.0, 0.0).astype("float32")

    def forward(self, x: Any) -> Any:
        batch, length, width = x.shape
        area, size = self.window * self.window, width // self.heads
        shortcut, x = x, self.norm1(x).reshape([batch, self.size, self.size, width])
        x = window_partition(x.roll((-self.shift, -self.shift), (1, 2)), self.window)
        qkv = self.qkv(x).reshape([-1, area, 3, self.heads, size]).transpose([2, 0, 3, 1, 4])
        attention = paddle.mm(qkv[0] * size**-0.5, qkv[1].transpose([0, 1, 3, 2]))
        bias = paddle.index_select(self.bias, self.index).reshape([area, area, self.heads])
        attention = attention + bias.transpose([2, 0, 1]).unsqueeze(0)
        windows = self.mask.shape[0]
        attention = attention.reshape([-1, windows, self.heads, area, area])
        attention = (attention + self.mask.unsqueeze(1).unsqueeze(0)).reshape(
            [-1, self.heads, area, area]
        )
        x = (
            paddle.mm(F.softmax(attention), qkv[2])
            .transpose([0, 2, 1, 3])
            .reshape([-1, area, width])
        )
        count = self.size // self.window
        x = self.proj(x).reshape([-1, count, count, self.window, self.window, width])
        x = x.transpose([0, 1, 3, 2, 4, 5]).reshape([-1, self.size, self.size, width])
        x = shortcut + x.roll((self.shift, self.shift), (1, 2)).reshape([batch, length, width])
        return x + self.mlp(self.norm2(x))


class Swin(nn.Layer):
    """Patches, two stages of blocks, and probabilities of classes."""

    def __init__(self, width: int = 24) -> None:
        super().__init__()
        self.patches = nn.Conv2D(3, width, 4, 4)
        self.stage1 = nn.Sequential(*[SwinBlock(width, 16, 4, shift, 3) for shift in (0, 2)])
        self.merge = nn.Linear(4 * width, 2 * width, bias_attr=False)
        self.stage2 = nn.Sequential(*[SwinBlock(2 * width, 8, 4, shift, 6) for shift in (0, 2)])
        self.norm, self.fc = nn.LayerNorm(2 * width), nn.Linear(2 * width, 10)

    def forward(self, x: Any) -> Any:
        x = self.stage1(self.patches(x).flatten(2).transpose([0, 2, 1]))
        x = x.reshape([x.shape[0], 16, 16, x.shape[2]])
        parts = [x[:, i::2, j::2, :] for j in (0, 1) for i in (0, 1)]
        x = self.merge(paddle.concat(parts, -1).flatten(1, 2))
        return F.softmax(self.fc(self.norm(self.stage2(x)).mean(1)))


@model
def swin_transformer() -> tuple[Any, Inputs]:
    """Image classification with the Swin Transformer."""
    return Swin(), image(64, batch=2)
