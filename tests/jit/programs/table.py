"""Rows of the table: a function or layer, its calls, and its limitations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass
class Row:
    """One program.

    calls: arguments of each call, every branch is taken by one; dims: of each argument, None for a
    size that varies.

    files: why it cannot be saved, if so; real: why real Paddle does not run the files; untaken: why
    a branch or loop of its program runs in no call.
    """

    name: str
    function: Callable[..., Any]
    calls: list[tuple[Array, ...]]
    dims: list[list[int | None]]
    files: str = ""
    real: str = ""
    untaken: str = ""


@dataclass
class Table:
    """Programs of one topic."""

    rows: list[Row] = field(default_factory=list)

    def __call__(
        self,
        *calls: Any,
        dims: Sequence[list[int | None]] | None = None,
        files: str = "",
        real: str = "",
        untaken: str = "",
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Decorator: add the function below.

        calls: arguments; without any, matrices of three kinds and sizes.
        """

        def add(function: Callable[..., Any]) -> Callable[..., Any]:
            given = [c if isinstance(c, tuple) else (c,) for c in calls] or [(m,) for m in MATRICES]
            sizes = (
                [list(d) for d in dims]
                if dims is not None
                else [[None, *np.shape(a)[1:]] if np.ndim(a) else [] for a in given[0]]
            )
            self.rows.append(Row(function.__name__, function, given, sizes, files, real, untaken))
            return function

        return add


def f32(*values: Any) -> Array:
    """A float32 array."""
    return np.asarray(values[0] if len(values) == 1 else values, np.float32)


def one_row(value: float) -> Array:
    """Return [1, 4] filled with a value."""
    return np.full((1, 4), value, np.float32)


def i64(value: Any) -> Array:
    """An int64 array."""
    return np.asarray(value, np.int64)


_rng = np.random.default_rng(7)
MATRICES = (
    np.full((2, 4), 0.5, np.float32),
    np.full((3, 4), -0.75, np.float32),
    _rng.standard_normal((5, 4)).astype(np.float32),
)
