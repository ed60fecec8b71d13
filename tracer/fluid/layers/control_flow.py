"""Branches, loops and lists of tensors: fluid.layers.While and its kin."""

from __future__ import annotations

from typing import Any

from ...core.op import OPS
from ...static.control import array_length, array_read, array_write, case, cond, create_array, switch_case
from ...static.control import while_loop as _while_loop
from ...static.control.bodies import Switch, While
from ...static.control.dynamic_rnn import DynamicRNN
from ...static.control.static_rnn import StaticRNN
from ...tensor.creation import assign
from ...tensor.math import increment as _increment
from .branches import IfElse
from .helper import one

__all__ = [
    "DynamicRNN", "IfElse", "StaticRNN", "Switch", "While", "array_length", "array_read", "array_write", "case", "cond", "create_array",
    "increment", "is_empty", "switch_case", "while_loop",
]  # fmt: skip


def while_loop(cond: Any, body: Any, loop_vars: Any, is_test: bool = False, name: str | None = None) -> Any:
    """What loop_vars are after `body(*loop_vars)` ran as long as `cond(*loop_vars)`, a bool [1], held."""
    return _while_loop(cond, body, loop_vars, is_test, name)


def increment(x: Any, value: float = 1.0, in_place: bool = True) -> Any:
    """x + value, written to x itself unless told otherwise.   x [1]"""
    if not in_place:
        return OPS["increment"](x, step=float(value))
    return _increment(x, float(value))


def is_empty(x: Any, cond: Any = None) -> Any:
    """Whether x has no elements, bool [1].   cond: a variable that is set to it"""
    made = one(OPS["is_empty"](x))
    return made if cond is None else assign(made, cond)
