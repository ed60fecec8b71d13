"""`fleet.utils.recompute` (activation checkpointing): save only the inputs of a function, and run
it again in the backward pass.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core import pytree, rng
from ...core._tape import Node
from ...core.autograd import grad
from ...core.backward_pass import (
    BARE_ARRAY_MODE,
    ancestor_nodes,
    conjugate_complex_grad,
    inputs_requiring_grad,
)
from ...core.dtype import is_inexact
from ...core.errors import OpError, append_user_line
from ...core.mode import Mode, state, use_mode
from ...core.op import Op, OpTraits, Slot
from ...core.tensor import Tensor


def recompute(
    function: Callable[..., Any],
    *args: Any,
    preserve_rng_state: bool = True,
    use_reentrant: bool = True,
    **kwargs: Any,
) -> Any:
    """Return `function(*args, **kwargs)` without saving its intermediate results; backward() calls
    the function again.

    preserve_rng_state: the second call draws the same random numbers. use_reentrant: accepted
    without effect; parameters get gradients also if no argument requires one. Side effects of the
    function happen twice, for example the update of running means in batch norms.
    """
    mode = state.mode
    # Call the function normally if no gradients are needed, or during capture, which does not
    # support recomputation.
    if not mode.tape or not mode.is_eager:
        return function(*args, **kwargs)
    call = _RepeatableCall(
        function, args, kwargs, mode, rng.get_rng_state() if preserve_rng_state else None
    )
    result, copies = call.run()
    outputs = _differentiable_outputs(result)
    if not outputs:
        return result
    call.inputs = [i for i, copy in enumerate(copies) if not copy.stop_gradient]
    call.leaves = _find_leaves_of_outputs(outputs, copies)
    operands = _collect_nested_tensors([args, kwargs])
    node = Node(
        _make_recompute_op_of_call(call),
        ([operands[i] for i in call.inputs] + call.leaves,),
        {},
        [t.array for t in outputs],
    )
    for index, tensor in enumerate(outputs):  # releases the nodes of the function's ops
        tensor.node, tensor.index = node, index
    return result


class _RepeatableCall:
    """A function call that can be repeated in the backward pass.

    inputs: indices of the argument tensors that require gradients.
    leaves: other tensors that require gradients, such as parameters.
    """

    inputs: list[int]
    leaves: list[Tensor]

    def __init__(
        self, function: Callable[..., Any], args: Any, kwargs: Any, mode: Mode, rng_state: Any
    ) -> None:
        self._function, self._args, self._kwargs = function, args, kwargs
        self._mode, self._rng_state = mode, rng_state

    def run(self) -> tuple[Any, list[Tensor]]:
        """Call the function with leaf copies of its tensors, so that the tape of the call ends at
        the copies.

        Returns the result, on the tape, and the copies.
        """
        copies: list[Tensor] = []
        args, kwargs = (
            _copy_tensors_as_leaves(self._args, copies),
            _copy_tensors_as_leaves(self._kwargs, copies),
        )
        with use_mode(self._mode):
            return self._function(*args, **kwargs), copies

    def rerun(self) -> tuple[Any, list[Tensor]]:
        """Call the function again, with the random state of the first call if that was
        preserved.
        """
        if self._rng_state is None:
            return self.run()
        current = rng.get_rng_state()
        rng.set_rng_state(self._rng_state)
        try:
            return self.run()
        finally:
            rng.set_rng_state(current)


def _collect_nested_tensors(value: Any) -> list[Tensor]:
    """Return the tensors of nested lists, tuples and dicts in order."""
    return [leaf for leaf in pytree.leaves(value) if isinstance(leaf, Tensor)]


def _differentiable_outputs(result: Any) -> list[Tensor]:
    """Return those tensors in a result through which gradients flow."""
    return [
        t
        for t in _collect_nested_tensors(result)
        if not t.stop_gradient and is_inexact(t.meta.dtype)
    ]


def _copy_tensors_as_leaves(value: Any, copies: list[Tensor]) -> Any:
    """Replace the tensors of a nested value by leaf copies, which are appended to `copies`."""

    def copy_tensor(leaf: Any) -> Any:
        if not isinstance(leaf, Tensor):
            return leaf
        copies.append(Tensor(leaf.array, stop_gradient=leaf.stop_gradient))
        return copies[-1]

    return pytree.map(copy_tensor, value)


def _find_leaves_of_outputs(outputs: list[Tensor], copies: list[Tensor]) -> list[Tensor]:
    """Return the leaves on which the outputs depend, without duplicates and without the tensors in
    `copies`.
    """
    leaves: dict[int, Tensor] = {}
    for node in ancestor_nodes(outputs):
        for tensor in inputs_requiring_grad(node):
            leaf = tensor if tensor._origin is None else tensor._origin
            if leaf.node is None and all(leaf is not copy for copy in copies):
                leaves[id(leaf)] = leaf
    return list(leaves.values())


def _make_recompute_op_of_call(call: _RepeatableCall) -> Op:
    """Return the op that represents the recomputed call on the tape."""
    op = Op(
        "recompute",
        [Slot("X", is_list=True)],
        [Slot("Out", is_list=True)],
        _raise_no_kernel,
        OpTraits(internal=True),
        None,
    )
    op.vjp(_make_vjp_rule(call))
    return op


def _raise_no_kernel(x: Any) -> Any:
    raise AssertionError("recompute: the op has no kernel")


def _make_vjp_rule(call: _RepeatableCall) -> Callable[[list[Any], list[Any]], list[Any]]:
    def rule(grads: list[Any], _: list[Any]) -> list[Any]:
        if state.mode is not BARE_ARRAY_MODE:
            raise OpError(
                append_user_line(
                    "recompute: higher-order gradients (create_graph=True) are not supported"
                )
            )
        result, copies = call.rerun()
        outputs = _differentiable_outputs(result)
        inputs = [copies[i] for i in call.inputs] + call.leaves
        cotangents = [conjugate_complex_grad(Tensor(g)) for g in grads]
        input_grads = grad(outputs, inputs, cotangents, allow_unused=True)
        return [None if g is None else conjugate_complex_grad(g).array for g in input_grads]

    return rule
