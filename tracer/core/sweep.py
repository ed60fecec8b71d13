"""The walk back over the tape: ask each op's vjp rule, add up what arrives at one tensor.

Rules speak ops.  Where nobody wants the gradient's gradient they run on bare arrays, kernel after kernel, with no Tensor between;
else they run on Tensors in the mode in force, which puts them on the tape or into a program.
Un-broadcasting happens once, here, where gradients are added up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from typing import Any

import numpy as np

from .dtype import is_float
from .eager import EAGER, NO_TAPE, Node, explain
from .errors import OarlockError, with_user_line
from .mode import Mode, pushed, state
from .op import OPS, Op
from .tensor import Tensor


def wrapped(arg: Any) -> Any:
    """An operand of bare arrays as Tensors."""
    if arg is None or isinstance(arg, Tensor):
        return arg
    return [Tensor(a) for a in arg] if isinstance(arg, list | tuple) else Tensor(arg)


class Bare(Mode):
    """Ops are kernels on bare arrays."""

    tape = False

    def with_tape(self, tape: bool) -> Mode:
        """The eager mode: a rule that asks for one of Python's making (a PyLayer, a hook) works on Tensors."""
        return EAGER if tape else NO_TAPE

    def run(self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """The kernel."""
        try:
            return op.kernel(*args, **attrs)
        except Exception as error:
            explain(op, tuple(map(wrapped, args)), attrs, error)

    def unary(self, op: Op, x: Any) -> Any:
        """The kernel."""
        return self.run(op, (x,), {})

    def binary(self, op: Op, x: Any, y: Any) -> Any:
        """The kernel."""
        try:
            return op.kernel(x, y)
        except Exception as error:
            explain(op, (Tensor(x), Tensor(y)), {}, error)


BARE = Bare()


def as_of(tensor: Tensor, seq: int) -> Tensor:
    """What `tensor` was when node number `seq` took it as an operand: itself, unless it was changed in place since."""
    for changed, before in tensor._history:
        if changed > seq:
            return before
    return tensor


def operands_of(node: Node) -> tuple[Any, ...]:
    """The operands of a node as they were when it was recorded."""
    args = node.args
    if args is None:
        why = f"backward: the graph of {node.op.type} was freed by an earlier backward(); use retain_graph=True"
        raise OarlockError(with_user_line(why))
    for arg in args:
        if arg is not None and (arg.__class__ is list or arg.__class__ is tuple or arg._history):
            break
    else:
        return args
    seq = node.seq
    return tuple(
        a if a is None else as_of(a, seq) if isinstance(a, Tensor) else [as_of(t, seq) for t in a] for a in args
    )


class Sweep:
    """One walk back.   What arrives waits at its node, or for a leaf in `leaves`; gradients are bare arrays.

    watched: tensors whose gradient is wanted although ops made them; reach: what may get a gradient at all, None for everything.
    """

    kind: type = np.ndarray

    def __init__(self, watched: Iterable[Tensor] = (), reach: Reach | None = None) -> None:
        self.leaves: dict[int, list[Any]] = {}  # id: [tensor, gradient]
        self.watched = {(t.node.seq, t.index) for t in watched if t.node is not None}
        self.found: dict[tuple[int, int], Any] = {}
        self._reach = reach
        self._waiting: dict[int, list[Any]] = {}  # seq: [node, gradient, or gradients by index]
        self._queue: list[int] = []  # of those, the latest node first: the order of making is a topological one
        self._sum: Op = OPS["elementwise_add"]

    # -- how gradients are held ---------------------------------------------------------------------------------

    def mode(self) -> Mode:
        """What rules run in."""
        return BARE

    def operand(self, arg: Any) -> Any:
        """An operand as rules see it."""
        if isinstance(arg, Tensor):
            return arg.array
        return None if arg is None else [t.array for t in arg]

    def result(self, node: Node, index: int) -> Any:
        """A saved result as rules see it."""
        return node.outs if node.op.single else node.outs[index]

    def zeros(self, array: Any) -> Any:
        """The gradient of a result that nothing came back to."""
        return np.zeros_like(array)

    def ones(self, root: Tensor) -> Any:
        """The gradient that a walk starts with."""
        return np.ones_like(root.array)

    def fitted(self, gradient: Any, like: Tensor) -> Any:
        """`gradient` summed down to the shape of `like`, and of its dtype: undoes broadcasting."""
        array = like.array
        if gradient.shape != array.shape:
            gradient = OPS["sum_to"].kernel(gradient, shape=list(array.shape))
        return gradient if gradient.dtype == array.dtype else gradient.astype(array.dtype)

    def hooked(self, gradient: Any, hooks: Sequence[Any]) -> Any:
        """What the hooks make of a gradient."""
        with pushed(NO_TAPE):
            return run_hooks(Tensor(gradient), hooks).array

    def tensor(self, gradient: Any) -> Tensor:
        """A gradient as the user gets it."""
        return Tensor(gradient)

    # -- adding up ----------------------------------------------------------------------------------------------

    def add(self, tensor: Tensor, gradient: Any) -> None:
        """Add what one op says; a function is called only if `tensor` wants a gradient."""
        if tensor.stop_gradient or (self._reach is not None and tensor not in self._reach):
            return
        if gradient.__class__ is not self.kind:
            if gradient is None:
                return
            if callable(gradient):
                gradient = gradient()
        array = tensor.array
        if gradient.shape != array.shape or gradient.dtype is not array.dtype:
            if not is_float(array.dtype):
                return
            gradient = self.fitted(gradient, tensor)
        self._collect(tensor, gradient)

    def _collect(self, tensor: Tensor, gradient: Any) -> None:
        node = tensor.node
        if node is None:
            place = self.leaves.get(id(tensor))
            if place is None:
                self.leaves[id(tensor)] = [tensor, gradient]
                return
        else:
            place = self._waiting.get(node.seq)
            if not node.op.single:
                self._collect_one_of_several(place, node, tensor.index, gradient)
                return
            if place is None:
                self._wait(node, gradient)
                return
        place[1] = state.mode.binary(self._sum, place[1], gradient)

    def _wait(self, node: Node, gradient: Any) -> None:
        self._waiting[node.seq] = [node, gradient]
        heappush(self._queue, -node.seq)

    def _collect_one_of_several(self, place: list[Any] | None, node: Node, index: int, gradient: Any) -> None:
        if place is None:
            self._wait(node, {index: gradient})
            return
        before = place[1].get(index)
        place[1][index] = gradient if before is None else state.mode.binary(self._sum, before, gradient)

    # -- walking ------------------------------------------------------------------------------------------------

    def run(self, retain: bool) -> None:
        """Carry what has arrived to everything it came from."""
        queue, waiting, add = self._queue, self._waiting, self.add
        while queue:
            node, arrived = waiting.pop(-heappop(queue))
            if self._reach is not None and node.seq not in self._reach.nodes:
                self._arrived(node, arrived)  # wanted itself, and nothing behind it is
                continue
            args = operands_of(node)
            for arg, gradient in zip(args, self._ask(node, args, arrived), strict=False):
                if gradient is None or arg is None:
                    continue
                if arg.__class__ is list or arg.__class__ is tuple:
                    for a, g in zip(arg, gradient, strict=True):
                        add(a, g)
                else:
                    add(arg, gradient)
            if not retain:
                node.args = node.outs = None

    def _ask(self, node: Node, args: tuple[Any, ...], arrived: Any) -> tuple[Any, ...]:
        """What the vjp rule of a node says: one entry per operand."""
        op = node.op
        rule, attrs, outs = op.vjp_rule  # type: ignore[misc]
        grads = self._arrived(node, arrived)
        given = {name: node.attrs.get(name, default) for name, default in attrs.items()} if node.attrs else attrs
        if outs:
            given = {**given, **{name: self.result(node, i) for name, i in outs}}
        missing = (None,) * (len(op.ins) - len(args))
        found = rule(*grads, *map(self.operand, args), *missing, **given)
        return found if found.__class__ is tuple else (found,)

    def _arrived(self, node: Node, arrived: Any) -> tuple[Any, ...]:
        """The gradients of the results of a node, after hooks."""
        if node.op.single:
            return (arrived if node.hooks is None and not self.watched else self._final(node, 0, arrived),)
        return self._of_all(node, arrived)

    def _final(self, node: Node, index: int, gradient: Any) -> Any:
        if node.hooks is not None and index in node.hooks:
            gradient = self.hooked(gradient, node.hooks[index])
        if (node.seq, index) in self.watched:
            self.found[node.seq, index] = gradient
        return gradient

    def _of_all(self, node: Node, arrived: dict[int, Any]) -> tuple[Any, ...]:
        """The gradients of several results, one per slot that carries one: zeros where nothing came, a list for a slot of many."""
        outs = [node.outs] if len(node.op.outs) == 1 else node.outs
        found: list[Any] = []
        for i in node.op.grad_outs:
            if node.op.outs[i].many:
                found.append([self._or_zeros(node, i + k, a, arrived) for k, a in enumerate(outs[i])])
            else:
                found.append(self._or_zeros(node, i, outs[i], arrived))
        return tuple(found)

    def _or_zeros(self, node: Node, index: int, array: Any, arrived: dict[int, Any]) -> Any:
        gradient = arrived.get(index)
        return self.zeros(array) if gradient is None else self._final(node, index, gradient)

    def of(self, tensor: Tensor) -> Tensor | None:
        """The gradient of a leaf or of a watched tensor; None where nothing arrived."""
        if tensor.node is not None:
            found = self.found.get((tensor.node.seq, tensor.index))
        else:
            found = self.leaves.get(id(tensor), (None, None))[1]
        return None if found is None else self.tensor(found)


class RecordedSweep(Sweep):
    """A walk back that the mode in force records: gradients are Tensors."""

    kind = Tensor

    def __init__(self, mode: Mode, watched: Iterable[Tensor] = (), reach: Reach | None = None) -> None:
        super().__init__(watched, reach)
        self._mode = mode

    def mode(self) -> Mode:
        """See Sweep."""
        return self._mode

    def operand(self, arg: Any) -> Any:
        """See Sweep."""
        return arg

    def result(self, node: Node, index: int) -> Any:
        """See Sweep; on the tape, so that second order flows through it."""
        saved = Tensor(super().result(node, index))
        if index in node.op.grad_outs:
            saved.stop_gradient, saved.node, saved.index = False, node, index
        return saved

    def zeros(self, array: Any) -> Any:
        """See Sweep."""
        return Tensor(np.zeros_like(array))

    def ones(self, root: Tensor) -> Any:
        """See Sweep."""
        return Tensor(np.ones_like(root.array)) if self._mode.silent else OPS["fill_any_like"](root, value=1.0)

    def fitted(self, gradient: Any, like: Tensor) -> Any:
        """See Sweep."""
        shape, dtype = like.meta
        if gradient.meta.shape != shape:
            gradient = OPS["sum_to"](gradient, shape=list(shape))
        if gradient.meta.dtype != dtype:
            gradient = OPS["cast"](gradient, out_dtype=like.dtype.proto, in_dtype=gradient.dtype.proto)
        return gradient

    def hooked(self, gradient: Any, hooks: Sequence[Any]) -> Any:
        """See Sweep."""
        return run_hooks(gradient, hooks)

    def tensor(self, gradient: Any) -> Tensor:
        """See Sweep."""
        return gradient

    def add(self, tensor: Tensor, gradient: Any) -> None:
        """See Sweep."""
        if tensor.stop_gradient or (self._reach is not None and tensor not in self._reach):
            return
        if not isinstance(gradient, Tensor):
            if gradient is None:
                return
            gradient = gradient()
        if gradient.meta != tensor.meta:
            if not is_float(tensor.meta.dtype):
                return
            gradient = self.fitted(gradient, tensor)
        self._collect(tensor, gradient)


class Reach:
    """The tensors on a way from roots to those wanted: all others need no gradient.   barred: tensors that no way leads through."""

    def __init__(self, roots: Iterable[Tensor], wanted: Sequence[Tensor], barred: Sequence[Tensor] = ()) -> None:
        self._leaves = {id(t) for t in wanted if t.node is None}
        self._watched = {(t.node.seq, t.index) for t in wanted if t.node is not None}
        self._barred = {id(t) if t.node is None else (t.node.seq, t.index) for t in barred}
        self.nodes: set[int] = set()
        for node in sorted(self._behind(roots), key=lambda n: n.seq):
            if any(t in self for t in self._operands(node)):
                self.nodes.add(node.seq)

    def __contains__(self, tensor: Tensor) -> bool:
        node = tensor.node
        if node is None:
            return id(tensor) in self._leaves and id(tensor) not in self._barred
        key = (node.seq, tensor.index)
        return (node.seq in self.nodes or key in self._watched) and key not in self._barred

    @staticmethod
    def _operands(node: Node) -> list[Tensor]:
        found: list[Tensor] = []
        for arg in operands_of(node):
            found += [] if arg is None else [arg] if isinstance(arg, Tensor) else arg
        return [t for t in found if not t.stop_gradient]

    def _behind(self, roots: Iterable[Tensor]) -> Iterable[Node]:
        found: dict[int, Node] = {}
        todo = [t.node for t in roots if t.node is not None]
        while todo:
            node = todo.pop()
            if node.seq not in found:
                found[node.seq] = node
                todo += [t.node for t in self._operands(node) if t.node is not None]
        return found.values()


def run_hooks(gradient: Tensor, hooks: Sequence[Any]) -> Tensor:
    """The gradient after every hook, each of which may replace it."""
    for hook in list(hooks):
        replaced = hook(gradient)
        gradient = gradient if replaced is None else replaced
    return gradient


def sweep_for(create_graph: bool, watched: Iterable[Tensor] = (), reach: Reach | None = None) -> Sweep:
    """The walk back that fits the mode in force: on bare arrays where nothing has to be recorded."""
    mode = state.mode
    if mode.bare and not create_graph:
        return Sweep(watched, reach)
    return RecordedSweep(mode.with_tape(create_graph), watched, reach)
