"""Activation functions, x [*] -> [*] if not stated otherwise."""

from __future__ import annotations

from inspect import signature
from typing import Any

from ...core.errors import OpError, append_user_line
from ...core.op import OPS
from ...core.operand_checks import not_a_tensor_error, rename_generated_function
from ...core.tensor import Tensor
from ...tensor.convert import cast, normalize_axis
from ...tensor.logic import equal
from ...tensor.manipulation import apply_in_place, split
from ...tensor.math import add, make_unary_function, multiply, subtract

__all__ = [
    "celu",
    "elu",
    "elu_",
    "gelu",
    "glu",
    "gumbel_softmax",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "leaky_relu",
    "leaky_relu_",
    "log_sigmoid",
    "log_softmax",
    "maxout",
    "mish",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "rrelu",
    "selu",
    "sigmoid",
    "silu",
    "softmax",
    "softmax_",
    "softplus",
    "softshrink",
    "softsign",
    "swish",
    "tanh",
    "tanh_",
    "tanhshrink",
    "thresholded_relu",
    "thresholded_relu_",
]


relu = make_unary_function(
    "relu",
    "Rectified linear unit.",
    "[-1.5, 0.0, 2.0]",
    "[0. 0. 2.]",
    formula="max(x, 0)",
    notes="NaN stays NaN. The gradient at 0 is 0.",
    dtypes="integer or floating",
    public_name="F.relu",
    needs_float=False,
)
relu6 = make_unary_function(
    "relu6",
    "Rectified linear unit, limited to 6.",
    "[-1.5, 2.0, 7.0]",
    "[0. 2. 6.]",
    formula="min(max(x, 0), 6)",
    dtypes="integer or floating",
    public_name="F.relu6",
    needs_float=False,
)
sigmoid = make_unary_function(
    "sigmoid",
    "Sigmoid (logistic) function.",
    "[-2.0, 0.0, 2.0]",
    "[0.119 0.5   0.881]",
    formula="1 / (1 + exp(-x))",
    public_name="F.sigmoid",
    needs_float=False,
)
tanh = make_unary_function(
    "tanh",
    "Hyperbolic tangent.",
    "[-1.0, 0.0, 2.0]",
    "[-0.762  0.     0.964]",
    formula="(e ** x - e ** -x) / (e ** x + e ** -x)",
    public_name="F.tanh",
    needs_float=False,
)
silu = make_unary_function(
    "silu",
    "Sigmoid linear unit.",
    "[-2.0, 0.0, 2.0]",
    "[-0.238  0.     1.762]",
    formula="x * sigmoid(x)",
    dtypes="floating",
    public_name="F.silu",
    needs_float=False,
)
swish = make_unary_function(
    "swish",
    "Swish function with beta = 1 (Ramachandran et al. 2017), the same as `silu`.",
    "[-2.0, 0.0, 2.0]",
    "[-0.238  0.     1.762]",
    formula="x * sigmoid(x)",
    dtypes="floating",
    public_name="F.swish",
    needs_float=False,
)
mish = make_unary_function(
    "mish",
    "Mish activation (Misra 2019).",
    "[-2.0, 0.0, 2.0]",
    "[-0.253  0.     1.944]",
    formula="x * tanh(log(1 + exp(x)))",
    dtypes="floating",
    public_name="F.mish",
    needs_float=False,
)
softsign = make_unary_function(
    "softsign",
    "Softsign activation.",
    "[-3.0, 0.0, 1.0]",
    "[-0.75  0.    0.5 ]",
    formula="x / (1 + |x|)",
    dtypes="floating",
    public_name="F.softsign",
    needs_float=False,
)
log_sigmoid = make_unary_function(
    "logsigmoid",
    "Logarithm of the sigmoid function, without overflow.",
    "[-2.0, 0.0, 2.0]",
    "[-2.127 -0.693 -0.127]",
    formula="log(1 / (1 + exp(-x)))",
    dtypes="floating",
    public_name="F.log_sigmoid",
    needs_float=False,
)


