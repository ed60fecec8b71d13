"""Types of arguments that layers accept in several forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from ..core.tensor import Tensor
from .initializer import Initializer
from .param_attr import ParamAttr

if TYPE_CHECKING:
    from .layer import Layer

ParamAttrLike: TypeAlias = ParamAttr | Initializer | str | bool
Ints: TypeAlias = int | Sequence[int]  # one number for all axes, or one per axis
Padding: TypeAlias = str | int | Sequence[int] | Sequence[Sequence[int]]
OutputSize: TypeAlias = (
    "int | Tensor | Sequence[int | Tensor | None]"  # None: the size of the input
)
# Layers, and classes of layers, that keep their dtype.
ExcludedLayers: TypeAlias = (
    "Layer | type[Layer] | list[Layer | type[Layer]] | tuple[Layer | type[Layer], ...] | None"
)
LayerT = TypeVar("LayerT", bound="Layer")
SublayerT = TypeVar("SublayerT", bound="Callable[..., Any] | None")  # usually a layer
# A layer, or its name and the layer.
SequentialItem: TypeAlias = "Callable[..., Any] | tuple[str | int, Callable[..., Any]]"
