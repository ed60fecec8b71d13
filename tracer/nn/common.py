"""Layers without spatial structure: linear maps, embeddings, dropout, shapes."""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor
from ..tensor.manipulation import flatten
from . import functional as F
from .layer import Layer

__all__ = ["CosineSimilarity", "Dropout", "Dropout2D", "Embedding", "Flatten", "Identity", "Linear", "Pad2D"]


class Identity(Layer):
    """Gives back what it gets.   x [*] -> [*]"""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """See the class."""
        return input


class Linear(Layer):
    """x @ weight + bias.   x [*, in_features], weight [in_features, out_features], bias [out_features] -> [*, out_features]"""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        weight_attr: Any = None,
        bias_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.weight: Any = self.create_parameter([in_features, out_features], weight_attr)
        self.bias: Any = self.create_parameter([out_features], bias_attr, is_bias=True)
        self.name = name

    def forward(self, input: Tensor) -> Tensor:
        """See the class."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Sizes and dtype."""
        rows, columns = self.weight.meta.shape
        return f"in_features={rows}, out_features={columns}, dtype={self._dtype.name}"


class Embedding(Layer):
    """Rows of a table.   x int [*], weight [num_embeddings, embedding_dim] -> [*, embedding_dim]"""

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, sparse: bool = False, weight_attr: Any = None,
        name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._padding_idx = padding_idx
        self.weight: Any = self.create_parameter([num_embeddings, embedding_dim], weight_attr)
        if padding_idx is not None:
            table: Any = self.weight.array
            table[padding_idx] = 0.0

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        return F.embedding(x, self.weight, self._padding_idx)

    def extra_repr(self) -> str:
        """Sizes."""
        rows, columns = self.weight.meta.shape
        return f"{rows}, {columns}, padding_idx={self._padding_idx}, sparse=False"


class Dropout(Layer):
    """In training each element becomes 0 with probability p; see functional.dropout.   x [*] -> [*]"""

    def __init__(
        self, p: float = 0.5, axis: Any = None, mode: str = "upscale_in_train", name: str | None = None
    ) -> None:
        super().__init__()
        self.p = p
        self.axis = axis
        self.mode = mode

    def forward(self, input: Tensor) -> Tensor:
        """See the class."""
        return F.dropout(input, self.p, self.axis, self.training, self.mode)

    def extra_repr(self) -> str:
        """Settings."""
        return f"p={self.p}, axis={self.axis}, mode={self.mode}"


class Dropout2D(Layer):
    """Dropout of whole channels.   x [N, C, H, W] -> [N, C, H, W]"""

    def __init__(self, p: float = 0.5, data_format: str = "NCHW", name: str | None = None) -> None:
        super().__init__()
        self.p = p
        self.data_format = data_format

    def forward(self, input: Tensor) -> Tensor:
        """See the class."""
        return F.dropout2d(input, self.p, self.training, self.data_format)


class Flatten(Layer):
    """Axes start_axis ... stop_axis made one.   x [*S] -> [..., product, ...]"""

    def __init__(self, start_axis: int = 1, stop_axis: int = -1) -> None:
        super().__init__()
        self.start_axis = start_axis
        self.stop_axis = stop_axis

    def forward(self, input: Tensor) -> Tensor:
        """See the class."""
        return flatten(input, self.start_axis, self.stop_axis)


class Pad2D(Layer):
    """Padding of the last two axes: left, right, top, bottom.   x [N, C, H, W] -> [N, C, H', W']"""

    def __init__(
        self,
        padding: Any,
        mode: str = "constant",
        value: float = 0.0,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__()
        self._pad = [padding] * 4 if isinstance(padding, int) else padding
        self._mode = mode
        self._value = value
        self._data_format = data_format

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        return F.pad(x, self._pad, self._mode, self._value, self._data_format)


class CosineSimilarity(Layer):
    """The cosine of the angle between two tensors along an axis.   [*], [*] -> [* without axis]"""

    def __init__(self, axis: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self._axis = axis
        self._eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """See the class."""
        return F.cosine_similarity(x1, x2, self._axis, self._eps)
