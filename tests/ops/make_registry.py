"""Write registry.json: the ops of real PaddlePaddle 2.6.2.

Run in Paddle's environment: python make_registry.py

In that of Paddle 1.8.5 it writes registry_1_8_5.json: what that says of the ops of Oarlock that
2.6.2 has no more.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

try:
    from paddle.base import core
    from paddle.base.framework import OpProtoHolder
except ImportError:
    from paddle.fluid import core
    from paddle.fluid.framework import OpProtoHolder

OLD = ("prroi_pool", "roi_perspective_transform", "target_assign")  # that 2.6.2 has no more
ELSEWHERE = ("c_", "pull_", "push_")  # of many machines, but for some
RANKS = ("c_allreduce_sum", "c_allreduce_max", "c_allreduce_min", "c_allreduce_prod")
# what 2.6.2 calls extra
EVERY = ("op_role", "op_role_var", "op_namescope", "op_callstack", "op_device")


def extra(part: Any) -> bool:
    """Whether saved programs omit a slot or an attribute."""
    return part.name in EVERY or getattr(part, "extra", False)


def slot_marks(var: Any) -> str:
    """The slot's name with Oarlock's marks for many, optional and intermediate."""
    marks = (
        ("*" if var.duplicable else "")
        + ("?" if var.dispensable else "")
        + ("~" if var.intermediate or extra(var) else "")
    )
    return var.name + marks


# Types of attributes by their number in framework.proto.
TYPES = [
    "INT", "FLOAT", "STRING", "INTS", "FLOATS", "STRINGS", "BOOLEAN", "BOOLEANS", "BLOCK", "LONG", "BLOCKS", "LONGS",
    "FLOAT64S", "VAR", "VARS", "FLOAT64", "SCALAR", "SCALARS",
]  # fmt: skip


def entry(type: str) -> dict[str, Any]:
    """Return slots and attributes of one op, without those that saved programs omit."""
    proto = OpProtoHolder.instance().get_op_proto(type)
    defaults = core.get_op_attrs_default_value(type.encode())
    own = [a for a in proto.attrs if not extra(a)]
    return {
        "ins": [slot_marks(v) for v in proto.inputs if not extra(v)],
        "outs": [slot_marks(v) for v in proto.outputs if not extra(v)],
        "extra": [v.name for v in (*proto.inputs, *proto.outputs) if extra(v)],
        "attrs": {
            a.name: [TYPES[a.type], *([defaults[a.name]] if a.name in defaults else [])]
            for a in own
        },
    }


def main() -> None:
    types = OpProtoHolder.instance().op_proto_map
    old = "target_assign" in types
    wanted = (
        OLD
        if old
        else [t for t in types if ("_grad" not in t and not t.startswith(ELSEWHERE)) or t in RANKS]
    )
    text = ",\n".join(f"{json.dumps(t)}: {json.dumps(entry(t))}" for t in sorted(wanted))
    Path(__file__).with_name("registry_1_8_5.json" if old else "registry.json").write_text(
        "{\n" + text + "\n}\n"
    )


if __name__ == "__main__":
    main()
