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

from .dtype import is_float
from .eager import Node
from .errors import OarlockError, OpError, with_user_line
from .mode import pushed, state
from .op import OPS, Op
from .tensor import Tensor

F = TypeVar("F", bound=Callable[..., Any])


def operands(args: Iterable[Any]) -> Iterator[Tensor]:
    """All tensors among the operands of an op."""
    for a in args:
        if isinstance(a, Tensor):
            yield a
        elif a is not None:
            yield from a


def as_of(tensor: Tensor, seq: int) -> Tensor:
    """What `tensor` was when node number `seq` took it as an operand: itself, unless it was changed in place since."""
    for changed, before in tensor._history:
        if changed > seq:
            return before
    return tensor


def operands_of(node: Node) -> tuple[Any, ...]:
    """The operands of a node as they were when it was recorded."""
    args: tuple[Any, ...] = node.args  # type: ignore[assignment]
    for arg in args:
        if arg is not None and (not isinstance(arg, Tensor) or arg._history):
            break
    else:
        return args
    seq = node.seq
    return tuple(
        a if a is None else as_of(a, seq) if isinstance(a, Tensor) else [as_of(t, seq) for t in a] for a in args
    )


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
        todo += [t.node for t in operands(operands_of(node)) if t.node is not None and not t.stop_gradient]
    return sorted(found.values(), key=lambda n: n.seq, reverse=True)


def fitted(gradient: Tensor, like: Tensor) -> Tensor:
    """`gradient` summed down to the shape of `like`, and of its dtype: undoes broadcasting."""
    if gradient.array.shape != like.array.shape:
        gradient = OPS["sum_to"](gradient, shape=list(like.array.shape))
    if gradient.array.dtype != like.array.dtype:
        gradient = OPS["cast"](gradient, out_dtype=like.dtype.proto, in_dtype=gradient.dtype.proto)
    return gradient


class Sweep:
    """One walk back over the tape.   What arrives waits at its node (`node.grads`), or for a leaf in `leaves`.

    watched: tensors inside the graph whose gradient is wanted as well, by id of node and index; found: theirs.
    """

    def __init__(self, watched: Iterable[Tensor] = ()) -> None:
        self.leaves: dict[int, tuple[Tensor, Tensor]] = {}
        self.watched = {(id(t.node), t.index) for t in watched if t.node is not None}
        self.found: dict[tuple[int, int], Tensor] = {}
        self._add: Op = OPS["elementwise_add"]

    def add(self, tensor: Tensor, gradient: Any) -> None:
        """Add what one op says; a function is called only if `tensor` wants a gradient."""
        if tensor.stop_gradient:
            return
        if gradient.__class__ is not Tensor and not isinstance(gradient, Tensor):
            if gradient is None:
                return
            gradient = gradient()
        array = tensor.array
        if gradient.array.shape != array.shape or gradient.array.dtype is not array.dtype:
            if not is_float(array.dtype):
                return
            gradient = fitted(gradient, tensor)
        node = tensor.node
        if node is None:
            before = self.leaves.get(id(tensor))
            self.leaves[id(tensor)] = (
                tensor,
                gradient if before is None else state.mode.binary(self._add, before[1], gradient),
            )
        elif node.op.single:
            node.grads = gradient if node.grads is None else state.mode.binary(self._add, node.grads, gradient)
        else:
            self._add_to_one_of_several(node, tensor.index, gradient)

    def _add_to_one_of_several(self, node: Node, index: int, gradient: Tensor) -> None:
        if node.grads is None:
            node.grads = {}
        before = node.grads.get(index)
        node.grads[index] = gradient if before is None else state.mode.binary(self._add, before, gradient)

    def take(self, node: Node) -> list[Any]:
        """The gradients of a node's results, one per slot: zeros where one is missing, a list for a slot of many."""
        arrived, node.grads = node.grads, None
        if node.op.single:
            return [self._final(node, 0, arrived)]
        return _nested(node, {i: self._final(node, i, arrived.get(i)) for i in _result_indices(node)})

    def _final(self, node: Node, index: int, gradient: Tensor | None) -> Tensor:
        if gradient is None:
            return Tensor(np.zeros_like(_result(node, index)))
        if node.hooks is not None:
            gradient = _hooked(gradient, node.hooks.get(index))
        if self.watched and (id(node), index) in self.watched:
            self.found[id(node), index] = gradient
        return gradient

    def run(self, roots: Sequence[Tensor], retain: bool) -> None:
        """Carry what arrived at `roots` to everything they came from."""
        for node in nodes_behind(roots):
            if node.grads is None:
                continue
            grads = self.take(node)
            args = operands_of(node)
            for arg, gradient in zip(args, call_rule(node, args, grads), strict=False):
                if gradient is None or arg is None:
                    continue
                if arg.__class__ is list or arg.__class__ is tuple:
                    for a, g in zip(arg, gradient, strict=True):
                        self.add(a, g)
                else:
                    self.add(arg, gradient)
            if not retain:
                node.args = node.outs = None

    def of(self, tensor: Tensor) -> Tensor | None:
        """The gradient of a leaf or of a watched tensor; None where nothing arrived."""
        if tensor.node is not None:
            return self.found.get((id(tensor.node), tensor.index))
        found = self.leaves.get(id(tensor))
        return None if found is None else found[1]


