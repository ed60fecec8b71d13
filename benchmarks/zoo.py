"""The models of benchmarks/inference.py, made by real PaddlePaddle with random weights.

    $OARLOCK_PADDLE benchmarks/zoo.py FOLDER [PART OF A NAME, or =NAME] [--answers]

Writes NAME.pdmodel, NAME.pdiparams and NAME.npz with an input by its name; --answers: also NAME.out.npz, what Paddle Inference gives.
Classes of Paddle's own model zoo where it has them, else nets built as those of PaddleOCR, PaddleDetection, PaddleSeg and PaddleNLP
are: the same blocks and the same ops behind them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import paddle
from paddle import nn
from paddle.nn import functional as F
from paddle.vision import models, ops

Inputs = list[tuple[str, Any, list[int | None]]]  # name, array, declared shape
ZOO: dict[str, Callable[[], tuple[Any, Inputs]]] = {}


def model(make: Callable[[], tuple[Any, Inputs]]) -> Callable[[], tuple[Any, Inputs]]:
    """Put a model on the list."""
    ZOO[make.__name__] = make
    return make


def image(height: int, width: int | None = None, batch: int = 1) -> Inputs:
    """One picture whose batch is open."""
    array = np.random.default_rng(0).standard_normal((batch, 3, height, width or height)).astype("float32")
    return [("image", array, [None, 3, height, width or height])]


def tokens(length: int, batch: int = 1, vocabulary: int = 1000) -> Inputs:
    """Numbers of words; batch and length are open."""
    array = np.random.default_rng(0).integers(1, vocabulary, (batch, length)).astype("int64")
    return [("ids", array, [None, None])]


# ---- pictures: Paddle's own classes ----


def _classifier(make: Callable[..., Any], size: int = 224) -> Callable[[], tuple[Any, Inputs]]:
    return lambda: (make(pretrained=False), image(size))


for _make in (
    models.resnet18, models.resnet50, models.resnext50_32x4d, models.mobilenet_v1, models.mobilenet_v2, models.mobilenet_v3_small,
    models.mobilenet_v3_large, models.shufflenet_v2_x1_0, models.squeezenet1_1, models.densenet121, models.googlenet,
):  # fmt: skip
    ZOO[_make.__name__] = _classifier(_make)
ZOO["inception_v3"] = _classifier(models.inception_v3, 299)
ZOO["lenet"] = lambda: (
    models.LeNet(),
    [("image", np.random.default_rng(0).standard_normal((1, 1, 28, 28)).astype("float32"), [None, 1, 28, 28])],
)


def conv_bn(inner: int, outer: int, kernel: int = 3, stride: int = 1, act: Any = nn.Hardswish, groups: int = 1) -> Any:
    """Convolution, batch norm, activation."""
    layers = [
        nn.Conv2D(inner, outer, kernel, stride, kernel // 2, groups=groups, bias_attr=False),
        nn.BatchNorm2D(outer),
    ]
    return nn.Sequential(*layers, *([act()] if act else []))


class Squeeze(nn.Layer):
    """Squeeze and excitation."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2D(1)
        self.down, self.up = nn.Conv2D(width, width // 4, 1), nn.Conv2D(width // 4, width, 1)

    def forward(self, x: Any) -> Any:
        return x * F.hardsigmoid(self.up(F.relu(self.down(self.pool(x)))), slope=0.2, offset=0.5)


class Stages(nn.Layer):
    """A small backbone: its feature maps at strides 4, 8, 16 and 32."""

    def __init__(self, widths: tuple[int, ...] = (16, 32, 64, 128), act: Any = nn.Hardswish) -> None:
        super().__init__()
        self.stem = conv_bn(3, widths[0], 3, 2, act)
        self.stages = nn.LayerList()
        inner = widths[0]
        for width in widths:
            depthwise = conv_bn(inner, inner, 3, 2, act, inner)
            self.stages.append(
                nn.Sequential(
                    depthwise, conv_bn(inner, width, 1, 1, act), Squeeze(width), conv_bn(width, width, 3, 1, act)
                )
            )
            inner = width

    def forward(self, x: Any) -> list[Any]:
        x, found = self.stem(x), []
        for stage in self.stages:
            x = stage(x)
            found.append(x)
        return found


# ---- text in pictures ----


class Detector(nn.Layer):
    """A text detector with differentiable binarisation: feature pyramid, probability map."""

    def __init__(self) -> None:
        super().__init__()
        self.backbone = Stages()
        self.lateral = nn.LayerList([nn.Conv2D(w, 64, 1, bias_attr=False) for w in (16, 32, 64, 128)])
        self.smooth = nn.LayerList([nn.Conv2D(64, 16, 3, padding=1, bias_attr=False) for _ in range(4)])
        self.head = conv_bn(64, 16, 3, 1, nn.ReLU)
        self.up1, self.up2 = nn.Conv2DTranspose(16, 16, 2, 2), nn.Conv2DTranspose(16, 1, 2, 2)
        self.norm = nn.BatchNorm2D(16)

    def forward(self, x: Any) -> Any:
        maps = [lateral(m) for lateral, m in zip(self.lateral, self.backbone(x))]
        for i in (2, 1, 0):
            maps[i] = maps[i] + F.upsample(maps[i + 1], scale_factor=2, mode="nearest", align_mode=1)
        outs = [smooth(m) for smooth, m in zip(self.smooth, maps)]
        outs = [
            outs[0],
            *[F.upsample(o, scale_factor=2 ** (i + 1), mode="nearest", align_mode=1) for i, o in enumerate(outs[1:])],
        ]
        x = self.head(paddle.concat(outs[::-1], axis=1))
        return F.sigmoid(self.up2(F.relu(self.norm(self.up1(x)))))


@model
def ocr_detector() -> tuple[Any, Inputs]:
    """Open sizes, as PaddleOCR exports it."""
    ((name, array, _),) = image(320)
    return Detector(), [(name, array, [None, 3, None, None])]


class Recognizer(nn.Layer):
    """Convolutions, two bidirectional LSTMs, scores of letters."""

    def __init__(self) -> None:
        super().__init__()
        widths = (3, 32, 64, 128, 256)
        self.convs = nn.Sequential(
            *[
                nn.Sequential(conv_bn(a, b, 3, 1, nn.ReLU), nn.MaxPool2D((2, 2) if i < 2 else (2, 1)))
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
    """Attention over the columns of a picture, as in SVTR."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads, self.norm1, self.norm2 = heads, nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.fc1, self.fc2 = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x: Any) -> Any:
        width = x.shape[2]
        qkv = self.qkv(self.norm1(x)).reshape((0, -1, 3, self.heads, width // self.heads)).transpose((2, 0, 3, 1, 4))
        q, k, v = qkv[0] * (width // self.heads) ** -0.5, qkv[1], qkv[2]
        attention = F.softmax(q.matmul(k.transpose((0, 1, 3, 2))), axis=-1)
        x = x + self.out(attention.matmul(v).transpose((0, 2, 1, 3)).reshape((0, -1, width)))
        return x + self.fc2(F.swish(self.fc1(self.norm2(x))))


class Attentive(nn.Layer):
    """A recogniser without recurrence."""

    def __init__(self) -> None:
        super().__init__()
        self.backbone = nn.Sequential(
            conv_bn(3, 32, 3, 2), conv_bn(32, 64, 3, (2, 1)), conv_bn(64, 120, 3, (2, 1)), conv_bn(120, 120, 3, (2, 1))
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
    """With the dictionary of Chinese letters."""
    return Attentive(), image(48, 320)


# ---- things in pictures ----


def many_kept(boxes: Any, scores: Any, counts: Any = None, **attrs: Any) -> tuple[Any, Any]:
    """multiclass_nms3, for which 2.6 has no function."""
    from paddle.base.layer_helper import LayerHelper

    helper = LayerHelper("multiclass_nms3", input=scores)
    made = {
        slot: helper.create_variable_for_type_inference(dtype=t)
        for slot, t in (("Out", "float32"), ("Index", "int32"), ("NmsRoisNum", "int32"))
    }
    inputs = {"BBoxes": boxes, "Scores": scores} | ({} if counts is None else {"RoisNum": counts})
    helper.append_op(type="multiclass_nms3", inputs=inputs, attrs=attrs, outputs=made)
    return made["Out"], made["NmsRoisNum"]


KEPT = {
    "background_label": -1,
    "score_threshold": 0.01,
    "nms_top_k": 400,
    "nms_threshold": 0.45,
    "keep_top_k": 100,
    "normalized": False,
    "nms_eta": 1.0,
}


class Yolo(nn.Layer):
    """Three heads, boxes, non-maximum suppression."""

    ANCHORS = ([116, 90, 156, 198, 373, 326], [30, 61, 62, 45, 59, 119], [10, 13, 16, 30, 33, 23])

    def __init__(self, classes: int = 20) -> None:
        super().__init__()
        self.classes = classes
        self.backbone = Stages((32, 64, 128, 256), nn.LeakyReLU)
        self.route = nn.LayerList([conv_bn(256, 128, 1), conv_bn(128 + 128, 64, 1), conv_bn(64 + 64, 64, 1)])
        self.heads = nn.LayerList([nn.Conv2D(w, 3 * (5 + classes), 1) for w in (128, 64, 64)])

    def forward(self, image: Any, im_shape: Any) -> tuple[Any, Any]:
        _, c3, c4, c5 = self.backbone(image)
        x, boxes, scores = c5, [], []
        for i, (route, head, skip) in enumerate(zip(self.route, self.heads, (c4, c3, None))):
            x = route(x)
            b, s = ops.yolo_box(head(x), im_shape, self.ANCHORS[i], self.classes, 0.005, 32 // 2**i, clip_bbox=True)
            boxes.append(b)
            scores.append(s.transpose([0, 2, 1]))
            if skip is not None:
                x = paddle.concat([F.interpolate(x, scale_factor=2), skip], axis=1)
        return many_kept(paddle.concat(boxes, axis=1), paddle.concat(scores, axis=2), **KEPT)


@model
def yolo() -> tuple[Any, Inputs]:
    """As PaddleDetection exports YOLOv3."""
    return Yolo(), [*image(320), ("im_shape", np.array([[320, 320]], "int32"), [None, 2])]


class Ssd(nn.Layer):
    """Prior boxes, decoded offsets, non-maximum suppression."""

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
            scores.append(self.scores[i](feature).transpose([0, 2, 3, 1]).reshape([0, -1, self.classes]))
        decoded = ops.box_coder(
            paddle.concat(priors),
            paddle.concat(variances),
            paddle.concat(offsets, axis=1),
            code_type="decode_center_size",
        )
        scores = F.softmax(paddle.concat(scores, axis=1)).transpose([0, 2, 1])
        return many_kept(decoded, scores, **(KEPT | {"background_label": 0, "normalized": True}))


@model
def ssd() -> tuple[Any, Inputs]:
    """As PaddleDetection exports SSD."""
    return Ssd(), image(300)


class Unet(nn.Layer):
    """Down, up, and the class of every pixel."""

    def __init__(self, classes: int = 19) -> None:
        super().__init__()
        widths = (3, 16, 32, 64, 128)
        self.down = nn.LayerList(
            [
                nn.Sequential(conv_bn(a, b, 3, 1, nn.ReLU), conv_bn(b, b, 3, 1, nn.ReLU))
                for a, b in zip(widths, widths[1:])
            ]
        )
        self.up = nn.LayerList([conv_bn(a + b, b, 3, 1, nn.ReLU) for a, b in ((128, 64), (64, 32), (32, 16))])
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
    """Open sizes, as PaddleSeg exports it."""
    ((name, array, _),) = image(128)
    return Unet(), [(name, array, [None, 3, None, None])]


# ---- text ----


class Encoder(nn.Layer):
    """Embeddings, encoder layers, a class: BERT and ERNIE in small."""

    def __init__(self, width: int, heads: int, layers: int, vocabulary: int = 1000) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(vocabulary, width, padding_idx=0), nn.Embedding(512, width)
        self.norm = nn.LayerNorm(width)
        self.layers = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(width, heads, 4 * width, activation="gelu"), layers
        )
        self.pool, self.fc = nn.Linear(width, width), nn.Linear(width, 2)

    def forward(self, ids: Any) -> Any:
        mask = (ids == 0).astype("float32").unsqueeze([1, 2]) * -1e4
        places = paddle.cumsum(paddle.ones_like(ids), axis=-1) - 1
        x = self.layers(self.norm(self.words(ids) + self.places(places)), mask)
        return self.fc(paddle.tanh(self.pool(x[:, 0])))


@model
def bert_small() -> tuple[Any, Inputs]:
    """Four layers of 256."""
    return Encoder(256, 4, 4), tokens(64)


@model
def bert_base() -> tuple[Any, Inputs]:
    """Twelve layers of 768."""
    return Encoder(768, 12, 12), tokens(64)


class LstmClassifier(nn.Layer):
    """Sequences of different lengths."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.rnn, self.fc = (
            nn.Embedding(1000, 128),
            nn.LSTM(128, 128, direction="bidirect"),
            nn.Linear(256, 2),
        )

    def forward(self, ids: Any, lengths: Any) -> Any:
        _, (h, _) = self.rnn(self.words(ids), sequence_length=lengths)
        return F.softmax(self.fc(paddle.concat([h[0], h[1]], axis=-1)))


@model
def lstm_classifier() -> tuple[Any, Inputs]:
    """As PaddleNLP's sentiment models."""
    return LstmClassifier(), [*tokens(40, 4), ("lengths", np.array([40, 12, 33, 7], "int64"), [None])]


class GruTagger(nn.Layer):
    """A tag for each word."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.rnn, self.fc = (
            nn.Embedding(1000, 128),
            nn.GRU(128, 128, 2, direction="bidirect"),
            nn.Linear(256, 20),
        )

    def forward(self, ids: Any) -> Any:
        return paddle.argmax(self.fc(self.rnn(self.words(ids))[0]), axis=-1)


@model
def gru_tagger() -> tuple[Any, Inputs]:
    """As PaddleNLP's lexical analysis, without its last step."""
    return GruTagger(), tokens(40, 4)


class TextCnn(nn.Layer):
    """Convolutions of three widths over words."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(1000, 128)
        self.convs = nn.LayerList([nn.Conv2D(1, 64, (size, 128)) for size in (3, 4, 5)])
        self.fc = nn.Linear(192, 2)

    def forward(self, ids: Any) -> Any:
        x = self.words(ids).unsqueeze(1)
        return self.fc(paddle.concat([F.relu(conv(x)).squeeze(3).max(axis=2) for conv in self.convs], axis=1))


@model
def textcnn() -> tuple[Any, Inputs]:
    """Sentences."""
    return TextCnn(), tokens(64, 4)


# ---- eight bits ----


def simulated(net: Any, shape: list[int], activations: bool) -> Any:
    """A net trained with simulated quantisation of its weights, and of activations."""
    from paddle.quantization import QAT, QuantConfig
    from paddle.quantization.quanters import FakeQuanterWithAbsMaxObserver

    quanter = FakeQuanterWithAbsMaxObserver(moving_rate=0.9)
    aware = QAT(QuantConfig(activation=quanter if activations else None, weight=quanter))
    net = aware.quantize(net)
    for _ in range(3):
        net(paddle.randn(shape))
    net.eval()
    return aware.convert(net)


@model
def quantised() -> tuple[Any, Inputs]:
    """LeNet in eight bits."""
    return simulated(models.LeNet(), [8, 1, 28, 28], activations=True), ZOO["lenet"]()[1]


@model
def quantised_weights() -> tuple[Any, Inputs]:
    """Linear layers of which only the weights are in eight bits."""
    net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 5))
    return simulated(net, [4, 64], activations=False), [
        ("x", np.random.default_rng(3).standard_normal((5, 64)).astype("float32"), [None, 64])
    ]


# ---- control flow ----


class Greedy(nn.Layer):
    """A decoder that runs until it says stop, or for 20 steps."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.cell, self.fc = nn.Embedding(100, 64), nn.GRUCell(64, 64), nn.Linear(64, 100)

    def forward(self, state: Any) -> Any:
        word = paddle.zeros([1], "int64")
        said = paddle.zeros([1, 1], "int64")
        step = paddle.zeros([1], "int64")
        going = paddle.ones([1], "bool")
        while going:
            _, state = self.cell(self.words(word), state)
            word = paddle.argmax(self.fc(state), axis=-1)
            said = paddle.concat([said, word.unsqueeze(0)], axis=1)
            step = step + 1
            going = paddle.logical_and(step < 20, word != -1)
        return said


@model
def greedy_decoder() -> tuple[Any, Inputs]:
    """A while loop whose value grows."""
    return Greedy(), [("state", np.random.default_rng(0).standard_normal((1, 64)).astype("float32"), [1, 64])]


class Branches(nn.Layer):
    """One of two nets, by what the input holds."""

    def __init__(self) -> None:
        super().__init__()
        self.large = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 64))
        self.small = nn.Linear(64, 64)

    def forward(self, x: Any) -> Any:
        if x.mean() > 0:
            y = self.large(x)
        else:
            y = self.small(x)
        return F.softmax(y)


