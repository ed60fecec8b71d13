"""Reverse mode: walk the tape backwards, ask each op's vjp rule, add up what arrives at one tensor.

Rules speak ops, so the same rule gives the gradient (run without a tape) and the gradient's gradient (run with one).
Un-broadcasting happens once, here, where gradients are added up.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ContextDecorator, contextmanager
from typing import Any, TypeVar

import numpy as np

from .eager import Node
from .errors import OarlockError, OpError, with_user_line
from .mode import pushed, state
from .op import OPS
from .tensor import Tensor, wants_gradient

Key = tuple[int, int]  # of a tensor on the tape: id of its node and index; of a leaf: its own id and -1
F = TypeVar("F", bound=Callable[..., Any])


def key_of(tensor: Tensor) -> Key:
    """What gradients of `tensor` are kept under."""
    return (id(tensor), -1) if tensor.node is None else (id(tensor.node), tensor.index)


def operands(args: Iterable[Any]) -> Iterator[Tensor]:
    """All tensors among the operands of an op."""
    for a in args:
        if isinstance(a, Tensor):
            yield a
        elif a is not None:
            yield from a


def nodes_behind(roots: Iterable[Tensor]) -> list[Node]:
    """Every node that `roots` came from, the latest first: the order of making is a topological one."""
    found: dict[int, Node] = {}
    todo = [t.node for t in roots if t.node is not None]
    while todo:
        node = todo.pop()
        if id(node) in found:
            continue
        found[id(node)] = node
        if node.args is None:
            raise OarlockError(
                with_user_line(
                    f"backward: the graph of {node.op.type} was freed by an earlier backward(); use retain_graph=True"
                )
            )
        todo += [t.node for t in operands(node.args) if t.node is not None and not t.stop_gradient]
    return sorted(found.values(), key=lambda n: n.seq, reverse=True)


def fitted(gradient: Tensor, like: Tensor) -> Tensor:
    """`gradient` summed down to the shape of `like`, and of its dtype: undoes broadcasting."""
    if gradient.array.shape != like.array.shape:
        gradient = OPS["sum_to"](gradient, shape=list(like.array.shape))
    if gradient.array.dtype != like.array.dtype:
        gradient = OPS["cast"](gradient, out_dtype=like.dtype.proto, in_dtype=gradient.dtype.proto)
    return gradient


class Gradients:
    """The gradients known so far, by tensor."""

    def __init__(self) -> None:
        self.known: dict[Key, Tensor] = {}

    def add(self, tensor: Tensor, gradient: Tensor | Callable[[], Tensor] | None) -> None:
        """Add what one op says; a function is called only if `tensor` wants a gradient."""
        if gradient is None or not wants_gradient(tensor):
            return
        if not isinstance(gradient, Tensor):
            gradient = gradient()
        gradient = fitted(gradient, tensor)
        key = key_of(tensor)
        before = self.known.get(key)
        self.known[key] = gradient if before is None else OPS["elementwise_add"](before, gradient)

    def take(self, node: Node) -> list[Any] | None:
        """The gradients of a node's results, zeros where one is missing; None when none of them has any."""
        indices = _result_indices(node)
        if not any((id(node), i) in self.known for i in indices):
            return None
        return _nested(node, {i: self._one(node, i) for i in indices})

    def _one(self, node: Node, index: int) -> Tensor:
        gradient = self.known.pop((id(node), index), None)
        if gradient is None:
            return Tensor(np.zeros_like(_result(node, index)))
        return _hooked(gradient, node.hooks.get(index) if node.hooks else None)


def _hooked(gradient: Tensor, hooks: list[Any] | None) -> Tensor:
    for hook in hooks or ():
        replaced = hook(gradient)
        gradient = gradient if replaced is None else replaced
    return gradient


def _result(node: Node, index: int) -> Any:
    outs = [node.outs] if len(node.op.outs) == 1 else node.outs
    last = len(node.op.outs) - 1
    return outs[last][index - last] if node.op.outs[last].many and index >= last else outs[index]


def _result_indices(node: Node) -> list[int]:
    op = node.op
    last = len(op.outs) - 1
    indices = [i for i in op.grad_outs if not op.outs[i].many]
    if op.outs[last].many:
        outs = node.outs if last == 0 else node.outs[last]
        indices += [last + k for k in range(len(outs))]
    return indices


def _nested(node: Node, flat: dict[int, Tensor]) -> list[Any]:
    """One gradient per result slot, a list for a slot of many."""
    op = node.op
    last = len(op.outs) - 1
    single = [flat[i] for i in op.grad_outs if not op.outs[i].many]
    return [*single, [flat[i] for i in sorted(flat) if i >= last]] if op.outs[last].many else single


def call_rule(node: Node, grads: list[Any]) -> tuple[Any, ...]:
    """What the vjp rule of a node says: one entry per operand."""
    rule, attrs, outs = node.op.vjp_rule  # type: ignore[misc]
    given = {name: node.attrs.get(name, default) for name, default in attrs}
    for name, i in outs:
        given[name] = _saved(node, i)
    assert node.args is not None
    padded = node.args + (None,) * (len(node.op.ins) - len(node.args))
    found = rule(*grads, *padded, **given)
    return found if isinstance(found, tuple) else (found,)


def _saved(node: Node, index: int) -> Tensor:
    """A result of the node as its rule sees it: on the tape, so that second order flows through it."""
    outs = node.outs if len(node.op.outs) > 1 else (node.outs,)
    saved = Tensor(outs[index])
    if index in node.op.grad_outs:
        saved.stop_gradient, saved.node, saved.index = False, node, index
    return saved


