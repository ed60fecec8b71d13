"""Write registry_1_8_5.json: what real Paddle 1.8.5 says of ops that 2.6.2 does not have; and
types_1_8_5.json, all its ops.

Run in its environment, of Python 3.7: python make_registry_1_8_5.py.
An op of Oarlock that neither knows is named by `test_registry.py`.
"""

import json
import os

from paddle.fluid import core
from paddle.fluid.framework import OpProtoHolder

HERE = os.path.dirname(os.path.abspath(__file__))
# Types of attributes by their number in framework.proto.
TYPES = "INT FLOAT STRING INTS FLOATS STRINGS BOOLEAN BOOLEANS BLOCK LONG BLOCKS LONGS".split()
WANTED = (
    "diag expand_as filter_by_instag isfinite lstmp one_hot prroi_pool roi_perspective_transform sample_logits "
    "sequence_topk_avg_pooling target_assign tree_conv"
).split()


def slot_marks(var):
    """The slot's name with Oarlock's marks for many, optional and intermediate."""
    return var.name + "*" * var.duplicable + "?" * var.dispensable + "~" * var.intermediate


def entry(type):
    """Return slots and attributes of one op."""
    proto = OpProtoHolder.instance().get_op_proto(type)
    defaults = core.get_op_attrs_default_value(type.encode())
    own = [a for a in proto.attrs if not a.name.startswith("op_")]
    return {
        "ins": [slot_marks(v) for v in proto.inputs],
        "outs": [slot_marks(v) for v in proto.outputs],
        "extra": [],
        "attrs": {
            a.name: [TYPES[a.type]] + ([defaults[a.name]] if a.name in defaults else [])
            for a in own
        },
    }


def main():
    """Write the file."""
    with open(os.path.join(HERE, "types_1_8_5.json"), "w") as file:
        json.dump(sorted(OpProtoHolder.instance().op_proto_map), file, indent=0)
        file.write("\n")
    text = ",\n".join(json.dumps(t) + ": " + json.dumps(entry(t)) for t in WANTED)
    with open(os.path.join(HERE, "registry_1_8_5.json"), "w") as file:
        file.write("{\n" + text + "\n}\n")


if __name__ == "__main__":
    main()
