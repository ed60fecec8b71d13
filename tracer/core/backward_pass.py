"""The backward pass: call the VJP rule of each recorded op and accumulate the gradients.

Rules are written with ops. Without `create_graph` they run on bare arrays, so kernels exchange
arrays and no Tensors are created. With `create_graph` they run on Tensors in the current mode,
which records them on the tape or into a program. Gradients of broadcast inputs are reduced to the
input's shape here, before accumulation, and not in the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from . import cuda
from ._tape import BackwardEngine, Node, configure, set_modes
from .dtype import is_inexact
from .eager import EAGER_MODE, NO_TAPE_MODE, raise_op_error
from .errors import InvalidOperationError, OpError, append_user_line
from .mode import Mode, state, use_mode
from .numerics_check import check_or_report_op_output
from .numerics_check import is_enabled as checks_numerics
from .op import OPS, Op
from .paddle1_compat import compat
from .profile_events import profile_state
from .tensor import Tensor


def wrap_arrays(arg: Any) -> Any:
    """Wrap bare arrays in Tensors: an array, or each array of a list; a Tensor or None is returned
    unchanged.
    """
    if arg is None or isinstance(arg, Tensor):
        return arg
    return [Tensor(a) for a in arg] if isinstance(arg, list | tuple) else Tensor(arg)


class BareArrayMode(Mode):
    """A dispatch mode in which calling an op runs its kernel on bare arrays instead of Tensors."""

    tape = False

    def mode_with_tape_set(self, tape: bool) -> Mode:
        """Return the eager mode with or without tape. User code in a backward pass (PyLayer, hooks)
        needs Tensors and cannot run in this mode.
        """
        return EAGER_MODE if tape else NO_TAPE_MODE

    def run(self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Call the kernel of the op on bare arrays."""
        try:
            return op.kernel(*args, **attrs)
        except Exception as error:
            raise_op_error(op, tuple(map(wrap_arrays, args)), attrs, error)


BARE_ARRAY_MODE = BareArrayMode()


def raise_op_error_wrapping_arrays(
    op: Op, args: tuple[Any, ...], attrs: dict[str, Any], error: Exception
) -> NoReturn:
    """Raise the OpError for a failed op by `raise_op_error`; wrap arguments that are bare arrays in
    Tensors first.
    """
    raise_op_error(
        op, tuple(map(wrap_arrays, args)) if state.mode is BARE_ARRAY_MODE else args, attrs, error
    )


configure(Tensor, raise_op_error_wrapping_arrays, is_inexact)
set_modes(EAGER_MODE, NO_TAPE_MODE, BARE_ARRAY_MODE)


def value_seen_by_node(tensor: Tensor, seq: int) -> Tensor:
    """The value that `tensor` had when node number `seq` read it: the tensor itself, or a
    snapshot if the tensor was modified in place after that.
    """
    for changed, before in tensor._history:
        if changed > seq:
            return before
    return tensor


def node_inputs_when_recorded(node: Node) -> tuple[Any, ...]:
    """Return the inputs of a node with the values that they had when the node was recorded.

    Raises InvalidOperationError if the graph was freed.
    """
    args = node.args
    if args is None:
        why = (
            f"backward: the graph of {node.op.public_name} was freed by an earlier backward(); use "
            f"retain_graph=True"
        )
        raise InvalidOperationError(append_user_line(why))
    for arg in args:
        if arg is not None and (arg.__class__ is list or arg.__class__ is tuple or arg._history):
            break
    else:
        return args
    seq = node.seq
    return tuple(
        a
        if a is None
        else value_seen_by_node(a, seq)
        if isinstance(a, Tensor)
        else [value_seen_by_node(t, seq) for t in a]
        for a in args
    )


def conjugate_complex_grad(gradient: Any) -> Any:
    """Convert a complex gradient from the internal convention (conjugated) to the public
    convention, or back. See `op.py`.
    """
    if isinstance(gradient, Tensor):
        return OPS["conj"](gradient) if gradient.meta.dtype.kind == "c" else gradient
    return gradient.conj() if gradient.dtype.kind == "c" else gradient


