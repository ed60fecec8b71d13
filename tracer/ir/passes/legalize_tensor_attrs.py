"""Ops whose attributes real Paddle made variables, as the ops of ours that take them for
operands.
"""

from __future__ import annotations

from dataclasses import replace

from ..program import AttrType, OpDesc

# type and attribute -> the op and its slot
SIZED = {
    **{(type, "ksize"): ("pool_to", "Size") for type in ("pool2d", "pool3d")},
    **{
        (type, "output_size"): ("conv_transpose_to", "Size")
        for type in ("conv2d_transpose", "depthwise_conv2d_transpose", "conv3d_transpose")
    },
    **{(type, "output_size"): ("unpool_to", "Size") for type in ("unpool", "unpool3d")},
}


def sized(desc: OpDesc) -> OpDesc:
    """The op itself, or the one that takes its attribute for an operand."""
    for name, attr in desc.attrs.items():
        given = attr.type in (AttrType.VAR, AttrType.VARS) and (desc.type, name) in SIZED
        if given and (name != "ksize" or desc.attr("adaptive")):
            type, slot = SIZED[desc.type, name]
            names = [attr.value] if attr.type == AttrType.VAR else list(attr.value)
            return replace(desc, type=type, inputs={**desc.inputs, slot: names})
    return desc
