"""The way back through ops that are there for what they do: what is printed, and Python
functions.
"""

from __future__ import annotations

from ..capture.side_effects.py_func import backward_call, pylayer_gradients, registered_call
from ..capture.variable import Variable
from ..core.dtype import is_float
from ..ir.program import Attr, AttrType, OpDesc
from .backward_pass import RULES, Walk
from .cotangents import declared, fitted, zeros_for


def _arrived(walk: Walk, op: OpDesc, at: int) -> list[Variable | None]:
    """The gradients of an op's results, which are taken; zeros where nothing arrived, None for what
    has none.
    """
    found: list[Variable | None] = []
    for name in op.outputs.get("Out", []):
        result = walk.after(name, at)
        if name in walk.pending:
            found.append(walk.pending.take(name))
        else:
            found.append(zeros_for(walk.recorder, result) if is_float(result.meta.dtype) else None)
    return found


def _print(walk: Walk, op: OpDesc, at: int) -> None:
    gradient = walk.pending.take(op.outputs["Out"][0])
    name = op.inputs["In"][0]
    if not walk.wants(name):
        return
    made = declared(walk.recorder, walk.recorder.namer.temporary("print"), gradient.raw)
    attrs = {**op.attrs, "is_forward": Attr(AttrType.BOOLEAN, False)}
    walk.recorder.emit("print", {"In": [gradient.name]}, {"Out": [made.name]}, attrs)
    walk.add(name, made)


def _py_func(walk: Walk, op: OpDesc, at: int) -> None:
    gradients = _arrived(walk, op, at)
    number, names = op.attr("forward_callable_id"), op.inputs["X"]
    wanted = [i for i, name in enumerate(names) if walk.wants(name)]
    if registered_call(number).backward is None or not wanted:
        return
    results = op.outputs.get("Out", [])
    given = [g.name for g in gradients if g is not None]
    back, operands = backward_call(number, names, results, given, wanted)
    seen = {n: walk.before(n, at).name for n in names} | {
        n: walk.after(n, at).name for n in results
    }
    made = [
        declared(
            walk.recorder, walk.recorder.namer.temporary("py_func"), walk.before(names[i], at).raw
        )
        for i in wanted
    ]
    attrs = {
        "forward_callable_id": Attr(AttrType.INT, back),
        "backward_callable_id": Attr(AttrType.INT, -1),
    }
    slots = {"X": [seen.get(n, n) for n in operands]}
    walk.recorder.emit("py_func", slots, {"Out": [v.name for v in made]}, attrs)
    for i, gradient in zip(wanted, made, strict=True):
        walk.add(names[i], gradient)


def _pylayer(walk: Walk, op: OpDesc, at: int) -> None:
    gradients = [g for g in _arrived(walk, op, at) if g is not None]
    for name, gradient in zip(op.inputs["X"], pylayer_gradients(op, gradients), strict=True):
        if walk.wants(name) and gradient is not None:
            walk.add(name, fitted(gradient, walk.before(name, at)))


RULES |= {"print": _print, "py_func": _py_func, "pylayer": _pylayer}
