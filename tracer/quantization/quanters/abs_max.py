"""Quanter with a moving average of the largest absolute value."""

from __future__ import annotations

from typing import Any

from ...core.errors import OpError, append_user_line
from ...core.tensor import Tensor
from ...nn.layer import Layer
from ...nn.quant.format import require_bit_length
from ...nn.quant.moving_average import (
    INITIAL_SCALE,
    INITIAL_SUM,
    create_moving_average_parameters,
    fake_quantize_with_moving_average,
    has_initial_moving_average,
)
from ..base_quanter import BaseQuanter
from ..factory import QuanterFactory


class FakeQuanterWithAbsMaxObserver(QuanterFactory):
    """Factory of quanters with a moving average of the largest absolute value.

    In training, state = moving_rate * state + 1, accum = moving_rate * accum + max |x|,
    scale = accum / state; state and accum start with 1. The output is
    round(x / scale * L) * scale / L with L = 2 ** (bit_length - 1) - 1 and x clipped to
    [-scale, scale]; the gradient passes through unchanged.

    Parameters
    ----------
    moving_rate : float, default 0.9
        From 0 to 1.
    bit_length : int, default 8
        From 2 to 16.
    dtype : str, default "float32"
        Of the scale.
    name : str, optional
        Prefix of the names of the parameters.

    Raises
    ------
    OpError
        If `bit_length` or `moving_rate` is out of range; when a quanter is created.

    Examples
    --------
    >>> from oarlock.quantization.quanters import FakeQuanterWithAbsMaxObserver
    >>> quanter = FakeQuanterWithAbsMaxObserver(bit_length=2)._instance(None)
    >>> quanter(paddle.to_tensor([-2.0, 0.5, 2.0])).numpy().round(4)  # (0.9 + 2) / (0.9 + 1)
    array([-1.5263,  0.    ,  1.5263], dtype=float32)
    """

    def __init__(
        self,
        moving_rate: float = 0.9,
        bit_length: int = 8,
        dtype: str = "float32",
        name: str | None = None,
    ) -> None:
        super().__init__(name=name, moving_rate=moving_rate, bit_length=bit_length, dtype=dtype)

    def _get_class(self) -> Any:
        return FakeQuanterWithAbsMaxObserverLayer


class FakeQuanterWithAbsMaxObserverLayer(BaseQuanter):
    """The quanter of `FakeQuanterWithAbsMaxObserver`, with the parameters `_scale`, `_state` and
    `_accum` [1].
    """

    def __init__(
        self,
        layer: Layer | None,
        name: str | None = None,
        moving_rate: float = 0.9,
        bit_length: int = 8,
        dtype: str = "float32",
    ) -> None:
        super().__init__()
        self._bit_length = require_bit_length("FakeQuanterWithAbsMaxObserver", bit_length)
        if not 0 <= moving_rate <= 1:
            raise OpError(
                append_user_line(
                    f"FakeQuanterWithAbsMaxObserver: moving_rate={moving_rate} is not in [0, 1]"
                )
            )
        self._moving_rate = moving_rate
        self._scale, self._state, self._accum = create_moving_average_parameters(
            self, name or "quant_dequant", scale=INITIAL_SCALE, sums=INITIAL_SUM, dtype=dtype
        )

    def forward(self, input: Tensor) -> Tensor:
        """Return the input, quantized and dequantized."""
        return fake_quantize_with_moving_average(self, input, self._moving_rate, self._bit_length)

    @property
    def is_untrained(self) -> bool:
        """Whether the quanter has not been called in training mode yet, so that its scale is the
        initial one.
        """
        return has_initial_moving_average(self)

    def bit_length(self) -> int:
        """Return the number of bits."""
        return self._bit_length

    def quant_axis(self) -> int:
        """Return -1, because there is one scale for the whole tensor."""
        return -1

    def scales(self) -> Any:
        """Return the scale [1]."""
        return self._scale

    def zero_points(self) -> None:
        """Return None, because quantization is symmetric (level 0 represents 0)."""
