"""Initializers with the names of Paddle 1.x: `fluid.initializer`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from ..capture.variable import Variable
from ..core import rng
from ..core.mode import state
from ..ir.program import Attr, AttrType, OpDesc
from ..nn import initializer as paddle2

__all__ = [
    "MSRA",
    "Bilinear",
    "BilinearInitializer",
    "Constant",
    "ConstantInitializer",
    "MSRAInitializer",
    "Normal",
    "NormalInitializer",
    "NumpyArrayInitializer",
    "TruncatedNormal",
    "TruncatedNormalInitializer",
    "Uniform",
    "UniformInitializer",
    "Xavier",
    "XavierInitializer",
]

Initializer, set_global_initializer = paddle2.Initializer, paddle2.set_global_initializer


class _SeededInitializer(paddle2.Initializer):
    """Mixin for an initializer that has a seed of its own; a seed of 0 means none."""

    _seed = 0

    def compute(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        """Return the initial value."""
        if not self._seed:
            return super().compute(shape, dtype)
        with rng.use_generator(rng.generator(self._seed)):
            return super().compute(shape, dtype)

    def record(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        """Append the op that computes the initial value to the program that is being recorded."""
        result = super().record(shape, dtype)
        if self._seed and isinstance(result, Variable):
            _last_random_op().attrs["seed"] = Attr(AttrType.INT, self._seed)
        return result


def _last_random_op() -> OpDesc:
    """Return the last random op that was recorded; a cast to a half-precision dtype may follow
    it.
    """
    found: OpDesc = next(op for op in reversed(state.mode.recorder.block.ops) if op.type != "cast")
    return found


class _UniformOrNormalInitializer(paddle2.Initializer):
    """Base class of initializers that draw from one of two distributions, as an argument
    selects.
    """

    _initializer: paddle2.Initializer

    def compute(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        """Return the initial value."""
        return self._initializer.compute(shape, dtype)

    def record(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        """Append the op that computes the initial value to the program that is being recorded."""
        return self._initializer.record(shape, dtype)


class ConstantInitializer(paddle2.Constant):
    """Fill with one value.

    The newer name is `paddle.nn.initializer.Constant`.
    """

    def __init__(self, value: float = 0.0, force_cpu: bool = False) -> None:
        super().__init__(value)


class UniformInitializer(_SeededInitializer, paddle2.Uniform):
    """Uniform distribution on [low, high).

    diag_num, diag_step, diag_val: set diag_num elements, each diag_step + 1 elements after the
    previous one, to diag_val

    The newer name is `paddle.nn.initializer.Uniform`.
    """

    def __init__(
        self,
        low: float = -1.0,
        high: float = 1.0,
        seed: int = 0,
        diag_num: int = 0,
        diag_step: int = 0,
        diag_val: float = 1.0,
    ) -> None:
        if high < low:
            raise AssertionError(f"UniformInitializer: high={high} is less than low={low}")
        super().__init__(low, high)
        self._seed = seed
        self._diagonal = diag_num, diag_step, diag_val

    def compute(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        """Return the initial value."""
        values = super().compute(shape, dtype)
        count, step, value = self._diagonal
        values.reshape(-1)[[i * step + i for i in range(count)]] = value
        return values

    def record(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        """Append the op that computes the initial value to the program that is being recorded."""
        result = super().record(shape, dtype)
        count, step, value = self._diagonal
        if count:
            _last_random_op().attrs |= {
                "diag_num": Attr(AttrType.INT, count),
                "diag_step": Attr(AttrType.INT, step),
                "diag_val": Attr(AttrType.FLOAT, float(value)),
            }
        return result


class NormalInitializer(_SeededInitializer, paddle2.Normal):
    """Normal distribution with mean loc and standard deviation scale.

    The newer name is `paddle.nn.initializer.Normal`.
    """

    def __init__(self, loc: float = 0.0, scale: float = 1.0, seed: int = 0) -> None:
        super().__init__(loc, scale)
        self._seed = seed


class TruncatedNormalInitializer(_SeededInitializer, paddle2.TruncatedNormal):
    """Normal distribution, truncated at two standard deviations from the mean.

    The newer name is `paddle.nn.initializer.TruncatedNormal`.
    """

    def __init__(self, loc: float = 0.0, scale: float = 1.0, seed: int = 0) -> None:
        super().__init__(loc, scale)
        self._seed = seed


class XavierInitializer(_SeededInitializer, _UniformOrNormalInitializer):
    """Uniform on +-sqrt(6 / (fan_in + fan_out)), or normal with standard deviation sqrt(2 / (fan_in
    + fan_out)) (Glorot and Bengio 2010).

    Paddle 2 has paddle.nn.initializer.XavierNormal and XavierUniform instead.
    """

    def __init__(
        self,
        uniform: bool = True,
        fan_in: float | None = None,
        fan_out: float | None = None,
        seed: int = 0,
    ) -> None:
        self._initializer = (paddle2.XavierUniform if uniform else paddle2.XavierNormal)(
            fan_in, fan_out
        )
        self._seed = seed


class MSRAInitializer(_SeededInitializer, _UniformOrNormalInitializer):
    """Uniform on +-sqrt(6 / fan_in), or normal with standard deviation sqrt(2 / fan_in) (He et al.
    2015).

    Paddle 2 has paddle.nn.initializer.KaimingNormal and KaimingUniform instead.
    """

    def __init__(self, uniform: bool = True, fan_in: float | None = None, seed: int = 0) -> None:
        self._initializer = (paddle2.KaimingUniform if uniform else paddle2.KaimingNormal)(fan_in)
        self._seed = seed


class BilinearInitializer(paddle2.Bilinear):
    """Weights of a transposed convolution for bilinear upsampling (Long et al. 2015).

    The newer name is `paddle.nn.initializer.Bilinear`.
    """


class NumpyArrayInitializer(paddle2.Assign):
    """Initializer that copies the values of an ndarray.

    The newer name is `paddle.nn.initializer.Assign`.
    """

    def __init__(self, value: Any) -> None:
        if not isinstance(value, np.ndarray):
            raise AssertionError(f"NumpyArrayInitializer: {type(value).__name__} is not a ndarray")
        super().__init__(value)


Constant, Uniform, Normal, TruncatedNormal = (
    ConstantInitializer,
    UniformInitializer,
    NormalInitializer,
    TruncatedNormalInitializer,
)
Xavier, MSRA, Bilinear = XavierInitializer, MSRAInitializer, BilinearInitializer


def init_on_cpu() -> Any:
    """Return a context manager without effect, because initializers always run on the CPU."""
    return nullcontext()


def force_init_on_cpu() -> bool:
    """Return False, because initializers run on the CPU without being forced."""
    return False
