"""The rows of the op table, and generators of their inputs.

Each `table_<family>.py` holds a list ROWS; every test of this folder walks all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Row:
    """One call of an op, and how its result is checked.

    args: one entry per input slot in the op's order: an array, None, or a list of arrays.
    attrs: the attributes that are not at their defaults.
    ref: a NumPy reference of the same args (None entries included); returns an array, a list or a
    tuple, as the op does.
    tol: relative and absolute tolerance of every comparison in float32.
    grad: whether the gradient is tested; False next to a kink or a tie.
    second: whether the gradient of the gradient is tested.
    through: a function of the outputs whose gradient is tested, for outputs that are determined
    only up to a factor.
    constant: input slots that are not differentiated in this row.
    hermitian: input slots whose matrices must equal their conjugate transposes.
    random: the output is random, so only its shape and dtype are compared.
    unset: output slots that real Paddle leaves unwritten here.
    paddle: the reason why real Paddle's result is not compared; empty if it is.
    paddle_grad: the reason why real Paddle's gradient is not compared; empty if it is.
    half: the reason why the row is not run in half precision; empty if it is.
    engine: the reason why the engine's result is not compared although the op has a lowering; empty
    if it is.
    """

    type: str
    args: list[Any]
    attrs: dict[str, Any] = field(default_factory=dict)
    ref: Callable[..., Any] | None = None
    tol: float = 1e-5
    grad: bool = True
    second: bool = True
    through: Callable[..., Any] | None = None
    constant: frozenset[str] = frozenset()
    hermitian: frozenset[str] = frozenset()
    random: bool = False
    unset: frozenset[str] = frozenset()
    paddle: str = ""
    paddle_grad: str = ""
    half: str = ""
    engine: str = ""


class Numbers:
    """A generator of inputs for rows, the same ones in every run; float32 unless stated."""

    def __init__(self, seed: int) -> None:
        self._source = np.random.default_rng(seed)

    def f(self, *shape: int) -> Array:
        """Values in [-1, -0.2] or [0.2, 1]: not near zero, where functions have kinks."""
        size = self._source.uniform(0.2, 1.0, shape) * self._source.choice([-1.0, 1.0], shape)
        return np.asarray(size, dtype=np.float32)

    def c(self, *shape: int) -> Array:
        """Complex values; both parts are like those of `f`."""
        return np.asarray(self.f(*shape) + 1j * self.f(*shape), dtype=np.complex64)

    def pos(self, *shape: int) -> Array:
        """Values in [0.2, 1]."""
        return np.asarray(self._source.uniform(0.2, 1.0, shape), dtype=np.float32)

    def distinct(self, *shape: int) -> Array:
        """Values that differ by at least 0.1: no ties for maxima and sorting."""
        count = math.prod(shape)
        return np.asarray(
            self._source.permutation(count).reshape(shape) * 0.1 - count * 0.05, dtype=np.float32
        )

    def ints(self, *shape: int, low: int = 0, high: int = 5, dtype: str = "int64") -> Array:
        """Integers in [low, high)."""
        return np.asarray(self._source.integers(low, high, shape), dtype=dtype)

    def bools(self, *shape: int) -> Array:
        """Random bools."""
        return np.asarray(self._source.integers(0, 2, shape), dtype=bool)