def _hooked(gradient: Tensor, hooks: list[Any] | None) -> Tensor:
    for hook in hooks or ():
        replaced = hook(gradient)
        gradient = gradient if replaced is None else replaced
    return gradient


def _result(node: Node, index: int) -> Any:
    last = len(node.op.outs) - 1
    outs = [node.outs] if last == 0 else node.outs
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


def call_rule(node: Node, args: tuple[Any, ...], grads: list[Any]) -> tuple[Any, ...]:
    """What the vjp rule of a node says: one entry per operand."""
    op = node.op
    rule, attrs, outs = op.vjp_rule  # type: ignore[misc]
    if len(args) < len(op.ins):
        args = args + (None,) * (len(op.ins) - len(args))
    given = {name: node.attrs.get(name, default) for name, default in attrs.items()} if node.attrs else attrs
    if outs:
        given = {**given, **{name: _saved(node, i) for name, i in outs}}
    found = rule(*grads, *args, **given)
    return found if found.__class__ is tuple else (found,)


def _saved(node: Node, index: int) -> Tensor:
    """A result of the node as its rule sees it: on the tape, so that second order flows through it."""
    saved = Tensor(node.outs[index] if len(node.op.outs) > 1 else node.outs)
    if index in node.op.grad_outs:
        saved.stop_gradient, saved.node, saved.index = False, node, index
    return saved


def _start(sweep: Sweep, roots: Sequence[Tensor], given: Sequence[Tensor | None]) -> None:
    for root, g in zip(roots, given, strict=True):
        if g is not None and g.array.shape != root.array.shape:
            raise OpError(
                with_user_line(f"backward: the gradient is not like the tensor (X={root.meta}, grad={g.meta})")
            )
        sweep.add(root, Tensor(np.ones_like(root.array)) if g is None else g)


def backward(roots: Sequence[Tensor], given: Sequence[Tensor | None], retain_graph: bool = False) -> None:
    """Add the gradients of `roots` to `grad` of the leaves behind them.   given: like roots, None meaning ones."""
    if all(t.stop_gradient for t in roots):
        why = "backward: no tensor that wants a gradient led to this one"
        raise OarlockError(with_user_line(f"{why} (X={roots[0].meta})"))
    sweep = Sweep()
    with pushed(state.mode.with_tape(False)):
        _start(sweep, roots, given)
        sweep.run(roots, retain_graph)
        for leaf, gradient in sweep.leaves.values():
            found = _hooked(gradient, leaf._hooks)
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
    sweep = Sweep(wanted)
    with pushed(state.mode.with_tape(create_graph)):
        _start(sweep, roots, given)
        sweep.run(roots, create_graph if retain_graph is None else retain_graph)
    found = [sweep.of(t) for t in wanted]
    missing = [t.meta for t, g in zip(wanted, found, strict=True) if g is None]
    if missing and not allow_unused:
        why = "grad: an input plays no part in the outputs; allow_unused=True gives None"
        raise OarlockError(with_user_line(f"{why} ({missing[0]})"))
    return found


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
