"""Listeners for leaf gradients. They are notified during the backward pass when a gradient
is complete, so that distributed training can send it early.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Protocol

from .backward_pass import BackwardPass, ancestor_nodes, inputs_requiring_grad, run_hooks
from .op import OPS
from .tensor import Tensor


class GradListener(Protocol):
    """An object that receives leaf gradients and sets `grad` of its own leaves."""

    def is_active(self) -> bool:
        """Whether the listener takes part in the next backward pass."""
        ...

    def begin(self, reached: dict[int, Tensor]) -> bool:
        """Called at the start of a pass.

        reached: the leaves that the pass reaches, by `id`.
        Returns whether the listener owns any of them.
        """
        ...

    def owns(self, leaf: Tensor) -> bool:
        """Whether the listener owns a leaf."""
        ...

    def on_gradient(self, leaf: Tensor, gradient: Tensor | None) -> None:
        """Called when the gradient of a leaf is complete.

        gradient: the new value of `grad`, None if there is none.
        """
        ...

    def finish(self) -> None:
        """Called at the end of the pass."""
        ...


listeners: weakref.WeakSet[GradListener] = weakref.WeakSet()


def leaf_grad_after_hooks_and_accumulation(leaf: Tensor, gradient: Tensor) -> Tensor:
    """The new `grad` of a leaf: the gradient after hooks, added to the previous `grad`."""
    if leaf._hooks:
        gradient = run_hooks(gradient, leaf._hooks)
    if leaf.grad is None or leaf.grad._is_cleared_gradient():
        return gradient
    return OPS["elementwise_add"](leaf.grad, gradient)


def begin_and_schedule_listeners(
    backward_pass: BackwardPass, roots: Sequence[Tensor], active: Sequence[GradListener]
) -> list[GradListener]:
    """Start a pass: return the active listeners that own leaves which the pass reaches, and set
    `backward_pass.last_uses` so that each is notified after the last node that reads its leaf.
    """
    if not active:
        return []
    reached, last = _find_leaves_and_last_readers(roots)
    notified = [listener for listener in active if listener.begin(reached)]
    by_node: dict[int, list[tuple[GradListener, Tensor]]] = {}
    for listener in notified:
        for key, leaf in reached.items():
            if listener.owns(leaf):
                by_node.setdefault(last[key], []).append((listener, leaf))
    if notified:
        backward_pass.last_uses = by_node
    return notified


def _find_leaves_and_last_readers(
    roots: Sequence[Tensor],
) -> tuple[dict[int, Tensor], dict[int, int]]:
    """The leaves that the tensors depend on, by `id`; for each, the last node that the pass
    visits among those that read it.
    """
    reached: dict[int, Tensor] = {}
    last: dict[int, int] = {}
    for node in ancestor_nodes(roots):
        for tensor in inputs_requiring_grad(node):
            leaf = tensor if tensor._origin is None else tensor._origin
            if leaf.node is None:
                reached[id(leaf)] = leaf
                last[id(leaf)] = min(node.seq, last.get(id(leaf), node.seq))
    return reached, last
