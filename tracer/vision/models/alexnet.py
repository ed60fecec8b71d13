"""AlexNet (Krizhevsky 2014)."""

from __future__ import annotations

import math
from typing import Any, Unpack

from ... import nn
from ...core.tensor import Tensor
from ...nn import functional as F
from ..type_aliases import AlexNetOptions
from .blocks import load_weights_if_pretrained

__all__ = ["AlexNet", "alexnet"]

URLS = {
    "alexnet": (
        "https://paddle-imagenet-models-name.bj.bcebos.com/dygraph/AlexNet_pretrained.pdparams",
        "7f0f9f737132e02732d75a1459d98a43",
    )
}


def _uniform_attrs(fan_in: int) -> dict[str, Any]:
    """Return attributes that initialize weight and bias from Uniform(-1 / sqrt(fan_in), 1 /
    sqrt(fan_in)).
    """
    bound = 1.0 / math.sqrt(fan_in)
    return dict.fromkeys(("weight_attr", "bias_attr"), nn.initializer.Uniform(-bound, bound))


class ConvPoolLayer(nn.Layer):
    """Convolution, optional ReLU, 3x3 max pooling with stride 2.

    x [N, C, H, W] -> [N, M, H', W']
    """

    def __init__(
        self,
        input_channels: int,
        output_channels: int,
        filter_size: int,
        stride: int,
        padding: int,
        stdv: float,
        groups: int = 1,
        act: str | None = None,
    ) -> None:
        super().__init__()
        self.relu = nn.ReLU() if act == "relu" else None
        initializer = nn.initializer.Uniform(-stdv, stdv)
        self._conv = nn.Conv2D(
            input_channels,
            output_channels,
            filter_size,
            stride,
            padding,
            groups=groups,
            weight_attr=initializer,
            bias_attr=initializer,
        )
        self._pool = nn.MaxPool2D(3, 2, 0)

    def forward(self, inputs: Tensor) -> Tensor:
        x = self._conv(inputs)
        return self._pool(x if self.relu is None else self.relu(x))


class AlexNet(nn.Layer):
    """AlexNet: five convolutions and three linear layers (Krizhevsky 2014).

    Parameters
    ----------
    num_classes : int, default 1000
        0 or less: leave out the classifier.

    Shape
    -----
    x : [N, 3, 224, 224], float32 | float64
    returns : [N, num_classes]; without classifier [N, 256, 6, 6]

    Examples
    --------
    >>> net = paddle.vision.models.AlexNet(num_classes=0)
    >>> len(net.parameters())
    10
    """

    def __init__(self, num_classes: int = 1000) -> None:
        super().__init__()
        self.num_classes = num_classes
        self._conv1 = ConvPoolLayer(3, 64, 11, 4, 2, 1 / math.sqrt(3 * 11 * 11), act="relu")
        self._conv2 = ConvPoolLayer(64, 192, 5, 1, 2, 1 / math.sqrt(64 * 5 * 5), act="relu")
        self._conv3 = nn.Conv2D(192, 384, 3, 1, 1, **_uniform_attrs(192 * 3 * 3))
        self._conv4 = nn.Conv2D(384, 256, 3, 1, 1, **_uniform_attrs(384 * 3 * 3))
        self._conv5 = ConvPoolLayer(256, 256, 3, 1, 1, 1 / math.sqrt(256 * 3 * 3), act="relu")
        if num_classes > 0:
            attrs = _uniform_attrs(256 * 6 * 6)
            self._drop1 = nn.Dropout(0.5, mode="downscale_in_infer")
            self._fc6 = nn.Linear(256 * 6 * 6, 4096, **attrs)
            self._drop2 = nn.Dropout(0.5, mode="downscale_in_infer")
            self._fc7 = nn.Linear(4096, 4096, **attrs)
            self._fc8 = nn.Linear(4096, num_classes, **attrs)

    def forward(self, inputs: Tensor) -> Tensor:
        x = self._conv2(self._conv1(inputs))
        x = self._conv5(F.relu(self._conv4(F.relu(self._conv3(x)))))
        if self.num_classes <= 0:
            return x
        x = F.relu(self._fc6(self._drop1(x.flatten(1))))
        return self._fc8(F.relu(self._fc7(self._drop2(x))))


def alexnet(pretrained: bool = False, **kwargs: Unpack[AlexNetOptions]) -> AlexNet:
    """AlexNet for ImageNet.

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `AlexNet`: `num_classes`.

    Returns
    -------
    AlexNet

    Raises
    ------
    OarlockError
        If the weights cannot be downloaded.

    Notes
    -----
    Weights of another shape, such as those of the classifier if `num_classes` is not 1000, are
    skipped with a warning.

    Examples
    --------
    >>> net = paddle.vision.models.alexnet(num_classes=0)
    >>> net.state_dict()["_conv3.weight"].shape
    [384, 192, 3, 3]
    """
    return load_weights_if_pretrained(AlexNet(**kwargs), "alexnet", pretrained, URLS)
