"""Text networks of the zoo, built like those of PP-OCRv5, SLANet_plus and UVDoc, with fewer
channels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import paddle
from paddle import nn
from paddle.nn import functional as F
from zoo_parts import Inputs, conv_bn, image, model

# ---- PP-LCNetV3 and PP-HGNetV2, the backbones of the mobile and the server models ----


class Affine(nn.Layer):
    """scale * x + bias with one scale and one bias for all channels, as in PP-LCNetV3."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = self.create_parameter([1], default_initializer=nn.initializer.Constant(1.1))
        self.bias = self.create_parameter([1], default_initializer=nn.initializer.Constant(0.1))

    def forward(self, x: Any) -> Any:
        return self.scale * x + self.bias


class ConvAffine(nn.Layer):
    """The block of PP-LCNetV3 after its branches were merged: convolution, affine, activation."""

    def __init__(
        self, in_channels: int, out_channels: int, kernel: int, stride: Any, groups: int = 1
    ) -> None:
        super().__init__()
        self.conv = nn.Conv2D(in_channels, out_channels, kernel, stride, kernel // 2, groups=groups)
        self.before, self.after = Affine(), Affine()
        self.act = nn.Hardswish() if stride in (1, (1, 1)) or groups == 1 else None

    def forward(self, x: Any) -> Any:
        x = self.before(self.conv(x))
        return x if self.act is None else self.after(self.act(x))


class SqueezeHard(nn.Layer):
    """Squeeze and excitation with ReLU and hard sigmoid."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2D(1)
        self.conv1, self.conv2 = nn.Conv2D(width, width // 4, 1), nn.Conv2D(width // 4, width, 1)
        self.relu, self.gate = nn.ReLU(), nn.Hardsigmoid()

    def forward(self, x: Any) -> Any:
        return x * self.gate(self.conv2(self.relu(self.conv1(self.pool(x)))))


class LCNetV3(nn.Layer):
    """PP-LCNetV3: depthwise and pointwise convolutions; returns the maps of the last four stages.

    strides : of the depthwise convolution of each stage.
    """

    def __init__(
        self, strides: tuple[Any, ...], widths: tuple[int, ...] = (16, 24, 40, 64)
    ) -> None:
        super().__init__()
        self.stem = conv_bn(3, 12, 3, 2, None)
        self.stages = nn.LayerList()
        in_channels = 12
        for i, (width, stride) in enumerate(zip(widths, strides)):
            kernel = 5 if i > 1 else 3
            self.stages.append(
                nn.Sequential(
                    ConvAffine(in_channels, in_channels, kernel, stride, in_channels),
                    *([SqueezeHard(in_channels)] if i > 1 else []),
                    ConvAffine(in_channels, width, 1, 1),
                    ConvAffine(width, width, kernel, 1, width),
                    ConvAffine(width, width, 1, 1),
                )
            )
            in_channels = width

    def forward(self, x: Any) -> list[Any]:
        x, maps = self.stem(x), []
        for stage in self.stages:
            x = stage(x)
            maps.append(x)
        return maps


class HgBlock(nn.Layer):
    """A block of PP-HGNetV2: a chain of convolutions, all of whose results are aggregated."""

    def __init__(
        self, in_channels: int, mid_channels: int, out_channels: int, depth: int, depthwise: bool
    ) -> None:
        super().__init__()
        self.shortcut = in_channels == out_channels
        self.layers = nn.LayerList()
        for i in range(depth):
            width = in_channels if i == 0 else mid_channels
            self.layers.append(
                nn.Sequential(
                    conv_bn(width, mid_channels, 1, 1, None),
                    conv_bn(mid_channels, mid_channels, 5, 1, nn.ReLU, mid_channels),
                )
                if depthwise
                else conv_bn(width, mid_channels, 3, 1, nn.ReLU)
            )
        self.squeeze = conv_bn(in_channels + depth * mid_channels, out_channels // 2, 1, 1, nn.ReLU)
        self.excite = conv_bn(out_channels // 2, out_channels, 1, 1, nn.ReLU)

    def forward(self, x: Any) -> Any:
        maps = [x]
        for layer in self.layers:
            maps.append(layer(maps[-1]))
        y = self.excite(self.squeeze(paddle.concat(maps, axis=1)))
        return y + x if self.shortcut else y


class HgNetV2(nn.Layer):
    """PP-HGNetV2; returns the maps at strides 4, 8, 16 and 32, or those of a text line."""

    def __init__(self, text_line: bool = False) -> None:
        super().__init__()
        self.stem1 = conv_bn(3, 16, 3, 2, nn.ReLU)
        self.stem2a = nn.Sequential(
            nn.Pad2D([0, 1, 0, 1]),
            nn.Conv2D(16, 8, 2, bias_attr=False),
            nn.BatchNorm2D(8),
            nn.ReLU(),
        )
        self.stem2b = nn.Sequential(
            nn.Pad2D([0, 1, 0, 1]),
            nn.Conv2D(8, 16, 2, bias_attr=False),
            nn.BatchNorm2D(16),
            nn.ReLU(),
        )
        self.pool = nn.MaxPool2D(2, 1, ceil_mode=True, padding="SAME")
        self.stem3 = conv_bn(32, 16, 3, 1 if text_line else 2, nn.ReLU)
        strides = ((2, 1), (1, 2), (2, 1), (2, 1)) if text_line else (1, 2, 2, 2)
        self.stages = nn.LayerList()
        in_channels = 16
        for i, (width, stride) in enumerate(zip((24, 32, 48, 64), strides)):
            self.stages.append(
                nn.Sequential(
                    nn.Conv2D(
                        in_channels, in_channels, 3, stride, 1, groups=in_channels, bias_attr=False
                    ),
                    nn.BatchNorm2D(in_channels),
                    HgBlock(in_channels, width // 2, width, 3, depthwise=i > 1),
                    HgBlock(width, width // 2, width, 3, depthwise=i > 1),
                )
            )
            in_channels = width

    def forward(self, x: Any) -> list[Any]:
        x = self.stem1(x)
        x = self.stem3(paddle.concat([self.pool(x), self.stem2b(self.stem2a(x))], axis=1))
        maps = []
        for stage in self.stages:
            x = stage(x)
            maps.append(x)
        return maps


# ---- text detection ----


class ResidualSqueeze(nn.Layer):
    """A convolution followed by residual squeeze and excitation."""

    def __init__(self, in_channels: int, out_channels: int, kernel: int) -> None:
        super().__init__()
        self.conv = nn.Conv2D(
            in_channels, out_channels, kernel, padding=kernel // 2, bias_attr=False
        )
        self.squeeze = SqueezeHard(out_channels)

    def forward(self, x: Any) -> Any:
        x = self.conv(x)
        return x + self.squeeze(x)


class FeaturePyramid(nn.Layer):
    """A feature pyramid that concatenates all levels at the size of the first."""

    def __init__(self, widths: list[int], width: int) -> None:
        super().__init__()
        self.lateral = nn.LayerList([ResidualSqueeze(w, width, 1) for w in widths])
        self.smooth = nn.LayerList([ResidualSqueeze(width, width // 4, 3) for _ in widths])

    def forward(self, maps: list[Any]) -> Any:
        maps = [lateral(m) for lateral, m in zip(self.lateral, maps)]
        for i in (2, 1, 0):
            maps[i] = maps[i] + F.upsample(maps[i + 1], scale_factor=2, mode="nearest")
        outs = [smooth(m) for smooth, m in zip(self.smooth, maps)]
        for i in (1, 2, 3):
            outs[i] = F.upsample(outs[i], scale_factor=2**i, mode="nearest")
        return paddle.concat(outs[::-1], axis=1)


class BinarizationHead(nn.Layer):
    """The probability map of differentiable binarization, at the size of the image."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv = nn.Conv2D(width, width // 4, 3, padding=1, bias_attr=False)
        self.norm1, self.norm2 = (
            nn.BatchNorm(width // 4, act="relu"),
            nn.BatchNorm(width // 4, act="relu"),
        )
        self.up1 = nn.Conv2DTranspose(width // 4, width // 4, 2, 2)
        self.up2 = nn.Conv2DTranspose(width // 4, 1, 2, 2)

    def forward(self, x: Any) -> Any:
        x = self.norm2(self.up1(self.norm1(self.conv(x))))
        return F.sigmoid(self.up2(x))


class TextDetector(nn.Layer):
    """Backbone, feature pyramid, probability map."""

    def __init__(self, backbone: Any, widths: list[int]) -> None:
        super().__init__()
        self.backbone, self.neck = backbone, FeaturePyramid(widths, 48)
        self.head = BinarizationHead(48)

    def forward(self, x: Any) -> Any:
        return self.head(self.neck(self.backbone(x)))


def _dynamic_image(height: int, width: int) -> Inputs:
    ((name, array, _),) = image(height, width)
    return [(name, array, [None, 3, None, None])]


@model
def pp_ocrv5_mobile_det() -> tuple[Any, Inputs]:
    """Text detection on PP-LCNetV3."""
    return TextDetector(LCNetV3((2, 2, 2, 2)), [16, 24, 40, 64]), _dynamic_image(192, 256)


@model
def pp_ocrv5_server_det() -> tuple[Any, Inputs]:
    """Text detection on PP-HGNetV2."""
    return TextDetector(HgNetV2(), [24, 32, 48, 64]), _dynamic_image(160, 224)


# ---- text recognition ----


class GlobalMixer(nn.Layer):
    """A block of SVTR: attention over all columns, then an MLP."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads, self.width = heads, width
        self.norm1, self.norm2 = nn.LayerNorm(width, 1e-6), nn.LayerNorm(width, 1e-6)
        self.qkv, self.proj = nn.Linear(width, width * 3), nn.Linear(width, width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 2 * width), nn.Swish(), nn.Linear(2 * width, width)
        )

    def forward(self, x: Any) -> Any:
        size = self.width // self.heads
        qkv = (
            self.qkv(self.norm1(x)).reshape((0, -1, 3, self.heads, size)).transpose((2, 0, 3, 1, 4))
        )
        q, k, v = qkv[0] * size**-0.5, qkv[1], qkv[2]
        attention = F.softmax(q.matmul(k.transpose((0, 1, 3, 2))), axis=-1)
        x = x + self.proj(attention.matmul(v).transpose((0, 2, 1, 3)).reshape((0, -1, self.width)))
        return x + self.mlp(self.norm2(x))


class SvtrNeck(nn.Layer):
    """The neck of PP-OCR's recognition: SVTR blocks beside a shortcut."""

    def __init__(self, in_channels: int, width: int = 32) -> None:
        super().__init__()
        self.conv1 = conv_bn(in_channels, in_channels // 8, (1, 3), 1, nn.Swish)
        self.conv2 = conv_bn(in_channels // 8, width, 1, 1, nn.Swish)
        self.blocks = nn.LayerList([GlobalMixer(width, 4) for _ in range(2)])
        self.norm = nn.LayerNorm(width, epsilon=1e-6)
        self.conv3 = conv_bn(width, in_channels, 1, 1, nn.Swish)
        self.conv4 = conv_bn(2 * in_channels, in_channels // 8, (1, 3), 1, nn.Swish)
        self.conv5 = conv_bn(in_channels // 8, width, 1, 1, nn.Swish)

    def forward(self, x: Any) -> Any:
        shortcut = x
        z = self.conv2(self.conv1(x))
        _, c, h, w = z.shape
        z = z.flatten(2).transpose([0, 2, 1])
        for block in self.blocks:
            z = block(z)
        z = self.norm(z).reshape([0, h, w, c]).transpose([0, 3, 1, 2])
        z = paddle.concat((shortcut, self.conv3(z)), axis=1)
        z = self.conv5(self.conv4(z))
        return z.squeeze(axis=2).transpose([0, 2, 1])


class TextRecognizer(nn.Layer):
    """Backbone of a text line, neck, and the probabilities of characters per column."""

    def __init__(self, backbone: Any, width: int, characters: int) -> None:
        super().__init__()
        self.backbone, self.neck = backbone, SvtrNeck(width)
        self.fc = nn.Linear(32, characters)

    def forward(self, x: Any) -> Any:
        x = self.backbone(x)[-1]
        x = F.avg_pool2d(x, [3, 2])
        return F.softmax(self.fc(self.neck(x)), axis=2)


def _text_line() -> Inputs:
    ((name, array, _),) = image(48, 160, batch=2)
    return [(name, array, [None, 3, 48, None])]


@model
def pp_ocrv5_mobile_rec() -> tuple[Any, Inputs]:
    """Text recognition on PP-LCNetV3."""
    backbone = LCNetV3(((2, 1), (2, 1), (2, 1), (1, 2)))
    return TextRecognizer(backbone, 64, 438), _text_line()


@model
def pp_ocrv5_server_rec() -> tuple[Any, Inputs]:
    """Text recognition on PP-HGNetV2."""
    return TextRecognizer(HgNetV2(text_line=True), 64, 1838), _text_line()


# ---- tables ----


class AttentionGruCell(nn.Layer):
    """One step of attention decoding: attend to the features, then update the GRU's state."""

    def __init__(self, in_channels: int, hidden: int, classes: int) -> None:
        super().__init__()
        self.i2h = nn.Linear(in_channels, hidden, bias_attr=False)
        self.h2h, self.score = nn.Linear(hidden, hidden), nn.Linear(hidden, 1, bias_attr=False)
        self.rnn = nn.GRUCell(in_channels + classes, hidden)

    def forward(self, state: Any, features: Any, one_hot: Any) -> Any:
        scores = self.score(paddle.tanh(self.i2h(features) + self.h2h(state).unsqueeze(1)))
        weights = F.softmax(scores, axis=1).transpose([0, 2, 1])
        context = paddle.matmul(weights, features).squeeze(1)
        return self.rnn(paddle.concat([context, one_hot], 1), state)[1]


class SlaNet(nn.Layer):
    """Table recognition: the tokens of the table's structure and a box per cell, step by step."""

    HIDDEN, CLASSES, STEPS = 24, 30, 12

    def __init__(self) -> None:
        super().__init__()
        self.backbone = LCNetV3((2, 2, 2, 2))
        self.lateral = nn.LayerList([conv_bn(w, 32, 1) for w in (24, 40, 64)])
        self.down = nn.LayerList([conv_bn(32, 32, 3, 2) for _ in range(2)])
        self.cell = AttentionGruCell(32, self.HIDDEN, self.CLASSES)
        self.structure = nn.Sequential(
            nn.Linear(self.HIDDEN, self.HIDDEN), nn.Linear(self.HIDDEN, self.CLASSES)
        )
        self.location = nn.Sequential(
            nn.Linear(self.HIDDEN, self.HIDDEN), nn.Linear(self.HIDDEN, 8)
        )

    def neck(self, maps: list[Any]) -> Any:
        """Return the last map of a path aggregation network."""
        maps = [lateral(m) for lateral, m in zip(self.lateral, maps[1:])]
        for i in (1, 0):
            maps[i] = maps[i] + F.interpolate(maps[i + 1], size=paddle.shape(maps[i])[2:])
        for i, down in enumerate(self.down):
            maps[i + 1] = maps[i + 1] + down(maps[i])
        return maps[-1]

    def forward(self, x: Any) -> tuple[Any, Any]:
        features = self.neck(self.backbone(x)).flatten(2).transpose([0, 2, 1])
        batch = features.shape[0]
        state = paddle.zeros([batch, self.HIDDEN])
        tokens = paddle.zeros([batch], "int32")
        structures = paddle.zeros([batch, self.STEPS, self.CLASSES])
        locations = paddle.zeros([batch, self.STEPS, 8])
        step = paddle.zeros([1], "int32")
        ended = paddle.zeros([batch], "bool")
        while step < self.STEPS and not ended.all():
            one_hot = F.one_hot(tokens, self.CLASSES).astype("float32")
            state = self.cell(state, features, one_hot)
            scores = self.structure(state)
            structures[:, step] = F.softmax(scores).unsqueeze(1)
            locations[:, step] = F.sigmoid(self.location(state)).unsqueeze(1)
            tokens = scores.argmax(axis=1, dtype="int32")
            ended = paddle.logical_or(ended, tokens == self.CLASSES - 1)
            step = step + 1
        return locations, structures


@model
def slanet_plus() -> tuple[Any, Inputs]:
    """Table recognition with a loop that ends at the last token."""
    return SlaNet(), image(128, 128, batch=2)


# ---- document unwarping ----


class UvDoc(nn.Layer):
    """Predicts where each pixel of the flat page lies in the photo, and samples it there."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            conv_bn(3, 16, 5, 2, nn.ReLU),
            conv_bn(16, 32, 5, 2, nn.ReLU),
            conv_bn(32, 32, 3, 2, nn.ReLU),
        )
        self.bridges = nn.LayerList(
            [
                nn.Sequential(
                    nn.Conv2D(32, 32, 3, padding=dilation, dilation=dilation),
                    nn.BatchNorm2D(32),
                    nn.ReLU(),
                )
                for dilation in (1, 2, 5)
            ]
        )
        self.points = nn.Sequential(
            conv_bn(96, 16, 1, 1, nn.ReLU),
            nn.Conv2D(16, 16, 5, padding=2, padding_mode="reflect"),
            nn.PReLU(),
            nn.Conv2D(16, 2, 5, padding=2, padding_mode="reflect"),
        )

    def forward(self, image: Any) -> Any:
        height, width = paddle.shape(image)[2], paddle.shape(image)[3]
        small = F.interpolate(image, size=(96, 64), mode="bilinear", align_corners=True)
        features = self.encoder(small)
        points = F.tanh(self.points(paddle.concat([b(features) for b in self.bridges], axis=1)))
        grid = F.interpolate(points, size=[height, width], mode="bilinear", align_corners=True)
        return F.grid_sample(image, grid.transpose([0, 2, 3, 1]), align_corners=True)


@model
def uvdoc() -> tuple[Any, Inputs]:
    """Document unwarping, of a smooth image: noise would amplify errors of the positions."""
    ((name, _, shape),) = _dynamic_image(120, 90)
    waves = np.sin(np.linspace(0, 9, 120))[:, None] * np.cos(np.linspace(0, 7, 90))
    return UvDoc(), [(name, np.stack([waves, waves**2, -waves])[None].astype("float32"), shape)]
