"""Gradients as Paddle's own ops, in programs that users see: `relu_grad` with Paddle's slots.

Who runs it asks the rule of `relu`.
"""

from __future__ import annotations

from ..capture.variable import GRADIENT, Variable
from ..core.op import Op
from ..core.paddle1_compat import compat
from ..ir.block_captures import EMPTY
from ..ir.program import Attr, AttrType, OpDesc
from .backward_pass import Walk
from .cotangents import declared
from .grad_op_signatures import grad_input_slots, grad_op_type, paddle1_grad_attrs

# not of its gradient
OF_THE_OP = ("op_role", "op_role_var", "op_callstack", "op_namescope", "op_device")


def written(walk: Walk, op: Op, desc: OpDesc, at: int) -> bool:
    """Write the gradient op of op number `at`; False, and nothing, where Paddle's would
    not say it.
    """
    if desc.type == "sum":
        _shares(walk, desc)
        return True
    used = {slot for slot, names in desc.inputs.items() if names}
    slots = grad_input_slots(op.type, used, compat.rules.writes_paddle1_gradients)
    if slots is None or not _says_all(walk, desc, slots) or not _stays(walk, op, desc, at):
        return False
    if any(walk.wants(n) for s in op.ins if not s.constant for n in desc.inputs.get(s.name, [])):
        _write(walk, op, desc, at, slots)
    else:
        _forget(walk, desc)
    return True


def _says_all(walk: Walk, desc: OpDesc, slots: list[str]) -> bool:
    """Whether all results that a gradient arrived at are asked for theirs."""
    arrived = [
        slot for slot, names in desc.outputs.items() if any(n in walk.pending for n in names)
    ]
    return all(slot + GRADIENT in slots for slot in arrived)


def _stays(walk: Walk, op: Op, desc: OpDesc, at: int) -> bool:
    """Whether operands and results are found under their names on the way back.

    A number that an op keeps and writes itself, as the averages of batch_norm, is no part of the
    gradient while it changes.
    """
    kept = {s.over for s in op.outs if s.over} & {s.name for s in op.ins if s.constant}
    ins = [
        n for slot, names in desc.inputs.items() if slot not in kept for n in names if n != EMPTY
    ]
    over = [n for slot in kept for n in desc.inputs.get(slot, [])]
    outs = [n for n in desc.output_names() if n not in over]
    return all(walk.versions.stays(n, at) for n in ins) and all(
        walk.versions.stays(n, at + 1) for n in outs
    )


def _forget(walk: Walk, desc: OpDesc) -> None:
    for name in desc.output_names():
        if name in walk.pending:
            walk.pending.take(name)


def _write(walk: Walk, op: Op, desc: OpDesc, at: int, slots: list[str]) -> None:
    walk.complete(op, desc, at, slots)
    inputs = {slot: found for slot in slots if (found := _operands(walk, desc, at, slot))}
    _forget(walk, desc)
    places = {
        f"{s.name}{GRADIENT}": [_place(walk, n) for n in desc.inputs[s.name]]
        for s in op.ins
        if not s.constant and any(walk.wants(n) for n in desc.inputs.get(s.name, []))
    }
    outputs = {
        slot: [EMPTY if v is None else v.name for _, v in made] for slot, made in places.items()
    }
    attrs = {n: a for n, a in desc.attrs.items() if n not in OF_THE_OP}
    if compat.rules.writes_paddle1_gradients:
        attrs = paddle1_grad_attrs(op.type) | attrs
    made = walk.recorder.emit(grad_op_type(desc.type), inputs, outputs, attrs)
    for name, gradient in (pair for pairs in places.values() for pair in pairs):
        if gradient is not None:
            walk.add(name, gradient)
            walk.pending.own(gradient, made)


def _operands(walk: Walk, desc: OpDesc, at: int, slot: str) -> list[str]:
    """What the gradient op takes in a slot."""
    stem = slot.removesuffix(GRADIENT)
    if stem == slot:
        return desc.inputs.get(slot) or desc.outputs.get(slot, [])
    found = [walk.of_result(name, at) for name in desc.outputs.get(stem, [])]
    return [EMPTY if gradient is None else gradient.name for gradient in found]


def _place(walk: Walk, name: str) -> tuple[str, Variable | None]:
    """A new variable for a gradient of `name`, where it is wanted."""
    if not walk.wants(name):
        return name, None
    like = walk.variable(name).raw
    return name, declared(walk.recorder, walk.recorder.namer.fresh(f"{name}{GRADIENT}@OF"), like)


def _shares(walk: Walk, desc: OpDesc) -> None:
    """A sum hands its gradient on to all that it adds, as one op for each."""
    arrived = walk.pending.take(desc.outputs["Out"][0])
    for name in desc.inputs["X"]:
        if walk.wants(name):
            attrs = {"scale": Attr(AttrType.FLOAT, 1.0), "bias": Attr(AttrType.FLOAT, 0.0)}
            attrs["bias_after_scale"] = Attr(AttrType.BOOLEAN, True)
            part = walk.recorder.emit_like("scale", "X", arrived, attrs)
            walk.add(name, part)
            walk.pending.own(part, walk.recorder.block.ops[-1])


Walk.emit_grad_op = written
