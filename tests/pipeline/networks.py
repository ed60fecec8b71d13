"""Model directories with networks whose weights are constructed, so that their results are known.

python -m tests.pipeline.networks FOLDER writes them; make_golden.py runs them in PaddleX.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import oarlock as paddle
from oarlock import nn

CHARACTERS = [*"abcdefghijklmnopqrstuvwxyz0123456789'\"#:é中"]
LABELS = ["cat", "dog", "horse", "image", "no", "on"]
HPI = {
    "backend_configs": {
        "tensorrt": {"dynamic_shapes": {"x": [[1, 3, 32, 32], [1, 3, 64, 64], [1, 3, 960, 960]]}},
        "paddle_infer": {"trt_dynamic_shapes": {"x": [[1, 3, 8, 8]] * 3}},
    }
}
NORMALIZE = {
    "NormalizeImage": {
        "mean": [0.485, 0.456, 0.406],
        "std": [0.229, 0.224, 0.225],
        "scale": "1./255.",
        "order": "hwc",
    }
}


def set_weight(layer: Any, weight: Any, bias: Any) -> Any:
    layer.weight.set_value(np.asarray(weight, np.float32).reshape(layer.weight.shape))
    layer.bias.set_value(np.asarray(bias, np.float32).reshape(layer.bias.shape))
    return layer


class DarknessMap(nn.Layer):
    """A probability of text per pixel: how dark its surroundings are."""

    def __init__(self) -> None:
        super().__init__()
        self.blur = set_weight(
            nn.Conv2D(3, 1, (7, 9), padding=(3, 4)), np.full((1, 3, 7, 9), -1 / (3 * 63)), [0.0]
        )

    def forward(self, x: Any) -> Any:
        return nn.functional.sigmoid(4.0 * self.blur(x) + 7.0)


class DarknessText(nn.Layer):
    """One character per 8 columns: the darker, the later in the dictionary."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.pool = nn.AvgPool2D((48, 8), (48, 8))
        number = np.arange(classes, dtype=np.float32)
        # The character c with the smallest (d - c)^2 has the largest 2 d c - c^2.
        scale = -0.5 * classes
        self.score = set_weight(
            nn.Conv2D(3, classes, 1),
            np.repeat(2 * number[:, None] * scale / 3, 3, 1),
            2 * number * 0.5 * classes - number**2,
        )

    def forward(self, x: Any) -> Any:
        score = self.score(self.pool(x)).squeeze(2).transpose([0, 2, 1])
        return nn.functional.softmax(2.0 * score, -1)


class Classifier(nn.Layer):
    """Scores of classes from a coarse image."""

    def __init__(self, activation: Any) -> None:
        super().__init__()
        rng = np.random.default_rng(1)
        self.pool, self.activation = nn.AdaptiveAvgPool2D(4), activation
        self.linear = set_weight(
            nn.Linear(48, len(LABELS)), rng.normal(size=(48, len(LABELS))), np.zeros(len(LABELS))
        )

    def forward(self, x: Any) -> Any:
        return self.activation(self.linear(self.pool(x).flatten(1)))


BOXES = np.array(
    [
        [0, 0.9, 4, 5, 60, 40],
        [0, 0.8, 6, 5, 62, 42],
        [1, 0.7, 5, 5, 61, 41],
        [3, 0.95, -3, -3, 900, 900],
        [2, 0.3, 10, 10, 20, 20],
        [4, 0.6, 30, 20, 30, 50],
        [5, 0.55, 70.5, 3.25, 95.75, 63.5],
        [-1, 0.99, 1, 1, 9, 9],
    ],
    np.float32,
)


