"""Simulated quantization: quantized values are integers stored as floats."""

from __future__ import annotations

from typing import Any

from ..core.arrays import np
from ..core.dtype import compute_dtype
from ..core.op import Meta, check, op
from .half_precision import computed_in_float32_if_half
from .shared_op_rules import check_float, dims_match, like_x_meta, normalize_axis, num_elements

NO_GRAD_STEP_FUNCTION = "it rounds: its derivative is 0 almost everywhere"
MIN_SCALE = 1e-30


def _max_level(bit_length: int) -> int:
    """The largest quantized integer for a bit length: 2 ** (bit_length - 1) - 1."""
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
    """Round to integers. round_type 0 rounds halves to even, round_type 1 rounds halves away from
    zero.
    """
    if round_type == 0:
        return np.rint(x)
    whole = np.trunc(x)  # floor(x + 0.5) would round the largest number below 0.5 up
    return whole + np.trunc((x - whole) * x.dtype.type(2))


def _quantize_or_dequantize_linear_meta(
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
    meta=_quantize_or_dequantize_linear_meta,
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
    meta=_quantize_or_dequantize_linear_meta,
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


def _invert_scale(scale: Any) -> Any:
    """1 / scale; a scale of 1e-30 or less is increased by 1e-6, as in Paddle."""
    return scale.dtype.type(1) / np.where(scale <= MIN_SCALE, scale + scale.dtype.type(1e-6), scale)


def _clip_and_quantize(x: Any, scale: Any, bit_length: int) -> Any:
    """Clip X to [-scale, scale] and quantize it to whole numbers. scale: broadcasts with X."""
    factor = x.dtype.type(_max_level(bit_length)) * _invert_scale(scale)
    return _round_with_type(np.clip(x, -scale, scale) * factor, 1)


def _dequantize(whole: Any, scale: Any, bit_length: int) -> Any:
    return whole * scale / whole.dtype.type(_max_level(bit_length))


def _max_abs(x: Any) -> Any:
    """The largest absolute value of a tensor, [1]; 0 for an empty tensor."""
    return np.max(np.abs(x)).reshape(1) if x.size else np.zeros(1, x.dtype)


def _check_fake_quantize_input(x: Any, bit_length: int) -> None:
    check_float(x)
    check(1 <= bit_length <= 16, f"bit_length={bit_length} is not in [1, 16]")


def _fake_quantize_meta(x, *, bit_length, **_):
    _check_fake_quantize_input(x, bit_length)
    return x, Meta((1,), x.dtype)


@op(
    "fake_quantize_abs_max",
    "X -> Out, OutScale~",
    meta=_fake_quantize_meta,
    no_grad_reason=NO_GRAD_STEP_FUNCTION,
    validate_before_kernel=True,
)
@np.errstate(all="ignore")
@computed_in_float32_if_half
def fake_quantize_abs_max(x, *, bit_length: int = 8):
    """Out = X / OutScale * (2 ** (bit_length - 1) - 1), rounded; OutScale = max |X|.

    X [*] -> Out [*], OutScale [1]
    """
    scale = _max_abs(x)
    return _clip_and_quantize(x, scale.reshape(()), bit_length), scale


@op(
    "fake_quantize_dequantize_abs_max",
    "X -> Out, OutScale~",
    meta=_fake_quantize_meta,
    attrs_of=fake_quantize_abs_max,
    amp_class="allow_float16",
    validate_before_kernel=True,
)
@np.errstate(all="ignore")
@computed_in_float32_if_half
def fake_quantize_dequantize_abs_max(x, **attrs):
    """Out = X, quantized and dequantized. The gradient is passed through unchanged
    (straight-through estimator).

    X [*] -> Out [*], OutScale [1]
    """
    bit_length, scale = attrs.get("bit_length", 8), _max_abs(x)
    s = scale.reshape(())
    return _dequantize(_clip_and_quantize(x, s, bit_length), s, bit_length), scale


@fake_quantize_dequantize_abs_max.vjp
def _(g, x):
    return g


# Paddle has other values of quant_axis only to observe scales, not to quantize.
CHANNEL_AXES = (0, 1)


def _fake_channel_wise_meta(x, *, quant_axis, bit_length):
    _check_fake_quantize_input(x, bit_length)
    check(quant_axis in CHANNEL_AXES, f"quant_axis={quant_axis} is neither 0 nor 1")
    check(quant_axis < len(x.shape), f"X has no axis {quant_axis}")
    return x, Meta((x.shape[quant_axis],), x.dtype)


@op(
    "fake_channel_wise_quantize_dequantize_abs_max",
    "X -> Out, OutScale~",
    meta=_fake_channel_wise_meta,
    validate_before_kernel=True,
)
@np.errstate(all="ignore")
@computed_in_float32_if_half
def fake_channel_wise_quantize_dequantize_abs_max(x, *, quant_axis: int = 0, bit_length: int = 8):
    """Out = X, each slice along the axis quantized and dequantized; OutScale = max |slice|. The
    gradient is passed through unchanged.

    X [*] with N slices -> Out [*], OutScale [N]
    """
    others = tuple(i for i in range(x.ndim) if i != quant_axis)
    scale = np.max(np.abs(x), axis=others) if x.size else np.zeros(x.shape[quant_axis], x.dtype)
    s = _reshape_scale_to_broadcast(scale, x.ndim, quant_axis)
    return _dequantize(_clip_and_quantize(x, s, bit_length), s, bit_length), scale


@fake_channel_wise_quantize_dequantize_abs_max.vjp
def _(g, x):
    return g


def _updated_scale_state_and_accum(x, accum, state, moving_rate):
    """Return the scale (the moving average of the largest absolute value), the state and the
    accumulator, updated with the batch X.
    """
    rate = state.dtype.type(moving_rate)
    state = rate * state + state.dtype.type(1)
    accum = rate * accum + _max_abs(x).astype(accum.dtype)
    return accum / state, state, accum


def _check_moving_average(accum: Any, state: Any, is_test: bool) -> None:
    check(
        is_test or (accum is not None and state is not None),
        "InAccum and InState are required in training",
    )
    for name, value in (("InAccum", accum), ("InState", state)):
        check(
            value is None or dims_match(num_elements(value.shape), 1), f"{name} is not one number"
        )


def _moving_average_meta(x, in_scale, accum, state, *, bit_length, is_test, **_):
    _check_fake_quantize_input(x, bit_length)
    check(dims_match(num_elements(in_scale.shape), 1), "InScale is not one number")
    _check_moving_average(accum, state, is_test)
    return x, *[Meta((1,), compute_dtype(in_scale.dtype))] * 3


@op(
    "fake_quantize_moving_average_abs_max",
    "X, InScale!, InAccum?!, InState?! -> Out, OutScale~=InScale, OutState~=InState, "
    "OutAccum~=InAccum",
    meta=_moving_average_meta,
    no_grad_reason=NO_GRAD_STEP_FUNCTION,
    validate_before_kernel=True,
)
@np.errstate(all="ignore")
@computed_in_float32_if_half(stats=(1, 2, 3))
def fake_quantize_moving_average_abs_max(
    x,
    in_scale,
    accum=None,
    state=None,
    *,
    moving_rate: float = 0.9,
    bit_length: int = 8,
    is_test: bool = False,
):
    """Out = X clipped to [-OutScale, OutScale], / OutScale * (2 ** (bit_length - 1) - 1), rounded.

    X [*], InScale, InAccum, InState [1] -> Out [*], others [1]

    In training the scale is a moving average of max |X|: OutState = moving_rate * InState + 1,
    OutAccum = moving_rate * InAccum + max |X|, OutScale = OutAccum / OutState. With is_test,
    OutScale is InScale.
    """
    scale, state, accum = (
        (in_scale.reshape(1), *_states_or_zeros(in_scale, state, accum))
        if is_test
        else _updated_scale_state_and_accum(x, accum.reshape(1), state.reshape(1), moving_rate)
    )
    s = scale.reshape(()).astype(x.dtype)
    return _clip_and_quantize(x, s, bit_length), scale, state, accum


def _states_or_zeros(like, *values):
    """Return the state values, [1] each, with 0 in place of an absent one, because the op must
    return all of its outputs.
    """
    return [np.zeros(1, like.dtype) if v is None else v.reshape(1) for v in values]


@op(
    "fake_quantize_dequantize_moving_average_abs_max",
    "X, InScale!, InAccum?!, InState?! -> Out, OutScale~=InScale, OutState~=InState, "
    "OutAccum~=InAccum",
    meta=_moving_average_meta,
    attrs_of=fake_quantize_moving_average_abs_max,
    amp_class="allow_float16",
    amp_casts_only_x=True,
    validate_before_kernel=True,
)
@np.errstate(all="ignore")
@computed_in_float32_if_half(stats=(1, 2, 3))
def fake_quantize_dequantize_moving_average_abs_max(x, in_scale, accum=None, state=None, **attrs):
    """Out = X, quantized and dequantized with a moving average of max |X| as scale, see
    `fake_quantize_moving_average_abs_max`. The gradient is passed through unchanged.

    X [*], InScale, InAccum, InState [1] -> Out [*], others [1]
    """
    whole, scale, *states = fake_quantize_moving_average_abs_max.kernel(
        x, in_scale, accum, state, **attrs
    )
    s = scale.reshape(()).astype(x.dtype)
    return _dequantize(whole, s, attrs.get("bit_length", 8)), scale, *states


@fake_quantize_dequantize_moving_average_abs_max.vjp
def _(g, x, in_scale, accum, state):
    return g, None, None, None


@op(
    "moving_average_abs_max_scale",
    "X, InAccum?!, InState?! -> Out, OutScale~, OutState~=InState, OutAccum~=InAccum",
    validate_before_kernel=True,
)
@np.errstate(all="ignore")
@computed_in_float32_if_half(stats=(1, 2, 3))
def moving_average_abs_max_scale(
    x, accum=None, state=None, *, moving_rate: float = 0.9, is_test: bool = False
):
    """Out = X. In training, OutScale, OutState and OutAccum are the moving average of max |X|, see
    `fake_quantize_moving_average_abs_max`; with is_test, OutScale has no meaning.

    X [*], InAccum, InState [1] -> Out [*], others [1]
    """
    if is_test:
        return x, np.zeros(1, x.dtype), *_states_or_zeros(x, state, accum)
    return x, *_updated_scale_state_and_accum(x, accum.reshape(1), state.reshape(1), moving_rate)


@moving_average_abs_max_scale.meta
def _(x, accum, state, *, is_test, **_):
    check_float(x)
    _check_moving_average(accum, state, is_test)
    return x, *[Meta((1,), compute_dtype((x if state is None else state).dtype))] * 3


@moving_average_abs_max_scale.vjp
def _(g, x, accum, state):
    return g, None, None


@op("fake_dequantize_max_abs", "X, Scale! -> Out", meta=like_x_meta)
def fake_dequantize_max_abs(x, scale, *, max_range: float):
    """Out = X * Scale / max_range. X [*], Scale [1] -> Out [*]"""
    return x * scale.reshape(()) / x.dtype.type(max_range)


@fake_dequantize_max_abs.vjp
def _(g, x, scale, *, max_range):
    return fake_dequantize_max_abs(g, scale, max_range=max_range)
