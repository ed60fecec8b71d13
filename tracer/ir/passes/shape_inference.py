"""Infer the shapes of a recorded program for other input shapes."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from ...core.dtype import DTYPE_BY_NP, parse_dtype
from ...core.op import OPS, Meta
from ..kernelless_op_traits import is_feed_or_fetch
from ..program import OpDesc, Program, VarDesc


def program_with_input_shapes(program: Program, shapes: Mapping[str, tuple[int, ...]]) -> Program:
    """Return a copy of the program with the input shapes `shapes`, and inferred shapes for all
    other variables.

    Raises OpError if shape inference of an op fails.
    """
    copied = deepcopy(program)
    declared = copied.block.vars
    for name, shape in shapes.items():
        declared[name].shape = shape
    for desc in copied.block.ops:
        if not is_feed_or_fetch(desc.type):
            set_inferred_output_metas(desc, declared)
    return copied


def _slot_metas(names: list[str], many: bool, declared: dict[str, VarDesc]) -> Any:
    found = [Meta(declared[n].shape, parse_dtype(declared[n].dtype).np) for n in names]
    return (found or None) if many else (found[0] if found else None)


def set_inferred_output_metas(desc: OpDesc, declared: dict[str, VarDesc]) -> None:
    """Infer the shapes and dtypes of an op's outputs from its inputs, and store them in the
    declarations `declared`.

    Raises OpError if shape inference fails.
    """
    op = OPS[desc.type]
    metas = tuple(_slot_metas(desc.inputs.get(s.name, []), s.is_list, declared) for s in op.ins)
    attrs = {name: a.value for name, a in desc.attrs.items() if name in op.attrs}
    inferred = op.infer(metas, attrs)
    for slot, found in zip(op.outs, (inferred,) if len(op.outs) == 1 else inferred, strict=True):
        for name, meta in zip(
            desc.outputs.get(slot.name, []), found if slot.is_list else [found], strict=False
        ):
            if not declared[name].persistable:
                declared[name].shape, declared[name].dtype = (
                    tuple(meta.shape),
                    DTYPE_BY_NP[meta.dtype].name,
                )
