"""Branches, loops and lists of tensors: fluid.layers.While and its kin."""

from __future__ import annotations

from typing import Any

from ...static.control import array_length, array_read, array_write, case, cond, create_array, switch_case
from ...static.control import while_loop as _while_loop
from ...static.control.bodies import Switch, While
from ...static.control.dynamic_rnn import DynamicRNN
from ...static.control.static_rnn import StaticRNN
from .branches import IfElse

__all__ = [
    "DynamicRNN", "IfElse", "StaticRNN", "Switch", "While", "array_length", "array_read", "array_write", "case", "cond", "create_array",
    "switch_case", "while_loop",
]  # fmt: skip


def while_loop(cond: Any, body: Any, loop_vars: Any, is_test: bool = False, name: str | None = None) -> Any:
    """What loop_vars are after `body(*loop_vars)` ran as long as `cond(*loop_vars)`, a bool [1], held."""
    return _while_loop(cond, body, loop_vars, is_test, name)
