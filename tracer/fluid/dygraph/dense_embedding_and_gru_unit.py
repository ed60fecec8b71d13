"""Linear, FC, Embedding, BilinearTensorProduct and GRUUnit of `fluid.dygraph`."""

from __future__ import annotations

import math
from typing import Any

from ...core.errors import OpError, append_user_line
from ...core.op import OPS
from ...core.tensor import Tensor
from ..deprecated import warn_deprecated_on_first_use
from .layers import OptionalNameScopeLayer, apply_activation, with_optional_name_scope_argument

__all__ = ["FC", "BilinearTensorProduct", "Embedding", "GRUUnit", "Linear"]

_ACTIVATIONS = {"identity": 0, "sigmoid": 1, "tanh": 2, "relu": 3}  # values of the op's attribute


class Linear(OptionalNameScopeLayer):
    """act(x @ weight + bias): [*, input_dim] -> [*, output_dim]."""

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        param_attr: Any = None,
        bias_attr: Any = None,
        act: str | None = None,
        dtype: Any = "float32",
    ) -> None:
        super().__init__()
        self._act = act
        self.weight: Any = self.create_parameter([input_dim, output_dim], param_attr, dtype)
        self.bias: Any = self.create_parameter([output_dim], bias_attr, dtype, is_bias=True)

    def forward(self, input: Any) -> Any:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        out = OPS["matmul"](input, self.weight)
        if self.bias is not None:
            out = OPS["elementwise_add"](out, self.bias, axis=len(input.meta.shape) - 1)
        return apply_activation("Linear", out, self._act)


def _attr_for_input(attr: Any, index: int) -> Any:
    return attr[index] if isinstance(attr, list | tuple) else attr


