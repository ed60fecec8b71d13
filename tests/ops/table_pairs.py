"""Rows of functions of two operands that are met now and then."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(52)
f, pos, distinct = n.f, n.pos, n.distinct
NAN = np.array([1.0, np.nan, 3.0, np.nan], "f"), np.array([2.0, 5.0, np.nan, np.nan], "f")

ROWS = [
    Row("atan2", [f(3, 4), f(3, 4)], ref=np.arctan2),
    Row("atan2", [f(3, 1), f(4)], ref=np.arctan2, paddle="2.6.2 does not broadcast"),
    Row("atan2", [n.ints(3, low=1), n.ints(3, low=1)], ref=np.arctan2),
    Row("atan2", [np.array([0.0, -0.0, 1, -1], "f"), np.array([-1.0, -1, 0, 0], "f")], grad=False, ref=np.arctan2),
    Row("elementwise_fmax", [distinct(3, 4), distinct(3, 4)[::-1] + 0.03], ref=np.fmax, second=False),
    Row("elementwise_fmax", [distinct(3, 4), distinct(4) + 0.03], ref=np.fmax, second=False),
    Row("elementwise_fmax", [*NAN], ref=np.fmax, grad=False),
    Row("elementwise_fmin", [distinct(3, 4), distinct(3, 4)[::-1] + 0.03], ref=np.fmin, second=False),
    Row("elementwise_fmin", [distinct(3, 4), distinct(4) + 0.03], ref=np.fmin, second=False),
    Row("elementwise_fmin", [*NAN], ref=np.fmin, grad=False),
    Row("elementwise_heaviside", [f(3, 4), f(3, 4)], ref=np.heaviside, second=False),
    Row("elementwise_heaviside", [np.array([-1, 0, 2, np.nan], "f"), f(4)], ref=np.heaviside, grad=False, paddle="2.6.2 treats NaN as negative"),
    Row("nextafter", [f(3), f(3)], ref=np.nextafter),
    Row("lerp", [f(3, 4), f(3, 4), pos(3, 4)], ref=lambda x, y, w: x + w * (y - x), paddle_grad="2.6.2 has no gradient of Weight"),
    Row("lerp", [f(3, 4), f(3, 4), pos(1)], ref=lambda x, y, w: x + w * (y - x), paddle_grad="2.6.2 has no gradient of Weight"),
    Row("lerp", [f(2, 1), f(1, 3), pos()], ref=lambda x, y, w: x + w * (y - x), paddle_grad="2.6.2 has no gradient of Weight"),
]  # fmt: skip
