"""Moving averages of the largest absolute value as quantization scales."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import unique_name
from ...core.autograd import no_grad
from ...core.mode import state
from ...core.op import OPS
from ...core.tensor import Tensor
from ...tensor.creation import assign
from ..initializer import Constant
from ..param_attr import ParamAttr

INITIAL_SUM, INITIAL_SCALE = 1.0, 0.001


def create_untrained_parameter(
    layer: Any, prefix: str, name: str, shape: list[int], value: float, dtype: Any
) -> Any:
    """Create a parameter that is not trained, named as in Paddle's files."""
    attr = ParamAttr(
        name=unique_name.generate(f"{prefix}.{name}"), initializer=Constant(value), trainable=False
    )
    return layer.create_parameter(shape, attr, dtype)


def create_moving_average_parameters(
    layer: Any, prefix: str, *, scale: float, sums: float, dtype: Any
) -> list[Any]:
    """Create the parameters `_scale`, `_state` and `_accum` [1] of a layer.

    scale: the initial scale. sums: the initial value of the others.
    """
    return [
        create_untrained_parameter(layer, prefix, name, [1], value, dtype)
        for name, value in (("scale", scale), ("state", sums), ("accum", sums))
    ]


def has_initial_moving_average(layer: Any) -> bool:
    """Whether no data has changed the initial scale and sums of a layer."""
    return bool(
        layer._state.array.item() == INITIAL_SUM
        and np.float32(layer._scale.array.item()) == np.float32(INITIAL_SCALE)
    )


def fake_quantize_with_moving_average(
    layer: Any, x: Tensor, moving_rate: float, bit_length: int
) -> Tensor:
    """Return x quantized and dequantized with `layer._scale`. In training mode, the scale is first
    updated with the largest absolute value of x.
    """
    training = layer.training
    averages = (layer._accum, layer._state) if training else ()
    out, scale, counts, accum = OPS["fake_quantize_dequantize_moving_average_abs_max"](
        x,
        layer._scale,
        *averages,
        moving_rate=moving_rate,
        bit_length=bit_length,
        is_test=not training,
    )
    if training and not state.mode.static:
        layer._scale.array, layer._state.array, layer._accum.array = (
            scale.array,
            counts.array,
            accum.array,
        )
    result: Tensor = out
    return result


def update_moving_average_and_return_input(layer: Any, x: Tensor, moving_rate: float) -> Tensor:
    """Return x unchanged; in training mode, update the moving average of its largest absolute value
    in `layer._scale`, `_state` and `_accum`.
    """
    if not layer.training:
        return x
    out, scale, counts, accum = OPS["moving_average_abs_max_scale"](
        x, layer._accum, layer._state, moving_rate=moving_rate
    )
    with no_grad():  # the op does not read the old scale, so it does not overwrite it either
        assign(scale, layer._scale)
    if not state.mode.static:
        layer._state.array, layer._accum.array = counts.array, accum.array
    result: Tensor = out
    return result