def propagate(roots: Sequence[Tensor], gradients: Gradients, retain: bool) -> None:
    """Carry the gradients of `roots` to everything they came from; those of leaves stay in `gradients`."""
    nodes = nodes_behind(roots)
    for node in nodes:
        grads = gradients.take(node)
        if grads is None:
            continue
        for arg, gradient in zip(node.args or (), call_rule(node, grads), strict=False):
            if isinstance(arg, Tensor):
                gradients.add(arg, gradient)
            elif arg is not None and gradient is not None:
                for a, g in zip(arg, gradient, strict=True):
                    gradients.add(a, g)
        if not retain:
            node.args = node.outs = None


def _start(roots: Sequence[Tensor], given: Sequence[Tensor | None]) -> Gradients:
    gradients = Gradients()
    for root, g in zip(roots, given, strict=True):
        if g is not None and g.array.shape != root.array.shape:
            raise OpError(
                with_user_line(f"backward: the gradient is not like the tensor (X={root.meta}, grad={g.meta})")
            )
        gradients.add(root, Tensor(np.ones_like(root.array)) if g is None else g)
    return gradients


def _leaves(roots: Iterable[Tensor], nodes: Iterable[Node]) -> dict[Key, Tensor]:
    tensors = [*roots, *(t for n in nodes for t in operands(n.args or ()))]
    return {key_of(t): t for t in tensors if t.node is None and wants_gradient(t)}


def backward(roots: Sequence[Tensor], given: Sequence[Tensor | None], retain_graph: bool = False) -> None:
    """Add the gradients of `roots` to `grad` of the leaves behind them.   given: like roots, None meaning ones."""
    if all(t.stop_gradient for t in roots):
        raise OarlockError(
            with_user_line(f"backward: no tensor that wants a gradient led to this one (X={roots[0].meta})")
        )
    leaves = _leaves(roots, nodes_behind(roots))
    with pushed(state.mode.with_tape(False)):
        gradients = _start(roots, given)
        propagate(roots, gradients, retain_graph)
        for key, leaf in leaves.items():
            found = gradients.known.get(key)
            if found is not None:
                found = _hooked(found, leaf._hooks)
                leaf.grad = found if leaf.grad is None else OPS["elementwise_add"](leaf.grad, found)


def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool = False,
    no_grad_vars: Any = None,
) -> list[Tensor | None]:
    """Gradients of the sum of `outputs` with respect to `inputs`, one per input and like it; `grad` of leaves stays as it is.

    create_graph: the gradients can be differentiated again.   Raises OarlockError for an input that plays no part, unless
    allow_unused, which gives None for it.
    """
    roots = [outputs] if isinstance(outputs, Tensor) else list(outputs)
    wanted = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    given = [grad_outputs] if isinstance(grad_outputs, Tensor) else list(grad_outputs or [None] * len(roots))
    retain = create_graph if retain_graph is None else retain_graph
    keep = Keep(wanted)
    with pushed(state.mode.with_tape(create_graph)):
        keep.known.update(_start(roots, given).known)
        keep.note()
        propagate(roots, keep, retain)
    missing = [t.meta for t in wanted if key_of(t) not in keep.found]
    if missing and not allow_unused:
        raise OarlockError(
            with_user_line(f"grad: an input plays no part in the outputs; allow_unused=True gives None ({missing[0]})")
        )
    return [keep.found.get(key_of(t)) for t in wanted]


class Keep(Gradients):
    """Gradients that are also kept for the tensors asked for, wherever they sit on the tape."""

    def __init__(self, wanted: Sequence[Tensor]) -> None:
        super().__init__()
        self.wanted = {key_of(t) for t in wanted}
        self.found: dict[Key, Tensor] = {}

    def note(self) -> None:
        """Keep what is known now."""
        self.found.update({k: g for k, g in self.known.items() if k in self.wanted})

    def add(self, tensor: Tensor, gradient: Any) -> None:
        """Add, and keep the sum when it was asked for."""
        super().add(tensor, gradient)
        key = key_of(tensor)
        if key in self.wanted and key in self.known:
            self.found[key] = self.known[key]


class no_grad(ContextDecorator):
    """No gradients are recorded in the body, or in the decorated function."""

    _tape = False

    def __init__(self, func: Callable[..., Any] | None = None) -> None:
        self._func = func
        self._stack: list[Any] = []
        if func is not None:
            functools.update_wrapper(self, func)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the decorated function, or decorate one."""
        if self._func is None:
            return super().__call__(*args, **kwargs)
        with type(self)():
            return self._func(*args, **kwargs)

    def _recreate_cm(self) -> no_grad:
        return type(self)()

    def __enter__(self) -> no_grad:
        self._stack.append(state.mode)
        state.mode = state.mode.with_tape(self._tape)
        return self

    def __exit__(self, *_: object) -> None:
        state.mode = self._stack.pop()


class enable_grad(no_grad):
    """Gradients are recorded in the body, even inside `no_grad`."""

    _tape = True


@contextmanager
def set_grad_enabled(mode: bool) -> Iterator[None]:
    """Record gradients in the body, or not."""
    with pushed(state.mode.with_tape(mode)):
        yield


def is_grad_enabled() -> bool:
    """Whether gradients are recorded now."""
    return state.mode.tape
