"""The models of benchmarks/inference.py, made by real PaddlePaddle with random weights.

    $OARLOCK_PADDLE benchmarks/zoo.py FOLDER [PART OF A NAME, or =NAME] [--answers]

Writes NAME.pdmodel, NAME.pdiparams and NAME.npz with an input by its name; --answers: also
NAME.out.npz, what Paddle Inference gives. Classes of Paddle's own model zoo where it has them, else
nets built as those of PaddleOCR, PaddleDetection, PaddleSeg and PaddleNLP are: the same blocks and
the same ops behind them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import paddle
import zoo_pictures  # noqa: F401 - puts its models on the list
import zoo_text  # noqa: F401
from paddle import nn
from paddle.vision import models
from zoo_parts import ZOO, Inputs, image, main, model

# ---- pictures: Paddle's own classes ----


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


if __name__ == "__main__":
    main()
