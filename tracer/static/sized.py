"""Ops whose attributes real Paddle made variables, as the ops of ours that take them for operands."""

from __future__ import annotations

from dataclasses import replace

from .program import AttrType, OpDesc

# type and attribute -> the op and its slot
SIZED = {("pool2d", "ksize"): ("pool_to", "Size"), ("pool3d", "ksize"): ("pool_to", "Size")}


def sized(desc: OpDesc) -> OpDesc:
    """The op itself, or the one that takes its attribute for an operand."""
    for name, attr in desc.attrs.items():
        if attr.type == AttrType.VARS and (desc.type, name) in SIZED and desc.attr("adaptive"):
            type, slot = SIZED[desc.type, name]
            return replace(desc, type=type, inputs={**desc.inputs, slot: list(attr.value)})
    return desc
