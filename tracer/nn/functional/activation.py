"""Activation functions, x [*] -> [*] if not stated otherwise."""

from __future__ import annotations

from inspect import signature
from typing import Any

from ...core.errors import OpError, append_user_line
from ...core.op import OPS
from ...core.operand_checks import not_a_tensor_error, rename_generated_function
from ...core.tensor import Tensor
from ...core.type_aliases import DTypeLike
from ...tensor.convert import cast, normalize_axis
from ...tensor.in_place_docstrings import in_place_docstring
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
    """Gaussian error linear unit: x * Phi(x) (Hendrycks and Gimpel 2016).

    Phi is the cumulative distribution function of the normal distribution, (1 + erf(x / sqrt(2))) /
    2.

    Parameters
    ----------
    x : Tensor [*], float16 | bfloat16 | float32 | float64
    approximate : bool, default False
        Use the approximation 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))).
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If `x` is not of floating-point numbers.

    Examples
    --------
    >>> y = F.gelu(paddle.to_tensor([-2.0, -0.5, 0.0, 3.0]))
    >>> [round(value, 3) + 0.0 for value in y.tolist()]
    [-0.046, -0.154, 0.0, 2.996]
    """
    return OPS["gelu"](x, approximate=approximate)


def elu(x: Tensor, alpha: float = 1.0, name: str | None = None) -> Tensor:
    """Exponential linear unit (Clevert et al. 2016).

    x where x > 0, otherwise alpha * (exp(x) - 1)

    Parameters
    ----------
    x : Tensor [*], float16 | bfloat16 | float32 | float64
    alpha : float, default 1.0
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If `x` is not of floating-point numbers.

    Examples
    --------
    >>> y = F.elu(paddle.to_tensor([-2.0, -0.5, 0.0, 3.0]))
    >>> [round(value, 3) + 0.0 for value in y.tolist()]
    [-0.865, -0.393, 0.0, 3.0]
    """
    return OPS["elu"](x, alpha=float(alpha))


def leaky_relu(x: Tensor, negative_slope: float = 0.01, name: str | None = None) -> Tensor:
    """Leaky ReLU: x where x > 0, otherwise negative_slope * x.

    Parameters
    ----------
    x : Tensor [*], float16 | bfloat16 | float32 | float64
    negative_slope : float, default 0.01
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If `x` is not of floating-point numbers.

    Examples
    --------
    >>> y = F.leaky_relu(paddle.to_tensor([-2.0, -0.5, 0.0, 3.0]), negative_slope=0.1)
    >>> [round(value, 3) + 0.0 for value in y.tolist()]
    [-0.2, -0.05, 0.0, 3.0]
    """
    return OPS["leaky_relu"](x, alpha=float(negative_slope))


def prelu(x: Tensor, weight: Tensor, data_format: str = "NCHW", name: str | None = None) -> Tensor:
    """Parametric ReLU: x where x > 0, otherwise weight * x (He et al. 2015).

    Parameters
    ----------
    x : Tensor [N, C, *], float16 | bfloat16 | float32 | float64
    weight : Tensor [1] or [C], dtype of x
        One slope for all elements, or one per channel. The channels of a tensor of rank 1 are its
        elements.
    data_format : str, default "NCHW"
        The channels are the second axis if it starts with "NC", otherwise the last.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor, shape and dtype of x

    Raises
    ------
    OpError
        If the shape or the dtype of `weight` does not fit.

    Examples
    --------
    >>> x = paddle.to_tensor([[-1.0, -2.0], [3.0, -4.0]])
    >>> F.prelu(x, paddle.to_tensor([0.5, 0.25])).tolist()
    [[-0.5, -0.5], [3.0, -1.0]]
    """
    try:
        mode = "all" if weight.meta.shape == (1,) else "channel"
    except AttributeError:
        raise not_a_tensor_error(weight) from None
    return OPS["prelu"](x, weight, mode=mode, data_format=data_format)


def hardtanh(x: Tensor, min: float = -1.0, max: float = 1.0, name: str | None = None) -> Tensor:
    """Clip to [min, max].

    Parameters
    ----------
    x : Tensor [*], float16 | bfloat16 | float32 | float64
    min : float, default -1.0
    max : float, default 1.0
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If `x` is not of floating-point numbers.

    Examples
    --------
    >>> y = F.hardtanh(paddle.to_tensor([-2.0, -0.5, 0.0, 3.0]))
    >>> [round(value, 3) + 0.0 for value in y.tolist()]
    [-1.0, -0.5, 0.0, 1.0]
    """
    return OPS["brelu"](x, t_min=float(min), t_max=float(max))


