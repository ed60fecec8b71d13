"""The walk back over the tape: ask each op's vjp rule, add up what arrives at one tensor.

Rules speak ops.  Where nobody wants the gradient's gradient they run on bare arrays, kernel after
kernel, with no Tensor between; else they run on Tensors in the mode in force, which puts them on
the tape or into a program. Un-broadcasting happens once, here, where gradients are added up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from . import cuda
from ._tape import BackwardEngine, Node, configure, set_modes
from .dtype import is_float
from .eager import EAGER, NO_TAPE, explain
from .era import era
from .errors import OpError, RuleError, with_user_line
from .mode import Mode, pushed, state
from .numerics_check import NumericsCheck
from .numerics_check import is_enabled as checks_numerics
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
        """The eager mode: a rule that asks for one of Python's making (a PyLayer, a hook) works on
        Tensors.
        """
        return EAGER if tape else NO_TAPE

    def run(self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """The kernel."""
        try:
            return op.kernel(*args, **attrs)
        except Exception as error:
            explain(op, tuple(map(wrapped, args)), attrs, error)


BARE = Bare()


def explain_call(
    op: Op, args: tuple[Any, ...], attrs: dict[str, Any], error: Exception
) -> NoReturn:
    """explain, of operands that are Tensors or, in a walk back, bare arrays."""
    explain(op, tuple(map(wrapped, args)) if state.mode is BARE else args, attrs, error)


configure(Tensor, explain_call, is_float)
set_modes(EAGER, NO_TAPE, BARE)


def as_of(tensor: Tensor, seq: int) -> Tensor:
    """What `tensor` was when node number `seq` took it as an operand: itself, unless it was changed
    in place since.
    """
    for changed, before in tensor._history:
        if changed > seq:
            return before
    return tensor


def operands_of(node: Node) -> tuple[Any, ...]:
    """The operands of a node as they were when it was recorded."""
    args = node.args
    if args is None:
        why = (
            f"backward: the graph of {node.op.type} was freed by an earlier backward(); use "
            f"retain_graph=True"
        )
        raise RuleError(with_user_line(why))
    for arg in args:
        if arg is not None and (arg.__class__ is list or arg.__class__ is tuple or arg._history):
            break
    else:
        return args
    seq = node.seq
    return tuple(
        a if a is None else as_of(a, seq) if isinstance(a, Tensor) else [as_of(t, seq) for t in a]
        for a in args
    )


def outward(gradient: Any) -> Any:
    """A gradient as users see it, made of what travels on the tape, or back: complex ones are
    conjugated, see `op.py`.
    """
    if isinstance(gradient, Tensor):
        return OPS["conj"](gradient) if gradient.meta.dtype.kind == "c" else gradient
    return gradient.conj() if gradient.dtype.kind == "c" else gradient


class Sweep(BackwardEngine):
    """One walk back, by `_tape`; here is what it asks for where something is not plain.

    Gradients are bare arrays.

    watched: tensors whose gradient is wanted although ops made them; reach: what may get a gradient
    at all, None for everything.
    """

    def __init__(self, watched: Iterable[Tensor] = (), reach: Reach | None = None) -> None:
        self.watched = {(t.node.seq, t.index) for t in watched if t.node is not None}
        self.found: dict[tuple[int, int], Any] = {}
        self.reach = reach
        self.nodes = None if reach is None else reach.nodes
        self.sum = OPS["elementwise_add"]
        self.bare = True
        self.told: set[tuple[int, int]] = set()  # who was told of which leaf

    operands_of = staticmethod(operands_of)

    def final(self, told: list[tuple[Any, Tensor]]) -> None:
        """Nothing more arrives at some leaves: tell those who listen.   See listen.py"""
        with pushed(NO_TAPE):
            for listener, leaf in told:
                gradient = self.leaf(leaf)
                self.told.add((id(listener), id(leaf)))
                listener.arrived(leaf, None if gradient is None else self.tensor(gradient))

    def final_of_the_rest(self) -> None:
        """The walk is over: tell those who listen of the leaves whose last node it did not come by,
        as the first layers in a second order.
        """
        pairs = [pair for found in (self.last or {}).values() for pair in found]
        self.final(
            [
                (listener, leaf)
                for listener, leaf in pairs
                if (id(listener), id(leaf)) not in self.told
            ]
        )

    # -- how gradients are held
    # ---------------------------------------------------------------------------------

    def mode(self) -> Mode:
        """What rules run in."""
        return BARE

    def given(self, root: Tensor, gradient: Tensor | None) -> Any:
        """The gradient that a walk starts with, ones for None."""
        return cuda.ones_like(root.array) if gradient is None else outward(gradient.array)

    def zeros(self, array: Any) -> Any:
        """The gradient of a result that nothing came back to."""
        return cuda.zeros_like(array)

    def fitted(self, gradient: Any, like: Tensor) -> Any:
        """`gradient` summed down to the shape of `like`, and of its dtype: undoes broadcasting.

        None where none can be.

        Of a complex gradient that meets a real operand, the real part.
        """
        array = like.array
        if not is_float(array.dtype):
            return None
        if gradient.dtype.kind == "c" and array.dtype.kind != "c":
            gradient = gradient.real
        if gradient.shape != array.shape:
            gradient = OPS["sum_to"].kernel(gradient, shape=list(array.shape))
        return gradient if gradient.dtype == array.dtype else gradient.astype(array.dtype)

    def hooked(self, gradient: Any, hooks: Sequence[Any]) -> Any:
        """What the hooks make of a gradient."""
        with pushed(NO_TAPE):
            return outward(run_hooks(Tensor(outward(gradient)), hooks).array)

    def tensor(self, gradient: Any) -> Tensor:
        """A gradient as the user gets it."""
        return Tensor(outward(gradient))

    # -- what arrives at a node
    # ---------------------------------------------------------------------------------

    def arrived(self, node: Node, gradient: Any) -> tuple[Any, ...]:
        """The gradients of the results of a node, after hooks: one per slot that carries one."""
        if node.op.single:
            return (self._final(node, 0, gradient),)
        outs = [node.outs] if len(node.op.outs) == 1 else node.outs
        return tuple(self._of_slot(node, i, outs[i], gradient) for i in node.op.grad_outs)

    def _of_slot(self, node: Node, index: int, out: Any, by_index: dict[int, Any]) -> Any:
        if node.op.outs[index].many:
            return [self._of_one(node, index + k, a, by_index) for k, a in enumerate(out)]
        return self._of_one(node, index, out, by_index)

    def _of_one(self, node: Node, index: int, array: Any, by_index: dict[int, Any]) -> Any:
        gradient = by_index.get(index)
        if gradient is None:
            # a PyLayer may say no
            return self.zeros(array) if node.attrs.get("materialize_grads", True) else None
        return self._final(node, index, gradient)

    def _final(self, node: Node, index: int, gradient: Any) -> Any:
        if node.hooks is not None and index in node.hooks:
            gradient = self.hooked(gradient, node.hooks[index])
        if (node.seq, index) in self.watched:
            self.found[node.seq, index] = gradient
        return gradient

    def of(self, tensor: Tensor) -> Tensor | None:
        """The gradient of a leaf or of a watched tensor; None where nothing arrived."""
        found = (
            self.leaf(tensor)
            if tensor.node is None
            else self.found.get((tensor.node.seq, tensor.index))
        )
        return None if found is None else self.tensor(found)


class Keeping(Sweep):
    """A walk back that leaves at each node the gradients of its results, as Paddle 1.x did:
    `gradient()` of any tensor has them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.watched = {(-1, -1)}  # no result's: that something is watched makes it ask for all

    def _final(self, node: Node, index: int, gradient: Any) -> Any:
        gradient = super()._final(node, index, gradient)
        node.grads = {**(node.grads or {}), index: gradient}
        return gradient


