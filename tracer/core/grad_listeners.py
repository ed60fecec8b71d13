"""Listeners for leaf gradients. Listeners are notified during the backward pass when the gradient
of a leaf is complete, so that distributed training can send this gradient while the pass goes on.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Protocol

from .backward_pass import BackwardPass, ancestor_nodes, inputs_requiring_grad, run_hooks
from .op import OPS
from .tensor import Tensor


class GradListener(Protocol):
    """An object that owns some leaves, receives their gradients in a backward pass, and sets `grad`
    of these leaves.
    """

    def is_active(self) -> bool:
        """Return whether the listener takes part in the next backward pass."""
        ...

    def begin(self, reached: dict[int, Tensor]) -> bool:
        """Called at the start of a backward pass.

        reached: the leaves that the pass reaches, by `id`.
        Returns whether the listener owns any of them.
        """
        ...

    def owns(self, leaf: Tensor) -> bool:
        """Return whether the listener owns a leaf, that is, sets its `grad`."""
        ...

    def on_gradient(self, leaf: Tensor, gradient: Tensor | None) -> None:
        """Called when the gradient of a leaf is complete.

        gradient: the new value of `grad`, None if there is none.
        """
        ...

    def finish(self) -> None:
        """Called at the end of the backward pass."""
        ...


listeners: weakref.WeakSet[GradListener] = weakref.WeakSet()


def leaf_grad_after_hooks_and_accumulation(leaf: Tensor, gradient: Tensor) -> Tensor:
    """Return the new `grad` of a leaf: the result of the gradient hooks, added to the previous
    `grad`.
    """
    if leaf._hooks:
        gradient = run_hooks(gradient, leaf._hooks)
    if leaf.grad is None or leaf.grad._is_cleared_gradient():
        return gradient
    return OPS["elementwise_add"](leaf.grad, gradient)


def begin_and_schedule_listeners(
    backward_pass: BackwardPass, roots: Sequence[Tensor], active: Sequence[GradListener]
) -> list[GradListener]:
    """Prepare a backward pass: return the active listeners that own leaves which the pass reaches.
    Set `backward_pass.last_uses`, so that a listener is notified of a leaf after the last node that
    reads the leaf.
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
    """Return the leaves on which the tensors depend, by `id`. The second result is, for each leaf,
    the number of the last node that the backward pass visits among the nodes that read the leaf.
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
