"""Traits of ops without kernel: side effects, sub-blocks, feeds and fetches, gradient flow.

For ops with a kernel, traits are part of the op definition, see `core.op.OpTraits`.
"""

from __future__ import annotations

from typing import NamedTuple

from .program import VarKind


class KernellessOpTraits(NamedTuple):
    """What passes need to know about an op type.

    has_side_effects: dead-code elimination keeps the op although nothing reads its results.
    is_control_flow: the op runs a sub-block, which reads and writes outer variables by name.
    is_control_flow_grad: the op runs the gradient block of a control-flow op.
    capture_slot: the input slot that lists the outer variables read by the sub-block; "" if the
    sub-block must not be pruned.
    feed_fetch_kind: the kind of the variable through which `feed` and `fetch` exchange values with
    the caller; None for other ops.
    differentiable_input_slots: the input slots on which the results depend differentiably, `>Out`
    for an output slot that is also read; an empty tuple if there are none. None: the results depend
    on every input, but the gradient is not implemented.
    forward_scopes_slot: the input slot of a gradient op with the scopes that its forward op left.
    """

    has_side_effects: bool = False
    is_control_flow: bool = False
    capture_slot: str = ""
    is_control_flow_grad: bool = False
    feed_fetch_kind: VarKind | None = None
    differentiable_input_slots: tuple[str, ...] | None = None
    forward_scopes_slot: str = ""


_DEFAULT_TRAITS = KernellessOpTraits()
# Control-flow ops have empty differentiable_input_slots, because activity analysis visits the ops
# in the sub-block instead.
OP_TRAITS: dict[str, KernellessOpTraits] = {
    "feed": KernellessOpTraits(feed_fetch_kind=VarKind.FEED, differentiable_input_slots=()),
    "fetch": KernellessOpTraits(feed_fetch_kind=VarKind.FETCH, differentiable_input_slots=()),
    "print": KernellessOpTraits(has_side_effects=True, differentiable_input_slots=("In",)),
    "assert": KernellessOpTraits(has_side_effects=True, differentiable_input_slots=()),
    "py_func": KernellessOpTraits(has_side_effects=True, differentiable_input_slots=("X",)),
    "pylayer": KernellessOpTraits(differentiable_input_slots=("X",)),
    "conditional_block": KernellessOpTraits(
        is_control_flow=True, capture_slot="Input", differentiable_input_slots=()
    ),
    "conditional_block_infer": KernellessOpTraits(
        is_control_flow=True, differentiable_input_slots=()
    ),
    "while": KernellessOpTraits(
        is_control_flow=True, capture_slot="X", differentiable_input_slots=()
    ),
    "recurrent": KernellessOpTraits(
        is_control_flow=True, capture_slot="parameters", differentiable_input_slots=()
    ),
    "conditional_block_grad": KernellessOpTraits(
        is_control_flow_grad=True, differentiable_input_slots=()
    ),
    "while_grad": KernellessOpTraits(
        is_control_flow_grad=True, differentiable_input_slots=(), forward_scopes_slot="StepScopes"
    ),
    "recurrent_grad": KernellessOpTraits(
        is_control_flow_grad=True, forward_scopes_slot="step_scopes"
    ),
    "select_input": KernellessOpTraits(differentiable_input_slots=("X",)),
    "select_output": KernellessOpTraits(differentiable_input_slots=("X",)),
    "rnn_memory_helper": KernellessOpTraits(differentiable_input_slots=("X",)),
    "create_array": KernellessOpTraits(differentiable_input_slots=()),
    "lod_array_length": KernellessOpTraits(differentiable_input_slots=()),
    "write_to_array": KernellessOpTraits(differentiable_input_slots=("X", ">Out")),
    "read_from_array": KernellessOpTraits(differentiable_input_slots=("X",)),
    "tensor_array_to_tensor": KernellessOpTraits(differentiable_input_slots=("X",)),
    # Ops whose gradient is not implemented.
    "array_to_lod_tensor": KernellessOpTraits(),
    "lod_tensor_to_array": KernellessOpTraits(),
    "beam_search_decode": KernellessOpTraits(),
    "rnn_memory_helper_grad": KernellessOpTraits(),
    "vjp": KernellessOpTraits(),
    # Gradient ops are linear in the cotangent, so results depend on it differentiably. The gradient
    # of a gradient op is not implemented.
    "select_input_grad": KernellessOpTraits(differentiable_input_slots=("Out@GRAD",)),
    "write_to_array_grad": KernellessOpTraits(differentiable_input_slots=("Out@GRAD",)),
    "read_from_array_grad": KernellessOpTraits(differentiable_input_slots=("Out@GRAD", "X@GRAD")),
    "tensor_array_to_tensor_grad": KernellessOpTraits(differentiable_input_slots=("Out@GRAD",)),
}


def kernelless_op_traits_or_default(type: str) -> KernellessOpTraits:
    """The traits of an op type; the default traits for a type that is not in OP_TRAITS."""
    return OP_TRAITS.get(type, _DEFAULT_TRAITS)


def is_feed_or_fetch(type: str) -> bool:
    """Whether an op type is `feed` or `fetch`, which pass values between the program and its
    caller.
    """
    return kernelless_op_traits_or_default(type).feed_fetch_kind is not None
