"""Constants as ops of a program."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...capture.variable import Variable
from ...core.dtype import parse_dtype
from ...core.op import OPS
from ...ops.creation import VALUES_ATTR_BY_DTYPE


def emit_constant(array: Any) -> Variable:
    """Emit ops that compute a constant, and return the variable of the constant.

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
        if dtype.name in VALUES_ATTR_BY_DTYPE
        else ("float32" if dtype.name in ("float16", "bfloat16") else "int32")
    )
    values = array.astype(stored_dtype).reshape(-1).tolist()
    if stored_dtype == "bool":
        values = [int(v) for v in values]
    assigned: Variable = OPS["assign_value"](
        shape=list(array.shape),
        dtype=parse_dtype(stored_dtype).proto,
        **{VALUES_ATTR_BY_DTYPE[stored_dtype]: values},
    )
    if stored_dtype == dtype.name:
        return assigned
    cast: Variable = OPS["cast"](
        assigned, in_dtype=parse_dtype(stored_dtype).proto, out_dtype=dtype.proto
    )
    return cast
