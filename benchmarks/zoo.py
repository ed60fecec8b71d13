"""The models of benchmarks/inference.py, saved by real PaddlePaddle with random weights.

    $OARLOCK_PADDLE benchmarks/zoo.py FOLDER [PART OF A NAME, or =NAME] [--answers]

Writes NAME.pdmodel, NAME.pdiparams and NAME.npz (the inputs by name); --answers: also NAME.out.npz,
the outputs of Paddle Inference. The models are classes of paddle.vision, or small networks with the
same blocks and ops as those of PaddleOCR, PaddleDetection, PaddleSeg and PaddleNLP.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import paddle
import zoo_text  # noqa: F401 - registers its models
import zoo_vision  # noqa: F401
from paddle import nn
from paddle.vision import models
from zoo_parts import ZOO, Inputs, image, main, model

# ---- image classifiers of paddle.vision ----


def _classifier(make: Callable[..., Any], size: int = 224) -> Callable[[], tuple[Any, Inputs]]:
    return lambda: (make(pretrained=False), image(size))


for _make in (
    models.resnet18,
    models.resnet50,
    models.resnext50_32x4d,
    models.mobilenet_v1,
    models.mobilenet_v2,
    models.mobilenet_v3_small,
    models.mobilenet_v3_large,
    models.shufflenet_v2_x1_0,
    models.squeezenet1_1,
    models.densenet121,
    models.googlenet,
):
    ZOO[_make.__name__] = _classifier(_make)
ZOO["inception_v3"] = _classifier(models.inception_v3, 299)
ZOO["lenet"] = lambda: (
    models.LeNet(),
    [
        (
            "image",
            np.random.default_rng(0).standard_normal((1, 1, 28, 28)).astype("float32"),
            [None, 1, 28, 28],
        )
    ],
)


# ---- 8-bit quantization ----


def quantize(net: Any, shape: list[int], activations: bool) -> Any:
    """Return the network after a few steps of quantization-aware training."""
    from paddle.quantization import QAT, QuantConfig
    from paddle.quantization.quanters import FakeQuanterWithAbsMaxObserver

    quanter = FakeQuanterWithAbsMaxObserver(moving_rate=0.9)
    qat = QAT(QuantConfig(activation=quanter if activations else None, weight=quanter))
    net = qat.quantize(net)
    for _ in range(3):
        net(paddle.randn(shape))
    net.eval()
    return qat.convert(net)


@model
def quantized() -> tuple[Any, Inputs]:
    """LeNet with 8-bit weights and activations."""
    return quantize(models.LeNet(), [8, 1, 28, 28], activations=True), ZOO["lenet"]()[1]


@model
def quantized_weights() -> tuple[Any, Inputs]:
    """Linear layers with 8-bit weights."""
    net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 5))
    return quantize(net, [4, 64], activations=False), [
        ("x", np.random.default_rng(3).standard_normal((5, 64)).astype("float32"), [None, 64])
    ]


if __name__ == "__main__":
    main()
