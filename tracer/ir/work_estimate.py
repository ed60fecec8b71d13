"""Estimate of the work of a program, by which the number of threads is chosen."""

from __future__ import annotations

import math

from .kernelless_op_traits import is_feed_or_fetch
from .program import OpDesc, Program

# Up to this number of multiplications, waking a second thread takes longer than the thread saves.
MAX_MULTIPLICATIONS = 1 << 19
MAX_ELEMENTS = 1 << 15  # of an input of the program, or of a variable that an op computes

MATMUL_OP_TYPES = frozenset({"matmul", "matmul_v2", "mul"})
# Ops with a few operations for each element of their inputs and outputs.
ELEMENTWISE_OP_TYPES = frozenset(
    {
        "assign",
        "cast",
        "concat",
        "elementwise_add",
        "elementwise_div",
        "elementwise_max",
        "elementwise_min",
        "elementwise_mul",
        "elementwise_sub",
        "flatten_contiguous_range",
        "gelu",
        "layer_norm",
        "leaky_relu",
        "reduce_mean",
        "reduce_sum",
        "relu",
        "reshape2",
        "scale",
        "sigmoid",
        "slice",
        "softmax",
        "squeeze2",
        "tanh",
        "transpose2",
        "unsqueeze2",
    }
)


def is_too_small_for_threads(program: Program) -> bool:
    """Whether one thread runs a program fastest: all sizes are known, and all ops are matrix
    products with few multiplications or elementwise ops on small arrays.
    """
    if len(program.blocks) > 1:
        return False
    ops = [op for op in program.ops() if not is_feed_or_fetch(op.type)]
    if any(op.type not in MATMUL_OP_TYPES and op.type not in ELEMENTWISE_OP_TYPES for op in ops):
        return False
    computed = {name for op in ops for name in op.output_names()}
    elements = {name: _num_elements(program, name) for name in (*computed, *program.feed_names())}
    if not all(0 <= count <= MAX_ELEMENTS for count in elements.values()):
        return False
    matmuls = [op for op in ops if op.type in MATMUL_OP_TYPES]
    return sum(_num_multiplications(program, op) for op in matmuls) <= MAX_MULTIPLICATIONS


def _num_multiplications(program: Program, op: OpDesc) -> float:
    """Return the number of multiplications of a product of matrices [M, K] and [K, N], which is
    M K N = sqrt(MK * KN * MN); of a batch of products, an upper bound.
    """
    names = (*op.inputs["X"], *op.inputs["Y"], *op.outputs["Out"])
    return math.sqrt(math.prod(_num_elements(program, name) for name in names))


def _num_elements(program: Program, name: str) -> int:
    """Return the number of elements of a variable; -1 if a size is unknown."""
    var = program.var(name)
    return math.prod(var.shape) if var is not None and min(var.shape, default=0) >= 0 else -1
