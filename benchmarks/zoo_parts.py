"""What the models of the zoo share: the list, their inputs, blocks, and how they are written."""

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
    """Put a model on the list."""
    ZOO[make.__name__] = make
    return make


def image(height: int, width: int | None = None, batch: int = 1) -> Inputs:
    """One picture whose batch is open."""
    array = (
        np.random.default_rng(0)
        .standard_normal((batch, 3, height, width or height))
        .astype("float32")
    )
    return [("image", array, [None, 3, height, width or height])]


def tokens(length: int, batch: int = 1, vocabulary: int = 1000) -> Inputs:
    """Numbers of words; batch and length are open."""
    array = np.random.default_rng(0).integers(1, vocabulary, (batch, length)).astype("int64")
    return [("ids", array, [None, None])]


def conv_bn(
    inner: int,
    outer: int,
    kernel: int = 3,
    stride: int = 1,
    act: Any = nn.Hardswish,
    groups: int = 1,
) -> Any:
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

    def __init__(
        self, widths: tuple[int, ...] = (16, 32, 64, 128), act: Any = nn.Hardswish
    ) -> None:
        super().__init__()
        self.stem = conv_bn(3, widths[0], 3, 2, act)
        self.stages = nn.LayerList()
        inner = widths[0]
        for width in widths:
            depthwise = conv_bn(inner, inner, 3, 2, act, inner)
            self.stages.append(
                nn.Sequential(
                    depthwise,
                    conv_bn(inner, width, 1, 1, act),
                    Squeeze(width),
                    conv_bn(width, width, 3, 1, act),
                )
            )
            inner = width

    def forward(self, x: Any) -> list[Any]:
        x, found = self.stem(x), []
        for stage in self.stages:
            x = stage(x)
            found.append(x)
        return found


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
        if len(words) < 2 or (
            words[1] == f"={chosen}" if words[1].startswith("=") else words[1] in chosen
        ):
            export(chosen, words[0])
            if "--answers" in sys.argv:
                answer(chosen, words[0])
            print(chosen, flush=True)