class BackwardPass(BackwardEngine):
    """One backward pass that computes gradients as bare arrays.

    `_tape.BackwardEngine` (C++) runs it and calls these methods for the less common cases.

    watched: non-leaf tensors whose gradient is requested.
    active_tensors: the tensors that may get a gradient; None for all.
    """

    def __init__(self, watched: Iterable[Tensor] = (), reach: ActiveTensors | None = None) -> None:
        self.watched = {(t.node.seq, t.index) for t in watched if t.node is not None}
        self.watched_grads: dict[tuple[int, int], Any] = {}
        self.active_tensors = reach
        self.nodes = None if reach is None else reach.node_seqs
        self.sum = OPS["elementwise_add"]
        self.bare = True
        self.calls_before_vjp_rule = profile_state.recorder is not None
        # ids of (listener, leaf) pairs that were notified
        self.notified_pairs: set[tuple[int, int]] = set()

    node_inputs_when_recorded = staticmethod(node_inputs_when_recorded)

    def before_vjp_rule(self, node: Node) -> None:
        """Called by C++ before the VJP rule of a node while a profiler runs: record the rule as an
        event, which the rule of the next node or the end of the pass ends.
        """
        if profile_state.recorder is not None:
            profile_state.recorder.begin_next(f"{node.op.type}_grad", "Operator")

    def notify_listeners_of_complete_grads(self, pairs: list[tuple[Any, Tensor]]) -> None:
        """Called by the C++ backward engine when the gradients of some leaves are complete.
        Call the listener of each leaf whose gradient is complete, see `grad_listeners.py`.
        """
        with use_mode(NO_TAPE_MODE):
            for listener, leaf in pairs:
                gradient = self.leaf(leaf)
                self.notified_pairs.add((id(listener), id(leaf)))
                listener.on_gradient(
                    leaf, None if gradient is None else self.to_conjugated_tensor(gradient)
                )

    def notify_remaining_listeners(self) -> None:
        """At the end of the pass, notify the listeners of the leaves that were not reported yet,
        because the pass did not visit the last node that reads them.
        """
        pairs = [pair for found in (self.last_uses or {}).values() for pair in found]
        self.notify_listeners_of_complete_grads(
            [
                (listener, leaf)
                for listener, leaf in pairs
                if (id(listener), id(leaf)) not in self.notified_pairs
            ]
        )

    def mode(self) -> Mode:
        """Return the dispatch mode in which VJP rules run."""
        return BARE_ARRAY_MODE

    def initial_grad(self, root: Tensor, gradient: Tensor | None) -> Any:
        """Return the initial gradient of a root in the internal form; ones if `gradient` is
        None.
        """
        return (
            cuda.ones_like(root.array)
            if gradient is None
            else conjugate_complex_grad(gradient.array)
        )

    def zeros(self, array: Any) -> Any:
        """Return zeros like `array`: the gradient of an output for which no gradient was
        accumulated.
        """
        return cuda.zeros_like(array)

    def reduce_grad_to_input_meta_or_none(self, gradient: Any, like: Tensor) -> Any:
        """Reduce a gradient to the shape and dtype of the input `like` of an op: sum over broadcast
        axes, cast, and take the real part for a real input. Return None for an input that is not
        floating.
        """
        array = like.array
        if not is_inexact(array.dtype):
            return None
        if gradient.dtype.kind == "c" and array.dtype.kind != "c":
            gradient = gradient.real
        if gradient.shape != array.shape:
            gradient = OPS["sum_to"].kernel(gradient, shape=list(array.shape))
        return gradient if gradient.dtype == array.dtype else gradient.astype(array.dtype)

    def apply_hooks(self, gradient: Any, hooks: Sequence[Any]) -> Any:
        """Call the user's hooks on a gradient and return the resulting gradient, as a bare
        array.
        """
        with use_mode(NO_TAPE_MODE):
            return conjugate_complex_grad(
                run_hooks(Tensor(conjugate_complex_grad(gradient)), hooks).array
            )

    def to_conjugated_tensor(self, gradient: Any) -> Tensor:
        """Return a gradient as a Tensor in the public convention, with complex values
        conjugated.
        """
        return Tensor(conjugate_complex_grad(gradient))

    def output_grads_after_hooks(self, node: Node, gradient: Any) -> tuple[Any, ...]:
        """Return the gradients of the outputs of a node, one per differentiable slot, after calling
        the gradient hooks of the outputs.
        """
        if node.op.has_single_output:
            return (self._apply_hooks_and_save_output_grad(node, 0, gradient),)
        outs = [node.outs] if len(node.op.outs) == 1 else node.outs
        return tuple(
            self._slot_grads_after_hooks(node, i, outs[i], gradient)
            for i in node.op.grad_out_indices
        )

    def _slot_grads_after_hooks(
        self, node: Node, index: int, out: Any, by_index: dict[int, Any]
    ) -> Any:
        if node.op.outs[index].is_list:
            return [
                self._output_grad_after_hooks(node, index + k, a, by_index)
                for k, a in enumerate(out)
            ]
        return self._output_grad_after_hooks(node, index, out, by_index)

    def _output_grad_after_hooks(
        self, node: Node, index: int, array: Any, by_index: dict[int, Any]
    ) -> Any:
        gradient = by_index.get(index)
        if gradient is None:
            # a PyLayer can turn off materialize_grads
            return self.zeros(array) if node.attrs.get("materialize_grads", True) else None
        return self._apply_hooks_and_save_output_grad(node, index, gradient)

    def _apply_hooks_and_save_output_grad(self, node: Node, index: int, gradient: Any) -> Any:
        if node.hooks is not None and index in node.hooks:
            gradient = self.apply_hooks(gradient, node.hooks[index])
        if (node.seq, index) in self.watched:
            self.watched_grads[node.seq, index] = gradient
        return gradient

    def grad_of(self, tensor: Tensor) -> Tensor | None:
        """Return the gradient of a leaf or of a tensor in `watched`; None if no gradient was
        accumulated.
        """
        found = (
            self.leaf(tensor)
            if tensor.node is None
            else self.watched_grads.get((tensor.node.seq, tensor.index))
        )
        return None if found is None else self.to_conjugated_tensor(found)


