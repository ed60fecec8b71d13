"""Rows of elementwise."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(1)
f, pos, ints = n.f, n.pos, n.ints


def with_axis(function, axis):
    """The reference of an op whose Y is set at `axis` of X."""

    def ref(x, y):
        return function(x, y.reshape(y.shape + (1,) * (x.ndim - axis - y.ndim)))

    return ref


BOTH = [
    ("elementwise_add", np.add), ("elementwise_sub", np.subtract), ("elementwise_mul", np.multiply),
    ("elementwise_div", np.divide), ("elementwise_max", np.maximum), ("elementwise_min", np.minimum),
]  # fmt: skip

NO_AXIS = dict.fromkeys(
    ["elementwise_max", "elementwise_min", "elementwise_pow"],
    "the gradient op of 2.6.2 ignores axis",
)

ROWS = [
    row
    for type, function in BOTH
    for row in (
        Row(type, [f(2, 3), f(2, 3)], ref=function),
        Row(type, [f(2, 1, 3), f(4, 1)], ref=function),
        Row(type, [f(3), f(2, 3)], ref=function),
        Row(type, [f(), f()], ref=function),
        Row(type, [f(2, 3), f()], ref=function),
        Row(type, [f(0, 3), f(3)], ref=function, paddle="2.6.2 rejects empty tensors of these shapes"),
        Row(type, [f(2, 3, 4), f(3)], {"axis": 1}, ref=with_axis(function, 1), paddle_grad=NO_AXIS.get(type, "")),
        Row(type, [f(2, 3, 4), f(2, 3)], {"axis": 0}, ref=with_axis(function, 0), paddle_grad=NO_AXIS.get(type, "")),
    )
]  # fmt: skip
ROWS += [
    Row("elementwise_add", [ints(2, 3), ints(3)], ref=np.add),
    Row("elementwise_mul", [n.bools(4), n.bools(4)], ref=np.multiply),
    Row(
        "elementwise_div",
        [np.array([7, -7, 7, -7]), np.array([2, 2, -2, -2])],
        ref=lambda x, y: np.array([3, -3, -3, 3]),
    ),
    Row("elementwise_max", [np.array([1, 2, 3], "f"), np.array([1, 3, 2], "f")], ref=np.maximum, grad=False),
    Row("elementwise_pow", [pos(2, 3), f(2, 3)], ref=np.power),
    Row("elementwise_pow", [pos(2, 3), f(3)], ref=np.power),
    Row("elementwise_pow", [pos(2, 3), f(2)], {"axis": 0}, ref=lambda x, y: x ** y[:, None],
        paddle_grad=NO_AXIS["elementwise_pow"]),
    Row("elementwise_pow", [np.array([2, 3, -2, 1, -1]), np.array([3, 0, 3, -2, -3])], ref=lambda x, y: np.array([8, 1, -8, 1, -1])),
    Row("elementwise_pow", [np.array([4, 3]), np.array([-1, -1])], ref=lambda x, y: np.array([0, 0])),
    Row("elementwise_floordiv", [np.array([7, -7, 7, -7]), np.array([2, 2, -2, -2])], ref=np.floor_divide),
    Row("elementwise_floordiv", [f(2, 3) * 9, pos(3)], ref=np.floor_divide),
    Row("elementwise_mod", [np.array([7, -7, 7, -7]), np.array([2, 2, -2, -2])], ref=np.mod),
    Row(
        "elementwise_mod",
        [np.array([7.5, -7.5, 7.5], "f"), np.array([2, 2, -2], "f")],
        ref=np.mod,
        paddle_grad="the gradient of Y in 2.6.2 rounds X / Y to zero, not down",
    ),
    Row("scale", [f(2, 3)], {"scale": 2.5, "bias": 0.5}, ref=lambda x: x * 2.5 + 0.5),
    Row("scale", [f(2, 3)], {"scale": 2.5, "bias": 0.5, "bias_after_scale": False}, ref=lambda x: (x + 0.5) * 2.5),
    Row(
        "scale",
        [f(2, 3), np.array([3.0], "f")],
        {"scale": 2.0, "bias": 1.0},
        ref=lambda x, s: x * 3 + 1,
        paddle_grad="2.6.2 defines no gradient op for these inputs",
    ),
    Row("scale", [f()], {"scale": -1.0}, ref=np.negative),
    Row("scale", [ints(4)], {"scale": 2.7, "bias": 1.9}, ref=lambda x: x * 2 + 1),
    Row("scale", [np.array([0, 4, 255], "uint8")], {"scale": -1.0, "bias": -2.0}, ref=lambda x: 254 - x),
    Row("scale", [ints(4)], {"scale": 2.7, "bias": 1.9, "bias_after_scale": False}, ref=lambda x: (x + 1) * 2),
    Row("sum", [[f(2, 3), f(2, 3), f(2, 3)]], ref=lambda xs: xs[0] + xs[1] + xs[2], second=False),
    Row("sum", [[f(2)]], ref=lambda xs: xs[0], second=False),
]  # fmt: skip
