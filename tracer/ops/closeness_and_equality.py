"""Closeness, equality and emptiness of tensors: allclose, isclose, equal_all, is_empty."""

from __future__ import annotations

from typing import Any

from ..core.arrays import np
from ..core.op import NO_GRAD_NON_FLOAT_RESULT, Meta, check_dtype, op
from .shared_op_rules import broadcast_bool_meta

BOOL_DTYPE = np.dtype(bool)


def _tolerance_from_tensor_or_text(tensor: Any, text: str) -> float:
    return float(text) if tensor is None else float(tensor.reshape(-1)[0])


def _is_close(x: Any, y: Any, rtol: float, atol: float, equal_nan: bool) -> Any:
    """Return, elementwise, whether |x - y| <= atol + rtol * |y| or x == y, computed in float64 or
    complex128.

    As in Paddle, every number is close to an infinite y.
    """
    wide = np.complex128 if x.dtype.kind == "c" else np.float64
    x, y = np.asarray(x, wide), np.asarray(y, wide)
    with np.errstate(invalid="ignore"):
        close = (x == y) | (np.abs(x - y) <= atol + rtol * np.abs(y))
    return close | (np.isnan(x) & np.isnan(y)) if equal_nan else close


@op(
    "isclose",
    "Input, Other, Rtol?, Atol? -> Out",
    no_grad_reason=NO_GRAD_NON_FLOAT_RESULT,
    same_dtype="Input Other",
)
def isclose(
    x,
    y,
    rtol_tensor=None,
    atol_tensor=None,
    *,
    rtol: str = "1e-5",
    atol: str = "1e-8",
    equal_nan: bool = False,
):
    """Out = |Input - Other| <= atol + rtol * |Other|.

    Input [*A], Other [*B] -> Out bool [*broadcast(A, B)]
    """
    return _is_close(
        x,
        y,
        _tolerance_from_tensor_or_text(rtol_tensor, rtol),
        _tolerance_from_tensor_or_text(atol_tensor, atol),
        equal_nan,
    )


@isclose.meta
def _(x, y, rtol_tensor, atol_tensor, **_):
    return broadcast_bool_meta(x, y)


@op(
    "allclose",
    "Input, Other, Rtol?, Atol? -> Out",
    attrs_of=isclose,
    no_grad_reason=NO_GRAD_NON_FLOAT_RESULT,
    same_dtype="Input Other",
)
def allclose(x, y, rtol_tensor=None, atol_tensor=None, **attrs):
    """Out = whether `isclose` holds for all elements. Input [*A], Other [*B] -> Out bool []"""
    return np.all(isclose.kernel(x, y, rtol_tensor, atol_tensor, **attrs))


@allclose.meta
def _(x, y, *_, **__):
    broadcast_bool_meta(x, y)
    return Meta((), BOOL_DTYPE)


@op("equal_all", "X, Y -> Out", no_grad_reason=NO_GRAD_NON_FLOAT_RESULT, same_dtype="X Y")
def equal_all(x, y):
    """Out = whether X and Y have the same shape and equal elements.

    X [*], Y [*] -> Out bool []
    """
    return np.asarray(np.array_equal(x, y))


@equal_all.meta
def _(x, y):
    check_dtype(x.dtype == y.dtype, "the dtypes differ")
    return Meta((), BOOL_DTYPE)


@op(
    "is_empty",
    "X -> Out",
    meta=lambda x: Meta((), BOOL_DTYPE),
    no_grad_reason=NO_GRAD_NON_FLOAT_RESULT,
)
def is_empty(x):
    """Out = whether X has no elements. X [*] -> Out bool []"""
    return np.bool_(x.size == 0)
