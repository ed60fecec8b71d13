"""VGG (Simonyan and Zisserman 2014)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from ... import nn
from ...core.tensor import Tensor
from ..type_aliases import ClassifierOptions
from .blocks import load_weights_if_pretrained

__all__ = ["VGG", "vgg11", "vgg13", "vgg16", "vgg19"]

URLS = {
    "vgg16": (
        "https://paddle-hapi.bj.bcebos.com/models/vgg16.pdparams",
        "89bbffc0f87d260be9b8cdc169c991c4",
    ),
    "vgg19": (
        "https://paddle-hapi.bj.bcebos.com/models/vgg19.pdparams",
        "23b18bb13d8894f60f54e642be79a0dd",
    ),
}

# Number of convolutions and of channels of each of the five stages.
_DEPTHS = {11: (1, 1, 2, 2, 2), 13: (2, 2, 2, 2, 2), 16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}
_WIDTHS = (64, 128, 256, 512, 512)


class VGG(nn.Layer):
    """VGG: convolutions, then three linear layers (Simonyan and Zisserman 2014).

    Parameters
    ----------
    features : Layer
        The convolutions, with a result [N, 512, H', W'].
    num_classes : int, default 1000
        0 or less: leave out the classifier.
    with_pool : bool, default True
        False: leave out the average pool to 7x7.

    Shape
    -----
    x : [N, 3, H, W], float32 | float64, as `features` requires
    returns : [N, num_classes]; without classifier [N, 512, 7, 7]; without pool the result
        of `features`

    Examples
    --------
    >>> net = paddle.vision.models.VGG(nn.Conv2D(3, 512, 1), num_classes=0)
    >>> net(paddle.zeros([1, 3, 14, 14])).shape
    [1, 512, 7, 7]
    """

    def __init__(self, features: nn.Layer, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__()
        self.features = features
        self.num_classes = num_classes
        self.with_pool = with_pool
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D((7, 7))
        if num_classes > 0:
            self.classifier = nn.Sequential(
                nn.Linear(512 * 7 * 7, 4096),
                nn.ReLU(),
                nn.Dropout(),
                nn.Linear(4096, 4096),
                nn.ReLU(),
                nn.Dropout(),
                nn.Linear(4096, num_classes),
            )

    def forward(self, x: Tensor) -> Tensor:
        x = self.features(x)
        if self.with_pool:
            x = self.avgpool(x)
        return self.classifier(x.flatten(1)) if self.num_classes > 0 else x


def make_layers(cfg: list[int | str], batch_norm: bool = False) -> nn.Sequential:
    """Create a 3x3 convolution for each width in cfg and a max pool for each 'M'."""
    layers: list[nn.Layer] = []
    channels = 3
    for width in cfg:
        if isinstance(width, str):
            layers.append(nn.MaxPool2D(2, 2))
            continue
        layers.append(nn.Conv2D(channels, width, 3, padding=1))
        layers += [nn.BatchNorm2D(width), nn.ReLU()] if batch_norm else [nn.ReLU()]
        channels = width
    return nn.Sequential(*layers)


def _vgg(depth: int, pretrained: bool, batch_norm: bool, kwargs: Mapping[str, Any]) -> VGG:
    cfg: list[int | str] = []
    for count, width in zip(_DEPTHS[depth], _WIDTHS, strict=True):
        cfg += [*[width] * count, "M"]
    arch = f"vgg{depth}_bn" if batch_norm else f"vgg{depth}"
    return load_weights_if_pretrained(
        VGG(make_layers(cfg, batch_norm), **kwargs), arch, pretrained, URLS
    )


def vgg11(
    pretrained: bool = False, batch_norm: bool = False, **kwargs: Unpack[ClassifierOptions]
) -> VGG:
    """VGG with 11 layers for ImageNet (Simonyan and Zisserman 2014).

    Parameters
    ----------
    pretrained : bool, default False
        No weights are published: True raises OpError.
    batch_norm : bool, default False
        Normalize after each convolution.
    **kwargs
        Arguments of `VGG`: `num_classes`, `with_pool`.

    Returns
    -------
    VGG

    Raises
    ------
    OpError
        If `pretrained` is set.

    Examples
    --------
    >>> net = paddle.vision.models.vgg11(num_classes=0)
    >>> len(net.parameters())
    16
    """
    return _vgg(11, pretrained, batch_norm, kwargs)


def vgg13(
    pretrained: bool = False, batch_norm: bool = False, **kwargs: Unpack[ClassifierOptions]
) -> VGG:
    """VGG with 13 layers for ImageNet (Simonyan and Zisserman 2014).

    Parameters
    ----------
    pretrained : bool, default False
        No weights are published: True raises OpError.
    batch_norm : bool, default False
        Normalize after each convolution.
    **kwargs
        Arguments of `VGG`: `num_classes`, `with_pool`.

    Returns
    -------
    VGG

    Raises
    ------
    OpError
        If `pretrained` is set.

    Examples
    --------
    >>> net = paddle.vision.models.vgg13(num_classes=0)
    >>> len(net.parameters())
    20
    """
    return _vgg(13, pretrained, batch_norm, kwargs)


def vgg16(
    pretrained: bool = False, batch_norm: bool = False, **kwargs: Unpack[ClassifierOptions]
) -> VGG:
    """VGG with 16 layers for ImageNet (Simonyan and Zisserman 2014).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    batch_norm : bool, default False
        Normalize after each convolution; no weights are published for True.
    **kwargs
        Arguments of `VGG`: `num_classes`, `with_pool`.

    Returns
    -------
    VGG

    Raises
    ------
    OpError
        If `pretrained` is set and no weights are published for this model.
    OarlockError
        If the weights cannot be downloaded.

    Notes
    -----
    Weights of another shape, such as those of the classifier if `num_classes` is not 1000, are
    skipped with a warning.

    Examples
    --------
    >>> net = paddle.vision.models.vgg16(num_classes=0)
    >>> len(net.parameters())
    26
    """
    return _vgg(16, pretrained, batch_norm, kwargs)


def vgg19(
    pretrained: bool = False, batch_norm: bool = False, **kwargs: Unpack[ClassifierOptions]
) -> VGG:
    """VGG with 19 layers for ImageNet (Simonyan and Zisserman 2014).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    batch_norm : bool, default False
        Normalize after each convolution; no weights are published for True.
    **kwargs
        Arguments of `VGG`: `num_classes`, `with_pool`.

    Returns
    -------
    VGG

    Raises
    ------
    OpError
        If `pretrained` is set and no weights are published for this model.
    OarlockError
        If the weights cannot be downloaded.

    Notes
    -----
    Weights of another shape, such as those of the classifier if `num_classes` is not 1000, are
    skipped with a warning.

    Examples
    --------
    >>> net = paddle.vision.models.vgg19(num_classes=0)
    >>> len(net.parameters())
    32
    """
    return _vgg(19, pretrained, batch_norm, kwargs)
