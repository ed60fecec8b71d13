"""Parameter initializers.

fan_in and fan_out of a weight: [in, out] of a matrix, [out, in, *kernel] of a convolution.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core import cuda, rng
from ..core.dtype import compute_dtype, parse_dtype
from ..core.errors import OpError, append_user_line
from ..core.mode import state
from ..core.op import OPS
from ..core.tensor import Tensor
from ..core.type_aliases import TensorLike

__all__ = [
    "Assign",
    "Bilinear",
    "Constant",
    "Dirac",
    "KaimingNormal",
    "KaimingUniform",
    "Normal",
    "Orthogonal",
    "TruncatedNormal",
    "Uniform",
    "XavierNormal",
    "XavierUniform",
    "calculate_gain",
    "set_global_initializer",
]

Array = np.ndarray[Any, Any]


class Initializer:
    """Base of all initializers."""

    def compute(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """Return the initial value as an array.

        -> [*shape]
        """
        raise NotImplementedError

    def record(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        """Record ops that compute the initial value, or return it as an array.

        -> [*shape]
        """
        return self.compute(shape, dtype)

    def __call__(self, param: Tensor, block: Any = None) -> Any:
        """Initialize a parameter.

        block: for a variable of a static program, the block that the op is appended to

        Returns the op for a variable of a program, otherwise `param`.
        """
        if hasattr(block, "append_initializer") and hasattr(param, "raw"):  # a variable
            return block.append_initializer(param, self)
        with cuda.use_as_default_device(None), rng.use_program_seed_for_parameter():
            value = self.compute(param.meta.shape, param.meta.dtype)
        param.set_value(value)
        return param


def fan_in_and_fan_out(shape: Sequence[int]) -> tuple[int, int]:
    """Return fan_in and fan_out of a weight; the module docstring defines them."""
    if len(shape) < 2:
        size = shape[0] if shape else 1
        return size, size
    if len(shape) == 2:
        return shape[0], shape[1]
    field = math.prod(shape[2:])
    return shape[1] * field, shape[0] * field


def _run_random_kernel(
    op: str, shape: Sequence[int], dtype: np.dtype[Any], **attrs: float
) -> Array:
    """Run the kernel of a random op, so that a seed draws the same numbers as in a program.

    -> [*shape]
    """
    values: Array = OPS[op].kernel(
        shape=list(shape), dtype=parse_dtype(compute_dtype(dtype)).proto, **attrs
    )
    return values.astype(dtype, copy=False)


def _draw_symmetric_uniform(shape: Sequence[int], limit: float, dtype: np.dtype[Any]) -> Array:
    return _run_random_kernel("uniform_random", shape, dtype, min=-limit, max=limit)


def _draw_zero_mean_normal(shape: Sequence[int], std: float, dtype: np.dtype[Any]) -> Array:
    return _run_random_kernel("gaussian_random", shape, dtype, mean=0.0, std=std)


def _record_random_op(
    op: str, shape: Sequence[int], dtype: np.dtype[Any], **attrs: float
) -> Tensor:
    """Record an op that draws random numbers.

    -> [*shape]
    """
    op_dtype = compute_dtype(dtype)
    if state.mode.program_builder is not None and (seed := rng.startup_program_seed_hook()):
        attrs["seed"] = attrs.get("seed") or seed
    drawn: Tensor = OPS[op](shape=list(shape), dtype=parse_dtype(op_dtype).proto, **attrs)
    if op_dtype == dtype:
        return drawn
    return OPS["cast"](
        drawn, in_dtype=parse_dtype(op_dtype).proto, out_dtype=parse_dtype(dtype).proto
    )


class Constant(Initializer):
    """Initialize all elements with one value.

    Parameters
    ----------
    value : float, default 0.0

    Examples
    --------
    >>> layer = nn.Linear(2, 1, weight_attr=nn.initializer.Constant(0.5))
    >>> layer.weight.tolist()
    [[0.5], [0.5]]
    """

    def __init__(self, value: float = 0.0) -> None:
        self.value = value

    def compute(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        return np.full(tuple(shape), self.value, dtype)

    def record(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        value = float(self.value)
        return OPS["fill_constant"](
            shape=list(shape), value=value, str_value=repr(value), dtype=parse_dtype(dtype).proto
        )


class Uniform(Initializer):
    """Draw from the uniform distribution on [low, high).

    Parameters
    ----------
    low : float, default -1.0
    high : float, default 1.0
    name : str, optional
        Not used.

    Examples
    --------
    >>> layer = nn.Linear(20, 10, weight_attr=nn.initializer.Uniform(-0.1, 0.1))
    >>> bool((layer.weight.abs() <= 0.1).all())
    True
    """

    def __init__(self, low: float = -1.0, high: float = 1.0, name: str | None = None) -> None:
        self.low = low
        self.high = high

    def compute(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        return _run_random_kernel(
            "uniform_random", shape, dtype, min=float(self.low), max=float(self.high)
        )

    def record(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        return _record_random_op(
            "uniform_random", shape, dtype, min=float(self.low), max=float(self.high)
        )


class Normal(Initializer):
    """Draw from the normal distribution N(mean, std^2).

    Parameters
    ----------
    mean : float, default 0.0
    std : float, default 1.0
    name : str, optional
        Not used.

    Examples
    --------
    >>> layer = nn.Linear(20, 10, weight_attr=nn.initializer.Normal(mean=5.0, std=0.1))
    >>> round(layer.weight.mean().item())
    5
    """

    def __init__(self, mean: float = 0.0, std: float = 1.0, name: str | None = None) -> None:
        self.mean = mean
        self.std = std

    def compute(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        return _run_random_kernel(
            "gaussian_random", shape, dtype, mean=float(self.mean), std=float(self.std)
        )

    def record(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        return _record_random_op(
            "gaussian_random", shape, dtype, mean=float(self.mean), std=float(self.std)
        )


class TruncatedNormal(Normal):
    """Draw from the normal distribution N(mean, std^2), limited to an interval.

    Values outside of [mean + a * std, mean + b * std] are drawn again.

    Parameters
    ----------
    mean : float, default 0.0
    std : float, default 1.0
    a, b : float, default -2.0, 2.0
        Limits in units of `std` from the mean.
    name : str, optional
        Not used.

    Examples
    --------
    >>> layer = nn.Linear(20, 10, weight_attr=nn.initializer.TruncatedNormal(std=0.1))
    >>> layer.weight.abs().max().item() <= 0.2001
    True
    """

    def __init__(
        self,
        mean: float = 0.0,
        std: float = 1.0,
        a: float = -2.0,
        b: float = 2.0,
        name: str | None = None,
    ) -> None:
        super().__init__(mean, std)
        self.a = a
        self.b = b

    def compute(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        generator = rng.generator()
        values = generator.standard_normal(tuple(shape))
        while (outside := (values < self.a) | (values > self.b)).any():
            values[outside] = generator.standard_normal(int(outside.sum()))
        return (values * self.std + self.mean).astype(dtype)

    def record(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        if (self.a, self.b) != (-2.0, 2.0):
            return self.compute(shape, dtype)
        return _record_random_op(
            "truncated_gaussian_random", shape, dtype, mean=float(self.mean), std=float(self.std)
        )


class XavierUniform(Initializer):
    """Draw uniformly from [-limit, limit] (Glorot and Bengio 2010); the default of most weights.

    limit = gain * sqrt(6 / (fan_in + fan_out)). For a matrix [in, out], fan_in is in and fan_out is
    out; for a filter [out, in, *kernel] both are multiplied by the size of the kernel.

    Parameters
    ----------
    fan_in, fan_out : float, optional
        By default those of the shape.
    gain : float, default 1.0
    name : str, optional
        Not used.

    See Also
    --------
    calculate_gain : Gains of activations.

    Examples
    --------
    >>> layer = nn.Linear(4, 2, weight_attr=nn.initializer.XavierUniform())
    >>> bool((layer.weight.abs() <= 1).all())
    True
    """

    def __init__(
        self,
        fan_in: float | None = None,
        fan_out: float | None = None,
        gain: float = 1.0,
        name: str | None = None,
    ) -> None:
        self.fan_in = fan_in
        self.fan_out = fan_out
        self.gain = gain

    def _fan_sum(self, shape: Sequence[int]) -> float:
        fan_in, fan_out = fan_in_and_fan_out(shape)
        return (fan_in if self.fan_in is None else self.fan_in) + (
            fan_out if self.fan_out is None else self.fan_out
        )

    def compute(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        return _draw_symmetric_uniform(
            shape, self.gain * math.sqrt(6.0 / self._fan_sum(shape)), dtype
        )

    def record(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        limit = self.gain * math.sqrt(6.0 / self._fan_sum(shape))
        return _record_random_op("uniform_random", shape, dtype, min=-limit, max=limit)


class XavierNormal(XavierUniform):
    """Draw from the normal distribution N(0, std^2) (Glorot and Bengio 2010).

    std = gain * sqrt(2 / (fan_in + fan_out)). For a matrix [in, out], fan_in is in and fan_out is
    out; for a filter [out, in, *kernel] both are multiplied by the size of the kernel.

    Parameters
    ----------
    fan_in, fan_out : float, optional
        By default those of the shape.
    gain : float, default 1.0
    name : str, optional
        Not used.

    See Also
    --------
    calculate_gain : Gains of activations.

    Examples
    --------
    >>> nn.Linear(4, 2, weight_attr=nn.initializer.XavierNormal()).weight.shape
    [4, 2]
    """

    def compute(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        return _draw_zero_mean_normal(
            shape, self.gain * math.sqrt(2.0 / self._fan_sum(shape)), dtype
        )

    def record(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        return _record_random_op(
            "gaussian_random",
            shape,
            dtype,
            mean=0.0,
            std=self.gain * math.sqrt(2.0 / self._fan_sum(shape)),
        )


class KaimingUniform(Initializer):
    """Draw uniformly from [-limit, limit] with limit = gain * sqrt(3 / fan_in) (He et al. 2015).

    For a matrix [in, out], fan_in is in; for a filter [out, in, *kernel] it is in times the size of
    the kernel.

    Parameters
    ----------
    fan_in : float, optional
        By default that of the shape.
    negative_slope : float, default 0.0
        Slope of "leaky_relu".
    nonlinearity : str, default "relu"
        The gain is `calculate_gain(nonlinearity, negative_slope)`.

    Raises
    ------
    OpError
        When a parameter is initialized, if `nonlinearity` is unknown.

    Examples
    --------
    >>> layer = nn.Linear(6, 2, weight_attr=nn.initializer.KaimingUniform())
    >>> bool((layer.weight.abs() <= 1).all())  # sqrt(2) * sqrt(3 / 6)
    True
    """

    def __init__(
        self, fan_in: float | None = None, negative_slope: float = 0.0, nonlinearity: str = "relu"
    ) -> None:
        self.fan_in = fan_in
        self.negative_slope = negative_slope
        self.nonlinearity = nonlinearity

    def _standard_deviation(self, shape: Sequence[int]) -> float:
        fan_in = fan_in_and_fan_out(shape)[0] if self.fan_in is None else self.fan_in
        return calculate_gain(self.nonlinearity, self.negative_slope) / math.sqrt(fan_in)

    def compute(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        return _draw_symmetric_uniform(
            shape, math.sqrt(3.0) * self._standard_deviation(shape), dtype
        )

    def record(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        limit = math.sqrt(3.0) * self._standard_deviation(shape)
        return _record_random_op("uniform_random", shape, dtype, min=-limit, max=limit)


class KaimingNormal(KaimingUniform):
    """Draw from N(0, std^2) with std = gain / sqrt(fan_in) (He et al. 2015).

    For a matrix [in, out], fan_in is in; for a filter [out, in, *kernel] it is in times the size of
    the kernel.

    Parameters
    ----------
    fan_in : float, optional
        By default that of the shape.
    negative_slope : float, default 0.0
        Slope of "leaky_relu".
    nonlinearity : str, default "relu"
        The gain is `calculate_gain(nonlinearity, negative_slope)`.

    Raises
    ------
    OpError
        When a parameter is initialized, if `nonlinearity` is unknown.

    Examples
    --------
    >>> nn.Linear(6, 2, weight_attr=nn.initializer.KaimingNormal()).weight.shape
    [6, 2]
    """

    def compute(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        return _draw_zero_mean_normal(shape, self._standard_deviation(shape), dtype)

    def record(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        return _record_random_op(
            "gaussian_random", shape, dtype, mean=0.0, std=self._standard_deviation(shape)
        )


class Assign(Initializer):
    """Initialize with a given value.

    Parameters
    ----------
    value : array_like or Tensor
        Of the shape of the parameter; it is cast to the parameter's dtype.
    name : str, optional
        Not used.

    Notes
    -----
    If the shape of the value differs, a new parameter gets the shape of the value, as in Paddle.

    Examples
    --------
    >>> layer = nn.Linear(2, 1, weight_attr=nn.initializer.Assign([[1.0], [2.0]]))
    >>> layer.weight.tolist()
    [[1.0], [2.0]]
    """

    def __init__(self, value: TensorLike, name: str | None = None) -> None:
        self.value = np.asarray(cuda.to_host(value.array) if isinstance(value, Tensor) else value)

    def compute(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        return self.value.astype(dtype)


_GAINS = {
    "sigmoid": 1.0,
    "linear": 1.0,
    "conv1d": 1.0,
    "conv2d": 1.0,
    "conv3d": 1.0,
    "tanh": 5.0 / 3,
    "selu": 3.0 / 4,
}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the gain of a nonlinearity: the factor that preserves the variance.

    "relu": sqrt(2); "leaky_relu": sqrt(2 / (1 + param^2)); "tanh": 5 / 3; "selu": 3 / 4; "sigmoid",
    "linear", "conv1d", "conv2d" and "conv3d": 1

    Parameters
    ----------
    nonlinearity : str
        One of the names above.
    param : float, optional
        Negative slope of "leaky_relu", by default 0.01.

    Returns
    -------
    float

    Raises
    ------
    OpError
        If `nonlinearity` is unknown.

    Examples
    --------
    >>> nn.initializer.calculate_gain("leaky_relu", 1.0)
    1.0
    """
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    if nonlinearity not in _GAINS:
        raise OpError(
            append_user_line(
                f"calculate_gain: {nonlinearity!r} is not one of relu, leaky_relu, "
                f"{', '.join(_GAINS)}"
            )
        )
    return _GAINS[nonlinearity]


