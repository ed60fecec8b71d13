"""Check before a run that all ops of a program are supported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..core.errors import OarlockError
from ..core.op import OPS
from ..ir.passes.move_var_name_attr_to_input_slot import move_var_name_attr_to_input_slot
from ..ir.program import AttrType, OpDesc

PADDLE_GRADIENT_MESSAGE = (
    "Oarlock cannot run gradients of control flow that PaddlePaddle recorded; remove them with "
    "clone(for_test=True), and call minimize on the clone"
)

# Attributes that hardware-specific passes of Paddle set when they fuse ops. Only kernels for
# special hardware read these attributes. `convert/graph_builder.cpp` has the same list.
FUSED_KERNEL_ATTRS = (
    "fuse_relu",
    "fuse_brelu",
    "fuse_with_relu",
    "fuse_residual_connection",
    "fuse_activation",
    "fused_reshape_Out",
    "fused_transpose_Out",
)


class UnsupportedOpsError(OarlockError, NotImplementedError):
    """Raised if a program contains unsupported ops; the message lists all unsupported ops."""


def check_ops_supported(ops: Sequence[OpDesc], foreign: Sequence[OpDesc] = ()) -> None:
    """Raise UnsupportedOpsError if `ops` contains unsupported ops, slots or attributes, or if
    `foreign` is not empty. The message of the error lists all unsupported items.

    foreign: gradient ops of control flow in the form that PaddlePaddle writes, which Oarlock cannot
    run.
    """
    problems = {problem for desc in ops for problem in _iter_op_problems(desc)}
    problems |= {
        f"{desc.type}: {PADDLE_GRADIENT_MESSAGE}{_location_suffix(desc)}" for desc in foreign
    }
    if problems:
        raise UnsupportedOpsError(
            "the program cannot be interpreted:\n  " + "\n  ".join(sorted(problems))
        )


def _iter_op_problems(desc: OpDesc) -> Iterator[str]:
    desc = move_var_name_attr_to_input_slot(desc)
    op = OPS.get(desc.type)
    at = _location_suffix(desc)
    if op is None:
        yield f"{desc.type}: no such op{at}"
        return
    known = {s.name for s in op.ins}
    for slot, names in desc.inputs.items():
        if names and slot not in known:
            yield f"{desc.type}: input {slot} is not supported{at}"
    for name, attr in desc.attrs.items():
        if attr.type in (AttrType.VAR, AttrType.VARS) and name in op.attrs:
            yield f"{desc.type}: attribute {name} as a tensor is not supported{at}"
        elif name in FUSED_KERNEL_ATTRS and attr.value:
            yield f"{desc.type}: attribute {name} is not supported{at}"


def _location_suffix(desc: OpDesc) -> str:
    return f" ({desc.user_line})" if desc.user_line else ""
