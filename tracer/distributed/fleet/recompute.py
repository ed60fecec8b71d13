"""Memory for time: a part of a net that keeps nothing for the way back but its operands, and is run
again when gradients arrive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...core import rng
from ...core._tape import Node
from ...core.autograd import grad
from ...core.backward_pass import BARE_ARRAYS, ancestor_nodes, differentiable_inputs, to_public_grad
from ...core.dtype import is_float
from ...core.errors import OpError, with_user_line
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
    """`function(*args, **kwargs)`, of which only the operands are kept: backward() calls it once
    more.

    preserve_rng_state: it draws the same random numbers then.  use_reentrant: taken; parameters get
    their gradients in both ways, also where
    no operand wants one.  What the function does beside its results it does twice, running means of
    batch norms included.
    """
    mode = state.mode
    # Without gradients, or during capture, where recomputation is impossible.
    if not mode.tape or not mode.is_eager:
        return function(*args, **kwargs)
    call = _Call(function, args, kwargs, mode, rng.get_rng_state() if preserve_rng_state else None)
    made, copies = call.run()
    ends = [t for t in _tensors(made) if not t.stop_gradient]
    if not ends:
        return made
    call.inputs = [i for i, copy in enumerate(copies) if not copy.stop_gradient]
    call.leaves = _leaves(ends, copies)
    given = list(_tensors([args, kwargs]))
    node = Node(
        _op(call), ([given[i] for i in call.inputs] + call.leaves,), {}, [t.array for t in ends]
    )
    for index, tensor in enumerate(ends):  # what was recorded inside is forgotten with this
        tensor.node, tensor.index = node, index
    return made


class _Call:
    """A call that is made again.

    inputs: which of its tensors want gradients; leaves: others that it finds, such as parameters.
    """

    inputs: list[int]
    leaves: list[Tensor]

    def __init__(
        self, function: Callable[..., Any], args: Any, kwargs: Any, mode: Mode, drawn: Any
    ) -> None:
        self._function, self._args, self._kwargs, self._mode, self._drawn = (
            function,
            args,
            kwargs,
            mode,
            drawn,
        )

    def run(self) -> tuple[Any, list[Tensor]]:
        """The results, on the tape, and the copies of the tensors that it was called with: leaves,
        so that the tape ends there.
        """
        copies: list[Tensor] = []
        args, kwargs = _copied(self._args, copies), _copied(self._kwargs, copies)
        with use_mode(self._mode):
            return self._function(*args, **kwargs), copies

    def again(self) -> tuple[Any, list[Tensor]]:
        """The same with the random numbers of the first time."""
        if self._drawn is None:
            return self.run()
        now = rng.get_rng_state()
        rng.set_rng_state(self._drawn)
        try:
            return self.run()
        finally:
            rng.set_rng_state(now)


def _tensors(value: Any) -> Iterator[Tensor]:
    """The tensors of nested lists, tuples and dicts, in order."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, list | tuple | dict):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _tensors(inner)


def _copied(value: Any, copies: list[Tensor]) -> Any:
    """The same nesting with leaves in place of tensors, which are added to `copies`."""
    if isinstance(value, Tensor):
        copies.append(Tensor(value.array, stop_gradient=value.stop_gradient))
        return copies[-1]
    if isinstance(value, dict):
        return {key: _copied(inner, copies) for key, inner in value.items()}
    return (
        type(value)(_copied(v, copies) for v in value) if isinstance(value, list | tuple) else value
    )


def _leaves(ends: list[Tensor], copies: list[Tensor]) -> list[Tensor]:
    """The leaves behind some results that want gradients, each once, without the copies."""
    found: dict[int, Tensor] = {}
    for node in ancestor_nodes(ends):
        for tensor in differentiable_inputs(node):
            leaf = tensor if tensor._origin is None else tensor._origin
            if leaf.node is None and all(leaf is not copy for copy in copies):
                found[id(leaf)] = leaf
    return list(found.values())


def _op(call: _Call) -> Op:
    """The op that stands on the tape for a call."""
    op = Op(
        "recompute",
        [Slot("X", many=True)],
        [Slot("Out", many=True)],
        _no_kernel,
        OpTraits(internal=True),
        None,
    )
    op.vjp(_rule(call))
    return op


def _no_kernel(x: Any) -> Any:
    raise AssertionError("recompute() runs its function itself")


def _rule(call: _Call) -> Callable[[list[Any], list[Any]], list[Any]]:
    def rule(grads: list[Any], _: list[Any]) -> list[Any]:
        if state.mode is not BARE_ARRAYS:
            raise OpError(
                with_user_line(
                    "recompute: its gradient cannot be differentiated again (create_graph=True)"
                )
            )
        made, copies = call.again()
        ends = [t for t in _tensors(made) if not t.stop_gradient and is_float(t.meta.dtype)]
        wanted = [copies[i] for i in call.inputs] + call.leaves
        found = grad(ends, wanted, [to_public_grad(Tensor(g)) for g in grads], allow_unused=True)
        return [None if g is None else to_public_grad(g).array for g in found]

    return rule
