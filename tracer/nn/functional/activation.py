"""Activations.   Unless said otherwise: x [*] -> [*]."""

from __future__ import annotations

from typing import Any

from ...core.op import OPS
from ...core.tensor import Tensor
from ...tensor.convert import cast
from ...tensor.math import multiply, subtract
from ...tensor.math import tanh as tanh_of

__all__ = [
    "elu", "gelu", "glu", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "log_sigmoid", "log_softmax", "mish", "prelu", "relu",
    "relu6", "sigmoid", "silu", "softmax", "softplus", "softsign", "swish", "tanh", "tanhshrink",
]  # fmt: skip


def _unary(op_type: str, doc: str) -> Any:
    op = OPS[op_type]

    def function(x: Tensor, name: str | None = None) -> Tensor:
        return op(x)

    function.__name__ = function.__qualname__ = op_type
    function.__doc__ = f"{doc}   x [*] -> [*]"
    return function


relu = _unary("relu", "max(x, 0).")
relu6 = _unary("relu6", "min(max(x, 0), 6).")
sigmoid = _unary("sigmoid", "1 / (1 + exp(-x)).")
tanh = _unary("tanh", "The hyperbolic tangent.")
silu = _unary("silu", "x * sigmoid(x).")
swish = _unary("swish", "x * sigmoid(x).")
mish = _unary("mish", "x * tanh(softplus(x)).")
softsign = _unary("softsign", "x / (1 + |x|).")
log_sigmoid = _unary("logsigmoid", "log(sigmoid(x)).")


def gelu(x: Tensor, approximate: bool = False, name: str | None = None) -> Tensor:
    """x * Phi(x), Phi the normal distribution; with tanh in place of erf when approximate   (Hendrycks and Gimpel 2016)."""
    return OPS["gelu"](x, approximate=approximate)


def elu(x: Tensor, alpha: float = 1.0, name: str | None = None) -> Tensor:
    """x where x > 0, else alpha * (exp(x) - 1)."""
    return OPS["elu"](x, alpha=float(alpha))


def leaky_relu(x: Tensor, negative_slope: float = 0.01, name: str | None = None) -> Tensor:
    """x where x > 0, else negative_slope * x."""
    return OPS["leaky_relu"](x, alpha=float(negative_slope))


def prelu(x: Tensor, weight: Tensor, data_format: str = "NCHW", name: str | None = None) -> Tensor:
    """x where x > 0, else weight * x.   weight [1] or [C]"""
    mode = "all" if weight.meta.shape == (1,) else "channel"
    return OPS["prelu"](x, weight, mode=mode, data_format=data_format)


def hardtanh(x: Tensor, min: float = -1.0, max: float = 1.0, name: str | None = None) -> Tensor:
    """x limited to [min, max]."""
    return OPS["brelu"](x, t_min=float(min), t_max=float(max))


def hardsigmoid(x: Tensor, slope: float = 0.1666667, offset: float = 0.5, name: str | None = None) -> Tensor:
    """slope * x + offset, limited to [0, 1]."""
    return OPS["hard_sigmoid"](x, slope=slope, offset=offset)


def hardswish(x: Tensor, name: str | None = None) -> Tensor:
    """x * min(max(x + 3, 0), 6) / 6   (Howard et al. 2019)."""
    return OPS["hard_swish"](x)


def softplus(x: Tensor, beta: float = 1.0, threshold: float = 20.0, name: str | None = None) -> Tensor:
    """log(1 + exp(beta * x)) / beta; x itself where beta * x > threshold."""
    return OPS["softplus"](x, beta=float(beta), threshold=float(threshold))


def tanhshrink(x: Tensor, name: str | None = None) -> Tensor:
    """x - tanh(x)."""
    return subtract(x, tanh_of(x))


def softmax(x: Tensor, axis: int = -1, dtype: Any = None, name: str | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along `axis`."""
    return OPS["softmax"](x if dtype is None else cast(x, dtype), axis=axis)


def log_softmax(x: Tensor, axis: int = -1, dtype: Any = None, name: str | None = None) -> Tensor:
    """log(softmax(x)) along `axis`."""
    return OPS["log_softmax"](x if dtype is None else cast(x, dtype), axis=axis)


def glu(x: Tensor, axis: int = -1, name: str | None = None) -> Tensor:
    """a * sigmoid(b) for the halves a, b of x along `axis`.   x [*, 2N, *] -> [*, N, *]"""
    a, b = OPS["split"](x, num=2, axis=axis)
    return multiply(a, sigmoid(b))
