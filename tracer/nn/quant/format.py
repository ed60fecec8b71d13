"""Quantization as pairs of quantize and dequantize layers, as ONNX has it."""

from __future__ import annotations

import abc
from typing import Any, Self

import numpy as np

from ...core.dtype import parse_dtype
from ...core.errors import InvalidOperationError, OpError, append_user_line
from ...core.op import OPS
from ...core.tensor import Tensor
from ...tensor.convert import to_tensor
from ...tensor.creation import zeros
from ...tensor.manipulation import cast, repeat_interleave
from ...tensor.math import clip, round
from ..layer import Layer
from .moving_average import create_untrained_parameter

MIN_BITS, MAX_BITS = 2, 16


def require_bit_length(owner: str, bit_length: Any) -> int:
    """Return the number of bits, if it is an int from 2 to 16."""
    if (
        isinstance(bit_length, bool)
        or not isinstance(bit_length, int | np.integer)
        or not MIN_BITS <= bit_length <= MAX_BITS
    ):
        raise OpError(
            append_user_line(
                f"{owner}: the number of bits is {bit_length!r}, not an integer in "
                f"[{MIN_BITS}, {MAX_BITS}]"
            )
        )
    return int(bit_length)


def _cast_unless_same_dtype(x: Tensor, dtype: Any) -> Tensor:
    """Cast x to a dtype; if x has it already, return x itself, so that no op is recorded."""
    return x if x.meta.dtype == parse_dtype(dtype).np else cast(x, dtype)


class _LinearQuanterBase(Layer):
    """Base of the quantize and dequantize layers: their scales, zero point and format;
    `LinearDequanter` describes the parameters.
    """

    _op = ""

    def __init__(
        self,
        scales: Any,
        zero_point: Any = None,
        quant_axis: int | None = None,
        bit_length: int = 8,
        group_size: int = 128,
    ) -> None:
        super().__init__()
        self._bit_length = require_bit_length(type(self).__name__, bit_length)
        values = to_tensor(scales, dtype="float32")
        if not np.isfinite(values.numpy()).all():
            raise OpError(
                append_user_line(f"{type(self).__name__}: the scales contain NaN or infinity")
            )
        self._scales = create_untrained_parameter(
            self, "quant_dequant", "scale", list(values.shape), 1.0, "float32"
        )
        self._scales.set_value(values)
        self._zero_point: Tensor
        self.register_buffer(
            "_zero_point",
            zeros([1], "float32") if zero_point is None else to_tensor(zero_point),
            persistable=False,
        )
        self._quant_axis = -1 if quant_axis is None else quant_axis
        self._group_size = group_size

    @classmethod
    def from_quanter(cls, quanter: Any) -> Self:
        """Create the layer with scales and format of a quanter or observer."""
        return cls(
            quanter.scales(),
            zero_point=quanter.zero_points(),
            quant_axis=quanter.quant_axis(),
            bit_length=quanter.bit_length(),
            group_size=getattr(quanter, "group_size", 128),
        )

    def _is_group_wise(self) -> bool:
        return len(self._scales.shape) > 1

    def _scale_of_each_row(self) -> Tensor:
        return repeat_interleave(self._scales, self._group_size, 0)

    def _max_level(self) -> int:
        return int((1 << (self._bit_length - 1)) - 1)

    def _run_quant_linear_op(self, input: Tensor) -> Tensor:
        """Run the op in float32; the result has the dtype of the input."""
        out: Tensor = OPS[self._op](
            _cast_unless_same_dtype(input, "float32"),
            self._scales,
            self._zero_point,
            quant_axis=self._quant_axis,
            bit_length=self._bit_length,
        )
        return _cast_unless_same_dtype(out, input.dtype)


class LinearQuanter(_LinearQuanterBase):
    """Quantize: round(x / scale * (2 ** (bit_length - 1) - 1)), clipped to the range of the bits.

    The result holds integers (levels) in the dtype of x; halves are rounded to even.

    Parameters are those of `LinearDequanter`.

    Examples
    --------
    >>> quanter = paddle.nn.quant.format.LinearQuanter(paddle.to_tensor(2.0))
    >>> quanter(paddle.to_tensor([-2.0, 0.5, 3.0])).tolist()
    [-127.0, 32.0, 127.0]
    """

    _op = "quantize_linear"

    def forward(self, input: Tensor) -> Tensor:
        """Return the levels of the input as floats."""
        if not self._is_group_wise():
            return self._run_quant_linear_op(input)
        most = self._max_level()
        levels = round(cast(input, "float32") / self._scale_of_each_row() * float(most))
        return cast(clip(levels, float(-most - 1), float(most)), input.dtype)


