"""How parameters start.

An initializer is called with shape and NumPy dtype and gives an ndarray [*shape].

fan_in and fan_out of a weight: [in, out] for a matrix, [out, in, *kernel] for a convolution.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core import cuda, rng
from ..core.dtype import dtype_of, work_dtype
from ..core.errors import OpError
from ..core.mode import state
from ..core.op import OPS
from ..core.tensor import Tensor

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
    "_normal",
    "_uniform",
    "calculate_gain",
    "set_global_initializer",
]

Array = np.ndarray[Any, Any]


class Initializer:
    """Base of all initializers."""

    def make(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """The starting value.

        -> [*shape]
        """
        raise NotImplementedError

    def recorded(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        """The starting value as ops of the program that is written, or as an ndarray.

        -> [*shape]
        """
        return self.make(shape, dtype)

    def __call__(self, param: Tensor, block: Any = None) -> Any:
        """Give a parameter its starting value.

        block: of a program, gets the op for it, which is given

        A parameter that runs at once gets the value, and is given, whatever the block.
        """
        if hasattr(block, "write_first") and hasattr(param, "raw"):  # a variable
            return block.write_first(param, self)
        with cuda.use_default_device(None), rng.parameter_seed():
            made = self.make(param.meta.shape, param.meta.dtype)
        param.set_value(made)
        return param


def fans(shape: Sequence[int]) -> tuple[int, int]:
    """fan_in and fan_out of a weight; see the module."""
    if len(shape) < 2:
        size = shape[0] if shape else 1
        return size, size
    if len(shape) == 2:
        return shape[0], shape[1]
    field = math.prod(shape[2:])
    return shape[1] * field, shape[0] * field


def _by_kernel(op: str, shape: Sequence[int], dtype: np.dtype[Any], **attrs: float) -> Array:
    """Random numbers as an op draws them, at once, so that a seed gives the same ones in a program.

    -> [*shape]
    """
    made: Array = OPS[op].kernel(
        shape=list(shape), dtype=dtype_of(work_dtype(dtype)).proto, **attrs
    )
    return made.astype(dtype, copy=False)


def _uniform(shape: Sequence[int], limit: float, dtype: np.dtype[Any]) -> Array:
    return _by_kernel("uniform_random", shape, dtype, min=-limit, max=limit)


def _normal(shape: Sequence[int], std: float, dtype: np.dtype[Any]) -> Array:
    return _by_kernel("gaussian_random", shape, dtype, mean=0.0, std=std)


def _drawn(op: str, shape: Sequence[int], dtype: np.dtype[Any], **attrs: float) -> Tensor:
    """Random numbers as an op draws them.

    -> [*shape]
    """
    wide = work_dtype(dtype)
    if state.mode.builder is not None and (seed := rng.startup_seed()):
        attrs["seed"] = attrs.get("seed") or seed
    made: Tensor = OPS[op](shape=list(shape), dtype=dtype_of(wide).proto, **attrs)
    if wide == dtype:
        return made
    return OPS["cast"](made, in_dtype=dtype_of(wide).proto, out_dtype=dtype_of(dtype).proto)


class Constant(Initializer):
    """One value everywhere."""

    def __init__(self, value: float = 0.0) -> None:
        self.value = value

    def make(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """Return the initial value."""
        return np.full(tuple(shape), self.value, dtype)

    def recorded(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        """Record the op that computes the initial value."""
        value = float(self.value)
        return OPS["fill_constant"](
            shape=list(shape), value=value, str_value=repr(value), dtype=dtype_of(dtype).proto
        )


class Uniform(Initializer):
    """Uniform on [low, high)."""

    def __init__(self, low: float = -1.0, high: float = 1.0, name: str | None = None) -> None:
        self.low = low
        self.high = high

    def make(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """Return the initial value."""
        return _by_kernel("uniform_random", shape, dtype, min=float(self.low), max=float(self.high))

    def recorded(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        """Record the op that computes the initial value."""
        return _drawn("uniform_random", shape, dtype, min=float(self.low), max=float(self.high))


class Normal(Initializer):
    """Normal with mean and standard deviation."""

    def __init__(self, mean: float = 0.0, std: float = 1.0, name: str | None = None) -> None:
        self.mean = mean
        self.std = std

    def make(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """Return the initial value."""
        return _by_kernel(
            "gaussian_random", shape, dtype, mean=float(self.mean), std=float(self.std)
        )

    def recorded(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        """Record the op that computes the initial value."""
        return _drawn("gaussian_random", shape, dtype, mean=float(self.mean), std=float(self.std))


class TruncatedNormal(Normal):
    """Normal, drawn again where it lies outside of [mean + a * std, mean + b * std]."""

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

    def make(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """Return the initial value."""
        draw = rng.generator()
        found = draw.standard_normal(tuple(shape))
        while (outside := (found < self.a) | (found > self.b)).any():
            found[outside] = draw.standard_normal(int(outside.sum()))
        return (found * self.std + self.mean).astype(dtype)

    def recorded(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        """Record the op that computes the initial value."""
        if (self.a, self.b) != (-2.0, 2.0):
            return self.make(shape, dtype)
        return _drawn(
            "truncated_gaussian_random", shape, dtype, mean=float(self.mean), std=float(self.std)
        )


class XavierUniform(Initializer):
    """Uniform on +-gain * sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010)."""

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

    def _sum(self, shape: Sequence[int]) -> float:
        fan_in, fan_out = fans(shape)
        return (fan_in if self.fan_in is None else self.fan_in) + (
            fan_out if self.fan_out is None else self.fan_out
        )

    def make(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """Return the initial value."""
        return _uniform(shape, self.gain * math.sqrt(6.0 / self._sum(shape)), dtype)

    def recorded(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        """Record the op that computes the initial value."""
        limit = self.gain * math.sqrt(6.0 / self._sum(shape))
        return _drawn("uniform_random", shape, dtype, min=-limit, max=limit)


class XavierNormal(XavierUniform):
    """Normal of standard deviation gain * sqrt(2 / (fan_in + fan_out)) (Glorot and Bengio 2010)."""

    def make(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """Return the initial value."""
        return _normal(shape, self.gain * math.sqrt(2.0 / self._sum(shape)), dtype)

    def recorded(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        """Record the op that computes the initial value."""
        return _drawn(
            "gaussian_random",
            shape,
            dtype,
            mean=0.0,
            std=self.gain * math.sqrt(2.0 / self._sum(shape)),
        )


class KaimingUniform(Initializer):
    """Uniform on +-gain * sqrt(3 / fan_in) (He et al. 2015)."""

    def __init__(
        self, fan_in: float | None = None, negative_slope: float = 0.0, nonlinearity: str = "relu"
    ) -> None:
        self.fan_in = fan_in
        self.negative_slope = negative_slope
        self.nonlinearity = nonlinearity

    def _std(self, shape: Sequence[int]) -> float:
        fan_in = fans(shape)[0] if self.fan_in is None else self.fan_in
        return calculate_gain(self.nonlinearity, self.negative_slope) / math.sqrt(fan_in)

    def make(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """Return the initial value."""
        return _uniform(shape, math.sqrt(3.0) * self._std(shape), dtype)

    def recorded(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        """Record the op that computes the initial value."""
        limit = math.sqrt(3.0) * self._std(shape)
        return _drawn("uniform_random", shape, dtype, min=-limit, max=limit)


class KaimingNormal(KaimingUniform):
    """Normal of standard deviation gain / sqrt(fan_in) (He et al. 2015)."""

    def make(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """Return the initial value."""
        return _normal(shape, self._std(shape), dtype)

    def recorded(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        """Record the op that computes the initial value."""
        return _drawn("gaussian_random", shape, dtype, mean=0.0, std=self._std(shape))


class Assign(Initializer):
    """A given value: ndarray, list or Tensor of the parameter's shape."""

    def __init__(self, value: Any, name: str | None = None) -> None:
        self.value = np.asarray(cuda.to_host(value.array) if isinstance(value, Tensor) else value)

    def make(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """See Initializer.make.

        A value of another shape gives the parameter its own shape, as in Paddle.
        """
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
    """The factor that keeps the variance through a nonlinearity."""
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    if nonlinearity not in _GAINS:
        raise OpError(
            f"calculate_gain: {nonlinearity!r} is not one of relu, leaky_relu, {', '.join(_GAINS)}"
        )
    return _GAINS[nonlinearity]


class Orthogonal(Initializer):
    """gain times a matrix [out, rest] of orthonormal rows, or columns if it has fewer (Saxe et al.
    2013).
    """

    def __init__(self, gain: float = 1.0, name: str | None = None) -> None:
        self.gain = gain

    def make(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """See Initializer.make.

        Raises OpError for less than two axes.
        """
        if len(shape) < 2:
            raise OpError(f"Orthogonal: needs two axes, got {list(shape)}")
        rows, columns = shape[0], math.prod(shape[1:])
        drawn = rng.generator().standard_normal((max(rows, columns), min(rows, columns)))
        q, r = np.linalg.qr(drawn)
        q = q * np.sign(np.diag(r))
        return (self.gain * (q.T if rows < columns else q)).reshape(tuple(shape)).astype(dtype)


class Dirac(Initializer):
    """Convolutions that give back their input: a 1 in the middle of filter i for channel i, in each
    group.

    [out, in, *kernel]
    """

    def __init__(self, groups: int = 1, name: str | None = None) -> None:
        self.groups = groups

    def make(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """See Initializer.make.

        Raises OpError for a shape that is no filter, or that groups do not divide.
        """
        if len(shape) not in (3, 4, 5) or shape[0] % self.groups:
            raise OpError(f"Dirac: {list(shape)} is not a filter of {self.groups} groups")
        value, size = np.zeros(tuple(shape), dtype), shape[0] // self.groups
        for group in range(self.groups):
            for i in range(min(size, shape[1])):
                value[(group * size + i, i, *(k // 2 for k in shape[2:]))] = 1
        return value


class Bilinear(Initializer):
    """Transposed convolutions that enlarge bilinearly (Long et al. 2015).

    [C, 1, K, K]

    Paddle's own is skewed: it takes the row of a pixel for a fraction.
    """

    def __init__(self) -> None:
        """Nothing to set."""

    def make(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """See Initializer.make.

        Raises OpError unless the filter is square.
        """
        if len(shape) != 4 or shape[2] != shape[3]:
            raise OpError(f"Bilinear: {list(shape)} is not a square filter")
        factor = math.ceil(shape[3] / 2)
        centre = (2 * factor - 1 - factor % 2) / (2 * factor)
        line = 1 - np.abs(np.arange(shape[3]) / factor - centre)
        return np.broadcast_to(line[:, None] * line, tuple(shape)).astype(dtype)


_global: dict[str, Initializer | None] = {"weight": None, "bias": None}


def set_global_initializer(
    weight_init: Initializer | None, bias_init: Initializer | None = None
) -> None:
    """How parameters start from now on, where their attr does not say; None: as the layers say."""
    _global.update(weight=weight_init, bias=bias_init)


def global_initializer(is_bias: bool) -> Initializer | None:
    """What set_global_initializer said."""
    return _global["bias" if is_bias else "weight"]
