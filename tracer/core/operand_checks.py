"""Errors for arguments that are not tensors and for axes out of range. The messages name the public
function that the user called.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np

from .dtype import MAX_RANK
from .errors import (
    IndexRangeError,
    OperandError,
    OpError,
    append_user_line,
    is_oarlock_internal_file,
)
from .tensor import Tensor


def not_a_tensor_message(arg: Any, name: str = "an argument") -> str:
    """Return the error message for an argument that is not a Tensor."""
    kind = type(arg)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    hint = "; convert it with paddle.to_tensor" if _contains_numbers(arg) else ""
    return f"{name} must be a Tensor, not {module}{kind.__qualname__}{hint}"


def _contains_numbers(arg: Any) -> bool:
    """Whether `paddle.to_tensor` converts an argument."""
    first = arg
    for _ in range(MAX_RANK):  # a list may contain itself
        if not isinstance(first, list | tuple) or not first:
            break
        first = first[0]
    return isinstance(first, np.ndarray | np.generic | complex | float | int)


def not_a_tensor_error(arg: Any, caller_name: str = "") -> OperandError:
    """Return the error for an argument that is not a Tensor.

    caller_name: name for the message; default: the public function or Layer that the user called.
    """
    if getattr(
        type(arg), "_has_no_value", False
    ):  # code converted by to_static raises another error for an undefined variable
        arg.raise_error()
    message = not_a_tensor_message(arg, argument_name(arg, "an argument"))
    return OperandError(append_user_line(f"{caller_name or called_function_name()}: {message}"))


def argument_name(arg: Any, default: str) -> str:
    """Return the name of the argument `arg` of the public function that the user called; `default`
    if it is unknown.
    """
    variables = _frame_of_called_function().f_locals
    names = (name for name, value in variables.items() if value is arg and name != "self")
    return next(names, default)


def reject_several_numbers(function: str, first: Any, second: Any) -> None:
    """Raise OpError if the argument after a list of sizes or axes is a number, because a user of
    PyTorch passed the numbers one by one.
    """
    if isinstance(second, int):
        call = f"{function}([{first}, {second}])"
        raise OpError(append_user_line(f"{function}: pass sizes and axes as one list: {call}"))


def check_tensors(*operands: Any) -> None:
    """Raise OperandError for the first argument that is not a Tensor.

    For functions that call several ops. For a single op, `try` has less overhead.
    """
    for operand in operands:
        if not isinstance(operand, Tensor) and not hasattr(operand, "meta"):
            raise not_a_tensor_error(operand)


def axis_out_of_range_error(x: Tensor, axis: Any) -> IndexRangeError:
    """Return the error for an axis that a tensor does not have."""
    return IndexRangeError(
        append_user_line(f"{called_function_name()}: there is no axis {axis} (X={x.meta})")
    )


def called_function_name() -> str:
    """Return the name of the public function that the user called, found on the call stack. For a
    Layer or another callable object, return the name of its class.
    """
    return _function_name(_frame_of_called_function())


def _frame_of_called_function() -> FrameType:
    """Return the frame of the public function that the user called."""
    frame: FrameType | None = sys._getframe(1)
    last = frame
    while frame is not None and is_oarlock_internal_file(frame.f_code.co_filename):
        last, frame = frame, frame.f_back
    assert last is not None  # at least the frame of the caller
    return last


def _function_name(frame: FrameType) -> str:
    name, owner = frame.f_code.co_name, frame.f_locals.get("self")
    return type(owner).__name__ if name in ("__call__", "__init__") and owner is not None else name


def rename_generated_function(function: Callable[..., Any], name: str) -> None:
    """Set the name of a generated function, which `called_function_name` and tracebacks show."""
    function.__name__ = function.__qualname__ = name
    function.__code__ = function.__code__.replace(co_name=name, co_qualname=name)