def gelu(x: Tensor, approximate: bool = False, name: str | None = None) -> Tensor:
    """x * Phi(x), Phi the cumulative normal distribution (Hendrycks and Gimpel 2016).

    approximate: use the tanh approximation instead of erf
    """
    return OPS["gelu"](x, approximate=approximate)


def elu(x: Tensor, alpha: float = 1.0, name: str | None = None) -> Tensor:
    """x where x > 0, otherwise alpha * (exp(x) - 1)."""
    return OPS["elu"](x, alpha=float(alpha))


def leaky_relu(x: Tensor, negative_slope: float = 0.01, name: str | None = None) -> Tensor:
    """x where x > 0, otherwise negative_slope * x."""
    return OPS["leaky_relu"](x, alpha=float(negative_slope))


def prelu(x: Tensor, weight: Tensor, data_format: str = "NCHW", name: str | None = None) -> Tensor:
    """x where x > 0, otherwise weight * x.

    weight [1] or [C]
    """
    try:
        mode = "all" if weight.meta.shape == (1,) else "channel"
    except AttributeError:
        raise not_a_tensor_error(weight) from None
    return OPS["prelu"](x, weight, mode=mode, data_format=data_format)


def hardtanh(x: Tensor, min: float = -1.0, max: float = 1.0, name: str | None = None) -> Tensor:
    """Clip x to [min, max]."""
    return OPS["brelu"](x, t_min=float(min), t_max=float(max))


def hardsigmoid(
    x: Tensor, slope: float = 0.1666667, offset: float = 0.5, name: str | None = None
) -> Tensor:
    """Clip slope * x + offset to [0, 1]."""
    return OPS["hard_sigmoid"](x, slope=slope, offset=offset)


def hardswish(x: Tensor, name: str | None = None) -> Tensor:
    """x * min(max(x + 3, 0), 6) / 6 (Howard et al. 2019)."""
    return OPS["hard_swish"](x)


def softplus(
    x: Tensor, beta: float = 1.0, threshold: float = 20.0, name: str | None = None
) -> Tensor:
    """log(1 + exp(beta * x)) / beta, or x where beta * x > threshold."""
    return OPS["softplus"](x, beta=float(beta), threshold=float(threshold))


def tanhshrink(x: Tensor, name: str | None = None) -> Tensor:
    """x - tanh(x)."""
    return OPS["tanh_shrink"](x)


def hardshrink(x: Tensor, threshold: float = 0.5, name: str | None = None) -> Tensor:
    """x where |x| > threshold, otherwise 0."""
    return OPS["hard_shrink"](x, threshold=float(threshold))


def softshrink(x: Tensor, threshold: float = 0.5, name: str | None = None) -> Tensor:
    """x - sign(x) * threshold where |x| > threshold, otherwise 0."""
    _raise_activation_error_unless(
        "softshrink", threshold >= 0, f"threshold={threshold} is negative", x
    )
    return OPS["softshrink"](x, **{"lambda": float(threshold)})


def thresholded_relu(x: Tensor, threshold: float = 1.0, name: str | None = None) -> Tensor:
    """x where x > threshold, otherwise 0."""
    return OPS["thresholded_relu"](x, threshold=float(threshold))


def celu(x: Tensor, alpha: float = 1.0, name: str | None = None) -> Tensor:
    """x where x > 0, otherwise alpha * (exp(x / alpha) - 1) (Barron 2017)."""
    _raise_activation_error_unless("celu", alpha != 0, "alpha is 0", x)
    return OPS["celu"](x, alpha=float(alpha))