def hardsigmoid(
    x: Tensor, slope: float = 0.1666667, offset: float = 0.5, name: str | None = None
) -> Tensor:
    """Piecewise linear sigmoid: slope * x + offset, clipped to [0, 1].

    Parameters
    ----------
    x : Tensor [*], float16 | bfloat16 | float32 | float64
    slope : float, default 0.1666667
    offset : float, default 0.5
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If `x` is not of floating-point numbers.

    Examples
    --------
    >>> y = F.hardsigmoid(paddle.to_tensor([-2.0, -0.5, 0.0, 3.0]))
    >>> [round(value, 3) + 0.0 for value in y.tolist()]
    [0.167, 0.417, 0.5, 1.0]
    """
    return OPS["hard_sigmoid"](x, slope=slope, offset=offset)


def hardswish(x: Tensor, name: str | None = None) -> Tensor:
    """Piecewise swish: x * min(max(x + 3, 0), 6) / 6 (Howard et al. 2019).

    Parameters
    ----------
    x : Tensor [*], float16 | bfloat16 | float32 | float64
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If `x` is not of floating-point numbers.

    Examples
    --------
    >>> y = F.hardswish(paddle.to_tensor([-2.0, -0.5, 0.0, 3.0]))
    >>> [round(value, 3) + 0.0 for value in y.tolist()]
    [-0.333, -0.208, 0.0, 3.0]
    """
    return OPS["hard_swish"](x)


def softplus(
    x: Tensor, beta: float = 1.0, threshold: float = 20.0, name: str | None = None
) -> Tensor:
    """Smooth ReLU: log(1 + exp(beta * x)) / beta, or x where beta * x > threshold.

    Parameters
    ----------
    x : Tensor [*], float16 | bfloat16 | float32 | float64
    beta : float, default 1.0
    threshold : float, default 20.0
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If `x` is not of floating-point numbers.

    Examples
    --------
    >>> y = F.softplus(paddle.to_tensor([-2.0, -0.5, 0.0, 3.0]))
    >>> [round(value, 3) + 0.0 for value in y.tolist()]
    [0.127, 0.474, 0.693, 3.049]
    """
    return OPS["softplus"](x, beta=float(beta), threshold=float(threshold))


def tanhshrink(x: Tensor, name: str | None = None) -> Tensor:
    """Compute x - tanh(x).

    Parameters
    ----------
    x : Tensor [*], float16 | bfloat16 | float32 | float64
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If `x` is not of floating-point numbers.

    Examples
    --------
    >>> y = F.tanhshrink(paddle.to_tensor([-2.0, -0.5, 0.0, 3.0]))
    >>> [round(value, 3) + 0.0 for value in y.tolist()]
    [-1.036, -0.038, 0.0, 2.005]
    """
    return OPS["tanh_shrink"](x)


def hardshrink(x: Tensor, threshold: float = 0.5, name: str | None = None) -> Tensor:
    """Hard shrinkage: x where abs(x) > threshold, otherwise 0.

    Parameters
    ----------
    x : Tensor [*], float16 | bfloat16 | float32 | float64
    threshold : float, default 0.5
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If `x` is not of floating-point numbers.

    Examples
    --------
    >>> y = F.hardshrink(paddle.to_tensor([-2.0, -0.5, 0.0, 3.0]), threshold=1.0)
    >>> [round(value, 3) + 0.0 for value in y.tolist()]
    [-2.0, 0.0, 0.0, 3.0]
    """
    return OPS["hard_shrink"](x, threshold=float(threshold))


def softshrink(x: Tensor, threshold: float = 0.5, name: str | None = None) -> Tensor:
    """Soft shrinkage: x - sign(x) * threshold where abs(x) > threshold, otherwise 0.

    Parameters
    ----------
    x : Tensor [*], float16 | bfloat16 | float32 | float64
    threshold : float, default 0.5
        Not negative.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If `threshold` is negative, or `x` is not of floating-point numbers.

    Examples
    --------
    >>> y = F.softshrink(paddle.to_tensor([-2.0, -0.5, 0.0, 3.0]))
    >>> [round(value, 3) + 0.0 for value in y.tolist()]
    [-1.5, 0.0, 0.0, 2.5]
    """
    _raise_activation_error_unless(
        "softshrink", threshold >= 0, f"threshold={threshold} is negative", x
    )
    return OPS["softshrink"](x, **{"lambda": float(threshold)})


def thresholded_relu(x: Tensor, threshold: float = 1.0, name: str | None = None) -> Tensor:
    """Keep x where x > threshold, otherwise 0.

    Parameters
    ----------
    x : Tensor [*], float16 | bfloat16 | float32 | float64
    threshold : float, default 1.0
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If `x` is not of floating-point numbers.

    Examples
    --------
    >>> y = F.thresholded_relu(paddle.to_tensor([-2.0, -0.5, 0.0, 3.0]), threshold=0.5)
    >>> [round(value, 3) + 0.0 for value in y.tolist()]
    [0.0, 0.0, 0.0, 3.0]
    """
    return OPS["thresholded_relu"](x, threshold=float(threshold))


