"""Shared parts of the zoo: the registry of models, inputs, building blocks, and saving."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import paddle
from paddle import nn
from paddle.nn import functional as F

Inputs = list[tuple[str, Any, list[int | None]]]  # name, array, declared shape
ZOO: dict[str, Callable[[], tuple[Any, Inputs]]] = {}


def model(make: Callable[[], tuple[Any, Inputs]]) -> Callable[[], tuple[Any, Inputs]]:
    """Register a model."""
    ZOO[make.__name__] = make
    return make


def image(height: int, width: int | None = None, batch: int = 1) -> Inputs:
    """Return an image input with a dynamic batch size."""
    array = (
        np.random.default_rng(0)
        .standard_normal((batch, 3, height, width or height))
        .astype("float32")
    )
    return [("image", array, [None, 3, height, width or height])]


def tokens(length: int, batch: int = 1, vocabulary: int = 1000) -> Inputs:
    """Return an input of token ids with dynamic batch size and length."""
    array = np.random.default_rng(0).integers(1, vocabulary, (batch, length)).astype("int64")
    return [("ids", array, [None, None])]


def conv_bn(
    in_channels: int,
    out_channels: int,
    kernel: Any = 3,
    stride: Any = 1,
    act: Any = nn.Hardswish,
    groups: int = 1,
) -> Any:
    """Convolution, batch norm, activation."""
    padding = [k // 2 for k in kernel] if isinstance(kernel, tuple) else kernel // 2
    layers = [
        nn.Conv2D(
            in_channels, out_channels, kernel, stride, padding, groups=groups, bias_attr=False
        ),
        nn.BatchNorm2D(out_channels),
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
    """A small backbone that returns feature maps at strides 4, 8, 16 and 32."""

    def __init__(
        self, widths: tuple[int, ...] = (16, 32, 64, 128), act: Any = nn.Hardswish
    ) -> None:
        super().__init__()
        self.stem = conv_bn(3, widths[0], 3, 2, act)
        self.stages = nn.LayerList()
        in_channels = widths[0]
        for width in widths:
            depthwise = conv_bn(in_channels, in_channels, 3, 2, act, in_channels)
            self.stages.append(
                nn.Sequential(
                    depthwise,
                    conv_bn(in_channels, width, 1, 1, act),
                    Squeeze(width),
                    conv_bn(width, width, 3, 1, act),
                )
            )
            in_channels = width

    def forward(self, x: Any) -> list[Any]:
        x, features = self.stem(x), []
        for stage in self.stages:
            x = stage(x)
            features.append(x)
        return features


def export(name: str, folder: str) -> None:
    """Save a model and an input for it."""
    paddle.seed(0)
    net, inputs = ZOO[name]()
    net.eval()
    specs = [paddle.static.InputSpec(shape, str(array.dtype), key) for key, array, shape in inputs]
    paddle.jit.save(paddle.jit.to_static(net, input_spec=specs), f"{folder}/{name}")
    np.savez(f"{folder}/{name}.npz", **{key: array for key, array, _ in inputs})


def write_outputs(name: str, folder: str) -> None:
    """Write the outputs of Paddle Inference, computed without its graph passes."""
    suffix = ".json" if Path(f"{folder}/{name}.json").exists() else ".pdmodel"
    config = paddle.inference.Config(f"{folder}/{name}{suffix}", f"{folder}/{name}.pdiparams")
    config.disable_glog_info()
    config.disable_mkldnn()
    config.switch_ir_optim(False)
    predictor = paddle.inference.create_predictor(config)
    arrays = np.load(f"{folder}/{name}.npz")
    for key in predictor.get_input_names():
        predictor.get_input_handle(key).copy_from_cpu(arrays[key])
    predictor.run()
    outputs = [
        predictor.get_output_handle(key).copy_to_cpu() for key in predictor.get_output_names()
    ]
    np.savez(f"{folder}/{name}.out.npz", **{f"out{i}": array for i, array in enumerate(outputs)})


def main() -> None:
    """Save the selected models."""
    args = [arg for arg in sys.argv[1:] if arg != "--answers"]
    Path(args[0]).mkdir(parents=True, exist_ok=True)
    for name in ZOO:
        if len(args) < 2 or (args[1] == f"={name}" if args[1].startswith("=") else args[1] in name):
            export(name, args[0])
            if "--answers" in sys.argv:
                write_outputs(name, args[0])
            print(name, flush=True)
