"""Type, slots and attributes of Paddle's gradient ops. No other module reads `grad_slots`."""

from __future__ import annotations

from collections.abc import Collection

from ..core.op import OPS
from ..ir.program import Attr, AttrType
from .grad_slots import OLD, OLD_ATTRS, RENAMED, SLOTS

_SUFFIX = "_grad"
_FORWARD_TYPES = {grad_type: type for type, grad_type in RENAMED.items()}


def grad_op_type(type: str) -> str:
    """The type of the gradient op of an op."""
    return RENAMED.get(type, f"{type}{_SUFFIX}")


def forward_op_type(grad_type: str) -> str | None:
    """The forward op type of a gradient op type; None if the type is not that of a gradient op."""
    type = _FORWARD_TYPES.get(grad_type) or grad_type.removesuffix(_SUFFIX)
    return None if type == grad_type else type


def grad_input_slots(type: str, inputs: Collection[str], is_paddle1: bool) -> list[str] | None:
    """The input slots of the gradient op of an op; None if Paddle does not have a gradient op with
    fixed slots for it.

    inputs: the input slots that the op uses.
    is_paddle1: return the slots of Paddle 1.8, which are fewer for some ops, unless the op uses an
    input that only the newer gradient op has.
    """
    newer, older = SLOTS.get(type, "").split(), OLD.get(type)
    if not is_paddle1 or older is None:
        return newer or None
    needs_newer = any(
        s.optional and s.name in inputs and s.name in newer and s.name not in older
        for s in OPS[type].ins
    )
    return (newer if needs_newer else older.split()) or None


def paddle1_grad_attrs(type: str) -> dict[str, Attr]:
    """The attributes without default that Paddle 1.8 requires in the gradient op of an op."""
    return {
        name: Attr(AttrType[kind], value)
        for name, kind, value, types in OLD_ATTRS
        if type in types.split()
    }