class RecordedSweep(Sweep):
    """A walk back that the mode in force records: gradients are Tensors."""

    def __init__(
        self, mode: Mode, watched: Iterable[Tensor] = (), reach: Reach | None = None
    ) -> None:
        super().__init__(watched, reach)
        self.bare = False
        self._mode = mode

    def mode(self) -> Mode:
        """See Sweep."""
        return self._mode

    def given(self, root: Tensor, gradient: Tensor | None) -> Any:
        """See Sweep."""
        if gradient is not None:
            return outward(gradient)
        return (
            Tensor(cuda.ones_like(root.array))
            if self._mode.silent
            else OPS["fill_any_like"](root, value=1.0)
        )

    def result(self, node: Node, index: int) -> Any:
        """A saved result as rules see it: on the tape, so that second order flows through it."""
        saved = Tensor(node.outs if node.op.single else node.outs[index])
        if index in node.op.grad_outs:
            saved.stop_gradient, saved.node, saved.index = False, node, index
        return saved

    def zeros(self, array: Any) -> Any:
        """See Sweep."""
        return Tensor(cuda.zeros_like(array))

    def fitted(self, gradient: Any, like: Tensor) -> Any:
        """See Sweep."""
        shape, dtype = like.meta
        if not is_float(dtype):
            return None
        if gradient.meta.dtype.kind == "c" and dtype.kind != "c":
            gradient = OPS["real"](gradient)
        if gradient.meta.shape != shape:
            gradient = OPS["sum_to"](gradient, shape=list(shape))
        if gradient.meta.dtype != dtype:
            gradient = OPS["cast"](
                gradient, out_dtype=like.dtype.proto, in_dtype=gradient.dtype.proto
            )
        return gradient

    def hooked(self, gradient: Any, hooks: Sequence[Any]) -> Any:
        """See Sweep."""
        return outward(run_hooks(outward(gradient), hooks))

    def tensor(self, gradient: Any) -> Tensor:
        """See Sweep."""
        return outward(gradient)


