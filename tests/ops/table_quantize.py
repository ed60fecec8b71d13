"""Rows of quantisation."""

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