class AllNodeGradsSavingBackwardPass(BackwardPass):
    """A backward pass that also saves the gradients of all results at their nodes, as Paddle 1.x
    does for `gradient()`.
    """

    def __init__(self) -> None:
        super().__init__()
        # The pair matches no result, but makes the set non-empty, so that C++ calls
        # _apply_hooks_and_save_output_grad.
        self.watched = {(-1, -1)}

    def _apply_hooks_and_save_output_grad(self, node: Node, index: int, gradient: Any) -> Any:
        gradient = super()._apply_hooks_and_save_output_grad(node, index, gradient)
        node.grads = {**(node.grads or {}), index: gradient}
        return gradient


class RecordableBackwardPass(BackwardPass):
    """A backward pass that computes gradients as Tensors with ops, so that the current mode can
    record them.
    """

    def __init__(
        self, mode: Mode, watched: Iterable[Tensor] = (), reach: ActiveTensors | None = None
    ) -> None:
        super().__init__(watched, reach)
        self.bare = False
        self._mode = mode

    def mode(self) -> Mode:
        """Return the dispatch mode that records the ops of the backward pass."""
        return self._mode

    def initial_grad(self, root: Tensor, gradient: Tensor | None) -> Any:
        """Return the initial gradient of a root as a Tensor; ones if `gradient` is None."""
        if gradient is not None:
            return conjugate_complex_grad(gradient)
        return (
            Tensor(cuda.ones_like(root.array))
            if self._mode.is_eager
            else OPS["fill_any_like"](root, value=1.0)
        )

    def saved_output(self, node: Node, index: int) -> Any:
        """Return a saved output of a node as a Tensor that keeps its node, so that second-order
        gradients flow through the output.
        """
        saved = Tensor(node.outs if node.op.has_single_output else node.outs[index])
        if index in node.op.grad_out_indices:
            saved.stop_gradient, saved.node, saved.index = False, node, index
        return saved

    def zeros(self, array: Any) -> Any:
        """Return a zero gradient like `array`, as a Tensor."""
        return Tensor(cuda.zeros_like(array))

    def reduce_grad_to_input_meta_or_none(self, gradient: Any, like: Tensor) -> Any:
        """Reduce a gradient to the shape and dtype of the input `like` of an op, with ops that can
        be recorded.
        """
        shape, dtype = like.meta
        if not is_inexact(dtype):
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

    def apply_hooks(self, gradient: Any, hooks: Sequence[Any]) -> Any:
        """The gradient after the user's hooks."""
        return conjugate_complex_grad(run_hooks(conjugate_complex_grad(gradient), hooks))

    def to_conjugated_tensor(self, gradient: Any) -> Tensor:
        """Return a gradient in the public convention, with complex values conjugated."""
        return conjugate_complex_grad(gradient)


