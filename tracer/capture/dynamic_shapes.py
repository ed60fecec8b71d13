"""Which sizes of a program's inputs may be others than they were: those that no assumption holds,
and that its ops accept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..core.errors import OpError
from ..ir.passes.shape_inference import with_shapes
from ..ir.program import Guard, OpDesc, Program
from .inline import has_blocks


def needs_picture_sizes(op: OpDesc) -> bool:
    """Whether ONNX can say what the op does only for sizes that are known."""
    return op.type in ("pool2d", "max_pool2d_with_index") and bool(
        op.attr("adaptive") or op.attr("ceil_mode")
    )


def freed(program: Program, guards: Sequence[Guard]) -> Program:
    """The program with every size of its inputs unknown that may differ: no guard holds it, and the
    ops accept others.
    """
    held = {(g.var, g.axis) for g in guards if g.kind == "dim"}
    if has_blocks(program):
        return program
    traced = {name: program.block.vars[name].shape for name in program.feeds()}
    free = {
        (name, axis)
        for name, shape in traced.items()
        for axis, size in enumerate(shape)
        if (name, axis) not in held and _may_vary(program, name, axis, size)
    }
    if any(
        needs_picture_sizes(op) and set(op.attr("ksize", [])) != {1} for op in program.block.ops
    ):
        free = {f for f in free if f[1] == 0}
    # Sizes that only differ together, such as the batch of two inputs, are found by their common
    # value.
    for size in {shape[0] for shape in traced.values() if shape}:
        together = {(name, 0) for name, shape in traced.items() if shape and shape[0] == size}
        if not together & held and _infers(program, _resized(traced, together, size + 1)):
            free |= together
    for axes in (free, {f for f in free if f[1] == 0}, set[tuple[str, int]]()):
        found = _infers(program, _resized(traced, axes, -1))
        if found is not None:
            return found
    return program


def without_guards(program: Program) -> Program:
    """The program with none of its assumptions: the sizes that they held are free where its ops
    accept others.
    """
    if program.contract is None or not program.contract.guards:
        return program
    made = freed(program, [])
    assert program.contract is not None
    inputs = [
        replace(arg, shape=made.block.vars[arg.name].shape) for arg in program.contract.inputs
    ]
    outputs = [
        replace(arg, shape=made.block.vars[arg.name].shape) for arg in program.contract.outputs
    ]
    return replace(
        made, contract=replace(program.contract, guards=[], inputs=inputs, outputs=outputs)
    )


def _may_vary(program: Program, name: str, axis: int, size: int) -> bool:
    return size < 0 or all(
        _accepts(program, name, axis, other) for other in (size + 1, 2 * size + 3)
    )


def _resized(
    shapes: dict[str, tuple[int, ...]], axes: set[tuple[str, int]], size: int
) -> dict[str, tuple[int, ...]]:
    return {
        name: tuple(size if (name, a) in axes else d for a, d in enumerate(shape))
        for name, shape in shapes.items()
    }


def _infers(program: Program, shapes: dict[str, tuple[int, ...]]) -> Program | None:
    try:
        found = with_shapes(program, shapes)
    except OpError:
        return None
    return None if any(_squeezes_unknown(found, op) for op in found.block.ops) else found


def _squeezes_unknown(program: Program, op: OpDesc) -> bool:
    """Whether the rank of a result is another one where an unknown size is 1."""
    return (
        op.type == "squeeze2"
        and not op.attr("axes")
        and -1 in program.block.vars[op.inputs["X"][0]].shape
    )


def _accepts(program: Program, name: str, axis: int, size: int) -> bool:
    traced = {name: program.block.vars[name].shape}
    return _infers(program, _resized(traced, {(name, axis)}, size)) is not None
