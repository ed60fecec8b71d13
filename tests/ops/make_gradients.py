"""Write gradients.json, or gradients_1_8_5.json: which op real Paddle writes for the gradient of
each of its ops, its slots and attributes; null where it is none, several ops, or one of another
kind.

Run in the environment of Paddle 2.6.2 and in that of 1.8.5: python make_gradients.py
"""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

try:
    from paddle import enable_static
    from paddle.base import core
    from paddle.base.framework import Program
    from paddle.base.proto import framework_pb2
except ImportError:
    from paddle.fluid import core
    from paddle.fluid.framework import Program
    from paddle.fluid.proto import framework_pb2

    enable_static = None

RUNS_BLOCKS = (
    "conditional_block",
    "conditional_block_infer",
    "while",
    "recurrent",
    "run_program",
    "py_func",
)
SECONDS = 10  # for one op
EVERY = ("op_role", "op_role_var", "op_namescope", "op_callstack", "op_device", "with_quant_attr")
# Something for an attribute of each type, by its number in framework.proto.
ANY = {0: 1, 1: 1.0, 2: "AVERAGE", 3: [1], 4: [1.0], 5: ["x"], 6: False, 7: [False], 9: 1}


def names(slot: Any) -> list[str]:
    """Return a variable name for a slot of operands or results: the slot's own."""
    return [f"{slot.name}:0", f"{slot.name}:1"] if slot.duplicable else [slot.name]


def written(program: Any, proto: Any) -> Any:
    """The description of an op with all of its slots."""
    op = program.global_block().desc.append_op()
    op.set_type(proto.type)
    for slot in proto.inputs:
        op.set_input(slot.name, names(slot))
    for slot in proto.outputs:
        op.set_output(slot.name, names(slot))
    for attr in proto.attrs:
        if attr.type in ANY and attr.name not in EVERY:
            op._set_attr(attr.name, ANY[attr.type])
    return op


def straight(slots: dict[str, list[str]]) -> bool:
    """Whether the slots contain what their names state: `X@GRAD` the gradient of X."""
    return all(
        name.replace(":0", "").replace(":1", "") == slot
        for slot, held in slots.items()
        for name in held
    )


# Types of attributes by their number in framework.proto.
TYPES = [
    "INT",
    "FLOAT",
    "STRING",
    "INTS",
    "FLOATS",
    "STRINGS",
    "BOOLEAN",
    "BOOLEANS",
    "BLOCK",
    "LONG",
    "BLOCKS",
    "LONGS",
]


def defaults(proto: Any) -> dict[str, Any]:
    """The attributes of an op that have a default, with their types; its gradient op has
    the same.
    """
    held = core.get_op_attrs_default_value(proto.type.encode())
    own = [a for a in proto.attrs if a.name in held and a.name not in EVERY and a.type < len(TYPES)]
    return {a.name: [TYPES[a.type], held[a.name]] for a in own}


def gradient(proto: Any) -> list[Any] | None:
    """Return type, slots and attributes of the gradient op; None if there is none, several, or
    another kind.
    """
    program = Program()  # which holds the description
    try:
        found, _ = core.get_grad_op_desc(written(program, proto), set(), [])
    except Exception:  # it has none
        return None
    if len(found) != 1:
        return None
    (op,) = found
    ins = {slot: op.input(slot) for slot in op.input_names()}
    outs = {slot: op.output(slot) for slot in op.output_names()}
    own = op.type().startswith(proto.type) or op.type().startswith("cross_entropy_grad")
    return (
        [op.type(), sorted(ins), sorted(outs), defaults(proto)]
        if own and straight(ins) and straight(outs) and outs
        else None
    )


def apart(proto: Any) -> list[Any] | None:
    """Return the same, computed in a child process, because some ops crash or hang."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        os.write(theirs, json.dumps(gradient(proto)).encode())
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as said:
        answer = said.read()
    os.waitpid(child, 0)
    return json.loads(answer) if answer else None


def main() -> None:
    """Ask for each op."""
    if enable_static is not None:
        enable_static()
    protos = [framework_pb2.OpProto.FromString(bytes(data)) for data in core.get_all_op_protos()]
    asked = sorted((p for p in protos if p.type not in RUNS_BLOCKS), key=lambda p: p.type)
    found = {p.type: apart(p) for p in asked if not p.type.endswith("_grad")}
    name = "gradients.json" if enable_static is not None else "gradients_1_8_5.json"
    rows = ",\n".join(f"{json.dumps(type)}: {json.dumps(row)}" for type, row in found.items())
    Path(__file__).with_name(name).write_text(f"{{\n{rows}\n}}\n", "utf-8")


if __name__ == "__main__":
    main()