class NumericsCheckedBackwardPass(RecordableBackwardPass):
    """A backward pass that checks the gradients returned by each gradient op for NaN and
    infinity.
    """

    def __init__(
        self, mode: Mode, watched: Iterable[Tensor] = (), reach: ActiveTensors | None = None
    ) -> None:
        super().__init__(mode, watched, reach)
        self.calls_before_vjp_rule = True
        self._grad_op = ""  # no op yet: the initial gradient comes from the caller

    def before_vjp_rule(self, node: Node) -> None:
        """Called by C++ before the VJP rule of a node: save the name of the gradient op. The
        results of this op are checked in `reduce_grad_to_input_meta_or_none`.
        """
        super().before_vjp_rule(node)
        self._grad_op = f"{node.op.type}_grad"

    def reduce_grad_to_input_meta_or_none(self, gradient: Any, like: Tensor) -> Any:
        """Reduce a gradient to the shape and dtype of the input `like`, and check the result for
        NaN and infinity.
        """
        gradient = super().reduce_grad_to_input_meta_or_none(gradient, like)
        if gradient is not None and self._grad_op:
            check_or_report_op_output(self._grad_op, "its result", gradient.array)
        return gradient


def inputs_requiring_grad(node: Node) -> list[Tensor]:
    """Return the input tensors of a node that require gradients."""
    found: list[Tensor] = []
    for arg in node_inputs_when_recorded(node):
        found += [] if arg is None else [arg] if isinstance(arg, Tensor) else arg
    return [t for t in found if not t.stop_gradient]


def ancestor_nodes(roots: Iterable[Tensor]) -> Iterable[Node]:
    """Return the nodes of all recorded ops on which the tensors `roots` depend."""
    found: dict[int, Node] = {}
    todo = [t.node for t in roots if t.node is not None]
    while todo:
        node = todo.pop()
        if node.seq not in found:
            found[node.seq] = node
            todo += [t.node for t in inputs_requiring_grad(node) if t.node is not None]
    return found.values()


class ActiveTensors:
    """The tensors on a path from the roots of a backward pass to the tensors whose gradients are
    requested. Only tensors on such a path need gradients.

    barred: tensors that no path may contain.
    """

    def __init__(
        self, roots: Iterable[Tensor], wanted: Sequence[Tensor], barred: Sequence[Tensor] = ()
    ) -> None:
        self._requested_leaves = {id(t) for t in wanted if t.node is None}
        self._requested_outputs = {(t.node.seq, t.index) for t in wanted if t.node is not None}
        self._no_grad_keys = {id(t) if t.node is None else (t.node.seq, t.index) for t in barred}
        self.node_seqs: set[int] = set()
        for node in sorted(ancestor_nodes(roots), key=lambda n: n.seq):
            if any(t in self for t in inputs_requiring_grad(node)):
                self.node_seqs.add(node.seq)

    def __contains__(self, tensor: Tensor) -> bool:
        tensor = tensor if tensor._origin is None else tensor._origin
        node = tensor.node
        if node is None:
            return id(tensor) in self._requested_leaves and id(tensor) not in self._no_grad_keys
        key = (node.seq, tensor.index)
        return (
            node.seq in self.node_seqs or key in self._requested_outputs
        ) and key not in self._no_grad_keys


def run_hooks(gradient: Tensor, hooks: Sequence[Any]) -> Tensor:
    """Call each gradient hook with the gradient, and return the gradient. A hook may return a
    replacement, which the next hook receives.

    Raises OpError if the replacement has another shape.
    """
    for hook in list(hooks):
        replaced = hook(gradient)
        if replaced is None:
            continue
        if not isinstance(replaced, Tensor) or replaced.meta.shape != gradient.meta.shape:
            got = replaced.meta if isinstance(replaced, Tensor) else type(replaced).__name__
            raise OpError(
                append_user_line(
                    f"register_hook: a hook returned {got} for a gradient (X={gradient.meta})"
                )
            )
        gradient = replaced
    return gradient


def new_backward_pass(
    create_graph: bool, watched: Iterable[Tensor] = (), reach: ActiveTensors | None = None
) -> BackwardPass:
    """Return the backward pass that fits the current dispatch mode. The backward pass runs on bare
    arrays if nothing records its ops.
    """
    mode = state.mode.without_user_call_wrappers()
    if checks_numerics():
        return NumericsCheckedBackwardPass(mode.mode_with_tape_set(create_graph), watched, reach)
    if mode.allows_bare_arrays and not create_graph:
        if compat.rules.keeps_result_gradients and reach is None:
            return AllNodeGradsSavingBackwardPass()
        return BackwardPass(watched, reach)
    return RecordableBackwardPass(mode.mode_with_tape_set(create_graph), watched, reach)
