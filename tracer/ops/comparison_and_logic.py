"""Comparisons, logical and bitwise ops, and `where`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..core.arrays import np
from ..core.op import NO_GRAD_NON_FLOAT_RESULT, Meta, Op, check, check_dtype, op
from .elementwise import masked, reshape_to_broadcast_at_axis
from .half_precision import computed_in_float32_if_half
from .shared_op_rules import (
    bool_like_x_meta,
    broadcast,
    broadcast_bool_meta,
    broadcast_shapes,
    pick_known_dim,
    shapes_match,
)


def define_comparison(type: str, function: Callable[[Any, Any], Any], sign: str) -> Op:
    """Define the comparison op `type` on two inputs of one dtype."""

    @computed_in_float32_if_half
    def kernel(x, y, *, axis: int = -1, force_cpu: bool = False):
        return function(x, y) if axis == -1 else function(*reshape_to_broadcast_at_axis(x, y, axis))

    kernel.__name__ = type
    kernel.__doc__ = f"Out = X {sign} Y. X [*A], Y [*B] -> Out bool [*broadcast(A, B)]"
    return op(
        type, "X, Y -> Out", meta=broadcast_bool_meta, no_grad_reason=NO_GRAD_NON_FLOAT_RESULT
    )(kernel)


equal = define_comparison("equal", np.equal, "==")
not_equal = define_comparison("not_equal", np.not_equal, "!=")
less_than = define_comparison("less_than", np.less, "<")
less_equal = define_comparison("less_equal", np.less_equal, "<=")
greater_than = define_comparison("greater_than", np.greater, ">")
greater_equal = define_comparison("greater_equal", np.greater_equal, ">=")


def define_logical_op(type: str, function: Callable[[Any, Any], Any], word: str) -> Op:
    """Define the logical op `type`; non-zero values are true."""

    def kernel(x, y):
        return function(x, y)

    kernel.__name__ = type
    kernel.__doc__ = f"Out = X {word} Y. X [*A], Y [*B] -> Out bool [*broadcast(A, B)]"
    return op(type, "X, Y -> Out", meta=_logic_meta, no_grad_reason=NO_GRAD_NON_FLOAT_RESULT)(
        kernel
    )


def _logic_meta(x: Meta, y: Meta) -> Meta:
    return Meta(broadcast_shapes(x.shape, y.shape), np.dtype(bool))


logical_and = define_logical_op("logical_and", np.logical_and, "and")
logical_or = define_logical_op("logical_or", np.logical_or, "or")
logical_xor = define_logical_op("logical_xor", np.logical_xor, "xor")


@op("logical_not", "X -> Out", meta=bool_like_x_meta, no_grad_reason=NO_GRAD_NON_FLOAT_RESULT)
def logical_not(x):
    """Out = not X. X [*] -> Out bool [*]"""
    return np.logical_not(x)


def define_bitwise_op(type: str, function: Callable[[Any, Any], Any], word: str) -> Op:
    """Define the bitwise op `type` on two inputs of one integer or bool dtype."""

    def kernel(x, y):
        return function(x, y)

    kernel.__name__ = type
    kernel.__doc__ = f"Out = X {word} Y, bit by bit. X [*A], Y [*B] -> Out [*broadcast(A, B)]"
    return op(type, "X, Y -> Out", meta=_bitwise_meta, no_grad_reason=NO_GRAD_NON_FLOAT_RESULT)(
        kernel
    )


def _bitwise_meta(x: Meta, y: Meta) -> Meta:
    check_dtype(x.dtype.kind in "iub", "needs an integer or bool dtype")
    return broadcast(x, y)


bitwise_and = define_bitwise_op("bitwise_and", np.bitwise_and, "and")
bitwise_or = define_bitwise_op("bitwise_or", np.bitwise_or, "or")
bitwise_xor = define_bitwise_op("bitwise_xor", np.bitwise_xor, "xor")


@op("bitwise_not", "X -> Out", no_grad_reason=NO_GRAD_NON_FLOAT_RESULT)
def bitwise_not(x):
    """Out = X with every bit inverted. X [*] integer or bool -> Out [*]"""
    return np.invert(x)


@bitwise_not.meta
def _(x):
    check_dtype(x.dtype.kind in "iub", "needs an integer or bool dtype")
    return x


@op(
    "isnan_v2",
    "X -> Out",
    meta=bool_like_x_meta,
    no_grad_reason=NO_GRAD_NON_FLOAT_RESULT,
    public_name="isnan",
)
def isnan(x):
    """Out = whether X is NaN. X [*] -> Out bool [*]"""
    return np.isnan(x)


@op(
    "isinf_v2",
    "X -> Out",
    meta=bool_like_x_meta,
    no_grad_reason=NO_GRAD_NON_FLOAT_RESULT,
    public_name="isinf",
)
def isinf(x):
    """Out = whether X is infinite. X [*] -> Out bool [*]"""
    return np.isinf(x)


@op(
    "isfinite_v2",
    "X -> Out",
    meta=bool_like_x_meta,
    no_grad_reason=NO_GRAD_NON_FLOAT_RESULT,
    public_name="isfinite",
)
def isfinite(x):
    """Out = whether X is neither NaN nor infinite. X [*] -> Out bool [*]"""
    return np.isfinite(x)


@op(
    "between",
    "X -> Out",
    meta=bool_like_x_meta,
    no_grad_reason=NO_GRAD_NON_FLOAT_RESULT,
    internal=True,
)
def is_strictly_between(x, *, low: float = -math.inf, high: float = math.inf):
    """Out = low < X < high. A bound `low` or `high` that is infinite is not tested. X [*] -> Out
    bool [*]
    """
    t = x.dtype.type
    if low == -math.inf:
        return x < t(high) if high != math.inf else np.ones_like(x, dtype=bool)
    return x > t(low) if high == math.inf else (x > t(low)) & (x < t(high))


@op("where", "Condition, X, Y -> Out")
def where(condition, x, y):
    """Out = X where Condition, else Y. Condition bool [*S], X [*S], Y [*S] -> Out [*S]"""
    check(condition.shape == x.shape == y.shape, "the shapes differ")
    return np.where(condition, x, y)


@where.meta
def _(condition, x, y):
    check_dtype(condition.dtype == np.bool_, "Condition is not bool")
    check_dtype(x.dtype == y.dtype, "the dtypes of X and Y differ")
    check(
        shapes_match(condition.shape, x.shape) and shapes_match(x.shape, y.shape),
        "the shapes differ",
    )
    return Meta(
        tuple(map(pick_known_dim, condition.shape, map(pick_known_dim, x.shape, y.shape))), x.dtype
    )


@where.vjp
def _(g, condition, x, y):
    return None, lambda: masked(g, condition), lambda: masked(g, logical_not(condition))


# -- tests of a whole tensor (Paddle 1.x)
# ----------------------------------------------------------------------------


def one_bool_meta(x: Meta) -> Meta:
    """The shape inference rule of ops whose result is a single bool."""
    return Meta((1,), np.dtype(bool))


@op("isnan", "X -> Out", meta=one_bool_meta, no_grad_reason=NO_GRAD_NON_FLOAT_RESULT)
def any_nan(x):
    """Out = whether any element of X is NaN. X [*] -> Out bool [1]"""
    return np.isnan(x).any().reshape(1)


@op("isinf", "X -> Out", meta=one_bool_meta, no_grad_reason=NO_GRAD_NON_FLOAT_RESULT)
def any_inf(x):
    """Out = whether any element of X is infinite. X [*] -> Out bool [1]"""
    return np.isinf(x).any().reshape(1)


@op("isfinite", "X -> Out", meta=one_bool_meta, no_grad_reason=NO_GRAD_NON_FLOAT_RESULT)
def all_finite(x):
    """Out = whether no element of X is NaN or infinite. X [*] -> Out bool [1]"""
    return np.isfinite(x).all().reshape(1)
