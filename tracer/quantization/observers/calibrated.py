"""Base of the observers that determine scales from calibration data."""

from __future__ import annotations

import abc
from typing import Any

import numpy as np

from ...core.errors import OpError, append_user_line
from ...core.mode import state
from ...core.tensor import Tensor
from ...nn.layer import Layer
from ...nn.quant.format import require_bit_length
from ...tensor.convert import to_tensor
from ..base_observer import BaseObserver

# The scale of tensors or channels that contain only zeros, so that no division by 0 occurs; Paddle
# uses this value for weights with one scale per channel.
MIN_SCALE = 1e-8


class CalibratedObserver(BaseObserver, metaclass=abc.ABCMeta):
    """Base of the observers that compute scales from the absolute values of calibration data.

    layer: the layer that it observes. quant_bits: from 2 to 16.
    """

    def __init__(self, layer: Layer | None, quant_bits: int = 8) -> None:
        super().__init__()
        self._quant_bits = require_bit_length(self._public_name(), quant_bits)
        self._layer_name = "" if layer is None else layer.full_name()
        self.has_seen_data = False
        self.has_seen_only_zeros = False
        self._scale: Tensor | None = None

    def _public_name(self) -> str:
        return type(self).__name__.removesuffix("Layer")

    def forward(self, input: Tensor) -> Tensor:
        """Return the input; observe it unless a program is being recorded.

        Raises OpError if it contains NaN or infinity, and then observes nothing.
        """
        if not state.mode.is_eager:
            return input
        values = np.abs(input.numpy().astype(np.float32))
        if not values.size:
            return input
        if not np.isfinite(values).all():
            where = f" of {self._layer_name}" if self._layer_name else ""
            raise OpError(
                append_user_line(
                    f"{self._public_name()}: the values{where} contain NaN or infinity "
                    f"(X={input.meta}); remove this calibration data"
                )
            )
        is_zero = not values.any()
        self.has_seen_only_zeros = is_zero and (self.has_seen_only_zeros or not self.has_seen_data)
        self.has_seen_data = True
        self._scale = None
        self._observe(values)
        return input

    @abc.abstractmethod
    def _observe(self, values: Any) -> None:
        """Add absolute values: a float32 array that is finite and not empty."""

    @abc.abstractmethod
    def _compute_scale(self) -> Any:
        """Return the scale or scales, from all values."""

    def cal_thresholds(self) -> None:
        """Compute the scales from the values seen so far."""
        if not self.has_seen_data:
            raise OpError(
                append_user_line(
                    f"{self._public_name()}: no data has passed through "
                    f"{self._layer_name or 'it'}; call the model on calibration data before"
                )
            )
        scales = np.asarray(self._compute_scale(), np.float32)
        self._scale = to_tensor(np.where(scales == 0, np.float32(MIN_SCALE), scales))

    def scales(self) -> Any:
        """Return the scales, float32."""
        if self._scale is None:
            self.cal_thresholds()
        return self._scale

    def zero_points(self) -> Any:
        """Return None, because quantization is symmetric (level 0 represents 0)."""
        return None

    def bit_length(self) -> int:
        """Return the number of bits."""
        return self._quant_bits

    def quant_axis(self) -> int:
        """Return -1, because there is one scale for the whole tensor."""
        return -1
