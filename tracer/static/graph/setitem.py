"""Assignment to parts of variables."""

from __future__ import annotations

from typing import Any

from ...capture.variable import Variable
from ...core.errors import OpError, append_user_line
from ...core.op import OPS


def setitem(x: Variable, index: Any, value: Any) -> Variable:
    """Return a copy of x in which `value` is assigned to the elements x[index]."""
    if not isinstance(x, Variable):
        raise OpError(
            append_user_line(f"setitem: x is {type(x).__name__}, not a variable of a program")
        )
    result: Variable = OPS["assign"](x)
    result.stop_gradient = False
    result[index] = value
    return result