def selu(
    x: Tensor,
    scale: float = 1.0507009873554804934193349852946,
    alpha: float = 1.6732632423543772848170429916717,
    name: str | None = None,
) -> Tensor:
    """scale * x where x > 0, otherwise scale * alpha * (exp(x) - 1) (Klambauer et al. 2017)."""
    _raise_activation_error_unless(
        "selu",
        scale > 1 and alpha >= 0,
        f"scale={scale}, alpha={alpha} are not scale > 1, alpha >= 0",
        x,
    )
    return OPS["selu"](x, scale=float(scale), alpha=float(alpha))


def rrelu(
    x: Tensor,
    lower: float = 1.0 / 8.0,
    upper: float = 1.0 / 3.0,
    training: bool = True,
    name: str | None = None,
) -> Tensor:
    """x where x > 0, otherwise slope * x (Xu et al. 2015).

    In training the slope of each element is drawn from [lower, upper), otherwise it is their mean.
    """
    _raise_activation_error_unless(
        "rrelu",
        0 <= lower <= upper <= 1,
        f"lower={lower}, upper={upper} are not 0 <= lower <= upper <= 1",
        x,
    )
    return OPS["rrelu"](x, lower=float(lower), upper=float(upper), is_test=not training)[0]


def maxout(x: Tensor, groups: int, axis: int = 1, name: str | None = None) -> Tensor:
    """Maximum over each group of `groups` consecutive channels (Goodfellow et al. 2013).

    x [N, C, H, W] -> [N, C / groups, H, W]
    """
    return OPS["maxout"](x, groups=groups, axis=3 if axis == -1 else axis)


def gumbel_softmax(
    x: Tensor, temperature: float = 1.0, hard: bool = False, axis: int = -1, name: str | None = None
) -> Tensor:
    """Draw from the categorical distribution with logits x, with a gradient (Jang et al. 2017).

    hard: return a one-hot vector, with the gradient of the soft sample
    """
    soft = OPS["gumbel_softmax"](x, temperature=float(temperature), axis=axis)
    if not hard:
        return soft
    one_hot = cast(equal(soft, OPS["reduce_max"](soft, dim=[axis], keep_dim=True)), x.dtype)
    return add(one_hot.detach(), subtract(soft, soft.detach()))


def _raise_activation_error_unless(function: str, ok: bool, problem: str, x: Tensor) -> None:
    if not ok:
        raise OpError(append_user_line(f"{function}: {problem} (X={x.meta})"))


def softmax(x: Tensor, axis: int = -1, dtype: Any = None, name: str | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along `axis`."""
    return OPS["softmax"](x if dtype is None else cast(x, dtype), axis=axis)


def log_softmax(x: Tensor, axis: int = -1, dtype: Any = None, name: str | None = None) -> Tensor:
    """log(softmax(x)) along `axis`."""
    return OPS["log_softmax"](x if dtype is None else cast(x, dtype), axis=axis)


def glu(x: Tensor, axis: int = -1, name: str | None = None) -> Tensor:
    """Gated linear unit: a * sigmoid(b) for the halves a, b of x along `axis`.

    x [*, 2N, *] -> [*, N, *]
    """
    a, b = (
        split(x, 2, axis)
        if isinstance(axis, Tensor)
        else OPS["split"](x, num=2, axis=normalize_axis(axis, x, "glu"))
    )
    return multiply(a, sigmoid(b))


def _make_in_place_activation(function: Any) -> Any:
    """Return the in-place variant of an activation function."""

    def wrapper(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return apply_in_place(x, lambda value: function(value, *args, **kwargs))

    rename_generated_function(wrapper, f"{function.__name__}_")
    wrapper.__doc__ = f"In place: {function.__doc__}"
    wrapper.__signature__ = signature(function)  # type: ignore[attr-defined]
    return wrapper


elu_, hardtanh_, leaky_relu_, relu_ = map(
    _make_in_place_activation, (elu, hardtanh, leaky_relu, relu)
)
softmax_, tanh_, thresholded_relu_ = map(
    _make_in_place_activation, (softmax, tanh, thresholded_relu)
)
