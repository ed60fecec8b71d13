"""Assignment to parts of variables."""

from __future__ import annotations

from typing import Any

from ...capture.variable import Variable
from ...core.errors import OpError, append_user_line
from ...core.op import OPS
from ...core.tensor import Tensor
from ...core.type_aliases import TensorLike


def setitem(x: Tensor, index: Any, value: TensorLike) -> Variable:
    """Return a copy of a variable in which `value` is assigned to the elements x[index].

    Parameters
    ----------
    x : Variable [*]
    index : int, slice, Variable, or tuple of them
        As in ``x[index]``.
    value : Variable or float
        Of a shape that broadcasts to that of x[index].

    Returns
    -------
    Variable [*], dtype of x

    Raises
    ------
    OpError
        If `x` is not a variable of a program.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     y = paddle.static.setitem(paddle.ones([3]), 1, 5.0)
    >>> paddle.static.Executor().run(main, fetch_list=[y])
    [array([1., 5., 1.], dtype=float32)]
    >>> paddle.disable_static()
    """
    if not isinstance(x, Variable):
        raise OpError(
            append_user_line(f"setitem: x is {type(x).__name__}, not a variable of a program")
        )
    result: Variable = OPS["assign"](x)
    result.stop_gradient = False
    result[index] = value
    return result
