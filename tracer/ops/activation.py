"""Activations and other functions of one operand."""

from __future__ import annotations

import numpy as np

from ..core.op import op
from .elementwise import mul
from .meta import like_x


@op("relu", "X -> Out", meta=like_x)
def relu(x):
    """Out = max(X, 0).   X [*] -> Out [*]"""
    return np.maximum(x, x.dtype.type(0))


@relu.vjp
def _(g, x, *, Out):
    return relu_grad(Out, g)


@op("relu_grad", "Out, Out@GRAD -> X@GRAD", meta=like_x)
def relu_grad(out, g):
    """X@GRAD = Out@GRAD where Out > 0, else 0.   Out [*], Out@GRAD [*] -> X@GRAD [*]"""
    return g * (out > 0)


@relu_grad.vjp
def _(gg, out, g):
    return None, relu_grad(out, gg)


@op("exp", "X -> Out", meta=like_x)
def exp(x):
    """Out = e ** X.   X [*] -> Out [*]"""
    return np.exp(x)


@exp.vjp
def _(g, x, *, Out):
    return mul(g, Out)
