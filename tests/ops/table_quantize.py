"""Rows of quantization."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(61)
f, pos = n.f, n.pos
ZERO = np.zeros(1, "f")
ONE, EACH = np.array([0.8], "f"), pos(3)


def whole(axis=-1, bits=8, even=True):
    def of(x, s, *_):
        most = 2 ** (bits - 1) - 1
        s = s.reshape([-1 if i == axis else 1 for i in range(x.ndim)])
        y = np.clip(x, -s, s) if not even else x
        y = y / s * most
        return np.clip(np.rint(y), -most - 1, most) if even else np.trunc(y + np.copysign(0.5, y))

    return of


def back(axis=-1, bits=8):
    return lambda x, s, *_: (
        x * s.reshape([-1 if i == axis else 1 for i in range(x.ndim)]) / (2 ** (bits - 1) - 1)
    )


def fake(x, bits=8):
    s, most = np.abs(x).max(), 2 ** (bits - 1) - 1
    y = x / s * most
    return np.trunc(y + np.copysign(0.5, y)), np.array([s])


def symmetric(x, s, bits=8):
    """Clipped to [-s, s] and rounded half away from zero, as levels."""
    y = np.clip(x, -s, s) / np.where(s > 0, s, 1) * (2 ** (bits - 1) - 1)
    return np.trunc(y + np.copysign(0.5, y))


def averaged(x, accum, state, rate=0.9):
    accum, state = rate * accum + np.abs(x).max(initial=0), rate * state + 1
    return accum / state, state, accum


def learned(bits=8, dequantizes=True, is_test=False):
    def of(x, scale, accum, state):
        if not is_test:
            scale, state, accum = averaged(x, accum, state)
        y = symmetric(x, scale, bits)
        unset = np.zeros(1)
        states = (unset if state is None else state, unset if accum is None else accum)
        return y * scale / (2 ** (bits - 1) - 1) if dequantizes else y, scale, *states

    return of


def by_channel(axis, bits=8):
    def of(x):
        s = np.abs(x).max(tuple(i for i in range(x.ndim) if i != axis), initial=0)
        wide = s.reshape([-1 if i == axis else 1 for i in range(x.ndim)])
        return symmetric(x, wide, bits) * wide / (2 ** (bits - 1) - 1), s

    return of


SMALL = n.ints(3, 4, low=-90, high=90).astype("f")
ROWS = [
    Row("quantize_linear", [f(3, 4), ONE, ZERO], {"quant_axis": -1}, ref=whole(), half="it has whole numbers beyond those of bfloat16"),
    Row("quantize_linear", [f(3, 4), EACH, np.zeros(3, "f")], {"quant_axis": 0}, ref=whole(0), half="as above"),
    Row("quantize_linear", [np.array([[0, 2, -2]], "f"), np.zeros(1, "f"), ZERO], {"quant_axis": -1}, ref=lambda *_: np.array([[0, 127, -128]], "f"), half="as above"),
    Row("quantize_linear", [np.array([[0, 2, -2]], "f"), np.zeros(1, "f"), ZERO], {"quant_axis": -1, "round_type": 1}, ref=lambda *_: np.zeros((1, 3), "f"), half="as above"),
    Row("quantize_linear", [f(3, 4), ONE, ZERO], {"quant_axis": -1, "round_type": 1, "bit_length": 4}, ref=whole(-1, 4, False), half="as above"),
    Row("dequantize_linear", [SMALL, ONE, ZERO], {"quant_axis": -1}, ref=back()),
    Row("dequantize_linear", [SMALL, EACH, np.zeros(3, "f")], {"quant_axis": 0}, ref=back(0)),
    Row("fake_quantize_abs_max", [f(3, 4)], ref=fake, half="as above"),
    Row("fake_quantize_dequantize_abs_max", [f(3, 4)], ref=lambda x: (fake(x)[0] * fake(x)[1] / 127, fake(x)[1]), grad=False),
    Row("fake_dequantize_max_abs", [SMALL, ONE], {"max_range": 127.0}, ref=lambda x, s: x * s / 127, paddle_grad="2.6.2 has no gradient"),
]  # fmt: skip
X = n.distinct(3, 4)
ACCUM, STATE = np.array([1.7], "f"), np.array([2.1], "f")
DEQUANTIZED = "fake_quantize_dequantize_moving_average_abs_max"
BY_CHANNEL = "fake_channel_wise_quantize_dequantize_abs_max"
NO_STATES = "the results for which an input is missing overwrite it"
ROWS += [
    Row("fake_quantize_abs_max", [np.zeros((2, 2), "f")], ref=lambda x: (x, np.zeros(1))),
    Row("fake_quantize_dequantize_abs_max", [np.zeros((2, 2), "f")], ref=lambda x: (x, np.zeros(1)), grad=False),
    Row(DEQUANTIZED, [X, ONE, ACCUM, STATE], ref=learned(), grad=False),
    Row(DEQUANTIZED, [X, ONE, ACCUM, STATE], {"moving_rate": 0.9, "bit_length": 4}, ref=learned(4), grad=False),
    Row(DEQUANTIZED, [X, ONE, ACCUM, STATE], {"is_test": True}, ref=learned(is_test=True), grad=False),
    Row(DEQUANTIZED, [X, ONE, None, None], {"is_test": True}, ref=learned(is_test=True), grad=False, paddle=NO_STATES),
    Row(DEQUANTIZED, [np.zeros((2, 2), "f"), ZERO, ZERO, ONE], ref=learned(), grad=False),
    Row("fake_quantize_moving_average_abs_max", [X, ONE, ACCUM, STATE], ref=learned(dequantizes=False), half="as above"),
    Row("fake_quantize_moving_average_abs_max", [X, ONE, None, None], {"is_test": True}, ref=learned(dequantizes=False, is_test=True), half="as above", paddle=NO_STATES),
    Row(BY_CHANNEL, [X], ref=by_channel(0), grad=False),
    Row(BY_CHANNEL, [X], {"quant_axis": 1, "bit_length": 4}, ref=by_channel(1, 4), grad=False),
    Row(BY_CHANNEL, [np.zeros((2, 3), "f")], ref=by_channel(0), grad=False),
    Row(BY_CHANNEL, [n.f(2, 3, 2, 2)], {"quant_axis": 1}, ref=by_channel(1), grad=False),
    Row("moving_average_abs_max_scale", [X, ACCUM, STATE], ref=lambda x, a, s: (x, *averaged(x, a, s))),
    Row("moving_average_abs_max_scale", [X, None, None], {"is_test": True}, ref=lambda x, *_: (x, *[np.zeros(1)] * 3), paddle=NO_STATES),
    # the last number before 0.5, and halves
    Row("fake_quantize_abs_max", [np.array([np.nextafter(np.float32(0.5), np.float32(0)), 0.5, -0.5, 1.5, -2.5, 127], "f")], ref=lambda x: (np.array([0, 1, -1, 2, -3, 127.0]), np.array([127.0])), half="as above", engine="it rounds halves to even, see docs/limits.md"),
]  # fmt: skip
