"""Type, slots and attributes of Paddle's gradient ops. Other modules call the functions of this
module instead of reading `grad_op_tables`.
"""

from __future__ import annotations

from collections.abc import Collection

from ..core.op import OPS
from ..ir.program import Attr, AttrType
from .grad_op_tables import (
    GRAD_INPUT_SLOTS,
    IRREGULAR_GRAD_TYPES,
    PADDLE1_INPUT_SLOTS,
    PADDLE1_REQUIRED_ATTRS,
)

_GRAD_SUFFIX = "_grad"
_FORWARD_TYPE_BY_GRAD_TYPE = {grad_type: type for type, grad_type in IRREGULAR_GRAD_TYPES.items()}


def grad_op_type(type: str) -> str:
    """The type of the gradient op of an op of the given type, such as "relu_grad" for "relu"."""
    return IRREGULAR_GRAD_TYPES.get(type, f"{type}{_GRAD_SUFFIX}")


def find_forward_op_type(grad_type: str) -> str | None:
    """The forward op type of a gradient op type; None if the type is not that of a gradient op."""
    type = _FORWARD_TYPE_BY_GRAD_TYPE.get(grad_type) or grad_type.removesuffix(_GRAD_SUFFIX)
    return None if type == grad_type else type


def find_grad_op_input_slots(
    type: str, inputs: Collection[str], is_paddle1: bool
) -> list[str] | None:
    """The input slots of the gradient op of an op; None if Paddle does not have a gradient op with
    fixed slots for it.

    inputs: the input slots that the op uses.
    is_paddle1: return the slots of Paddle 1.8, which are fewer for some ops, unless the op uses an
    input that only the newer gradient op has.
    """
    newer, older = GRAD_INPUT_SLOTS.get(type, "").split(), PADDLE1_INPUT_SLOTS.get(type)
    if not is_paddle1 or older is None:
        return newer or None
    needs_newer = any(
        s.is_optional and s.name in inputs and s.name in newer and s.name not in older
        for s in OPS[type].ins
    )
    return (newer if needs_newer else older.split()) or None


def required_paddle1_grad_attrs(type: str) -> dict[str, Attr]:
    """Values for the attributes that Paddle 1.8 requires in the gradient op of an op but gives no
    default.
    """
    return {
        name: Attr(AttrType[kind], value)
        for name, kind, value, types in PADDLE1_REQUIRED_ATTRS
        if type in types.split()
    }
