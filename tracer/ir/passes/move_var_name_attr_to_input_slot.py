"""Move an attribute that holds variable names instead of values to an input slot. The op is
replaced by an op type that takes the variables as inputs.
"""

from __future__ import annotations

from dataclasses import replace

from ..program import AttrType, OpDesc

# (op type, attribute) -> (new op type, input slot)
TENSOR_ATTR_OPS = {
    **{(type, "ksize"): ("pool_to", "Size") for type in ("pool2d", "pool3d")},
    **{
        (type, "output_size"): ("conv_transpose_to", "Size")
        for type in ("conv2d_transpose", "depthwise_conv2d_transpose", "conv3d_transpose")
    },
    **{(type, "output_size"): ("unpool_to", "Size") for type in ("unpool", "unpool3d")},
}


def move_var_name_attr_to_input_slot(desc: OpDesc) -> OpDesc:
    """Return a copy of an op in which the variables that an attribute names are inputs; if no
    attribute of the op names variables, return the op itself.
    """
    for name, attr in desc.attrs.items():
        given = attr.type in (AttrType.VAR, AttrType.VARS) and (desc.type, name) in TENSOR_ATTR_OPS
        if given and (name != "ksize" or desc.attr("adaptive")):
            type, slot = TENSOR_ATTR_OPS[desc.type, name]
            names = [attr.value] if attr.type == AttrType.VAR else list(attr.value)
            return replace(desc, type=type, inputs={**desc.inputs, slot: names})
    return desc