@model
def branches() -> tuple[Any, Inputs]:
    """An if on a value."""
    return Branches(), [("x", np.random.default_rng(0).random((8, 64)).astype("float32"), [None, 64])]


def export(name: str, folder: str) -> None:
    """Write a model and an input for it."""
    paddle.seed(0)
    made, inputs = ZOO[name]()
    made.eval()
    specs = [paddle.static.InputSpec(shape, str(array.dtype), key) for key, array, shape in inputs]
    paddle.jit.save(paddle.jit.to_static(made, input_spec=specs), f"{folder}/{name}")
    np.savez(f"{folder}/{name}.npz", **{key: array for key, array, _ in inputs})


def answer(name: str, folder: str) -> None:
    """Write what Paddle Inference gives, without its graph passes."""
    config = paddle.inference.Config(f"{folder}/{name}.pdmodel", f"{folder}/{name}.pdiparams")
    config.disable_glog_info()
    config.disable_mkldnn()
    config.switch_ir_optim(False)
    predictor = paddle.inference.create_predictor(config)
    given = np.load(f"{folder}/{name}.npz")
    for key in predictor.get_input_names():
        predictor.get_input_handle(key).copy_from_cpu(given[key])
    predictor.run()
    found = [predictor.get_output_handle(key).copy_to_cpu() for key in predictor.get_output_names()]
    np.savez(f"{folder}/{name}.out.npz", **{f"out{i}": array for i, array in enumerate(found)})


def main() -> None:
    """Write what is asked for."""
    words = [word for word in sys.argv[1:] if word != "--answers"]
    Path(words[0]).mkdir(parents=True, exist_ok=True)
    for chosen in ZOO:
        if len(words) < 2 or (words[1] == f"={chosen}" if words[1].startswith("=") else words[1] in chosen):
            export(chosen, words[0])
            if "--answers" in sys.argv:
                answer(chosen, words[0])
            print(chosen, flush=True)


if __name__ == "__main__":
    main()
