"""Types of images, and of arguments of transforms and models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias, TypedDict, TypeVar

from ..core.tensor import Tensor
from ..core.type_aliases import Array

if TYPE_CHECKING:
    from PIL.Image import Image as PilImage

Image: TypeAlias = "PilImage | Array | Tensor"
ImageT = TypeVar("ImageT", bound=Image)  # a transform returns an image of the same type
Fill: TypeAlias = float | Sequence[float]  # of all channels, or one number per channel


class AlexNetOptions(TypedDict, total=False):
    """The options of the function `alexnet`."""

    num_classes: int


class ClassifierOptions(AlexNetOptions, total=False):
    """The options that functions of most models have, such as `vgg16`."""

    with_pool: bool


class DenseNetOptions(ClassifierOptions, total=False):
    """The options of functions such as `densenet121`."""

    bn_size: int
    dropout: float


class ShuffleNetOptions(ClassifierOptions, total=False):
    """The options of functions such as `shufflenet_v2_x1_0`."""

    act: str | None


class ShuffleNetSwishOptions(ClassifierOptions, total=False):
    """The options of the function `shufflenet_v2_swish`."""

    scale: float


class WideResNetOptions(ClassifierOptions, total=False):
    """The options of functions such as `wide_resnet50_2`."""

    groups: int


class ResNetOptions(WideResNetOptions, total=False):
    """The options of functions such as `resnet18`."""

    width: int