class LinearDequanter(_LinearQuanterBase):
    """Dequantize: x * scale / (2 ** (bit_length - 1) - 1).

    Parameters
    ----------
    scales : Tensor or array, float32
        The largest absolute value that is represented: one number, one per slice along
        `quant_axis`, or [rows / group_size, columns] for groups of rows of a matrix.
    zero_point : Tensor or array, optional
        Zeros: quantization is symmetric.
    quant_axis : int, optional
        -1 or None: one scale.
    bit_length : int, default 8
        From 2 to 16.
    group_size : int, default 128
        Rows per group if `scales` is a matrix.

    Raises
    ------
    OpError
        If a scale is NaN or infinite, or the number of bits is not in [2, 16].

    Examples
    --------
    >>> dequanter = paddle.nn.quant.format.LinearDequanter(paddle.to_tensor(2.0))
    >>> dequanter(paddle.to_tensor([-127.0, 0.0])).tolist()
    [-2.0, 0.0]
    """

    _op = "dequantize_linear"

    def forward(self, input: Tensor) -> Tensor:
        """Return the values that the levels represent."""
        if not self._is_group_wise():
            return self._run_quant_linear_op(input)
        values = cast(input, "float32") / float(self._max_level()) * self._scale_of_each_row()
        return cast(values, input.dtype)


class LinearQuanterDequanter(Layer):
    """A quantize layer followed by a dequantize layer; either may be None."""

    def __init__(self, quanter: Layer | None, dequanter: Layer | None) -> None:
        super().__init__()
        self._quanter = quanter
        self._dequanter = dequanter

    def forward(self, input: Tensor) -> Tensor:
        """Return the input, quantized and dequantized by the layers that are present."""
        out = input
        for layer in (self._quanter, self._dequanter):
            if layer is not None:
                out = layer(out)
        return out

    @staticmethod
    def from_quanter(quanter: Any) -> LinearQuanterDequanter:
        """Create both layers with scales and format of a quanter or observer."""
        return LinearQuanterDequanter(
            LinearQuanter.from_quanter(quanter), LinearDequanter.from_quanter(quanter)
        )


class ConvertibleQuantedLayer(Layer, metaclass=abc.ABCMeta):
    """A layer with quanters of weights and inputs, which `QAT.convert` and `PTQ.convert` replace by
    quantize and dequantize layers.
    """

    def __init__(self) -> None:
        super().__init__()
        self.converted = False

    @abc.abstractmethod
    def weights_to_quanters(self) -> list[tuple[str, str]]:
        """Return a pair of attribute names for each weight: that of the weight and that of its
        quanter.
        """

    @abc.abstractmethod
    def activation_quanters(self) -> list[str]:
        """Return the attribute names of the quanters of inputs."""

    def _convert_quanter_to_qdq(self, quanter_name: str) -> LinearQuanterDequanter | None:
        quanter = getattr(self, quanter_name)
        if quanter is None:
            return None
        replacement = LinearQuanterDequanter.from_quanter(quanter)
        setattr(self, quanter_name, replacement)
        return replacement

    def _convert(self, remain_weight: bool = False) -> None:
        """Replace the quanters.

        remain_weight: whether weights keep their values; otherwise they become integer levels.
        """
        if self.converted:
            raise InvalidOperationError(
                append_user_line(f"convert: the layer {self.full_name()} was converted before")
            )
        for weight_name, quanter_name in self.weights_to_quanters():
            replacement = self._convert_quanter_to_qdq(quanter_name)
            if replacement is not None and not remain_weight:
                weight = getattr(self, weight_name)
                assert replacement._quanter is not None
                weight.set_value(replacement._quanter(weight).detach())
                replacement._quanter = None
        for quanter_name in self.activation_quanters():
            self._convert_quanter_to_qdq(quanter_name)
        self.converted = True

    def _remove_quanters(self) -> None:
        """Remove the quanters, so that the layer computes in floats."""
        for name in [name for _, name in self.weights_to_quanters()] + self.activation_quanters():
            setattr(self, name, None)
        self.converted = True
