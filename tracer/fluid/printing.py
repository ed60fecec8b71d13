"""Format tensors and variables as Paddle 1.8 printed them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..ir.program import Kind
from ..ir.scope_values import ScopeValue, braces

__all__ = ["held", "tensor", "variable"]

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
# Ops whose outputs do not inherit LoD: their variables print none.
_NO_LOD = {
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


def _number(value: Any) -> str:
    """As C++ writes it: six digits that count; small whole numbers as the character that
    they are.
    """
    if value.dtype.kind in "iu" and value.dtype.itemsize == 1:
        return chr(int(value) % 256)
    return f"{value:.6g}" if isinstance(value, np.floating) else str(int(value))


def tensor(of: Any) -> str:
    """The block of a value: name, dtype, shape, and all elements in a row."""
    sizes = ", ".join(map(str, of.array.shape))
    return (
        f"name {of.name}, dtype: {of.dtype!r} shape: [{sizes}] "
        f"{_value(of, getattr(of, 'lod', None) or [])}"
    )


def held(of: ScopeValue) -> str:
    """The block of a value of a scope, without a name."""
    return _value(of.tensor, of.lod())


def _value(of: Any, lod: list[list[int]]) -> str:
    array = np.asarray(of)
    sizes, values = ", ".join(map(str, array.shape)), " ".join(map(_number, array.ravel()))
    kind = _C_NAMES.get(of.dtype.name, of.dtype.name)
    return (
        f"\tlod: {braces(lod)}\n\tdim: {sizes}\n\tlayout: NCHW\n\tdtype: {kind}\n\tdata: "
        f"[{values}]\n"
    )


def _says_lod(var: Any) -> bool:
    """Whether the declaration says how deep sequences nest."""
    if var.is_parameter or var.persistable:
        return False
    op = var.op
    if op is None:
        return "lod_level" not in var.unsaid
    return var.lod_level > 0 or op.type not in _NO_LOD


def _tensor_lines(var: Any) -> Iterator[str]:
    """What is said of its tensor: what the user said, or what followed from the op that
    writes it.
    """
    unsaid = frozenset() if var.op is not None else var.unsaid
    if {"shape", "dtype"} <= unsaid:
        return
    yield "  tensor_array {" if var.type == Kind.ARRAY else "  lod_tensor {"
    yield "    tensor {"
    yield f"      data_type: {repr(var.dtype).removeprefix('VarType.')}"
    if "shape" not in unsaid:
        yield from (f"      dims: {size}" for size in var.raw.shape or (1,))
    yield "    }"
    if _says_lod(var):
        yield f"    lod_level: {var.lod_level}"
    yield "  }"


def _lines(var: Any) -> Iterator[str]:
    desc = var.raw
    yield f'name: "{desc.name}"'
    yield "type {"
    yield f"  type: {'LOD_TENSOR_ARRAY' if var.type == Kind.ARRAY else 'LOD_TENSOR'}"
    yield from _tensor_lines(var)
    yield "}"
    if desc.persistable or "persistable" not in var.unsaid:
        yield f"persistable: {'true' if desc.persistable else 'false'}"
    if desc.need_check_feed():
        yield "need_check_feed: true"


def variable(of: Any) -> str:
    """The declaration of a variable of a program, as text of a protocol buffer."""
    return "\n".join(_lines(of)) + "\n"


def details(of: Any) -> str:
    """What a program knows of a variable besides, line by line."""
    names = ["error_clip", "stop_gradient"]
    if of.is_parameter:
        names += ["trainable", "optimize_attr", "regularizer", "do_model_average"]
    return "".join(f"{name}: {getattr(of, name, None)}\n" for name in names)
