"""The behaviour of Paddle 1.8 that lower packages use through `core.paddle1_compat`."""

from __future__ import annotations

from typing import Any

from ..core.paddle1_compat import CompatRules
from . import printing

_DTYPE_NAMES = {"float16": "FP16", "float32": "FP32", "float64": "FP64", "bfloat16": "BF16"}


class Paddle1Rules(CompatRules):
    """Names, texts, checks and gradient ops of Paddle 1.8."""

    temporary_name = "tmp"
    keeps_result_gradients = True
    set_value_checks_dtype = True
    writes_paddle1_gradients = True

    def format_dtype(self, dtype: Any) -> str:
        """Return text such as `VarType.FP32`."""
        return f"VarType.{_DTYPE_NAMES.get(dtype.name, dtype.name.upper())}"

    def format_tensor(self, tensor: Any) -> str:
        """Return name, dtype, shape, LoD and all elements as text."""
        return printing.format_tensor(tensor)

    def format_scope_value(self, value: Any) -> str:
        """Return LoD, shape, dtype and all elements as text."""
        return printing.format_scope_value(value)

    def format_variable(self, variable: Any) -> str:
        """Return the declaration as the text of a protocol buffer."""
        return printing.format_variable(variable)

    def format_attributes_outside_declaration(self, variable: Any) -> str:
        """Return one line for each attribute that is not part of the declaration."""
        return printing.format_additional_variable_attributes(variable)
