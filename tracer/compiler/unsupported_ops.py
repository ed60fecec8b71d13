"""What of a program cannot be run by kernels: found out before it runs, and said all at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..core.errors import OarlockError
from ..core.op import OPS
from ..ir.passes.legalize_tensor_attrs import sized
from ..ir.program import AttrType, OpDesc

FOREIGN = (
    "gradients of control flow run only where Oarlock wrote them; clone the program for "
    "test, "
    "and minimize anew"
)

# What passes for one kind of machine merged with an op: only that machine's kernels read these.
# C++ has them in convert/graph_builder.cpp.
MERGED = (
    "fuse_relu",
    "fuse_brelu",
    "fuse_with_relu",
    "fuse_residual_connection",
    "fuse_activation",
    "fused_reshape_Out",
    "fused_transpose_Out",
)


class Unsupported(OarlockError, NotImplementedError):
    """A program holds ops that have no kernel; all of them are listed."""


def refuse_unknown(ops: Sequence[OpDesc], foreign: Sequence[OpDesc] = ()) -> None:
    """Raise Unsupported, listing every op, slot and kind of attribute that no kernel takes, and
    each of `foreign`.
    """
    problems = {problem for desc in ops for problem in _problems(desc)}
    problems |= {f"{desc.type}: {FOREIGN}{_at(desc)}" for desc in foreign}
    if problems:
        raise Unsupported("the program cannot be interpreted:\n  " + "\n  ".join(sorted(problems)))


def _problems(desc: OpDesc) -> Iterator[str]:
    desc = sized(desc)
    op = OPS.get(desc.type)
    at = _at(desc)
    if op is None:
        yield f"{desc.type}: no such op{at}"
        return
    known = {s.name for s in op.ins}
    for slot, names in desc.inputs.items():
        if names and slot not in known:
            yield f"{desc.type}: input {slot} is not supported{at}"
    for name, attr in desc.attrs.items():
        if attr.type in (AttrType.VAR, AttrType.VARS) and name in op.attrs:
            yield f"{desc.type}: attribute {name} is a tensor{at}"
        elif name in MERGED and attr.value:
            yield f"{desc.type}: attribute {name} is set{at}"


def _at(desc: OpDesc) -> str:
    return f" ({desc.where})" if desc.where else ""
