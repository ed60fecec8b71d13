"""Make input dimensions of a traced program dynamic if no guard depends on their size and the ops
accept other sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..core.errors import OpError
from ..ir.passes.shape_inference import program_with_input_shapes
from ..ir.program import Guard, OpDesc, Program
from .inline import has_control_flow


def requires_static_image_size_in_onnx(op: OpDesc) -> bool:
    """Whether ONNX can express the op only if height and width of the image are constants."""
    return op.type in ("pool2d", "max_pool2d_with_index") and bool(
        op.attr("adaptive") or op.attr("ceil_mode")
    )


def program_with_dynamic_unguarded_dims(program: Program, guards: Sequence[Guard]) -> Program:
    """Return the program with dynamic input dimensions: those that no guard fixes and for which
    shape inference of all ops accepts other sizes.
    """
    guarded = {(g.var, g.axis) for g in guards if g.kind == "dim"}
    if has_control_flow(program):
        return program
    traced = {name: program.block.vars[name].shape for name in program.feed_names()}
    dynamic = {
        (name, axis)
        for name, shape in traced.items()
        for axis, size in enumerate(shape)
        if (name, axis) not in guarded
        and _ops_accept_other_sizes_of_input_dim(program, name, axis, size)
    }
    if any(
        requires_static_image_size_in_onnx(op) and set(op.attr("ksize", [])) != {1}
        for op in program.block.ops
    ):
        dynamic = {f for f in dynamic if f[1] == 0}
    # Some sizes can only change together, such as the batch sizes of two inputs. Batch sizes are
    # equal in the trace, so first dimensions with equal sizes are tested together.
    for size in {shape[0] for shape in traced.values() if shape}:
        same_size_dims = {(name, 0) for name, shape in traced.items() if shape and shape[0] == size}
        if not same_size_dims & guarded and _program_with_input_shapes_or_none(
            program, _shapes_with_size_at_axes(traced, same_size_dims, size + 1)
        ):
            dynamic |= same_size_dims
    for axes in (dynamic, {f for f in dynamic if f[1] == 0}, set[tuple[str, int]]()):
        inferred = _program_with_input_shapes_or_none(
            program, _shapes_with_size_at_axes(traced, axes, -1)
        )
        if inferred is not None:
            return inferred
    return program


def program_without_guards_and_fixed_dims(program: Program) -> Program:
    """Return the program without its guards. Input dimensions that the guards fixed become dynamic
    if shape inference of all ops accepts other sizes.
    """
    if program.contract is None or not program.contract.guards:
        return program
    result = program_with_dynamic_unguarded_dims(program, [])
    assert program.contract is not None
    inputs = [
        replace(arg, shape=result.block.vars[arg.name].shape) for arg in program.contract.inputs
    ]
    outputs = [
        replace(arg, shape=result.block.vars[arg.name].shape) for arg in program.contract.outputs
    ]
    return replace(
        result, contract=replace(program.contract, guards=[], inputs=inputs, outputs=outputs)
    )


def _ops_accept_other_sizes_of_input_dim(program: Program, name: str, axis: int, size: int) -> bool:
    return size < 0 or all(
        _ops_accept_size_of_input_dim(program, name, axis, other)
        for other in (size + 1, 2 * size + 3)
    )


def _shapes_with_size_at_axes(
    shapes: dict[str, tuple[int, ...]], axes: set[tuple[str, int]], size: int
) -> dict[str, tuple[int, ...]]:
    return {
        name: tuple(size if (name, a) in axes else d for a, d in enumerate(shape))
        for name, shape in shapes.items()
    }


def _program_with_input_shapes_or_none(
    program: Program, shapes: dict[str, tuple[int, ...]]
) -> Program | None:
    try:
        inferred = program_with_input_shapes(program, shapes)
    except OpError:
        return None
    return (
        None
        if any(_has_dynamic_result_rank(inferred, op) for op in inferred.block.ops)
        else inferred
    )


def _has_dynamic_result_rank(program: Program, op: OpDesc) -> bool:
    """Whether the rank of the op's result depends on run-time sizes, as for `squeeze2`, which
    removes each axis of size 1.
    """
    return (
        op.type == "squeeze2"
        and not op.attr("axes")
        and -1 in program.block.vars[op.inputs["X"][0]].shape
    )


def _ops_accept_size_of_input_dim(program: Program, name: str, axis: int, size: int) -> bool:
    traced = {name: program.block.vars[name].shape}
    return (
        _program_with_input_shapes_or_none(
            program, _shapes_with_size_at_axes(traced, {(name, axis)}, size)
        )
        is not None
    )
