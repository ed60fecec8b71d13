"""What rewrote programs in Paddle 1.x: fluid.transpiler."""

from __future__ import annotations

from typing import Any

__all__ = ["memory_optimize", "release_memory"]


def memory_optimize(
    input_program: Any, skip_opt_set: Any = None, print_log: bool = False, level: int = 0, skip_grads: bool = True
) -> None:
    """Nothing, as in 1.8: what a run needs no more is given back anyhow."""


def release_memory(input_program: Any, skip_opt_set: Any = None) -> None:
    """Nothing, as in 1.8."""
