"""What is no tensor where one is needed: one error, with the name of what the user called."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from .errors import OperandError, RangeError, is_library_file, with_user_line
from .tensor import Tensor


def not_a_tensor(arg: Any) -> str:
    """What is wrong with an operand that is no Tensor."""
    return f"an operand is {type(arg).__name__}, not a Tensor"


def not_a_tensor_error(arg: Any, asker: str = "") -> OperandError:
    """The error of an operand that is no Tensor.

    asker: by default the function or Layer that the user called
    """
    if getattr(type(arg), "_has_no_value", False):  # a name of converted code: the error says which
        arg.use()
    return OperandError(with_user_line(f"{asker or called_function()}: {not_a_tensor(arg)}"))


def check_tensors(*operands: Any) -> None:
    """Raise OperandError for the first that is no Tensor.

    For functions of several ops; where one op is all, `try` costs less.
    """
    for operand in operands:
        if not isinstance(operand, Tensor) and not hasattr(operand, "meta"):
            raise not_a_tensor_error(operand)


def no_axis_error(x: Tensor, axis: Any) -> RangeError:
    """The error of a tensor that does not have the axis which a function asks for."""
    return RangeError(with_user_line(f"{called_function()}: there is no axis {axis} (X={x.meta})"))


def called_function() -> str:
    """The function of ours that the user called; of a Layer, or another object that is called, its
    class.
    """
    frame: FrameType | None = sys._getframe(1)
    last = frame
    while frame is not None and is_library_file(frame.f_code.co_filename):
        last, frame = frame, frame.f_back
    assert last is not None  # that of this function is inside
    name, asked = last.f_code.co_name, last.f_locals.get("self")
    return type(asked).__name__ if name in ("__call__", "__init__") and asked is not None else name


def set_function_name(function: Callable[..., Any], name: str) -> None:
    """Name a function that a function makes: for users, and for `called` and tracebacks."""
    function.__name__ = function.__qualname__ = name
    function.__code__ = function.__code__.replace(co_name=name, co_qualname=name)