class Detector(nn.Layer):
    """Boxes at fixed positions of the network's input, in PaddleDetection's output format."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("boxes", paddle.to_tensor(BOXES))

    def forward(self, im_shape: Any, image: Any, scale_factor: Any) -> Any:
        scale = paddle.concat([paddle.ones([1, 2]), scale_factor.flip(1), scale_factor.flip(1)], 1)
        shift = 0 * image.mean() + 0 * im_shape.mean()
        return self.boxes / scale + shift, paddle.full([1], len(BOXES), "int32")


def text_detection(**post: Any) -> dict[str, Any]:
    return {
        "Global": {"model_name": "PP-OCRv5_mobile_det"},
        "Hpi": HPI,
        "PreProcess": {
            "transform_ops": [
                {"DecodeImage": {"channel_first": False, "img_mode": "BGR"}},
                {"DetLabelEncode": None},
                {"DetResizeForTest": {"resize_long": 960}},
                NORMALIZE,
                {"ToCHWImage": None},
                {"KeepKeys": {"keep_keys": ["image", "shape", "polys", "ignore_tags"]}},
            ]
        },
        "PostProcess": {
            "name": "DBPostProcess",
            "thresh": 0.3,
            "box_thresh": 0.6,
            "max_candidates": 1000,
            "unclip_ratio": 1.5,
            **post,
        },
    }


def text_recognition() -> dict[str, Any]:
    return {
        "Global": {"model_name": "PP-OCRv5_mobile_rec"},
        "PreProcess": {
            "transform_ops": [
                {"DecodeImage": {"channel_first": False, "img_mode": "BGR"}},
                {"MultiLabelEncode": {"gtc_encode": "NRTRLabelEncode"}},
                {"RecResizeImg": {"image_shape": [3, 48, 320]}},
                {"KeepKeys": {"keep_keys": ["image", "label_ctc"]}},
            ]
        },
        "PostProcess": {"name": "CTCLabelDecode", "character_dict": CHARACTERS},
    }


def classification() -> dict[str, Any]:
    return {
        "Global": {"model_name": "PP-LCNet_x1_0"},
        "PreProcess": {
            "transform_ops": [
                {"ResizeImage": {"resize_short": 36}},
                {"CropImage": {"size": 32}},
                {
                    "NormalizeImage": {
                        "channel_num": 3,
                        "mean": [0.485, 0.456, 0.406],
                        "order": "",
                        "scale": 0.00392156862745098,
                        "std": [0.229, 0.224, 0.225],
                    }
                },
                {"ToCHWImage": None},
            ]
        },
        "PostProcess": {"Topk": {"topk": 3, "label_list": LABELS}},
    }


def multilabel() -> dict[str, Any]:
    settings = classification()
    settings["Global"]["model_name"] = "PP-LCNet_x1_0_ML"
    settings["PreProcess"]["transform_ops"][:2] = [{"ResizeImage": {"size": [36, 32]}}]
    settings["PostProcess"] = {"MultiLabelThreshOutput": {"threshold": 0.5, "label_list": LABELS}}
    return settings


def detection() -> dict[str, Any]:
    return {
        "Global": {"model_name": "YOLOv3-DarkNet53"},
        "mode": "paddle",
        "draw_threshold": 0.5,
        "metric": "COCO",
        "use_dynamic_shape": False,
        "arch": "YOLO",
        "Preprocess": [
            {"interp": 2, "keep_ratio": False, "target_size": [64, 96], "type": "Resize"},
            {
                "mean": [0.0, 0.0, 0.0],
                "norm_type": "none",
                "std": [1.0, 1.0, 1.0],
                "type": "NormalizeImage",
            },
            {"type": "Permute"},
        ],
        "label_list": LABELS,
    }


def image_spec(name: str, height: int | None, width: int | None) -> Any:
    return paddle.static.InputSpec([None, 3, height, width], "float32", name)


def softmax(x: Any) -> Any:
    return nn.functional.softmax(x, -1)


DIRECTORIES: dict[str, Any] = {
    "det": (DarknessMap, text_detection, [("x", None, None)]),
    "rec": (lambda: DarknessText(len(CHARACTERS) + 2), text_recognition, [("x", 48, None)]),
    "cls": (lambda: Classifier(softmax), classification, [("x", 32, 32)]),
    "multilabel": (lambda: Classifier(nn.functional.sigmoid), multilabel, [("x", 32, 36)]),
    "detector": (Detector, detection, None),
}


def write_directory(folder: Path, name: str, settings: dict[str, Any] | None = None) -> Path:
    """Write the model directory `name` of `DIRECTORIES`; settings: of another inference.yml"""
    make, make_settings, inputs = DIRECTORIES[name]
    net = make()
    net.eval()
    specs = (
        [image_spec(*spec) for spec in inputs]
        if inputs
        else [
            paddle.static.InputSpec([1, 2], "float32", "im_shape"),
            paddle.static.InputSpec([1, 3, 64, 96], "float32", "image"),
            paddle.static.InputSpec([1, 2], "float32", "scale_factor"),
        ]
    )
    paddle.jit.save(net, str(folder / name / "inference"), input_spec=specs, format="paddle3")
    # JSON is YAML; yaml.dump of PaddleX writes the same data.
    text = json.dumps(make_settings() if settings is None else settings)
    (folder / name / "inference.yml").write_text(text)
    return folder / name


if __name__ == "__main__":
    for directory in DIRECTORIES:
        write_directory(Path(sys.argv[1]), directory)
