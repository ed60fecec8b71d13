"""Relax the guards of a trace with a second trace at other sizes: if the programs are equal, sizes
that Python code only used in arithmetic may vary.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from ..capture.dynamic_shapes import program_with_dynamic_unguarded_dims
from ..ir.kernelless_op_traits import is_feed_or_fetch
from ..ir.program import OpDesc
from .layer_capture import CapturedProgram, complete_and_store_contract


def relax_size_guards(first: CapturedProgram, second: CapturedProgram) -> CapturedProgram:
    """Return the program `first` without guards on those sizes that differ in `second` and that
    Python code used only in arithmetic. If the ops of the programs differ, all guards stay, and a
    warning is issued.
    """
    why = describe_program_difference(first, second)
    if why:
        warnings.warn(
            f"TracedLayer.trace: with the sizes of `again`, forward records another program: {why}",
            stacklevel=3,
        )
        return first
    constrained = first.constrained_dims | second.constrained_dims
    second_sizes = {(g.var, g.axis): g.expected for g in second.contract.guards if g.kind == "dim"}
    guards = [
        g
        for g in first.contract.guards
        if g.kind != "dim"
        or (g.var, g.axis) in constrained
        or second_sizes.get((g.var, g.axis)) == g.expected
    ]
    contract = replace(first.contract, guards=guards)
    return replace(
        first,
        program=complete_and_store_contract(
            program_with_dynamic_unguarded_dims(first.program, guards), contract
        ),
    )


def describe_program_difference(first: CapturedProgram, second: CapturedProgram) -> str:
    """Return a text that says how two captured programs of one layer differ, apart from sizes;
    empty if they do not differ.
    """
    one, two = (
        [op for op in r.program.ops() if not is_feed_or_fetch(op.type)] for r in (first, second)
    )
    for a, b in zip(one, two, strict=False):
        what = _describe_op_difference(a, b)
        if what:
            return f"{what}\n  at {a.user_line}"
    if len(one) != len(two):
        longer = max(one, two, key=len)[min(len(one), len(two))]
        return f"there is one {longer.type} more or less\n  at {longer.user_line}"
    if first.contract.output_tree != second.contract.output_tree:
        return f"the results are {first.contract.output_tree}, then {second.contract.output_tree}"
    differing_constant = next(
        (n for n, t in first.scope.items() if not _have_equal_values(t, second.scope.get(n))), None
    )
    return f"the constant '{differing_constant}' has other values" if differing_constant else ""


def _describe_op_difference(a: OpDesc, b: OpDesc) -> str:
    if a.type != b.type:
        return f"{a.type} is {b.type}"
    if (a.inputs, a.outputs) != (b.inputs, b.outputs):
        return f"{a.type} has other operands"
    attr = next((n for n in a.attrs if a.attr(n) != b.attr(n)), None)
    return f"{a.type} has {attr}={a.attr(attr)}, then {attr}={b.attr(attr)}" if attr else ""


def _have_equal_values(one: Any, other: Any) -> bool:
    if one is other:
        return True
    return (
        other is not None
        and one.meta == other.meta
        and bool(np.array_equal(one.array, other.array))
    )
