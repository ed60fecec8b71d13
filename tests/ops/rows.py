"""What a row of the op table is, and the numbers that rows are made of.

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
    """One call of an op, and what is known of its result.

    args: one entry per input slot in the op's order: an array, None, or a list of arrays
    attrs: only those that are not at their defaults
    ref: NumPy reference on the same args (None entries included), giving an array, a list or a
    tuple as the op does tol: relative and absolute tolerance of every comparison in float32 grad:
    whether the gradient may be tested here; False next to a kink or a tie second: whether the
    gradient of the gradient may be
    through: what the gradient is tested of, a function of the results, where those are known only
    up to a factor constant: input slots that are not differentiated in this row
    hermitian: input slots whose matrices must equal their conjugate transposes
    random: the result is drawn, so only its shape and dtype can be compared
    unset: result slots that real Paddle leaves unwritten here
    paddle: why real Paddle's result is not compared (empty: it is)
    paddle_grad: why real Paddle's gradient is not compared (empty: it is)
    half: why the row is not run in half precision (empty: it is)
    engine: why the engine's result is not compared, where the op has a lowering (empty: it is)
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
    """Numbers for rows, the same on every run.   All float32 unless the name says otherwise."""

    def __init__(self, seed: int) -> None:
        self._source = np.random.default_rng(seed)

    def f(self, *shape: int) -> Array:
        """Of either sign, between 0.2 and 1 from zero: away from the kinks that functions have
        there.
        """
        size = self._source.uniform(0.2, 1.0, shape) * self._source.choice([-1.0, 1.0], shape)
        return np.asarray(size, dtype=np.float32)

    def c(self, *shape: int) -> Array:
        """Complex, both parts as of `f`."""
        return np.asarray(self.f(*shape) + 1j * self.f(*shape), dtype=np.complex64)

    def pos(self, *shape: int) -> Array:
        """Between 0.2 and 1."""
        return np.asarray(self._source.uniform(0.2, 1.0, shape), dtype=np.float32)

    def distinct(self, *shape: int) -> Array:
        """No two closer than 0.1: no ties for maxima and sorting."""
        count = math.prod(shape)
        return np.asarray(
            self._source.permutation(count).reshape(shape) * 0.1 - count * 0.05, dtype=np.float32
        )

    def ints(self, *shape: int, low: int = 0, high: int = 5, dtype: str = "int64") -> Array:
        """Whole numbers from [low, high)."""
        return np.asarray(self._source.integers(low, high, shape), dtype=dtype)

    def bools(self, *shape: int) -> Array:
        """Truth values."""
        return np.asarray(self._source.integers(0, 2, shape), dtype=bool)
