"""Assignments to parts of variables."""

from __future__ import annotations

from typing import Any

from ...capture.variable import Variable
from ...core.errors import OpError, with_user_line
from ...core.op import OPS


def setitem(x: Variable, index: Any, value: Any) -> Variable:
    """x with `value` at `index`, as a new variable.   x [*] -> [*]"""
    if not isinstance(x, Variable):
        raise OpError(with_user_line(f"setitem: x is {type(x).__name__}, no variable of a program"))
    made: Variable = OPS["assign"](x)
    made.stop_gradient = False
    made[index] = value
    return made
