"""Quantization cases of `lowering_cases.py`.

No number lies half-way between two steps: there engines round to even.
"""

import numpy as np
from lowering_cases import a, f, op, w

X = f(3, 4)
SCALE, EACH = a([1.7], "float32"), a([1.5, 0.9, 2.1], "float32")
WHOLE = np.round(f(3, 4) * 40).clip(-127, 127).astype("float32")


def linear(type, x, scale, **attrs):
    """One of the newer pair; its zero point is always 0."""
    given = {"quant_axis": -1, "bit_length": 8, "round_type": 0, "is_test": True} | attrs
    return op(
        type, x, out="Y", Scale=w(scale), ZeroPoint=w(np.zeros_like(scale)), keep=(0,), **given
    )


def learned(type, **attrs):
    """With a scale that was learned."""
    return op(type, X, InScale=w(SCALE), unread="OutScale", is_test=True, **attrs)


OPS = [
    linear("quantize_linear", X, SCALE),
    linear("quantize_linear", X * 3, SCALE),
    linear("quantize_linear", X, SCALE, round_type=1),
    linear("quantize_linear", X, EACH, quant_axis=0),
    linear("quantize_linear", X, SCALE, bit_length=4),
    linear("dequantize_linear", WHOLE, SCALE),
    linear("dequantize_linear", w(WHOLE), SCALE),
    linear("dequantize_linear", w(WHOLE), EACH, quant_axis=0),
    linear("dequantize_linear", w(WHOLE.astype("int8")), EACH, quant_axis=0),
    op("fake_quantize_abs_max", X, out="Out OutScale"),
    op("fake_quantize_dequantize_abs_max", X, out="Out OutScale"),
    op("fake_quantize_dequantize_abs_max", X, out="Out OutScale", bit_length=5),
    op("fake_channel_wise_quantize_abs_max", w(X), out="Out OutScale", quant_axis=0),
    op("fake_channel_wise_quantize_dequantize_abs_max", w(X), out="Out OutScale", quant_axis=1),
    learned("fake_quantize_moving_average_abs_max"),
    learned("fake_quantize_range_abs_max"),
    learned("fake_quantize_dequantize_moving_average_abs_max"),
    op("moving_average_abs_max_scale", X, InAccum=w(SCALE), InState=w(SCALE), unread="OutScale", is_test=True),
    op("fake_dequantize_max_abs", WHOLE, Scale=w(SCALE), max_range=127.0),
    op("fake_dequantize_max_abs", WHOLE, Scale=w(SCALE), max_range=100.0),
    op("fake_channel_wise_dequantize_max_abs", WHOLE, Scales=[w(EACH)], quant_bits=[8], quant_axis=0, keep=(0,)),
    op("fake_channel_wise_dequantize_max_abs", f(2, 3, 4), Scales=[w(EACH), w(SCALE)], quant_bits=[8, 8], x_num_col_dims=1, keep=(1,)),
]  # fmt: skip