def operands(node: Node) -> list[Tensor]:
    """The operands of a node that want a gradient."""
    found: list[Tensor] = []
    for arg in operands_of(node):
        found += [] if arg is None else [arg] if isinstance(arg, Tensor) else arg
    return [t for t in found if not t.stop_gradient]


def behind(roots: Iterable[Tensor]) -> Iterable[Node]:
    """The nodes that led to some tensors."""
    found: dict[int, Node] = {}
    todo = [t.node for t in roots if t.node is not None]
    while todo:
        node = todo.pop()
        if node.seq not in found:
            found[node.seq] = node
            todo += [t.node for t in operands(node) if t.node is not None]
    return found.values()


class Reach:
    """The tensors on a way from roots to those wanted: all others need no gradient.

    barred: tensors that no way leads through.
    """

    def __init__(
        self, roots: Iterable[Tensor], wanted: Sequence[Tensor], barred: Sequence[Tensor] = ()
    ) -> None:
        self._leaves = {id(t) for t in wanted if t.node is None}
        self._watched = {(t.node.seq, t.index) for t in wanted if t.node is not None}
        self._barred = {id(t) if t.node is None else (t.node.seq, t.index) for t in barred}
        self.nodes: set[int] = set()
        for node in sorted(behind(roots), key=lambda n: n.seq):
            if any(t in self for t in operands(node)):
                self.nodes.add(node.seq)

    def __contains__(self, tensor: Tensor) -> bool:
        tensor = tensor if tensor._origin is None else tensor._origin
        node = tensor.node
        if node is None:
            return id(tensor) in self._leaves and id(tensor) not in self._barred
        key = (node.seq, tensor.index)
        return (node.seq in self.nodes or key in self._watched) and key not in self._barred


def run_hooks(gradient: Tensor, hooks: Sequence[Any]) -> Tensor:
    """The gradient after every hook, each of which may replace it."""
    for hook in list(hooks):
        replaced = hook(gradient)
        if replaced is None:
            continue
        if not isinstance(replaced, Tensor) or replaced.meta.shape != gradient.meta.shape:
            got = replaced.meta if isinstance(replaced, Tensor) else type(replaced).__name__
            raise OpError(
                with_user_line(
                    f"register_hook: a hook gave {got} for a gradient (X={gradient.meta})"
                )
            )
        gradient = replaced
    return gradient


def sweep_for(
    create_graph: bool, watched: Iterable[Tensor] = (), reach: Reach | None = None
) -> Sweep:
    """The walk back that fits the mode in force: on bare arrays where nothing has to be
    recorded.
    """
    mode = state.mode.plain()
    if checks_numerics():
        return RecordedSweep(NumericsCheck(mode.with_tape(create_graph)), watched, reach)
    if mode.bare and not create_graph:
        return Keeping() if era.old and reach is None else Sweep(watched, reach)
    return RecordedSweep(mode.with_tape(create_graph), watched, reach)
