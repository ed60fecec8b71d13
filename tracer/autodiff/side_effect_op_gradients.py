"""Gradient rules of print, py_func and pylayer."""

from __future__ import annotations

from ..capture.side_effects.py_func_and_static_pylayer import (
    call_static_pylayer_backward,
    register_py_func_backward,
    registered_function_by_number,
)
from ..capture.variable import Variable
from ..core.dtype import is_inexact
from ..ir.program import Attr, AttrType, OpDesc
from .backward_pass import GRADIENT_RULES, ProgramBackwardPass
from .cotangents import declare_variable_like, emit_zero_grad_like, reduce_and_cast_grad_like


def _pop_output_grads_or_zeros(
    backward: ProgramBackwardPass, op: OpDesc, at: int
) -> list[Variable | None]:
    """Return the gradients of the op's outputs and remove them from `cotangents`: zeros if no
    gradient was accumulated, None for an output that cannot have a gradient.
    """
    found: list[Variable | None] = []
    for name in op.outputs.get("Out", []):
        result = backward.value_after(name, at)
        if name in backward.cotangents:
            found.append(backward.cotangents.pop(name))
        else:
            found.append(
                emit_zero_grad_like(backward.recorder, result)
                if is_inexact(result.meta.dtype)
                else None
            )
    return found


def _gradient_rule_of_print(backward: ProgramBackwardPass, op: OpDesc, at: int) -> None:
    gradient = backward.cotangents.pop(op.outputs["Out"][0])
    name = op.inputs["In"][0]
    if not backward.needs_grad(name):
        return
    result = declare_variable_like(
        backward.recorder, backward.recorder.namer.generate_temporary_name("print"), gradient.raw
    )
    attrs = {**op.attrs, "is_forward": Attr(AttrType.BOOLEAN, False)}
    backward.recorder.append_op("print", {"In": [gradient.name]}, {"Out": [result.name]}, attrs)
    backward.accumulate(name, result)


def _gradient_rule_of_py_func(backward: ProgramBackwardPass, op: OpDesc, at: int) -> None:
    gradients = _pop_output_grads_or_zeros(backward, op, at)
    number, names = op.attr("forward_callable_id"), op.inputs["X"]
    wanted = [i for i, name in enumerate(names) if backward.needs_grad(name)]
    if registered_function_by_number(number).backward is None or not wanted:
        return
    results = op.outputs.get("Out", [])
    given = [g.name for g in gradients if g is not None]
    back, operands = register_py_func_backward(number, names, results, given, wanted)
    seen = {n: backward.value_before(n, at).name for n in names} | {
        n: backward.value_after(n, at).name for n in results
    }
    result = [
        declare_variable_like(
            backward.recorder,
            backward.recorder.namer.generate_temporary_name("py_func"),
            backward.value_before(names[i], at).raw,
        )
        for i in wanted
    ]
    attrs = {
        "forward_callable_id": Attr(AttrType.INT, back),
        "backward_callable_id": Attr(AttrType.INT, -1),
    }
    slots = {"X": [seen.get(n, n) for n in operands]}
    backward.recorder.append_op("py_func", slots, {"Out": [v.name for v in result]}, attrs)
    for i, gradient in zip(wanted, result, strict=True):
        backward.accumulate(names[i], gradient)


def _gradient_rule_of_pylayer(backward: ProgramBackwardPass, op: OpDesc, at: int) -> None:
    gradients = [g for g in _pop_output_grads_or_zeros(backward, op, at) if g is not None]
    for name, gradient in zip(
        op.inputs["X"], call_static_pylayer_backward(op, gradients), strict=True
    ):
        if backward.needs_grad(name) and gradient is not None:
            backward.accumulate(
                name, reduce_and_cast_grad_like(gradient, backward.value_before(name, at))
            )


GRADIENT_RULES |= {
    "print": _gradient_rule_of_print,
    "py_func": _gradient_rule_of_py_func,
    "pylayer": _gradient_rule_of_pylayer,
}
