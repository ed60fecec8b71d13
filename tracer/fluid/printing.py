"""Format tensors and variables as Paddle 1.8 printed them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..ir.program import VarKind
from ..ir.scope_values import ScopeValue, format_lod

__all__ = [
    "format_additional_variable_attributes",
    "format_scope_value",
    "format_tensor",
    "format_variable",
]

_C_NAMES = {
    "float32": "float",
    "float64": "double",
    "int64": "int64_t",
    "int32": "int",
    "bool": "bool",
    "int8": "int8_t",
    "uint8": "uint8_t",
    "int16": "int16_t",
    "float16": "::paddle::platform::float16",
}
# Ops whose outputs do not inherit the LoD of inputs, so that no lod_level is printed for their
# output variables.
_TYPES_WITHOUT_LOD = {
    "mean",
    "reduce_sum",
    "reduce_mean",
    "reduce_max",
    "reduce_min",
    "reduce_prod",
    "reshape2",
    "transpose2",
    "matmul",
    "fill_constant",
    "accuracy",
    "squeeze2",
    "unsqueeze2",
    "slice",
    "split",
    "stack",
    "top_k",
    "arg_max",
    "shape",
    "uniform_random",
    "gaussian_random",
    "conv2d",
    "pool2d",
    "expand",
    "feed",
    "fetch",
}


def _format_number(value: Any) -> str:
    """Format a number like a C++ stream: floats with six significant digits, 8-bit integers as
    characters.
    """
    if value.dtype.kind in "iu" and value.dtype.itemsize == 1:
        return chr(int(value) % 256)
    return f"{value:.6g}" if isinstance(value, np.floating) else str(int(value))


def format_tensor(tensor: Any) -> str:
    """Return the text of a tensor: name, dtype, shape, LoD and all elements."""
    sizes = ", ".join(map(str, tensor.array.shape))
    return (
        f"name {tensor.name}, dtype: {tensor.dtype!r} shape: [{sizes}] "
        f"{_format_lod_shape_dtype_and_data(tensor, getattr(tensor, 'lod', None) or [])}"
    )


def format_scope_value(value: ScopeValue) -> str:
    """Return the text of a value in a scope: LoD, shape, dtype and all elements, without a name."""
    return _format_lod_shape_dtype_and_data(value.tensor, value.lod())


def _format_lod_shape_dtype_and_data(tensor: Any, lod: list[list[int]]) -> str:
    array = np.asarray(tensor)
    sizes = ", ".join(map(str, array.shape))
    values = " ".join(map(_format_number, array.ravel()))
    dtype = _C_NAMES.get(tensor.dtype.name, tensor.dtype.name)
    return (
        f"\tlod: {format_lod(lod)}\n\tdim: {sizes}\n\tlayout: NCHW\n\tdtype: {dtype}\n\tdata: "
        f"[{values}]\n"
    )


def _is_lod_level_printed(var: Any) -> bool:
    """Return whether the text of a variable's declaration contains lod_level."""
    if var.is_parameter or var.persistable:
        return False
    op = var.op
    if op is None:
        return "lod_level" not in var.undeclared_properties
    return var.lod_level > 0 or op.type not in _TYPES_WITHOUT_LOD


def _iter_tensor_desc_lines(var: Any) -> Iterator[str]:
    """Yield the lines that describe the tensor of a variable: dtype, shape and lod_level that the
    user declared, or that the op which writes the variable infers.
    """
    unspecified = frozenset() if var.op is not None else var.undeclared_properties
    if {"shape", "dtype"} <= unspecified:
        return
    yield "  tensor_array {" if var.type == VarKind.ARRAY else "  lod_tensor {"
    yield "    tensor {"
    yield f"      data_type: {repr(var.dtype).removeprefix('VarType.')}"
    if "shape" not in unspecified:
        yield from (f"      dims: {size}" for size in var.raw.shape or (1,))
    yield "    }"
    if _is_lod_level_printed(var):
        yield f"    lod_level: {var.lod_level}"
    yield "  }"


def _iter_variable_lines(var: Any) -> Iterator[str]:
    desc = var.raw
    yield f'name: "{desc.name}"'
    yield "type {"
    yield f"  type: {'LOD_TENSOR_ARRAY' if var.type == VarKind.ARRAY else 'LOD_TENSOR'}"
    yield from _iter_tensor_desc_lines(var)
    yield "}"
    if desc.persistable or "persistable" not in var.undeclared_properties:
        yield f"persistable: {'true' if desc.persistable else 'false'}"
    if desc.need_check_feed():
        yield "need_check_feed: true"


def format_variable(variable: Any) -> str:
    """Return the declaration of a variable of a program as the text of a protocol buffer."""
    return "\n".join(_iter_variable_lines(variable)) + "\n"


def format_additional_variable_attributes(variable: Any) -> str:
    """Return further attributes of a variable, one per line."""
    names = ["error_clip", "stop_gradient"]
    if variable.is_parameter:
        names += ["trainable", "optimize_attr", "regularizer", "do_model_average"]
    return "".join(f"{name}: {getattr(variable, name, None)}\n" for name in names)
