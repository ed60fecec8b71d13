"""Linear, Embedding, Dropout, Flatten and Identity."""

from __future__ import annotations

from typing import Any

from ..core.errors import OpError, append_user_line
from ..core.mode import state
from ..core.tensor import Tensor
from ..tensor.manipulation import flatten
from . import functional as F
from .layer import Layer

__all__ = ["Dropout", "Embedding", "Flatten", "Identity", "Linear"]


class Identity(Layer):
    """Return the input.

    x [*] -> [*]
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return input


class Linear(Layer):
    """Compute x @ weight + bias.

    x [*, in_features], weight [in_features, out_features], bias [out_features] -> [*, out_features]
    """

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
        self._weight_attr, self._bias_attr, self.name = weight_attr, bias_attr, name

    def forward(self, input: Tensor) -> Tensor:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return the text that `repr` shows in parentheses: sizes, dtype and name."""
        rows, columns = self.weight.meta.shape
        text = f"in_features={rows}, out_features={columns}, dtype={self._dtype.name}"
        return text + (f", name={self.name}" if self.name else "")


class Embedding(Layer):
    """Look up rows of a table; `padding_idx` maps to zeros.

    x int [*], weight [num_embeddings, embedding_dim] -> [*, embedding_dim]
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        sparse: bool = False,
        weight_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise OpError(
                append_user_line(
                    f"Embedding: padding_idx={padding_idx} is not a row "
                    f"(num_embeddings={num_embeddings})"
                )
            )
        self._num_embeddings, self._embedding_dim = num_embeddings, embedding_dim
        self._size, self._weight_attr = [num_embeddings, embedding_dim], weight_attr
        self._padding_idx, self._sparse, self._name = padding_idx, sparse, name
        self.weight: Any = self.create_parameter([num_embeddings, embedding_dim], weight_attr)
        # In eager mode, the row padding_idx of the weight is set to zeros at once; in a program,
        # the op returns zeros for padding_idx.
        if padding_idx is not None and state.mode.program_builder is None:
            table: Any = self.weight.array
            table[padding_idx] = 0.0

    def forward(self, x: Tensor) -> Tensor:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return F.embedding(x, self.weight, self._padding_idx)

    def extra_repr(self) -> str:
        """Return the sizes."""
        rows, columns = self.weight.meta.shape
        padding = "" if self._padding_idx is None else f", padding_idx={self._padding_idx}"
        return (f"{rows}, {columns}{padding}, sparse={self._sparse}") + (
            f", name={self._name}" if self._name else ""
        )


class Dropout(Layer):
    """In training, set each element to 0 with probability `p`.

    x [*] -> [*]

    `functional.dropout` describes the arguments.
    """

    def __init__(
        self,
        p: float = 0.5,
        axis: Any = None,
        mode: str = "upscale_in_train",
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.p = p
        self.axis = axis
        self.mode = mode
        self.name = name

    def forward(self, input: Tensor) -> Tensor:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return F.dropout(input, self.p, self.axis, self.training, self.mode)

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        text = f"p={self.p}, axis={self.axis}, mode={self.mode}"
        return text + (f", name={self.name}" if self.name else "")


class Flatten(Layer):
    """Merge the axes start_axis to stop_axis into one.

    x [*S] -> [..., product, ...]
    """

    def __init__(self, start_axis: int = 1, stop_axis: int = -1) -> None:
        super().__init__()
        self.start_axis = start_axis
        self.stop_axis = stop_axis

    def forward(self, input: Tensor) -> Tensor:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return flatten(input, self.start_axis, self.stop_axis)
