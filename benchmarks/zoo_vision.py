"""Vision models of the zoo, built like those of PaddleOCR, PaddleDetection and PaddleSeg."""

from __future__ import annotations

from typing import Any

import numpy as np
import paddle
from paddle import nn
from paddle.nn import functional as F
from paddle.vision import ops
from zoo_parts import Inputs, Stages, conv_bn, image, model

# ---- text recognition ----


class Detector(nn.Layer):
    """A text detector with differentiable binarisation: feature pyramid, probability map."""

    def __init__(self) -> None:
        super().__init__()
        self.backbone = Stages()
        self.lateral = nn.LayerList(
            [nn.Conv2D(w, 64, 1, bias_attr=False) for w in (16, 32, 64, 128)]
        )
        self.smooth = nn.LayerList(
            [nn.Conv2D(64, 16, 3, padding=1, bias_attr=False) for _ in range(4)]
        )
        self.head = conv_bn(64, 16, 3, 1, nn.ReLU)
        self.up1, self.up2 = nn.Conv2DTranspose(16, 16, 2, 2), nn.Conv2DTranspose(16, 1, 2, 2)
        self.norm = nn.BatchNorm2D(16)

    def forward(self, x: Any) -> Any:
        maps = [lateral(m) for lateral, m in zip(self.lateral, self.backbone(x))]
        for i in (2, 1, 0):
            maps[i] = maps[i] + F.upsample(
                maps[i + 1], scale_factor=2, mode="nearest", align_mode=1
            )
        outs = [smooth(m) for smooth, m in zip(self.smooth, maps)]
        outs = [
            outs[0],
            *[
                F.upsample(o, scale_factor=2 ** (i + 1), mode="nearest", align_mode=1)
                for i, o in enumerate(outs[1:])
            ],
        ]
        x = self.head(paddle.concat(outs[::-1], axis=1))
        return F.sigmoid(self.up2(F.relu(self.norm(self.up1(x)))))


@model
def ocr_detector() -> tuple[Any, Inputs]:
    """A detector with dynamic image sizes, as PaddleOCR exports it."""
    ((name, array, _),) = image(320)
    return Detector(), [(name, array, [None, 3, None, None])]


class Recognizer(nn.Layer):
    """Convolutions, two bidirectional LSTMs, and character scores."""

    def __init__(self) -> None:
        super().__init__()
        widths = (3, 32, 64, 128, 256)
        self.convs = nn.Sequential(
            *[
                nn.Sequential(
                    conv_bn(a, b, 3, 1, nn.ReLU), nn.MaxPool2D((2, 2) if i < 2 else (2, 1))
                )
                for i, (a, b) in enumerate(zip(widths, widths[1:]))
            ]
        )
        self.squash = nn.Conv2D(256, 256, (2, 1))
        self.rnn = nn.LSTM(256, 96, 2, direction="bidirect")
        self.fc = nn.Linear(192, 97)

    def forward(self, x: Any) -> Any:
        x = self.squash(self.convs(x))
        x = x.squeeze(2).transpose([0, 2, 1])
        return F.softmax(self.fc(self.rnn(x)[0]), axis=2)


@model
def ocr_recognizer() -> tuple[Any, Inputs]:
    """CRNN on one line of text."""
    return Recognizer(), image(32, 320)