def celu(x: Tensor, alpha: float = 1.0, name: str | None = None) -> Tensor:
    """Continuous ELU: x where x > 0, otherwise alpha * (exp(x / alpha) - 1) (Barron 2017).

    Parameters
    ----------
    x : Tensor [*], float16 | bfloat16 | float32 | float64
    alpha : float, default 1.0
        Not 0.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If `alpha` is 0, or `x` is not of floating-point numbers.

    Examples
    --------
    >>> y = F.celu(paddle.to_tensor([-2.0, -0.5, 0.0, 3.0]), alpha=2.0)
    >>> [round(value, 3) + 0.0 for value in y.tolist()]
    [-1.264, -0.442, 0.0, 3.0]
    """
    _raise_activation_error_unless("celu", alpha != 0, "alpha is 0", x)
    return OPS["celu"](x, alpha=float(alpha))


def selu(
    x: Tensor,
    scale: float = 1.0507009873554804934193349852946,
    alpha: float = 1.6732632423543772848170429916717,
    name: str | None = None,
) -> Tensor:
    """Scaled exponential linear unit (Klambauer et al. 2017).

    scale * x where x > 0, otherwise scale * alpha * (exp(x) - 1)

    Parameters
    ----------
    x : Tensor [*], float16 | bfloat16 | float32 | float64
    scale : float, default 1.0507009873554805
        Greater than 1.
    alpha : float, default 1.6732632423543772
        Not negative.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If `scale` or `alpha` is out of range, or `x` is not of floating-point numbers.

    Examples
    --------
    >>> y = F.selu(paddle.to_tensor([-2.0, -0.5, 0.0, 3.0]))
    >>> [round(value, 3) + 0.0 for value in y.tolist()]
    [-1.52, -0.692, 0.0, 3.152]
    """
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
    """Randomized leaky ReLU: x where x > 0, otherwise slope * x (Xu et al. 2015).

    Parameters
    ----------
    x : Tensor [*], float16 | bfloat16 | float32 | float64
    lower, upper : float, default 1 / 8, 1 / 3
        0 <= lower <= upper <= 1. In training the slope of each element is drawn uniformly from
        [lower, upper); otherwise it is (lower + upper) / 2.
    training : bool, default True
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If `lower` or `upper` is out of range.

    Examples
    --------
    >>> F.rrelu(paddle.to_tensor([-2.0, 3.0]), 0.25, 0.75, training=False).tolist()
    [-1.0, 3.0]
    """
    _raise_activation_error_unless(
        "rrelu",
        0 <= lower <= upper <= 1,
        f"lower={lower}, upper={upper} are not 0 <= lower <= upper <= 1",
        x,
    )
    return OPS["rrelu"](x, lower=float(lower), upper=float(upper), is_test=not training)[0]


def maxout(x: Tensor, groups: int, axis: int = 1, name: str | None = None) -> Tensor:
    """Maximum over groups of consecutive channels (Goodfellow et al. 2013).

    out[n, c] = max over i < groups of x[n, c * groups + i]

    Parameters
    ----------
    x : Tensor [N, C, H, W] or [N, H, W, C], float16 | bfloat16 | float32 | float64
    groups : int
        Number of channels in a group; divides C.
    axis : int, default 1
        Axis of the channels: 1, 3 or -1.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, C / groups, H, W] or [N, H, W, C / groups], dtype of x

    Raises
    ------
    OpError
        If the rank, `axis` or `groups` does not fit.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 5.0, 4.0, 2.0]).reshape([1, 4, 1, 1])
    >>> F.maxout(x, groups=2).flatten().tolist()
    [5.0, 4.0]
    """
    return OPS["maxout"](x, groups=groups, axis=3 if axis == -1 else axis)


def gumbel_softmax(
    x: Tensor, temperature: float = 1.0, hard: bool = False, axis: int = -1, name: str | None = None
) -> Tensor:
    """Draw from the categorical distribution with logits `x`, with a gradient (Jang et al. 2017).

    softmax((x + noise) / temperature) along `axis`, with noise from the standard Gumbel
    distribution

    Parameters
    ----------
    x : Tensor [*, C, *], float16 | bfloat16 | float32 | float64
    temperature : float, default 1.0
        Positive. With a small one, samples are near to one-hot vectors.
    hard : bool, default False
        Return one-hot vectors of the largest elements, with the gradient of the soft sample.
    axis : int, default -1
    name : str, optional
        Not used.

    Returns
    -------
    Tensor, shape and dtype of x

    Raises
    ------
    OpError
        If the axis does not exist.

    Examples
    --------
    >>> F.gumbel_softmax(paddle.zeros([2, 3]), hard=True).sum(-1).tolist()
    [1.0, 1.0]
    """
    soft = OPS["gumbel_softmax"](x, temperature=float(temperature), axis=axis)
    if not hard:
        return soft
    one_hot = cast(equal(soft, OPS["reduce_max"](soft, dim=[axis], keep_dim=True)), x.dtype)
    return add(one_hot.detach(), subtract(soft, soft.detach()))


