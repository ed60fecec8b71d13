"""Statistics of programs: memory_usage, op_freq_statistic."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

from ...core.dtype import parse_dtype
from ...core.errors import append_user_line
from ...ir.program import VarKind
from ...static.graph.program import Program

__all__ = ["memory_usage", "op_freq_statistic"]


def memory_usage(program: Any, batch_size: int) -> tuple[float, float, str]:
    """Return a lower and an upper bound of the memory of all outputs of ops for a batch size, and
    the unit of the bounds: B, KB or MB.

    Raises ValueError for a variable with two dynamic dimensions.
    """
    if not isinstance(program, Program):
        raise TypeError(
            "Calculating Memory Usage requires Program as its Parameter.But you passed in "
            f"{type(program)}"
        )
    if batch_size <= 0:
        raise ValueError(append_user_line("The batch size need to be positive."))
    block = program.raw.block
    names = dict.fromkeys(name for op in block.ops for name in op.output_names())
    total = float(
        sum(_variable_num_bytes(block.vars[n], batch_size) for n in names if n in block.vars)
    )
    for unit in ("B", "KB"):
        if total <= 1024:
            return total * 1.05, total * 1.1, unit
        total /= 1024
    return total * 1.05, total * 1.1, "MB"


def _variable_num_bytes(var: Any, batch: int) -> int:
    if var.kind != VarKind.DENSE:
        return 0
    if sum(d < 0 for d in var.shape) > 1:
        raise ValueError(append_user_line(f"Var {var.name} has more than one negative dim."))
    size = parse_dtype(var.dtype).np.itemsize
    return int(math.prod(batch if d < 0 else d for d in var.shape) * size)


def op_freq_statistic(program: Any) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """Count ops, and pairs `producer->consumer` of ops; the most frequent first."""
    if not isinstance(program, Program):
        raise TypeError(f"The input type should be Porgram.But you passed in {type(program)}")
    counts = Counter(op.type for op in program.raw.block.ops if list(op.output_names()))
    return counts.most_common(), Counter(_iter_producer_to_consumer_texts(program)).most_common()


def _iter_producer_to_consumer_texts(program: Program) -> Iterator[str]:
    producers: dict[str, str] = {}
    for op in program.raw.block.ops:
        yield from (f"{producers[n]}->{op.type}" for n in op.input_names() if n in producers)
        producers.update(dict.fromkeys(op.output_names(), op.type))
