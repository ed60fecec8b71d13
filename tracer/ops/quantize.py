"""Simulated quantization: quantized values are integers stored as floats."""

from __future__ import annotations

from typing import Any

from ..core.arrays import np
from ..core.op import Meta, check, op
from .shared_op_rules import check_float, dims_match, like_x, normalize_axis, num_elements

NO_GRAD_STEP_FUNCTION = "it goes in steps"
MIN_SCALE = 1e-30


def _max_level(bit_length: int) -> int:
    """The largest integer of a bit length."""
    return (1 << (bit_length - 1)) - 1


def _reshape_scale_to_broadcast(scale: Any, rank: int, axis: int) -> Any:
    """Reshape Scale, one element or one per slice along the axis (-1: one element), to
    broadcast with the input.
    """
    return (
        scale.reshape(())
        if axis < 0
        else scale.reshape([-1 if i == axis else 1 for i in range(rank)])
    )


def _round_with_type(x: Any, round_type: int) -> Any:
    """Round to integers: 0: halves to even; 1: halves away from zero."""
    return np.rint(x) if round_type == 0 else np.trunc(x + np.copysign(x.dtype.type(0.5), x))


def _linear_quantize_meta(
    x, scale, zero_point, *, quant_axis, bit_length, round_type, is_test, only_observer
):
    check(1 <= bit_length <= 16, f"bit_length={bit_length} is not in [1, 16]")
    check(round_type in (0, 1), f"round_type={round_type} is neither 0 nor 1")
    wanted = (
        1 if quant_axis < 0 else x.shape[normalize_axis(quant_axis, len(x.shape), "quant_axis")]
    )
    check(dims_match(num_elements(scale.shape), wanted), "Scale does not have one number per slice")
    return Meta(x.shape, scale.dtype)


@op(
    "quantize_linear",
    "X, Scale!, ZeroPoint! -> Y",
    meta=_linear_quantize_meta,
    no_grad_reason=NO_GRAD_STEP_FUNCTION,
    validate_before_kernel=True,
)
def quantize_linear(
    x,
    scale,
    zero_point,
    *,
    quant_axis: int = 0,
    bit_length: int = 8,
    round_type: int = 0,
    is_test: bool = True,
    only_observer: bool = False,
):
    """Y = X / Scale * (2 ** (bit_length - 1) - 1), rounded and clamped to the range of the bit
    length. Scale is the largest absolute value, not the step as in ONNX; Y holds whole numbers as
    floats.

    As in Paddle, a Scale of 1e-30 or less is increased by 1e-6.

    X [*], Scale [1], or [N] along quant_axis -> Y [*], dtype of Scale
    """
    if only_observer:
        return x.astype(scale.dtype)
    most = x.dtype.type(_max_level(bit_length))
    s = _reshape_scale_to_broadcast(scale, x.ndim, quant_axis)
    factor = most / np.where(s <= MIN_SCALE, s + s.dtype.type(1e-6), s)
    if round_type == 0:
        return np.clip(_round_with_type(x * factor, 0), -most - 1, most)
    return _round_with_type(np.clip(x, -s, s) * factor, 1)


@op(
    "dequantize_linear",
    "X, Scale!, ZeroPoint! -> Y",
    meta=_linear_quantize_meta,
    attrs_of=quantize_linear,
    no_grad_reason=NO_GRAD_STEP_FUNCTION,
    validate_before_kernel=True,
)
def dequantize_linear(x, scale, zero_point, **attrs):
    """Y = X * Scale / (2 ** (bit_length - 1) - 1).

    X [*], Scale [1], or [N] along quant_axis -> Y [*], dtype of Scale
    """
    if attrs.get("only_observer", False):
        return x.astype(scale.dtype)
    most = scale.dtype.type(_max_level(attrs.get("bit_length", 8)))
    return (
        x.astype(scale.dtype)
        * _reshape_scale_to_broadcast(scale, x.ndim, attrs.get("quant_axis", 0))
        / most
    )


def _fake_quantize_meta(x, *, bit_length, **_):
    check_float(x)
    check(1 <= bit_length <= 16, f"bit_length={bit_length} is not in [1, 16]")
    return x, Meta((1,), x.dtype)


@op(
    "fake_quantize_abs_max",
    "X -> Out, OutScale~",
    meta=_fake_quantize_meta,
    no_grad_reason=NO_GRAD_STEP_FUNCTION,
)
def fake_quantize_abs_max(x, *, bit_length: int = 8):
    """Out = X / OutScale * (2 ** (bit_length - 1) - 1), rounded; OutScale = max |X|.

    X [*] -> Out [*], OutScale [1]
    """
    scale = np.max(np.abs(x)).reshape(1) if x.size else np.zeros(1, x.dtype)
    most = x.dtype.type(_max_level(bit_length))
    factor = most / scale[0] if scale[0] else x.dtype.type(0)
    return _round_with_type(x * factor, 1), scale


@op(
    "fake_quantize_dequantize_abs_max",
    "X -> Out, OutScale~",
    meta=_fake_quantize_meta,
    attrs_of=fake_quantize_abs_max,
    amp_class="allow_float16",
)
def fake_quantize_dequantize_abs_max(x, **attrs):
    """Out = X, quantized and dequantized. The gradient is passed through unchanged
    (straight-through estimator).

    X [*] -> Out [*], OutScale [1]
    """
    whole, scale = fake_quantize_abs_max.kernel(x, **attrs)
    return whole * scale / x.dtype.type(_max_level(attrs.get("bit_length", 8))), scale


@fake_quantize_dequantize_abs_max.vjp
def _(g, x):
    return g


@op("fake_dequantize_max_abs", "X, Scale! -> Out", meta=like_x)
def fake_dequantize_max_abs(x, scale, *, max_range: float):
    """Out = X * Scale / max_range. X [*], Scale [1] -> Out [*]"""
    return x * scale.reshape(()) / x.dtype.type(max_range)


@fake_dequantize_max_abs.vjp
def _(g, x, scale, *, max_range):
    return fake_dequantize_max_abs(g, scale, max_range=max_range)
