"""The behavior of Paddle 1.8 that lower packages use through `core.paddle1_compat`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.paddle1_compat import CompatRules
from . import printing

_DTYPE_NAMES = {"float16": "FP16", "float32": "FP32", "float64": "FP64", "bfloat16": "BF16"}


class Paddle1Rules(CompatRules):
    """The rules by which names, texts, checks and gradient ops are those of Paddle 1.8."""

    temporary_name_prefix = "tmp"
    keeps_result_gradients = True
    set_value_checks_dtype = True
    writes_paddle1_gradients = True
    scalars_have_one_axis = True
    promotes_dtypes = False
    checks_param_attr = False
    creates_parameters_in_eager_mode = True
    outputs_require_gradients = True
    batch_norm_has_reserve_space = False
    extra_attr_defaults: Mapping[str, Any] = {}
    rejects_eager_methods = True
    fetches_lod_tensors = True

    def __init__(self, follows_fluid_mode: bool) -> None:
        self.rejects_set_value_and_detach = not follows_fluid_mode

    def format_dtype(self, dtype: Any) -> str:
        """Return the text of a dtype in Paddle 1.8, such as `VarType.FP32`."""
        return f"VarType.{_DTYPE_NAMES.get(dtype.name, dtype.name.upper())}"

    def format_tensor(self, tensor: Any) -> str:
        """Return the name, dtype, shape, LoD and all elements of a tensor as text."""
        return printing.format_tensor(tensor)

    def format_scope_value(self, value: Any) -> str:
        """Return the LoD, shape, dtype and all elements of a value in a scope as text."""
        return printing.format_scope_value(value)

    def format_variable(self, variable: Any, with_details: bool = False) -> str:
        """Return the declaration of a variable as the text of a protocol buffer; with_details adds
        one line for each other attribute.
        """
        details = printing.format_additional_variable_attributes(variable) if with_details else ""
        return printing.format_variable(variable) + details
