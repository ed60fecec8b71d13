"""Complex numbers: conversion from and to real parts, conj, angle.

Gradients are conjugated as stated in `core/op.py`: the gradient of a loss L with respect to Z = X +
iY is dL/dX - i dL/dY.
"""

from __future__ import annotations

from ..core.arrays import np
from ..core.op import NO_HALF_COMPLEX, Meta, check, check_dtype, op
from .comparison_and_logic import is_strictly_between
from .elementwise import add, div, masked, mul, scale, zeros_like
from .half_precision import computed_in_float32_if_half
from .shared_op_rules import (
    broadcast,
    check_float,
    complex_dtype,
    dims_match,
    is_vjp_input_complex,
    like_x_meta,
    real_dtype,
    real_like_x_meta,
)
from .unary_math import square


def negative_imag(g):
    """Return -Im g, the negated imaginary part."""
    return scale(imag(g), scale=-1.0)


@op("complex", "X, Y -> Out", no_half_reason=NO_HALF_COMPLEX)
def complex_(x, y):
    """Out = X + iY. X [*A], Y [*B] -> Out complex [*broadcast(A, B)]"""
    check_float(x)
    out = np.empty(np.broadcast_shapes(x.shape, y.shape), complex_dtype(x.dtype))
    out.real, out.imag = x, y
    return out


@complex_.meta
def _(x, y):
    check_dtype(x.dtype.kind == "f", "needs a floating dtype")
    return Meta(broadcast(x, y).shape, complex_dtype(x.dtype))


@complex_.vjp
def _(g, x, y):
    return lambda: real(g), lambda: negative_imag(g)


def _real_part_meta(x, **_):
    check_dtype(x.dtype.kind == "c", "needs a complex dtype")
    return real_like_x_meta(x)


@op("real", "X -> Out", meta=_real_part_meta)
def real(x):
    """Out = Re X. X complex [*] -> Out [*]"""
    check_dtype(x.dtype.kind == "c", "needs a complex dtype")
    return x.real.copy()


@real.vjp
def _(g, x):
    return complex_(g, zeros_like(g))


@op("imag", "X -> Out", meta=_real_part_meta)
def imag(x):
    """Out = Im X. X complex [*] -> Out [*]"""
    check_dtype(x.dtype.kind == "c", "needs a complex dtype")
    return x.imag.copy()


@imag.vjp
def _(g, x):
    return complex_(zeros_like(g), scale(g, scale=-1.0))


@op("conj", "X -> Out", meta=like_x_meta, grad_keeps_shape=True)
def conj(x):
    """Out = Re X - i Im X. X [*] -> Out [*]"""
    return np.conjugate(x)


@conj.vjp
def _(g, x):
    return conj(g)


@op("angle", "X -> Out", meta=real_like_x_meta)
@computed_in_float32_if_half
def angle(x):
    """Out = the angle of X with the positive real axis, in (-pi, pi]. X [*] -> Out [*]"""
    check_dtype(x.dtype.kind in "fc", "needs a floating dtype")
    # -0 becomes +0, so that its angle is 0
    turned = x if x.dtype.kind == "c" else x + x.dtype.type(0)
    return np.angle(turned).astype(real_dtype(x.dtype), copy=False)


@angle.vjp
def _(g, x):
    if not is_vjp_input_complex(x):
        return zeros_like(g)
    a, b = real(x), imag(x)
    size = add(square(a), square(b))
    slope = complex_(
        div(scale(mul(g, b), scale=-1.0), size), div(scale(mul(g, a), scale=-1.0), size)
    )
    return masked(slope, is_strictly_between(size, low=0.0))


@op("as_complex", "X -> Out", no_half_reason=NO_HALF_COMPLEX, grad_keeps_shape=True)
def as_complex(x):
    """Out = X[..., 0] + iX[..., 1]. X [*, 2] -> Out complex [*]"""
    check_float(x)
    check(x.shape[-1:] == (2,), "the last axis does not hold two parts")
    return complex_.kernel(x[..., 0], x[..., 1])


@as_complex.meta
def _(x):
    check(len(x.shape) > 0 and dims_match(x.shape[-1], 2), "the last axis does not hold two parts")
    check_dtype(x.dtype.kind == "f", "needs a floating dtype")
    return Meta(x.shape[:-1], complex_dtype(x.dtype))


@as_complex.vjp
def _(g, x):
    return as_real(conj(g))


@op("as_real", "X -> Out", grad_keeps_shape=True)
def as_real(x):
    """Out[..., 0], Out[..., 1] = Re X, Im X. X complex [*] -> Out [*, 2]"""
    check_dtype(x.dtype.kind == "c", "needs a complex dtype")
    return np.stack([x.real, x.imag], axis=-1)


@as_real.meta
def _(x):
    return Meta(_real_part_meta(x).shape + (2,), real_dtype(x.dtype))


@as_real.vjp
def _(g, x):
    return conj(as_complex(g))