class Mixer(nn.Layer):
    """Attention over the columns of an image, as in SVTR."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads, self.norm1, self.norm2 = heads, nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.fc1, self.fc2 = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x: Any) -> Any:
        width = x.shape[2]
        qkv = (
            self.qkv(self.norm1(x))
            .reshape((0, -1, 3, self.heads, width // self.heads))
            .transpose((2, 0, 3, 1, 4))
        )
        q, k, v = qkv[0] * (width // self.heads) ** -0.5, qkv[1], qkv[2]
        attention = F.softmax(q.matmul(k.transpose((0, 1, 3, 2))), axis=-1)
        x = x + self.out(attention.matmul(v).transpose((0, 2, 1, 3)).reshape((0, -1, width)))
        return x + self.fc2(F.swish(self.fc1(self.norm2(x))))


class AttentionRecognizer(nn.Layer):
    """A text recognizer with attention instead of recurrence."""

    def __init__(self) -> None:
        super().__init__()
        self.backbone = nn.Sequential(
            conv_bn(3, 32, 3, 2),
            conv_bn(32, 64, 3, (2, 1)),
            conv_bn(64, 120, 3, (2, 1)),
            conv_bn(120, 120, 3, (2, 1)),
        )
        self.mixers = nn.Sequential(Mixer(120, 8), Mixer(120, 8))
        self.fc = nn.Linear(120, 6625)

    def forward(self, x: Any) -> Any:
        x = self.backbone(x)
        x = F.avg_pool2d(x, (x.shape[2], 1)) if x.shape[2] > 1 else x
        x = self.mixers(x.squeeze(2).transpose([0, 2, 1]))
        return F.softmax(self.fc(x), axis=2)


@model
def ocr_attentive() -> tuple[Any, Inputs]:
    """A recognizer with the dictionary of Chinese characters."""
    return AttentionRecognizer(), image(48, 320)


# ---- object detection and segmentation ----


def multiclass_nms(boxes: Any, scores: Any, counts: Any = None, **attrs: Any) -> tuple[Any, Any]:
    """Append the op multiclass_nms3, for which Paddle has no public function."""
    if paddle.__version__ >= "3":
        from paddle import _C_ops

        return _C_ops.multiclass_nms3(boxes, scores, counts, *[attrs[name] for name in NMS_ORDER])[
            ::2
        ]
    from paddle.base.layer_helper import LayerHelper

    helper = LayerHelper("multiclass_nms3", input=scores)
    outputs = {
        slot: helper.create_variable_for_type_inference(dtype=t)
        for slot, t in (("Out", "float32"), ("Index", "int32"), ("NmsRoisNum", "int32"))
    }
    inputs = {"BBoxes": boxes, "Scores": scores} | ({} if counts is None else {"RoisNum": counts})
    helper.append_op(type="multiclass_nms3", inputs=inputs, attrs=attrs, outputs=outputs)
    return outputs["Out"], outputs["NmsRoisNum"]


NMS_ORDER = (
    "score_threshold",
    "nms_top_k",
    "keep_top_k",
    "nms_threshold",
    "normalized",
    "nms_eta",
    "background_label",
)
NMS_ATTRS = {
    "background_label": -1,
    "score_threshold": 0.01,
    "nms_top_k": 400,
    "nms_threshold": 0.45,
    "keep_top_k": 100,
    "normalized": False,
    "nms_eta": 1.0,
}


class Yolo(nn.Layer):
    """YOLOv3: three heads, decoded boxes, and non-maximum suppression."""

    ANCHORS = ([116, 90, 156, 198, 373, 326], [30, 61, 62, 45, 59, 119], [10, 13, 16, 30, 33, 23])

    def __init__(self, classes: int = 20) -> None:
        super().__init__()
        self.classes = classes
        self.backbone = Stages((32, 64, 128, 256), nn.LeakyReLU)
        self.route = nn.LayerList(
            [conv_bn(256, 128, 1), conv_bn(128 + 128, 64, 1), conv_bn(64 + 64, 64, 1)]
        )
        self.heads = nn.LayerList([nn.Conv2D(w, 3 * (5 + classes), 1) for w in (128, 64, 64)])

    def forward(self, image: Any, im_shape: Any) -> tuple[Any, Any]:
        _, c3, c4, c5 = self.backbone(image)
        x, boxes, scores = c5, [], []
        for i, (route, head, skip) in enumerate(zip(self.route, self.heads, (c4, c3, None))):
            x = route(x)
            b, s = ops.yolo_box(
                head(x), im_shape, self.ANCHORS[i], self.classes, 0.005, 32 // 2**i, clip_bbox=True
            )
            boxes.append(b)
            scores.append(s.transpose([0, 2, 1]))
            if skip is not None:
                x = paddle.concat([F.interpolate(x, scale_factor=2), skip], axis=1)
        return multiclass_nms(
            paddle.concat(boxes, axis=1), paddle.concat(scores, axis=2), **NMS_ATTRS
        )


@model
def yolo() -> tuple[Any, Inputs]:
    """YOLOv3 as PaddleDetection exports it."""
    return Yolo(), [*image(320), ("im_shape", np.array([[320, 320]], "int32"), [None, 2])]


class Ssd(nn.Layer):
    """SSD: prior boxes, decoded offsets, and non-maximum suppression."""

    def __init__(self, classes: int = 21) -> None:
        super().__init__()
        self.classes = classes
        self.backbone = Stages((32, 64, 128, 256), nn.ReLU6)
        self.boxes = nn.LayerList([nn.Conv2D(w, 4 * 4, 3, padding=1) for w in (128, 256)])
        self.scores = nn.LayerList([nn.Conv2D(w, 4 * classes, 3, padding=1) for w in (128, 256)])

    def forward(self, image: Any) -> tuple[Any, Any]:
        priors, variances, offsets, scores = [], [], [], []
        for i, feature in enumerate(self.backbone(image)[2:]):
            prior, variance = ops.prior_box(
                feature, image, [60.0 * (i + 1)], [105.0 * (i + 1)], [2.0], flip=True, clip=True
            )
            priors.append(prior.reshape([-1, 4]))
            variances.append(variance.reshape([-1, 4]))
            offsets.append(self.boxes[i](feature).transpose([0, 2, 3, 1]).reshape([0, -1, 4]))
            scores.append(
                self.scores[i](feature).transpose([0, 2, 3, 1]).reshape([0, -1, self.classes])
            )
        decoded = ops.box_coder(
            paddle.concat(priors),
            paddle.concat(variances),
            paddle.concat(offsets, axis=1),
            code_type="decode_center_size",
        )
        scores = F.softmax(paddle.concat(scores, axis=1)).transpose([0, 2, 1])
        return multiclass_nms(
            decoded, scores, **(NMS_ATTRS | {"background_label": 0, "normalized": True})
        )


@model
def ssd() -> tuple[Any, Inputs]:
    """SSD as PaddleDetection exports it."""
    return Ssd(), image(300)


class Unet(nn.Layer):
    """U-Net: an encoder and a decoder with skip connections; returns the class of every pixel."""

    def __init__(self, classes: int = 19) -> None:
        super().__init__()
        widths = (3, 16, 32, 64, 128)
        self.down = nn.LayerList(
            [
                nn.Sequential(conv_bn(a, b, 3, 1, nn.ReLU), conv_bn(b, b, 3, 1, nn.ReLU))
                for a, b in zip(widths, widths[1:])
            ]
        )
        self.up = nn.LayerList(
            [conv_bn(a + b, b, 3, 1, nn.ReLU) for a, b in ((128, 64), (64, 32), (32, 16))]
        )
        self.head = nn.Conv2D(16, classes, 1)

    def forward(self, x: Any) -> Any:
        skips = []
        for i, block in enumerate(self.down):
            x = block(x if i == 0 else F.max_pool2d(x, 2))
            skips.append(x)
        for block, skip in zip(self.up, skips[-2::-1]):
            x = F.interpolate(x, skip.shape[2:], mode="bilinear", align_corners=False)
            x = block(paddle.concat([x, skip], axis=1))
        return paddle.argmax(self.head(x), axis=1)


@model
def unet() -> tuple[Any, Inputs]:
    """A U-Net with dynamic image sizes, as PaddleSeg exports it."""
    ((name, array, _),) = image(128)
    return Unet(), [(name, array, [None, 3, None, None])]
