"""Elementwise functions of Paddle 1.x, softmax, sums and means."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ...core.op import OPS
from ...core.tensor import Tensor
from ...static.nn.helper import apply_activation
from ..deprecated import warn_deprecated_on_first_use
from .layer_utils import assign_to, deprecated_layer, ensure_at_least_1d
from .tensors import cast

# name of the layer -> name of the function in Paddle 2, and numeric arguments: argument ->
# (attribute, default; None: the op's default)
_OPS: dict[str, tuple[str, dict[str, tuple[str, Any]]]] = {
    **{
        n: (f"paddle.{n}", {})
        for n in (
            "abs",
            "acos",
            "asin",
            "atan",
            "ceil",
            "cos",
            "erf",
            "exp",
            "floor",
            "log",
            "reciprocal",
            "round",
            "rsqrt",
            "sign",
            "sin",
            "sqrt",
            "square",
            "tanh",
        )
    },
    **{n: (f"paddle.nn.functional.{n}", {}) for n in ("relu", "sigmoid", "softplus", "softsign")},
    "logsigmoid": ("paddle.nn.functional.log_sigmoid", {}),
    "tanh_shrink": ("paddle.nn.functional.tanhshrink", {}),
    "brelu": ("paddle.nn.functional.hardtanh", {"t_min": ("t_min", 0.0), "t_max": ("t_max", 24.0)}),
    "elu": ("paddle.nn.functional.elu", {"alpha": ("alpha", 1.0)}),
    "hard_shrink": ("paddle.nn.functional.hardshrink", {"threshold": ("threshold", None)}),
    "hard_sigmoid": (
        "paddle.nn.functional.hardsigmoid",
        {"slope": ("slope", 0.2), "offset": ("offset", 0.5)},
    ),
    "hard_swish": (
        "paddle.nn.functional.hardswish",
        {"threshold": ("threshold", 6.0), "scale": ("scale", 6.0), "offset": ("offset", 3.0)},
    ),
    "leaky_relu": ("paddle.nn.functional.leaky_relu", {"alpha": ("alpha", 0.02)}),
    "mish": ("paddle.nn.functional.mish", {"threshold": ("threshold", 20)}),
    "selu": ("paddle.nn.functional.selu", {"scale": ("scale", None), "alpha": ("alpha", None)}),
    "softshrink": ("paddle.nn.functional.softshrink", {"alpha": ("lambda", None)}),
    "stanh": ("paddle.stanh", {"scale_a": ("scale_a", 0.67), "scale_b": ("scale_b", 1.7159)}),
    "thresholded_relu": (
        "paddle.nn.functional.thresholded_relu",
        {"threshold": ("threshold", None)},
    ),
}
__all__ = [
    "clamp",
    "clip",
    "clip_by_norm",
    "cumsum",
    "gelu",
    "increment",
    "log1p",
    "log_softmax",
    "maxout",
    "mean",
    "pow",
    "relu6",
    "scale",
    "soft_relu",
    "softmax",
    "sum",
    "sums",
    "swish",
]
__all__ += list(_OPS)


def _make_unary_layer(
    kind: str, paddle2_name: str, arguments: dict[str, tuple[str, Any]]
) -> Callable[..., Any]:
    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature(
        [
            inspect.Parameter("x", positional),
            *(
                inspect.Parameter(n, positional, default=default)
                for n, (_, default) in arguments.items()
            ),
            inspect.Parameter("name", positional, default=None),
        ]
    )

    def layer(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs).arguments
        attrs = {
            attr: float(value)
            for n, (attr, default) in arguments.items()
            if (value := bound.get(n, default)) is not None
        }
        return OPS[kind](bound["x"], **attrs)

    layer.__name__ = layer.__qualname__ = kind
    layer.__doc__ = f"{kind} of each element, like `{paddle2_name}`: [*] -> [*]."
    layer.__signature__ = signature  # type: ignore[attr-defined]
    return warn_deprecated_on_first_use(f"fluid.layers.{kind}", paddle2_name)(layer)


globals().update({kind: _make_unary_layer(kind, *row) for kind, row in _OPS.items()})


@deprecated_layer("paddle.nn.functional.relu6")
def relu6(x: Any, threshold: float = 6.0, name: str | None = None) -> Any:
    """min(max(x, 0), threshold)."""
    return OPS["relu6"](x, threshold=float(threshold))


def soft_relu(x: Any, threshold: float = 40.0, name: str | None = None) -> Any:
    """ln(1 + exp(x)), with x clipped to [-threshold, threshold].

    The newer name is `paddle.nn.functional.softplus`.
    """
    return OPS["soft_relu"](x, threshold=float(threshold))


@deprecated_layer("paddle.nn.functional.swish")
def swish(x: Any, beta: float = 1.0, name: str | None = None) -> Any:
    """x / (1 + exp(-x)).

    beta has no effect, as in Paddle 1.8, which passes it to the op under an unknown name.
    """
    return OPS["swish"](x)


@deprecated_layer("paddle.nn.functional.gelu")
def gelu(x: Any, approximate: bool = False) -> Any:
    """x * Phi(x) with the normal distribution function Phi, or an approximation (Hendrycks and
    Gimpel 2016).
    """
    return OPS["gelu"](x, approximate=approximate)


@deprecated_layer("paddle.pow")
def pow(x: Any, factor: Any = 1.0, name: str | None = None) -> Any:
    """x ** factor; factor: a number or a variable [1]."""
    return (
        OPS["pow"](x, factor) if isinstance(factor, Tensor) else OPS["pow"](x, factor=float(factor))
    )


@deprecated_layer("paddle.log1p")
def log1p(x: Any, out: Any = None, name: str | None = None) -> Any:
    """ln(1 + x)."""
    return assign_to(OPS["log1p"](x), out)


@deprecated_layer("paddle.scale")
def scale(
    x: Any,
    scale: Any = 1.0,
    bias: float = 0.0,
    bias_after_scale: bool = True,
    act: str | None = None,
    name: str | None = None,
) -> Any:
    """scale * x + bias, or scale * (x + bias); scale: a number or a variable [1]."""
    attrs = {"bias": float(bias), "bias_after_scale": bias_after_scale}
    scaled = (
        OPS["scale"](x, scale, **attrs)
        if isinstance(scale, Tensor)
        else OPS["scale"](x, scale=float(scale), **attrs)
    )
    return apply_activation("scale", scaled, act)


@deprecated_layer("paddle.clip")
def clip(x: Any, min: float, max: float, name: str | None = None) -> Any:
    """Clip x to [min, max]."""
    return OPS["clip"](x, min=float(min), max=float(max))


@deprecated_layer("paddle.clip")
def clamp(
    input: Any, min: Any = None, max: Any = None, output: Any = None, name: str | None = None
) -> Any:
    """Clip x to [min, max]; either limit may be None."""
    max_float = 3.4028234663852886e38
    tensors = [v if isinstance(v, Tensor) else None for v in (min, max)]
    low, high = (
        default if v is None or isinstance(v, Tensor) else float(v)
        for v, default in ((min, -max_float), (max, max_float))
    )
    return assign_to(OPS["clip"](input, *tensors, min=low, max=high), output)


def clip_by_norm(x: Any, max_norm: float, name: str | None = None) -> Any:
    """Scale x so that its norm is at most max_norm.

    The newer name is `paddle.nn.ClipGradByNorm`.
    """
    norm = OPS["sqrt"](OPS["reduce_sum"](OPS["square"](x), dim=[0], reduce_all=True))
    divisor = OPS["clip"](norm, min=float(max_norm), max=3.4028234663852886e38)
    return OPS["elementwise_mul"](
        x, OPS["scale"](OPS["reciprocal"](divisor), scale=float(max_norm))
    )


@deprecated_layer("paddle.nn.functional.softmax")
def softmax(input: Any, use_cudnn: bool = False, name: str | None = None, axis: int = -1) -> Any:
    """exp(x) / sum(exp(x)) along an axis."""
    return OPS["softmax"](input, axis=axis)


@deprecated_layer("paddle.nn.functional.log_softmax")
def log_softmax(input: Any, axis: Any = None, dtype: Any = None, name: str | None = None) -> Any:
    """Logarithm of the softmax along an axis."""
    logits = input if dtype is None else cast(input, dtype)
    return OPS["log"](OPS["softmax"](logits, axis=-1 if axis is None else axis))


@deprecated_layer("paddle.nn.functional.maxout")
def maxout(x: Any, groups: int, name: str | None = None, axis: int = 1) -> Any:
    """Maximum of each group of channels (Goodfellow et al. 2013).

    x: [N, C, H, W].
    Returns [N, C / groups, H, W].
    """
    return OPS["maxout"](x, groups=groups, axis=axis)


@deprecated_layer("paddle.mean")
def mean(x: Any, name: str | None = None) -> Any:
    """Mean of all elements, [1]."""
    return ensure_at_least_1d(OPS["mean"](x))


@deprecated_layer("paddle.add_n")
def sum(x: Any) -> Any:
    """Sum of several tensors of the same shape."""
    return OPS["sum"](list(x) if isinstance(x, list | tuple) else [x])


@deprecated_layer("paddle.add_n")
def sums(input: Any, out: Any = None) -> Any:
    """Sum of several tensors of the same shape; also assigned to `out`."""
    return assign_to(OPS["sum"](list(input) if isinstance(input, list | tuple) else [input]), out)


@deprecated_layer("paddle.cumsum")
def cumsum(
    x: Any, axis: int | None = None, exclusive: bool | None = None, reverse: bool | None = None
) -> Any:
    """Cumulative sum along an axis.

    exclusive: without the element itself.
    reverse: from the end.
    """
    return OPS["cumsum"](
        x, axis=-1 if axis is None else axis, exclusive=bool(exclusive), reverse=bool(reverse)
    )


@deprecated_layer("paddle.increment")
def increment(x: Any, value: float = 1.0, in_place: bool = True) -> Any:
    """x + value, [1]; with in_place, x is updated."""
    result = OPS["increment"](x, step=float(value))
    return assign_to(result, x) if in_place else result
