"""Write registry.json: what real PaddlePaddle 2.6.2 says of its ops.   Run in Paddle's environment: python make_registry.py"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from paddle.base import core
from paddle.base.framework import OpProtoHolder


def slot_marks(var: Any) -> str:
    """The slot's name with Oarlock's marks for many, optional and intermediate."""
    marks = (
        ("*" if var.duplicable else "")
        + ("?" if var.dispensable else "")
        + ("~" if var.intermediate or var.extra else "")
    )
    return var.name + marks


# Types of attributes by their number in framework.proto.
TYPES = [
    "INT", "FLOAT", "STRING", "INTS", "FLOATS", "STRINGS", "BOOLEAN", "BOOLEANS", "BLOCK", "LONG", "BLOCKS", "LONGS",
    "FLOAT64S", "VAR", "VARS", "FLOAT64", "SCALAR", "SCALARS",
]  # fmt: skip


def entry(type: str) -> dict[str, Any]:
    """Slots and attributes of one op, without those that a saved program does not hold."""
    proto = OpProtoHolder.instance().get_op_proto(type)
    defaults = core.get_op_attrs_default_value(type.encode())
    own = [a for a in proto.attrs if not a.extra]
    return {
        "ins": [slot_marks(v) for v in proto.inputs if not v.extra],
        "outs": [slot_marks(v) for v in proto.outputs if not v.extra],
        "extra": [v.name for v in (*proto.inputs, *proto.outputs) if v.extra],
        "attrs": {a.name: [TYPES[a.type], *([defaults[a.name]] if a.name in defaults else [])] for a in own},
    }


def main() -> None:
    types = OpProtoHolder.instance().op_proto_map
    found = {t: entry(t) for t in sorted(types) if "_grad" not in t and not t.startswith(("c_", "pull_", "push_"))}
    text = ",\n".join(f"{json.dumps(t)}: {json.dumps(e)}" for t, e in found.items())
    Path(__file__).with_name("registry.json").write_text("{\n" + text + "\n}\n")


if __name__ == "__main__":
    main()