def _raise_activation_error_unless(function: str, ok: bool, problem: str, x: Tensor) -> None:
    if not ok:
        raise OpError(append_user_line(f"{function}: {problem} (X={x.meta})"))


def softmax(
    x: Tensor, axis: int = -1, dtype: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    """Normalize exponentials along an axis: exp(x) / sum(exp(x)).

    Parameters
    ----------
    x : Tensor [*], float16 | bfloat16 | float32 | float64
    axis : int, default -1
    dtype : dtype or str, optional
        Cast `x` to this dtype first; integers need it.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], `dtype` or dtype of x

    Raises
    ------
    OpError
        If the axis does not exist, or the dtype is not floating-point.

    Notes
    -----
    The maximum is subtracted first, so that large values do not overflow.

    Examples
    --------
    >>> F.softmax(paddle.to_tensor([[1.0, 1.0], [0.0, 1000.0]])).tolist()
    [[0.5, 0.5], [0.0, 1.0]]
    """
    return OPS["softmax"](x if dtype is None else cast(x, dtype), axis=axis)


def log_softmax(
    x: Tensor, axis: int = -1, dtype: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    """Logarithm of the softmax along an axis: x - log(sum(exp(x))).

    Parameters
    ----------
    x : Tensor [*], float16 | bfloat16 | float32 | float64
    axis : int, default -1
    dtype : dtype or str, optional
        Cast `x` to this dtype first; integers need it.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], `dtype` or dtype of x

    Raises
    ------
    OpError
        If the axis does not exist, or the dtype is not floating-point.

    Examples
    --------
    >>> F.log_softmax(paddle.to_tensor([0.0, 0.0])).numpy().round(3)
    array([-0.693, -0.693], dtype=float32)
    """
    return OPS["log_softmax"](x if dtype is None else cast(x, dtype), axis=axis)


def glu(x: Tensor, axis: int = -1, name: str | None = None) -> Tensor:
    """Gated linear unit: a * sigmoid(b) for the halves a, b of `x` (Dauphin et al. 2017).

    Parameters
    ----------
    x : Tensor [*, 2 * N, *], float16 | bfloat16 | float32 | float64
    axis : int, default -1
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, N, *], dtype of x

    Raises
    ------
    OpError
        If the axis does not exist, or its size is odd.

    Examples
    --------
    >>> F.glu(paddle.to_tensor([1.0, 2.0, 0.0, 0.0])).tolist()
    [0.5, 1.0]
    """
    a, b = (
        split(x, 2, axis)
        if isinstance(axis, Tensor)
        else OPS["split"](x, num=2, axis=normalize_axis(axis, x, "glu"))
    )
    return multiply(a, sigmoid(b))


def _make_in_place_activation(function: Any, shown: str, arguments: str = "") -> Any:
    """Return the in-place variant of an activation function.

    shown, arguments: of its example: the results for -2, -0.5, 0 and 3
    """

    def wrapper(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return apply_in_place(x, lambda value: function(value, *args, **kwargs))

    name = f"{function.__name__}_"
    rename_generated_function(wrapper, name)
    wrapper.__doc__ = in_place_docstring(
        function, "[-2.0, -0.5, 0.0, 3.0]", f"F.{name}(x{arguments})", shown
    )
    wrapper.__signature__ = signature(function)  # type: ignore[attr-defined]
    return wrapper


elu_ = _make_in_place_activation(elu, "[-0.865 -0.393  0.     3.   ]")
hardtanh_ = _make_in_place_activation(hardtanh, "[-1.  -0.5  0.   1. ]")
leaky_relu_ = _make_in_place_activation(
    leaky_relu, "[-1.   -0.25  0.    3.  ]", ", negative_slope=0.5"
)
relu_ = _make_in_place_activation(relu, "[0. 0. 0. 3.]")
softmax_ = _make_in_place_activation(softmax, "[0.006 0.028 0.046 0.92 ]")
tanh_ = _make_in_place_activation(tanh, "[-0.964 -0.462  0.     0.995]")
thresholded_relu_ = _make_in_place_activation(
    thresholded_relu, "[-0. -0.  0.  3.]", ", threshold=0.5"
)
