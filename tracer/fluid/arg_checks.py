"""Checks of arguments that user-defined layers call: functions of `fluid.data_feeder`."""

from __future__ import annotations

from typing import Any

from ..core.dtype import parse_dtype
from ..core.errors import append_user_line
from ..core.mode import state
from .variables import Variable

__all__ = ["check_dtype", "check_type", "check_variable_and_dtype", "convert_dtype"]


def convert_dtype(dtype: Any) -> str:
    """Return the name of a dtype. Raises TypeError if the object is not a dtype."""
    return str(parse_dtype(dtype).name)


def check_type(
    input: Any, input_name: str, expected_type: Any, op_name: str, extra_message: str = ""
) -> None:
    """In static graph mode, raise TypeError unless `input` is an instance of expected_type."""
    if state.mode.program_builder is not None and not isinstance(input, expected_type):
        why = (
            f"The type of '{input_name}' in {op_name} must be {expected_type}, but received "
            f"{type(input)}."
        )
        raise TypeError(append_user_line(f"{why} {extra_message}"))


def check_dtype(
    input_dtype: Any, input_name: str, expected_dtype: Any, op_name: str, extra_message: str = ""
) -> None:
    """In static graph mode, raise TypeError unless the name of a dtype is one of the expected
    names.
    """
    if state.mode.program_builder is not None and convert_dtype(input_dtype) not in expected_dtype:
        why = (
            f"The data type of '{input_name}' in {op_name} must be {expected_dtype}, but "
            f"received {convert_dtype(input_dtype)}."
        )
        raise TypeError(append_user_line(f"{why} {extra_message}"))


def check_variable_and_dtype(
    input: Any, input_name: str, expected_dtype: Any, op_name: str, extra_message: str = ""
) -> None:
    """In static graph mode, raise TypeError unless an argument is a variable with one of the
    expected dtypes.
    """
    check_type(input, input_name, Variable, op_name, extra_message)
    if state.mode.program_builder is not None:
        check_dtype(input.dtype, input_name, expected_dtype, op_name, extra_message)
