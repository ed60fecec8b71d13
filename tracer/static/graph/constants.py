"""Values that are known when a program is written, as ops of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...capture.variable import Variable
from ...core.dtype import dtype_of
from ...core.op import OPS

# dtype -> the attribute of assign_value that holds its elements, and the dtype they are held in
HELD = {
    "bool": ("bool_values", "bool", int),
    "float32": ("fp32_values", "float32", float),
    "float64": ("fp64_values", "float64", float),
    "int32": ("int32_values", "int32", int),
    "int64": ("int64_values", "int64", int),
}


def value_of(array: Any) -> Variable:
    """A variable with this value, written by ops of the program in force.   array [*] -> [*]"""
    array = np.asarray(array)
    dtype = dtype_of(array.dtype)
    if array.dtype.kind == "c":
        both: Variable = OPS["complex"](value_of(array.real), value_of(array.imag))
        return both
    if array.size == 0 or (array.size > 1 and not array.any()):
        zeros: Variable = OPS["fill_constant"](
            shape=list(array.shape), value=0.0, str_value="0.0", dtype=dtype.proto
        )
        return zeros
    held = (
        dtype.name
        if dtype.name in HELD
        else ("float32" if dtype.name in ("float16", "bfloat16") else "int32")
    )
    attr, wide, plain = HELD[held]
    values = [plain(v) for v in array.astype(wide).reshape(-1).tolist()]
    made: Variable = OPS["assign_value"](
        shape=list(array.shape), dtype=dtype_of(wide).proto, **{attr: values}
    )
    if held == dtype.name:
        return made
    cast: Variable = OPS["cast"](made, in_dtype=dtype_of(wide).proto, out_dtype=dtype.proto)
    return cast
