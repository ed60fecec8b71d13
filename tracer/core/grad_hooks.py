"""Who hears of the gradients of leaves while the walk back goes on, to send them to other processes
meanwhile.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Protocol

from .backward_pass import BackwardPass, ancestor_nodes, differentiable_inputs, run_hooks
from .op import OPS
from .tensor import Tensor


class GradListener(Protocol):
    """Who wants to hear of gradients, and sets `grad` of its leaves itself."""

    def listens(self) -> bool:
        """Whether the next walk back is its concern."""
        ...

    def begin(self, reached: dict[int, Tensor]) -> bool:
        """A walk starts, which reaches these leaves (by `id`); whether any of them is its own."""
        ...

    def sets(self, leaf: Tensor) -> bool:
        """Whether a leaf is its own."""
        ...

    def arrived(self, leaf: Tensor, gradient: Tensor | None) -> None:
        """Nothing more arrives at a leaf; `gradient` is what `grad` would become, None where it has
        none.
        """
        ...

    def finish(self) -> None:
        """The walk is over."""
        ...


listeners: weakref.WeakSet[GradListener] = weakref.WeakSet()


def accumulated_grad(leaf: Tensor, gradient: Tensor) -> Tensor:
    """What `grad` of a leaf becomes when a gradient has arrived: after hooks, with what was there
    before.
    """
    if leaf._hooks:
        gradient = run_hooks(gradient, leaf._hooks)
    if leaf.grad is None or leaf.grad._is_cleared():
        return gradient
    return OPS["elementwise_add"](leaf.grad, gradient)


def notify_listeners(
    sweep: BackwardPass, roots: Sequence[Tensor], asking: Sequence[GradListener]
) -> list[GradListener]:
    """Let those hear of a walk back who have leaves that it reaches.   Gives these listeners."""
    if not asking:
        return []
    reached, last = _reached_leaves(roots)
    heard = [listener for listener in asking if listener.begin(reached)]
    by_node: dict[int, list[tuple[GradListener, Tensor]]] = {}
    for listener in heard:
        for key, leaf in reached.items():
            if listener.sets(leaf):
                by_node.setdefault(last[key], []).append((listener, leaf))
    if heard:
        sweep.last = by_node
    return heard


def _reached_leaves(roots: Sequence[Tensor]) -> tuple[dict[int, Tensor], dict[int, int]]:
    """The leaves behind some tensors by `id`, and the node that the walk comes to last of those
    that took each.
    """
    reached: dict[int, Tensor] = {}
    last: dict[int, int] = {}
    for node in ancestor_nodes(roots):
        for tensor in differentiable_inputs(node):
            leaf = tensor if tensor._origin is None else tensor._origin
            if leaf.node is None:
                reached[id(leaf)] = leaf
                last[id(leaf)] = min(node.seq, last.get(id(leaf), node.seq))
    return reached, last
