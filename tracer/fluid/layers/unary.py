"""Functions of each element: those that Paddle 2 has under other names or with other arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ...core.op import OPS
from ...core.tensor import Tensor
from ...static.nn.helper import activated
from ..deprecated import instead
from .helper import into, one, today
from .tensors import cast

# name -> what Paddle 2 calls it, and its numbers with their defaults: argument -> (attribute,
# default; None where users pass None for the op's)
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


def _made(kind: str, new: str, numbers: dict[str, tuple[str, Any]]) -> Callable[..., Any]:
    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature(
        [
            inspect.Parameter("x", positional),
            *(
                inspect.Parameter(n, positional, default=default)
                for n, (_, default) in numbers.items()
            ),
            inspect.Parameter("name", positional, default=None),
        ]
    )

    def layer(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        attrs = {
            attr: float(v) for n, (attr, d) in numbers.items() if (v := given.get(n, d)) is not None
        }
        return OPS[kind](given["x"], **attrs)

    layer.__name__ = layer.__qualname__ = kind
    layer.__doc__ = f"What {new} is in Paddle 2.   x [*] -> [*]"
    layer.__signature__ = signature  # type: ignore[attr-defined]
    return instead(f"fluid.layers.{kind}", new)(layer)


globals().update({kind: _made(kind, *row) for kind, row in _OPS.items()})


@today("paddle.nn.functional.relu6")
def relu6(x: Any, threshold: float = 6.0, name: str | None = None) -> Any:
    """x between 0 and a threshold.   x [*] -> [*]"""
    return OPS["relu6"](x, threshold=float(threshold))


def soft_relu(x: Any, threshold: float = 40.0, name: str | None = None) -> Any:
    """ln(1 + exp(x)), x first set between -threshold and threshold.   x [*] -> [*]"""
    return OPS["soft_relu"](x, threshold=float(threshold))


@today("paddle.nn.functional.swish")
def swish(x: Any, beta: float = 1.0, name: str | None = None) -> Any:
    """x / (1 + exp(-x)).

    As in Paddle 1.8, which gave its op beta under a name that the op does not know, beta changes
    nothing.
    x [*] -> [*]
    """
    return OPS["swish"](x)


@today("paddle.nn.functional.gelu")
def gelu(x: Any, approximate: bool = False) -> Any:
    """x times the normal distribution function of x, or an approximation

    (Hendrycks and Gimpel 2016).
    x [*] -> [*]
    """
    return OPS["gelu"](x, approximate=approximate)


@today("paddle.pow")
def pow(x: Any, factor: Any = 1.0, name: str | None = None) -> Any:
    """x ** factor.   x [*], factor: a number or a variable [1] -> [*]"""
    return (
        OPS["pow"](x, factor) if isinstance(factor, Tensor) else OPS["pow"](x, factor=float(factor))
    )


@today("paddle.log1p")
def log1p(x: Any, out: Any = None, name: str | None = None) -> Any:
    """ln(1 + x).   x [*] -> [*]"""
    return into(OPS["log1p"](x), out)


@today("paddle.scale")
def scale(
    x: Any,
    scale: Any = 1.0,
    bias: float = 0.0,
    bias_after_scale: bool = True,
    act: str | None = None,
    name: str | None = None,
) -> Any:
    """scale * x + bias, or scale * (x + bias).   x [*], scale: a number or a variable [1] -> [*]"""
    attrs = {"bias": float(bias), "bias_after_scale": bias_after_scale}
    made = (
        OPS["scale"](x, scale, **attrs)
        if isinstance(scale, Tensor)
        else OPS["scale"](x, scale=float(scale), **attrs)
    )
    return activated("scale", made, act)


@today("paddle.clip")
def clip(x: Any, min: float, max: float, name: str | None = None) -> Any:
    """x between min and max.   x [*] -> [*]"""
    return OPS["clip"](x, min=float(min), max=float(max))


@today("paddle.clip")
def clamp(
    input: Any, min: Any = None, max: Any = None, output: Any = None, name: str | None = None
) -> Any:
    """x between min and max, either of which may be left out.   input [*] -> [*]"""
    most = 3.4028234663852886e38
    given = [v if isinstance(v, Tensor) else None for v in (min, max)]
    low, high = (
        d if v is None or isinstance(v, Tensor) else float(v)
        for v, d in ((min, -most), (max, most))
    )
    return into(OPS["clip"](input, *given, min=low, max=high), output)


def clip_by_norm(x: Any, max_norm: float, name: str | None = None) -> Any:
    """x made shorter where it is longer than max_norm.   x [*] -> [*]"""
    length = OPS["sqrt"](OPS["reduce_sum"](OPS["square"](x), dim=[0], reduce_all=True))
    least = OPS["clip"](length, min=float(max_norm), max=3.4028234663852886e38)
    return OPS["elementwise_mul"](x, OPS["scale"](OPS["reciprocal"](least), scale=float(max_norm)))


@today("paddle.nn.functional.softmax")
def softmax(input: Any, use_cudnn: bool = False, name: str | None = None, axis: int = -1) -> Any:
    """exp(x) over its sum along an axis.   input [*] -> [*]"""
    return OPS["softmax"](input, axis=axis)


@today("paddle.nn.functional.log_softmax")
def log_softmax(input: Any, axis: Any = None, dtype: Any = None, name: str | None = None) -> Any:
    """ln of softmax.   input [*] -> [*]"""
    given = input if dtype is None else cast(input, dtype)
    return OPS["log"](OPS["softmax"](given, axis=-1 if axis is None else axis))


@today("paddle.nn.functional.maxout")
def maxout(x: Any, groups: int, name: str | None = None, axis: int = 1) -> Any:
    """The largest of each group of channels

    (Goodfellow et al. 2013).
    x [N, C, H, W] -> [N, C / groups, H, W]
    """
    return OPS["maxout"](x, groups=groups, axis=axis)


@today("paddle.mean")
def mean(x: Any, name: str | None = None) -> Any:
    """The mean of all elements.   x [*] -> [1]"""
    return one(OPS["mean"](x))


@today("paddle.add_n")
def sum(x: Any) -> Any:
    """The sum of several tensors.   x: [*] each -> [*]"""
    return OPS["sum"](list(x) if isinstance(x, list | tuple) else [x])


@today("paddle.add_n")
def sums(input: Any, out: Any = None) -> Any:
    """The sum of several tensors.   input: [*] each -> [*]"""
    return into(OPS["sum"](list(input) if isinstance(input, list | tuple) else [input]), out)


@today("paddle.cumsum")
def cumsum(
    x: Any, axis: int | None = None, exclusive: bool | None = None, reverse: bool | None = None
) -> Any:
    """Sums up to each place along an axis; exclusive: without itself; reverse: from the end.

    x [*] -> [*]
    """
    return OPS["cumsum"](
        x, axis=-1 if axis is None else axis, exclusive=bool(exclusive), reverse=bool(reverse)
    )


@today("paddle.increment")
def increment(x: Any, value: float = 1.0, in_place: bool = True) -> Any:
    """x + value, of one element; in_place: x is that afterwards.   x [1] -> [1]"""
    made = OPS["increment"](x, step=float(value))
    return into(made, x) if in_place else made
