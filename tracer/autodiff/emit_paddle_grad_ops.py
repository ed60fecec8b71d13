"""Emit gradients as Paddle's gradient ops (`relu_grad` with Paddle's slots), for programs that
users see.

To run such a gradient op, Oarlock applies the gradient rule of the forward op.
"""

from __future__ import annotations

from ..capture.variable import GRADIENT_SUFFIX, Variable
from ..core.op import Op
from ..core.paddle1_compat import compat
from ..ir.block_captures import EMPTY_NAME
from ..ir.program import Attr, AttrType, OpDesc
from .backward_pass import ProgramBackwardPass
from .cotangents import declare_variable_like
from .grad_op_signatures import find_grad_op_input_slots, grad_op_type, required_paddle1_grad_attrs

# attributes that gradient ops do not inherit
FORWARD_ONLY_ATTRS = ("op_role", "op_role_var", "op_callstack", "op_namescope", "op_device")


def try_emit_paddle_grad_op(backward: ProgramBackwardPass, op: Op, desc: OpDesc, at: int) -> bool:
    """Emit Paddle's gradient op of op number `at` and return True. If Paddle's op cannot express
    the gradient, emit nothing and return False.
    """
    if desc.type == "sum":
        _emit_scale_ops_as_grad_of_sum(backward, desc)
        return True
    used = {slot for slot, names in desc.inputs.items() if names}
    slots = find_grad_op_input_slots(op.type, used, compat.rules.writes_paddle1_gradients)
    if (
        slots is None
        or not _has_slots_for_existing_output_grads(backward, desc, slots)
        or not _are_inputs_and_outputs_unchanged(backward, op, desc, at)
    ):
        return False
    if any(
        backward.needs_grad(n)
        for s in op.ins
        if not s.is_constant
        for n in desc.inputs.get(s.name, [])
    ):
        _emit_paddle_grad_op(backward, op, desc, at, slots)
    else:
        _discard_output_cotangents(backward, desc)
    return True


def _has_slots_for_existing_output_grads(
    backward: ProgramBackwardPass, desc: OpDesc, slots: list[str]
) -> bool:
    """Whether the gradient op has an input slot for each output gradient that exists."""
    arrived = [
        slot for slot, names in desc.outputs.items() if any(n in backward.cotangents for n in names)
    ]
    return all(slot + GRADIENT_SUFFIX in slots for slot in arrived)


def _are_inputs_and_outputs_unchanged(
    backward: ProgramBackwardPass, op: Op, desc: OpDesc, at: int
) -> bool:
    """Whether no later op overwrites an input or output of the op, so that the backward pass can
    read the values.

    State that the op updates in place, such as the running averages of batch_norm, is not checked.
    """
    kept = {s.overwrites for s in op.outs if s.overwrites} & {
        s.name for s in op.ins if s.is_constant
    }
    ins = [
        n
        for slot, names in desc.inputs.items()
        if slot not in kept
        for n in names
        if n != EMPTY_NAME
    ]
    over = [n for slot in kept for n in desc.inputs.get(slot, [])]
    outs = [n for n in desc.output_names() if n not in over]
    return all(backward.value_versions.is_unchanged_until_backward(n, at) for n in ins) and all(
        backward.value_versions.is_unchanged_until_backward(n, at + 1) for n in outs
    )


def _discard_output_cotangents(backward: ProgramBackwardPass, desc: OpDesc) -> None:
    for name in desc.output_names():
        if name in backward.cotangents:
            backward.cotangents.pop(name)


def _emit_paddle_grad_op(
    backward: ProgramBackwardPass, op: Op, desc: OpDesc, at: int, slots: list[str]
) -> None:
    backward.add_missing_outputs(op, desc, at, slots)
    inputs = {
        slot: found
        for slot in slots
        if (found := _emit_or_find_grad_op_inputs_in_slot(backward, desc, at, slot))
    }
    _discard_output_cotangents(backward, desc)
    places = {
        f"{s.name}{GRADIENT_SUFFIX}": [
            _pair_input_name_with_declared_grad(backward, n) for n in desc.inputs[s.name]
        ]
        for s in op.ins
        if not s.is_constant and any(backward.needs_grad(n) for n in desc.inputs.get(s.name, []))
    }
    outputs = {
        slot: [EMPTY_NAME if v is None else v.name for _, v in result]
        for slot, result in places.items()
    }
    attrs = {n: a for n, a in desc.attrs.items() if n not in FORWARD_ONLY_ATTRS}
    if compat.rules.writes_paddle1_gradients:
        attrs = required_paddle1_grad_attrs(op.type) | attrs
    result = backward.recorder.append_op(grad_op_type(desc.type), inputs, outputs, attrs)
    for name, gradient in (pair for pairs in places.values() for pair in pairs):
        if gradient is not None:
            backward.accumulate(name, gradient)
            backward.cotangents.mark_renameable(gradient, result)


def _emit_or_find_grad_op_inputs_in_slot(
    backward: ProgramBackwardPass, desc: OpDesc, at: int, slot: str
) -> list[str]:
    """The names of the variables in the input slot `slot` of the gradient op."""
    stem = slot.removesuffix(GRADIENT_SUFFIX)
    if stem == slot:
        return desc.inputs.get(slot) or desc.outputs.get(slot, [])
    found = [backward.output_grad_or_zeros(name, at) for name in desc.outputs.get(stem, [])]
    return [EMPTY_NAME if gradient is None else gradient.name for gradient in found]


def _pair_input_name_with_declared_grad(
    backward: ProgramBackwardPass, name: str
) -> tuple[str, Variable | None]:
    """Return the pair of `name` and a new variable for its gradient; the second item is None if the
    gradient is not needed.
    """
    if not backward.needs_grad(name):
        return name, None
    like = backward.require_variable(name).raw
    return name, declare_variable_like(
        backward.recorder, backward.recorder.namer.unique_name(f"{name}{GRADIENT_SUFFIX}@OF"), like
    )


def _emit_scale_ops_as_grad_of_sum(backward: ProgramBackwardPass, desc: OpDesc) -> None:
    """Emit the gradient of the op `sum`: one `scale` op by 1.0 for each input, as Paddle does."""
    arrived = backward.cotangents.pop(desc.outputs["Out"][0])
    for name in desc.inputs["X"]:
        if backward.needs_grad(name):
            attrs = {"scale": Attr(AttrType.FLOAT, 1.0), "bias": Attr(AttrType.FLOAT, 0.0)}
            attrs["bias_after_scale"] = Attr(AttrType.BOOLEAN, True)
            part = backward.recorder.emit_shape_preserving_unary_op("scale", "X", arrived, attrs)
            backward.accumulate(name, part)
            backward.cotangents.mark_renameable(part, backward.recorder.block.ops[-1])


ProgramBackwardPass.emit_grad_op = try_emit_paddle_grad_op