@warn_deprecated_on_first_use("fluid.dygraph.FC", "paddle.nn.Linear")
class FC(OptionalNameScopeLayer):
    """act(x @ weight + bias), or the sum of several such products. The weights of an FC are created
    at the first call, as in Paddle 1.5.

    x: [*S], or a list of them.
    Returns [*S[:num_flatten_dims], size].
    """

    def __init__(
        self,
        name_scope: str,
        size: int,
        num_flatten_dims: int = 1,
        param_attr: Any = None,
        bias_attr: Any = None,
        act: str | None = None,
        is_test: bool = False,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(f"{name_scope}/FC", dtype)
        self._size, self._num_flatten_dims, self._act = size, num_flatten_dims, act
        self._attrs, self._param_dtype = (param_attr, bias_attr), dtype
        self._weights: tuple[Any, ...] = ()

    def _build_once(self, *inputs: Any, **kwargs: Any) -> None:
        xs = inputs[0] if isinstance(inputs[0], list | tuple) else [inputs[0]]
        weights = []
        for i, x in enumerate(xs):
            rows = math.prod(x.meta.shape[self._num_flatten_dims :])
            weight = self.create_parameter(
                [rows, self._size], _attr_for_input(self._attrs[0], i), self._param_dtype
            )
            weights.append(self.add_parameter(f"_w{i}", weight))
        self._weights = tuple(weights)
        self._b = self.create_parameter(
            [self._size], self._attrs[1], self._param_dtype, is_bias=True
        )

    @property
    def weight(self) -> Any:
        """The weight of an FC, or a list of weights if it has several inputs; None before the first
        call.
        """
        return self._weights[0] if len(self._weights) == 1 else list(self._weights) or None

    @property
    def bias(self) -> Any:
        """The bias of an FC; None before the first call, or if the layer has no bias."""
        return self.__dict__.get("_b")

    def forward(self, input: Any) -> Any:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        xs = input if isinstance(input, list | tuple) else [input]
        pairs = zip(xs, self._weights, strict=True)
        products = [
            OPS["mul"](x, w, x_num_col_dims=self._num_flatten_dims, y_num_col_dims=1)
            for x, w in pairs
        ]
        out = products[0] if len(products) == 1 else OPS["sum"](products)
        if self._b is not None:
            out = OPS["elementwise_add"](out, self._b, axis=self._num_flatten_dims)
        return apply_activation("FC", out, self._act)


@with_optional_name_scope_argument(
    "size", "is_sparse", "is_distributed", "padding_idx", "param_attr", "dtype"
)
class Embedding(OptionalNameScopeLayer):
    """Look up rows of weight: ids [*] -> [*, size[1]]; with a name scope ids [*, 1], as in 1.5.

    padding_idx: row of zeros; negative indices count from the end
    """

    def __init__(
        self,
        size: Any,
        is_sparse: bool = False,
        is_distributed: bool = False,
        padding_idx: int | None = None,
        param_attr: Any = None,
        dtype: Any = "float32",
    ) -> None:
        self._has_name_scope = "_name_scope_given" in self.__dict__
        super().__init__()
        rows = int(size[0])
        self._padding_row = -1 if padding_idx is None else padding_idx % rows
        if padding_idx is not None and not -rows <= padding_idx < rows:
            raise OpError(
                append_user_line(
                    f"Embedding: padding_idx={padding_idx} is not a row of {list(size)}"
                )
            )
        self.weight: Any = self.create_parameter(size, param_attr, dtype)

    def forward(self, input: Any) -> Any:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        is_lookup_of_1_5 = self._has_name_scope and input.meta.shape[-1] == 1
        return OPS["lookup_table" if is_lookup_of_1_5 else "lookup_table_v2"](
            self.weight, input, padding_idx=self._padding_row
        )


def _infer_bilinear_arguments(args: dict[str, Any], x: Tensor, y: Tensor) -> dict[str, Any]:
    return {
        "input1_dim": x.meta.shape[1],
        "input2_dim": y.meta.shape[1],
        "output_dim": args["size"],
    }


@with_optional_name_scope_argument(
    "size", "name", "act", "param_attr", "bias_attr", infer_arguments=_infer_bilinear_arguments
)
class BilinearTensorProduct(OptionalNameScopeLayer):
    """act(x @ weight[i] @ y + bias[i]) for every i: x [N, A], y [N, B] -> [N, output_dim]."""

    def __init__(
        self,
        input1_dim: int,
        input2_dim: int,
        output_dim: int,
        name: str | None = None,
        act: str | None = None,
        param_attr: Any = None,
        bias_attr: Any = None,
        dtype: Any = "float32",
    ) -> None:
        super().__init__()
        self._act = act
        self.weight: Any = self.create_parameter(
            [output_dim, input1_dim, input2_dim], param_attr, dtype
        )
        self.bias: Any = self.create_parameter([1, output_dim], bias_attr, dtype, is_bias=True)

    def forward(self, x: Any, y: Any) -> Any:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        out = OPS["bilinear_tensor_product"](x, y, self.weight, self.bias)
        return apply_activation("BilinearTensorProduct", out, self._act)


@with_optional_name_scope_argument(
    "size", "param_attr", "bias_attr", "activation", "gate_activation", "origin_mode", "dtype"
)
class GRUUnit(OptionalNameScopeLayer):
    """One step of a GRU (gated recurrent unit) on an input that was already multiplied by its
    weights.

    size: 3 * D

    input: [N, 3 * D], already projected.
    hidden: [N, D].
    Returns hidden [N, D], reset hidden [N, D] and gates [N, 3 * D].
    """

    def __init__(
        self,
        size: int,
        param_attr: Any = None,
        bias_attr: Any = None,
        activation: str = "tanh",
        gate_activation: str = "sigmoid",
        origin_mode: bool = False,
        dtype: Any = "float32",
    ) -> None:
        super().__init__()
        self._attrs = {
            "activation": _ACTIVATIONS[activation],
            "gate_activation": _ACTIVATIONS[gate_activation],
            "origin_mode": origin_mode,
        }
        width = size // 3
        self.weight: Any = self.create_parameter([width, 3 * width], param_attr, dtype)
        self.bias: Any = self.create_parameter([1, 3 * width], bias_attr, dtype, is_bias=True)

    def forward(self, input: Any, hidden: Any) -> Any:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        gate, reset, new = OPS["gru_unit"](input, hidden, self.weight, self.bias, **self._attrs)
        return new, reset, gate
