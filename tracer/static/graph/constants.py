"""Constants as ops of a program."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...capture.variable import Variable
from ...core.dtype import parse_dtype
from ...core.op import OPS

# dtype -> the attribute of assign_value that holds the values, its dtype, and its Python type
ASSIGN_VALUE_ATTRS = {
    "bool": ("bool_values", "bool", int),
    "float32": ("fp32_values", "float32", float),
    "float64": ("fp64_values", "float64", float),
    "int32": ("int32_values", "int32", int),
    "int64": ("int64_values", "int64", int),
}


def emit_constant(array: Any) -> Variable:
    """Emit ops that compute a constant, and return its variable.

    array: [*], any dtype
    """
    array = np.asarray(array)
    dtype = parse_dtype(array.dtype)
    if array.dtype.kind == "c":
        result: Variable = OPS["complex"](emit_constant(array.real), emit_constant(array.imag))
        return result
    if array.size == 0 or (array.size > 1 and not array.any()):
        zeros: Variable = OPS["fill_constant"](
            shape=list(array.shape), value=0.0, str_value="0.0", dtype=dtype.proto
        )
        return zeros
    stored_dtype = (
        dtype.name
        if dtype.name in ASSIGN_VALUE_ATTRS
        else ("float32" if dtype.name in ("float16", "bfloat16") else "int32")
    )
    attr, value_dtype, python_type = ASSIGN_VALUE_ATTRS[stored_dtype]
    values = [python_type(v) for v in array.astype(value_dtype).reshape(-1).tolist()]
    assigned: Variable = OPS["assign_value"](
        shape=list(array.shape), dtype=parse_dtype(value_dtype).proto, **{attr: values}
    )
    if stored_dtype == dtype.name:
        return assigned
    cast: Variable = OPS["cast"](
        assigned, in_dtype=parse_dtype(value_dtype).proto, out_dtype=dtype.proto
    )
    return cast
