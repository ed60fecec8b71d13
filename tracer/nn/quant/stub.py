"""Placeholders for quanters of values that are not inputs of a layer."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ..layer import Layer


class Stub(Layer):
    """Return the input; `QAT.quantize` and `PTQ.quantize` replace it by a quanter.

    Place it before a function that has no layer, such as `x + y`, to quantize the function's input.

    Parameters
    ----------
    observer : factory of a quanter or observer, optional
        Default: the one for activations in the `QuantConfig`.

    Examples
    --------
    >>> stub = paddle.nn.quant.Stub()
    >>> stub(paddle.ones([2])).tolist()
    [1.0, 1.0]
    """

    def __init__(self, observer: Any = None) -> None:
        super().__init__()
        self._observer = observer

    def forward(self, input: Tensor) -> Tensor:
        return input


class QuanterStub(Layer):
    """The replacement of a `Stub` in a network that is being quantized.

    layer: the stub. q_config: has the factory `activation`, used if the stub has no observer.
    """

    def __init__(self, layer: Stub, q_config: Any) -> None:
        super().__init__()
        factory = layer._observer if layer._observer is not None else q_config.activation
        self._observer = None if factory is None else factory._instance(layer)

    def forward(self, input: Tensor) -> Tensor:
        """Return the input as the quanter or observer returns it."""
        return input if self._observer is None else self._observer(input)