class Orthogonal(Initializer):
    """Initialize with gain * Q, where Q is a random (semi-)orthogonal matrix (Saxe et al. 2013).

    A weight [out, *] is treated as a matrix [out, product of the other axes]. Its rows are
    orthonormal, or its columns if it has fewer columns than rows.

    Parameters
    ----------
    gain : float, default 1.0
    name : str, optional
        Not used.

    Raises
    ------
    OpError
        When a parameter of rank 0 or 1 is initialized.

    Examples
    --------
    >>> w = nn.Linear(2, 4, weight_attr=nn.initializer.Orthogonal()).weight
    >>> bool(abs((w @ w.T).numpy() - np.eye(2)).max() < 1e-5)
    True
    """

    def __init__(self, gain: float = 1.0, name: str | None = None) -> None:
        self.gain = gain

    def compute(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        if len(shape) < 2:
            raise OpError(
                append_user_line(f"Orthogonal: the rank must be at least 2 (shape={list(shape)})")
            )
        rows, columns = shape[0], math.prod(shape[1:])
        drawn = rng.generator().standard_normal((max(rows, columns), min(rows, columns)))
        q, r = np.linalg.qr(drawn)
        q = q * np.sign(np.diag(r))
        return (self.gain * (q.T if rows < columns else q)).reshape(tuple(shape)).astype(dtype)


class Dirac(Initializer):
    """Initialize a convolution as the identity of each group (weight [out, in, *kernel]).

    Filter i of a group has a 1 at the center of channel i and zeros elsewhere.

    Parameters
    ----------
    groups : int, default 1
        Divides the number of filters.
    name : str, optional
        Not used.

    Raises
    ------
    OpError
        When a parameter is initialized that is not of rank 3, 4 or 5, or `groups` does not divide
        its filters.

    Examples
    --------
    >>> conv = nn.Conv1D(1, 1, 3, padding=1, weight_attr=nn.initializer.Dirac(), bias_attr=False)
    >>> conv(paddle.to_tensor([[[1.0, 2.0, 3.0]]])).tolist()
    [[[1.0, 2.0, 3.0]]]
    """

    def __init__(self, groups: int = 1, name: str | None = None) -> None:
        self.groups = groups

    def compute(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        if len(shape) not in (3, 4, 5) or shape[0] % self.groups:
            raise OpError(
                append_user_line(
                    f"Dirac: not the shape of a filter with {self.groups} groups "
                    f"(shape={list(shape)})"
                )
            )
        value, size = np.zeros(tuple(shape), dtype), shape[0] // self.groups
        for group in range(self.groups):
            for i in range(min(size, shape[1])):
                value[(group * size + i, i, *(k // 2 for k in shape[2:]))] = 1
        return value


class Bilinear(Initializer):
    """Initialize a transposed convolution as bilinear upsampling (Long et al. 2015).

    Element (y, x) of each K x K filter is p[y] * p[x] with p[i] = 1 - abs(i / f - c), f = ceil(K /
    2) and c = (2 * f - 1 - f % 2) / (2 * f).

    Raises
    ------
    OpError
        When a parameter is initialized that is not a square filter [C, 1, K, K].

    Notes
    -----
    Paddle's result is not symmetric, because it uses the row index of a pixel as a fraction.

    Examples
    --------
    >>> up = nn.Conv2DTranspose(
    ...     1, 1, 4, stride=2, padding=1, weight_attr=nn.initializer.Bilinear(), bias_attr=False
    ... )
    >>> up(paddle.ones([1, 1, 3, 3])).shape
    [1, 1, 6, 6]
    """

    def __init__(self) -> None:
        """Create the initializer; it has no parameters."""

    def compute(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        if len(shape) != 4 or shape[2] != shape[3]:
            raise OpError(
                append_user_line(
                    f"Bilinear: not the shape of a square filter (shape={list(shape)})"
                )
            )
        factor = math.ceil(shape[3] / 2)
        center = (2 * factor - 1 - factor % 2) / (2 * factor)
        profile = 1 - np.abs(np.arange(shape[3]) / factor - center)
        return np.broadcast_to(profile[:, None] * profile, tuple(shape)).astype(dtype)


_global_initializers: dict[str, Initializer | None] = {"weight": None, "bias": None}


def set_global_initializer(
    weight_init: Initializer | None, bias_init: Initializer | None = None
) -> None:
    """Set the default initializers of weights and biases.

    They apply to parameters that are created later without an initializer in their ParamAttr, and
    take precedence over the defaults of the layers.

    Parameters
    ----------
    weight_init : Initializer or None
    bias_init : Initializer, optional
        None restores the defaults of the layers.

    Examples
    --------
    >>> nn.initializer.set_global_initializer(nn.initializer.Constant(2.0))
    >>> nn.Linear(1, 1).weight.tolist()
    [[2.0]]
    >>> nn.initializer.set_global_initializer(None)
    """
    _global_initializers.update(weight=weight_init, bias=bias_init)


def global_initializer(is_bias: bool) -> Initializer | None:
    """Return the initializer set by `set_global_initializer`, or None."""
    return _global_initializers["bias" if is_bias else "weight"]
