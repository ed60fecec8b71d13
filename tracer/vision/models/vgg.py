"""VGG (Simonyan and Zisserman 2014)."""

from __future__ import annotations

from typing import Any

from ... import nn
from ...core.tensor import Tensor
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
    """VGG: `features`, then three linear layers.

    x [N, 3, H, W] -> [N, num_classes], or the output of the pool or `features` without classifier
    or pool
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
        """Compute the output of the layer; the docstring of its class describes the shapes."""
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


def _vgg(depth: int, pretrained: bool, batch_norm: bool, kwargs: dict[str, Any]) -> VGG:
    cfg: list[int | str] = []
    for count, width in zip(_DEPTHS[depth], _WIDTHS, strict=True):
        cfg += [*[width] * count, "M"]
    arch = f"vgg{depth}_bn" if batch_norm else f"vgg{depth}"
    return load_weights_if_pretrained(
        VGG(make_layers(cfg, batch_norm), **kwargs), arch, pretrained, URLS
    )


def vgg11(pretrained: bool = False, batch_norm: bool = False, **kwargs: Any) -> VGG:
    """VGG with 11 layers.

    kwargs: num_classes, with_pool
    """
    return _vgg(11, pretrained, batch_norm, kwargs)


def vgg13(pretrained: bool = False, batch_norm: bool = False, **kwargs: Any) -> VGG:
    """VGG with 13 layers.

    kwargs: num_classes, with_pool
    """
    return _vgg(13, pretrained, batch_norm, kwargs)


def vgg16(pretrained: bool = False, batch_norm: bool = False, **kwargs: Any) -> VGG:
    """VGG with 16 layers.

    kwargs: num_classes, with_pool
    """
    return _vgg(16, pretrained, batch_norm, kwargs)


def vgg19(pretrained: bool = False, batch_norm: bool = False, **kwargs: Any) -> VGG:
    """VGG with 19 layers.

    kwargs: num_classes, with_pool
    """
    return _vgg(19, pretrained, batch_norm, kwargs)
