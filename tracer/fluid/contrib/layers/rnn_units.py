"""One step of a GRU or an LSTM as a layer: BasicGRUUnit and BasicLSTMUnit."""

from __future__ import annotations

import copy
from typing import Any

from ....core import unique_name
from ....core.op import OPS
from ...dygraph.layers import Layer

__all__ = ["BasicGRUUnit", "BasicLSTMUnit"]


def attr_with_name_suffix(attr: Any, suffix: str) -> Any:
    """Return a copy of a ParamAttr whose name ends with `suffix`, or the ParamAttr itself if it has
    no name.
    """
    if getattr(attr, "name", None) is None:
        return attr
    renamed = copy.deepcopy(attr)
    renamed.name += suffix
    return renamed


def _project_input_and_state(x: Any, state: Any, weight: Any, bias: Any) -> Any:
    """Return [x, state] @ weight + bias."""
    inputs = OPS["concat"]([x, state], axis=1)
    return OPS["elementwise_add"](OPS["matmul"](inputs, weight), bias)


class _RecurrentUnit(Layer):
    """Base class of BasicGRUUnit and BasicLSTMUnit: one step of a recurrent network."""

    def __init__(
        self,
        name_scope: str,
        hidden_size: int,
        param_attr: Any,
        bias_attr: Any,
        gate_activation: Any,
        activation: Any,
        dtype: Any,
    ) -> None:
        super().__init__(name_scope, dtype)
        self._full_name = unique_name.generate(f"{name_scope}/{type(self).__name__}")
        self._width, self._attrs, self._dtype = hidden_size, (param_attr, bias_attr), dtype
        self._gate_activation = gate_activation or OPS["sigmoid"]
        self._activation = activation or OPS["tanh"]


class BasicGRUUnit(_RecurrentUnit):
    """One step of a GRU (Cho et al. 2014).

    u h + (1 - u) act([x, r h] Wc + bc), with the gates r, u = gate([x, h] Wg + bg)
    input: [B, D].
    pre_hidden: [B, H].
    Returns [B, H].

    The newer name is `paddle.nn.GRUCell`.
    """

    def __init__(
        self,
        name_scope: str,
        hidden_size: int,
        param_attr: Any = None,
        bias_attr: Any = None,
        gate_activation: Any = None,
        activation: Any = None,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(
            name_scope, hidden_size, param_attr, bias_attr, gate_activation, activation, dtype
        )

    def _build_once(self, input: Any, pre_hidden: Any) -> None:
        size, width = int(input.meta.shape[-1]), self._width
        (gate_attr, candidate_attr), (gate_bias_attr, candidate_bias_attr) = (
            [attr_with_name_suffix(a, e) for e in ("_gate", "_candidate")] for a in self._attrs
        )
        self._gate_weight: Any = self.create_parameter(
            [size + width, 2 * width], gate_attr, self._dtype
        )
        self._candidate_weight: Any = self.create_parameter(
            [size + width, width], candidate_attr, self._dtype
        )
        self._gate_bias: Any = self.create_parameter([2 * width], gate_bias_attr, self._dtype, True)
        self._candidate_bias: Any = self.create_parameter(
            [width], candidate_bias_attr, self._dtype, True
        )

    def forward(self, input: Any, pre_hidden: Any) -> Any:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        gates = self._gate_activation(
            _project_input_and_state(input, pre_hidden, self._gate_weight, self._gate_bias)
        )
        r, u = OPS["split"](gates, num=2, axis=1)
        reset = OPS["elementwise_mul"](r, pre_hidden)
        candidate = self._activation(
            _project_input_and_state(input, reset, self._candidate_weight, self._candidate_bias)
        )
        update = OPS["elementwise_mul"](OPS["scale"](u, scale=-1.0, bias=1.0), candidate)
        return OPS["elementwise_add"](OPS["elementwise_mul"](u, pre_hidden), update)


class BasicLSTMUnit(_RecurrentUnit):
    """One step of an LSTM (Hochreiter and Schmidhuber 1997) with the activations sigmoid and tanh,
    as in Paddle 1.8.

    input: [B, D].
    pre_hidden, pre_cell: [B, H].
    Returns their new values.

    The newer name is `paddle.nn.LSTMCell`.
    """

    def __init__(
        self,
        name_scope: str,
        hidden_size: int,
        param_attr: Any = None,
        bias_attr: Any = None,
        gate_activation: Any = None,
        activation: Any = None,
        forget_bias: float = 1.0,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(
            name_scope, hidden_size, param_attr, bias_attr, gate_activation, activation, dtype
        )
        self._forget_bias = float(forget_bias)

    def _build_once(self, input: Any, pre_hidden: Any, pre_cell: Any) -> None:
        size, width = int(input.meta.shape[-1]), self._width
        weight, bias = self._attrs
        self._weight: Any = self.create_parameter([size + width, 4 * width], weight, self._dtype)
        self._bias: Any = self.create_parameter([4 * width], bias, self._dtype, True)

    def forward(self, input: Any, pre_hidden: Any, pre_cell: Any) -> tuple[Any, Any]:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        i, j, f, o = OPS["split"](
            _project_input_and_state(input, pre_hidden, self._weight, self._bias), num=4, axis=-1
        )
        sigmoid, tanh, mul = OPS["sigmoid"], OPS["tanh"], OPS["elementwise_mul"]
        forget = sigmoid(OPS["scale"](f, scale=1.0, bias=self._forget_bias))
        cell = OPS["elementwise_add"](mul(pre_cell, forget), mul(sigmoid(i), tanh(j)))
        return mul(tanh(cell), sigmoid(o)), cell
