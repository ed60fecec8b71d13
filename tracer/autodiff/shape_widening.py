"""Widen declared shapes that change between the iterations of a loop. Files written by PaddlePaddle
declare the shape of one iteration only, and gradient rules must not rely on such a shape.

Programs that Oarlock recorded declare such dimensions as dynamic and stay the same.
"""

from __future__ import annotations

from typing import Any

from ..core.dtype import parse_dtype
from ..core.errors import OarlockError
from ..core.op import OPS, Meta, Op
from ..ir.attr_types import REFERENCE_ATTR_TYPES
from ..ir.program import OpDesc, Program, VarDesc, VarKind

Shape = tuple[int, ...]


def widen_shapes_if_program_has_loops(program: Program) -> None:
    """In a program with loops, make a declared dimension dynamic if shape inference of an op
    contradicts it. The inference is repeated until no declaration changes.
    """
    if any(op.type == "while" for op in program.ops()):
        loose: set[int] = set()
        ops = [(block.idx, op) for block in program.blocks for op in block.ops]
        while sum(_widen_outputs_and_report_change(program, at, op, loose) for at, op in ops):
            pass


def _widen_outputs_and_report_change(
    program: Program, block: int, desc: OpDesc, loose: set[int]
) -> bool:
    """Make the declared output dimensions of an op dynamic that shape inference contradicts; return
    whether a declaration changed.

    loose: ids of the declarations changed so far.
    """
    op = OPS.get(desc.type)
    if op is None or any(
        program.var(n, block) is None for n in (*desc.input_names(), *desc.output_names())
    ):
        return False
    has_loose_inputs = any(id(program.var(n, block)) in loose for n in desc.input_names())
    changed = False
    for name, found in _infer_output_shapes(program, block, op, desc).items():
        var = program.var(name, block)
        assert var is not None
        joined = _widen_contradicted_dims(var.shape, found, has_loose_inputs)
        if joined != var.shape and not var.persistable:
            var.shape, changed = joined, True
            loose.add(id(var))
    return changed


def _widen_contradicted_dims(declared: Shape, found: Shape, has_loose_inputs: bool) -> Shape:
    if len(declared) != len(found):
        return declared
    return tuple(
        d if d == f or (f < 0 and not has_loose_inputs) else -1
        for d, f in zip(declared, found, strict=True)
    )  # an inferred -1 matches any size


def _infer_output_shapes(program: Program, block: int, op: Op, desc: OpDesc) -> dict[str, Shape]:
    """The inferred shapes of the op's outputs, by variable name; an empty dict if shape inference
    fails.
    """

    def slot_metas(names: list[str], many: bool) -> Any:
        found = [_require_meta_of_dense_variable(program.var(n, block)) for n in names]
        return (found or None) if many else (found[0] if found else None)

    attrs = {
        n: a.value
        for n, a in desc.attrs.items()
        if n in op.attrs and a.type not in REFERENCE_ATTR_TYPES
    }
    try:
        inferred = op.infer(
            tuple(slot_metas(desc.inputs.get(s.name, []), s.is_list) for s in op.ins), attrs
        )
    except (OarlockError, TypeError):  # TensorArrays have no Meta
        return {}
    result: dict[str, Shape] = {}
    for slot, found in zip(op.outs, (inferred,) if len(op.outs) == 1 else inferred, strict=True):
        for name, meta in zip(
            desc.outputs.get(slot.name, []), found if slot.is_list else [found], strict=False
        ):
            result[name] = tuple(meta.shape)
    return result


def _require_meta_of_dense_variable(var: VarDesc | None) -> Meta:
    if var is None or var.kind != VarKind.DENSE:
        raise TypeError
    return Meta(var.shape, parse_dtype(var.dtype).np)
