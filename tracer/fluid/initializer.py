"""First values of parameters in the words of Paddle 1.x: fluid.initializer."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from ..capture.variable import Variable
from ..core import rng
from ..core.mode import state
from ..ir.program import Attr, AttrType
from ..nn import initializer as today

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

Initializer, set_global_initializer = today.Initializer, today.set_global_initializer


class _Seeded(today.Initializer):
    """What starts from a seed of its own, where that is not 0."""

    _seed = 0

    def compute(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        """Return the initial value."""
        if not self._seed:
            return super().compute(shape, dtype)
        with rng.use_generator(rng.generator(self._seed)):
            return super().compute(shape, dtype)

    def record(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        """Record the op that computes the initial value."""
        made = super().record(shape, dtype)
        if self._seed and isinstance(made, Variable):
            state.mode.recorder.block.ops[-1].attrs["seed"] = Attr(AttrType.INT, self._seed)
        return made


class _Either(today.Initializer):
    """One of two initializers."""

    _made: today.Initializer

    def compute(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        """Return the initial value."""
        return self._made.compute(shape, dtype)

    def record(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        """Record the op that computes the initial value."""
        return self._made.record(shape, dtype)


class ConstantInitializer(today.Constant):
    """One value everywhere."""

    def __init__(self, value: float = 0.0, force_cpu: bool = False) -> None:
        super().__init__(value)


class UniformInitializer(_Seeded, today.Uniform):
    """Uniform on [low, high).

    diag_num: how many elements, each diag_step rows and one column further, are diag_val instead
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
        made = super().compute(shape, dtype)
        count, step, value = self._diagonal
        made.reshape(-1)[[i * step + i for i in range(count)]] = value
        return made


class NormalInitializer(_Seeded, today.Normal):
    """Normal with mean loc and standard deviation scale."""

    def __init__(self, loc: float = 0.0, scale: float = 1.0, seed: int = 0) -> None:
        super().__init__(loc, scale)
        self._seed = seed


class TruncatedNormalInitializer(_Seeded, today.TruncatedNormal):
    """Normal, drawn again where it lies further than twice the standard deviation from its mean."""

    def __init__(self, loc: float = 0.0, scale: float = 1.0, seed: int = 0) -> None:
        super().__init__(loc, scale)
        self._seed = seed


class XavierInitializer(_Seeded, _Either):
    """Uniform on +-sqrt(6 / (fan_in + fan_out)), or normal of standard deviation sqrt(2 / (fan_in +
    fan_out))

    (Glorot and Bengio 2010).
    """

    def __init__(
        self,
        uniform: bool = True,
        fan_in: float | None = None,
        fan_out: float | None = None,
        seed: int = 0,
    ) -> None:
        self._made = (today.XavierUniform if uniform else today.XavierNormal)(fan_in, fan_out)
        self._seed = seed


class MSRAInitializer(_Seeded, _Either):
    """Uniform on +-sqrt(6 / fan_in), or normal of standard deviation sqrt(2 / fan_in)

    (He et al. 2015).
    """

    def __init__(self, uniform: bool = True, fan_in: float | None = None, seed: int = 0) -> None:
        self._made = (today.KaimingUniform if uniform else today.KaimingNormal)(fan_in)
        self._seed = seed


class BilinearInitializer(today.Bilinear):
    """Transposed convolutions that enlarge bilinearly   (Long et al. 2015)."""


class NumpyArrayInitializer(today.Assign):
    """A given ndarray."""

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
    """A context that changes nothing: all first values are made on the CPU."""
    return nullcontext()


def force_init_on_cpu() -> bool:
    """False: nobody has to."""
    return False
