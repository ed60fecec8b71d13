"""The two modes that record programs: `Trace` runs and records each op; `Static` records each op
without running it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NoReturn

import numpy as np

from ..core import pytree
from ..core.eager import EagerMode, metas_of_inputs
from ..core.errors import (
    OpError,
    SideEffectError,
    TraceError,
    append_user_line,
    op_error_like,
    user_line,
    warn,
)
from ..core.mode import Mode, base_mode_of
from ..core.op import OPS, Meta, Op, Slot
from ..core.tensor import RemovableHookHandle, Tensor
from ..ir.guards import format_expected_value
from ..ir.program import Guard
from .guarded_int import GuardedShape
from .recorder import Recorder, non_optional_output_slots
from .symbolic_scalars import NONNEGATIVE_INT, mark_symbolic_scalar
from .variable import MaybeUndefinedRecord, Variable

EXTERNAL_WRITE_MESSAGE = "a recorded program cannot change a parameter or another external tensor"


class Trace(EagerMode):
    """Run and record every op, and add a guard for each value and size that Python code reads.

    recorder: the recorder of the program.
    constrained_dims: if given, receives the variable and axis of each size that Python code
    compares or converts.
    """

    is_eager = False
    converts_forward = True
    allows_bare_arrays = (
        False  # VJP rules and called programs run on Tensors, so that ops are recorded
    )
    allows_fused_ops = False

    def __init__(
        self,
        recorder: Recorder,
        tape: bool = True,
        constrained_dims: set[tuple[str, int]] | None = None,
    ) -> None:
        super().__init__(tape)
        self.recorder, self.constrained_dims = recorder, constrained_dims

    def mode_with_tape_set(self, tape: bool) -> Trace:
        """Return a Trace mode with the same recorder that records the tape of autograd if `tape` is
        true.
        """
        return Trace(self.recorder, tape, self.constrained_dims)

    def run(self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Run the op, then record it."""
        result = super().run(op, args, attrs)
        slots = [result] if len(op.outs) == 1 else list(result)
        outputs: dict[str, list[str]] = {}
        for i, slot in non_optional_output_slots(op):
            tensors = slots[i] if slot.is_list else [slots[i]]
            outputs[slot.name] = [self._declare_and_bind_result(op, slot, args, t) for t in tensors]
        self.recorder.add(op, args, attrs, outputs)
        return result

    def _declare_and_bind_result(
        self, op: Op, slot: Slot, args: tuple[Any, ...], tensor: Tensor
    ) -> str:
        name = self.recorder.declare_output(op, slot, args, tensor.meta).name
        self.recorder.bind(tensor, name)
        return name

    def make_inplace_op_input(self, tensor: Tensor) -> Tensor:
        """Return a second Tensor with the value of `tensor`, bound to the same variable of the
        program.
        """
        result = super().make_inplace_op_input(tensor)
        self.recorder.bind(result, self.recorder.find_name_or_declare_persistable(tensor))
        return result

    def assign_inplace(self, tensor: Tensor, made: Tensor) -> None:
        """Give `tensor` the value of `made`, the result of an in-place op, and let `tensor` denote
        the variable of `made`. Raises TraceError if `tensor` is external, that is, not computed by
        the program.
        """
        if (
            not self.recorder.is_tensor_bound_to_variable(tensor)
            or self.recorder.find_name_or_declare_persistable(tensor) in self.recorder.scope
        ):
            raise TraceError(
                append_user_line(f"in place: {EXTERNAL_WRITE_MESSAGE} (X={tensor.meta})")
            )
        super().assign_inplace(tensor, made)
        self.recorder.bind(tensor, self.recorder.find_name_or_declare_persistable(made))

    def on_value_read(self, tensor: Tensor, reader: str) -> None:
        """Add a guard for the value of a tensor that Python reads."""
        if (
            self.recorder.is_tensor_bound_to_variable(tensor)
            and self.recorder.find_name_or_declare_persistable(tensor) not in self.recorder.scope
        ):
            self._add_guard("value", tensor, 0, format_expected_value(tensor.array), reader)
            if tensor.array.ndim > 1:  # the shape is part of what was read
                for axis in range(tensor.array.ndim):
                    self._guard_size(tensor, axis, reader)
                    if self.constrained_dims is not None:
                        self.constrained_dims.add(
                            (self.recorder.find_name_or_declare_persistable(tensor), axis)
                        )

    def shape(self, tensor: Tensor) -> list[Any]:
        """Return the shape of a tensor as a list that adds a guard for each size that is read from
        it.
        """
        if (
            not self.recorder.is_tensor_bound_to_variable(tensor)
            or self.recorder.find_name_or_declare_persistable(tensor) in self.recorder.scope
        ):
            return list(tensor.array.shape)
        constrained_dims, name = (
            self.constrained_dims,
            self.recorder.find_name_or_declare_persistable(tensor),
        )
        on_decision = (
            None if constrained_dims is None else lambda axis: constrained_dims.add((name, axis))
        )
        return GuardedShape(
            tensor.array.shape, lambda axis: self._guard_size(tensor, axis), on_decision
        )

    def _guard_size(self, tensor: Tensor, axis: int, reader: str = "") -> None:
        self._add_guard(
            "dim", tensor, axis, repr(int(tensor.array.shape[axis])), reader or f"shape[{axis}]"
        )

    def _add_guard(self, kind: str, tensor: Tensor, axis: int, expected: str, reader: str) -> None:
        line = user_line()
        where = "" if line is None else f"{line.file}:{line.lineno} in {line.function}"
        text = "" if line is None else line.text
        guard = Guard(
            kind,
            self.recorder.find_name_or_declare_persistable(tensor),
            axis,
            expected,
            reader,
            where,
            text,
        )
        self.recorder.add_guard(guard)


class Static(Mode):
    """Record every op without running it. Reading a dynamic size returns a Variable."""

    is_eager = False
    converts_forward = True
    # The function that `gradients` calls to record gradients. The package autodiff, which imports
    # this module, sets it.
    emit_gradients: ClassVar[Callable[..., list[Any] | None]]
    static = True
    continues = False  # whether recording continues after an error
    # The function that records `switch_case`. The module control/switch_case.py, which imports this
    # module, sets it.
    emit_switch_case: ClassVar[Callable[..., Any]]

    def __init__(
        self, recorder: Recorder, convert: Callable[[Any], Any] | None = None, trains: bool = False
    ) -> None:
        self.recorder = recorder
        self.is_for_training = self.tape = trains  # whether results get stop_gradient
        self._convert = convert

    @property
    def converts_source(self) -> bool:
        """Whether Python functions are converted before they are called."""
        return self._convert is not None

    def record_missing_gradient_reason(self, why: str) -> None:
        """Record a reason why the program cannot provide gradients."""
        if self.tape:
            self.recorder.missing_gradient_reasons.append(why)

    def on_gradient_hook_registered(self, tensor: Tensor, handle: RemovableHookHandle) -> None:
        """Record the handle of a hook on an external tensor, so that the hook can be removed if the
        recording fails or when an export ends. Hooks on Variables need no removal.
        """
        if not isinstance(tensor, Variable):
            self.recorder.hooks.append(handle)

    def reject_or_must_skip_side_effect(self, what: str) -> bool:
        """Raise SideEffectError; return False in a static-graph program, which allows `what`. While
        `oarlock explain` runs, collect the error instead and return True: the caller then skips the
        operation `what`.
        """
        if self.program_builder is not None:
            return False
        why = f"{what}: cannot be part of a `to_static` program; move it out of the function"
        error = self.recorder.side_effect = SideEffectError(append_user_line(why))
        self.raise_error_unless_collecting(error, None)
        return True

    def run_or_record_switch_case(
        self, index: Tensor, branches: Sequence[Callable[[], Any]]
    ) -> Any:
        """Record a `switch_case`."""
        return Static.emit_switch_case(index, list(branches))

    def convert_forward(self, function: Any) -> Any:
        """Return `function` converted to record control flow; unchanged if this mode converts no
        source.
        """
        return function if self._convert is None else self._convert(function)

    def gradients(self, roots: Any, given: Any, wanted: Any, barred: Any) -> list[Any] | None:
        """Record the ops that compute the gradients of `roots` with respect to `wanted`, and return
        the gradients. Return None for a static-graph program, where `static.gradients` records
        gradients.
        """
        # In a static-graph program, the caller uses `static.gradients` instead.
        if self.program_builder is not None:
            return None
        if len(self.recorder.open_blocks) > 1:
            raise TraceError(
                append_user_line("grad: is not supported inside a branch or loop of a program")
            )
        start = len(self.recorder.block.ops)
        gradients = Static.emit_gradients(roots, wanted, given, barred)
        for op in self.recorder.block.ops[start:]:
            # the gradient ops of `paddle.grad` are part of the forward pass
            op.attrs.pop("op_role", None)
        return gradients

    def mode_with_tape_set(self, tape: bool) -> Static:
        """Return a Static mode with the same recorder. If the program is recorded for training,
        results of ops recorded with `tape` false get stop_gradient=True.
        """
        if not self.is_for_training or tape == self.tape:
            return self
        result = Static(self.recorder, self._convert, True)
        result.tape, result.caller_has_tape = tape, self.caller_has_tape
        return result

    def raise_error_unless_collecting(self, error: Exception, replacement: Any) -> Any:
        """Raise an error of the recording. While `oarlock explain` runs, collect the error and
        return `replacement`, the value with which the capture continues.
        """
        raise error

    def run(self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Infer shapes and dtypes of the op's results, record the op, and return Variables for the
        results.
        """
        args = tuple(
            [self._check_or_reshape_path_dependent_operand(op, one) for one in arg]
            if isinstance(arg, list | tuple)
            else self._check_or_reshape_path_dependent_operand(op, arg)
            for arg in args
        )
        metas = metas_of_inputs(op, args)
        try:
            inferred = op.infer(metas, attrs)
        except (OpError, TypeError) as error:
            why = str(error).removeprefix(f"{op.public_name}: ")
            wrong = op_error_like(
                error, append_user_line(f"{op.public_name}: {why} ({op.format_inputs(metas)})")
            )
            wrong.__suppress_context__ = True
            inferred = self.raise_error_unless_collecting(
                wrong, _result_metas_after_rejection(op, metas)
            )
        slots = [inferred] if len(op.outs) == 1 else list(inferred)
        result = [
            self._declare_slot_results(op, s, args, m) for s, m in zip(op.outs, slots, strict=True)
        ]
        outputs = {
            s.name: result_names_of_slot(result[i]) for i, s in non_optional_output_slots(op)
        }
        written = self.recorder.add(op, args, attrs, outputs)
        for slot in result:
            for variable in slot if isinstance(slot, list) else [slot]:
                variable.user_line = written.user_line
        return result[0] if len(op.outs) == 1 else tuple(result)

    def _check_or_reshape_path_dependent_operand(self, op: Op, operand: Any) -> Any:
        """Return an input of an op after checking that it is defined and has the same dtype and
        rank on all paths; report an error if not. A scalar that is 0-D on one path and has shape
        [1] on another is reshaped to 0-D for the op, with a warning; `reshape2` receives it
        unchanged.
        """
        if not isinstance(operand, Variable):
            return operand
        maybe_undefined = operand.maybe_undefined
        if (
            maybe_undefined is not None
            and maybe_undefined.block == self.recorder.block.idx
            and not self.recorder.is_variable_known_defined(maybe_undefined)
        ):
            self.raise_error_unless_collecting(maybe_undefined_error(maybe_undefined), None)
        if operand.is_mixed_scalar and op.type != "reshape2":
            warn(
                f"{op.public_name}: an operand is 0-D in one branch and 1-D in the other; it "
                f"becomes 0-D{operand.mixed_types}"
            )
            self.recorder.has_merged_ranks = True
            operand = OPS["reshape2"](operand, shape=[])
        elif operand.mixed_types and not operand.is_mixed_scalar:
            why = (
                "an operand has another dtype or number of axes in each branch; it can only "
                "be fetched or returned"
            )
            self.raise_error_unless_collecting(
                TraceError(append_user_line(f"{op.public_name}: {why}{operand.mixed_types}")), None
            )
        return operand

    def _declare_slot_results(self, op: Op, slot: Slot, args: tuple[Any, ...], metas: Any) -> Any:
        if slot.is_list:
            return [self._declare_result(op, slot, args, m) for m in metas]
        return self._declare_result(op, slot, args, metas)

    def _declare_result(self, op: Op, slot: Slot, args: tuple[Any, ...], meta: Meta) -> Variable:
        desc = self.recorder.declare_output(op, slot, args, meta)
        if self.is_for_training and not self.tape and not desc.persistable:
            desc.stop_gradient = True
        return self.recorder.create_variable(desc)

    def make_inplace_op_input(self, tensor: Tensor) -> Tensor:
        """Return a second Variable that denotes the same variable of the program. An external
        tensor is returned itself; if no program may write it, raises TraceError.
        """
        if not isinstance(tensor, Variable):
            self._reject_forbidden_external_write(tensor)
            return tensor
        self.recorder.aliases.reject_invalidated_tensor(tensor)
        return self.recorder.create_variable(tensor.raw)

    def assign_inplace(self, tensor: Tensor, made: Tensor) -> None:
        """Let `tensor` denote the variable of `made`, the result of an in-place op, and invalidate
        its aliases. If `tensor` is external, such as a buffer, append an op that assigns the result
        to it.
        """
        assert isinstance(made, Variable)
        if not isinstance(tensor, Variable):
            self._reject_forbidden_external_write(tensor)
            name = self.recorder.find_name_or_declare_persistable(tensor)
            self.recorder.append_op("assign", {"X": [made.name]}, {"Out": [name]})
        else:
            self.rebind(tensor, made)
        self.recorder.aliases.invalidate_tensor_aliases(tensor)

    def rebind(self, tensor: Variable, made: Variable) -> None:
        """Let `tensor` denote the variable of `made`, without invalidating the aliases of
        `tensor`.
        """
        for inner in self.recorder.open_blocks[1:]:
            inner.inplace_writes.setdefault(id(tensor), (tensor, tensor.raw))
        tensor.raw = made.raw
        tensor._name = made.raw.name
        self.recorder.bind(tensor, made.raw.name)

    def on_tensor_set_to_require_gradient(self, tensor: Tensor) -> None:
        """Make `tensor` the start of a gradient path, after the user set stop_gradient=False. A
        computed `tensor` denotes a copy of its variable from now on; gradients flow to the copy,
        not to the variable.
        """
        assert isinstance(tensor, Variable)
        self.recorder.aliases.reject_invalidated_tensor(tensor)
        is_given = tensor.raw.checks_feed or tensor.raw.persistable
        if (
            self.program_builder is None
            and self.tape
            and not is_given
            and self.recorder.var(tensor.name) is tensor.raw
        ):
            self.rebind(tensor, OPS["assign"](tensor))

    def _reject_forbidden_external_write(self, tensor: Tensor) -> None:
        """Raise TraceError for an external tensor that the program may not write. A static-graph
        program may not write external tensors; other programs may not write an external tensor that
        requires gradients while gradients are recorded.
        """
        if self.program_builder is not None or not (tensor.stop_gradient or not self.tape):
            raise TraceError(
                append_user_line(f"in place: {EXTERNAL_WRITE_MESSAGE} (X={tensor.meta})")
            )

    def shape(self, tensor: Tensor) -> list[Any]:
        """Return the shape of a tensor as a list. Reading a dynamic size from the list returns a
        Variable.
        """
        sizes = tensor.meta.shape
        if all(d >= 0 for d in sizes):
            return list(sizes)
        return SymbolicShape(sizes, DynamicSizeEmitter(self.recorder, tensor))

    def on_value_read(self, tensor: Tensor, reader: str) -> None:
        """Add a guard for the elements of an external tensor, which become constants of the
        program. The method is not called for a Variable, because Variables reject reads themselves.
        """
        if self.recorder.read_tracker is not None:
            self.recorder.read_tracker.guard_tensor_elements(tensor, reader)


def _result_metas_after_rejection(op: Op, metas: tuple[Any, ...]) -> Any:
    """Return a Meta for each result of an op whose inputs shape inference rejected: that of the
    first input. `oarlock explain` continues the capture with the returned Metas.
    """
    first = next((m for m in metas if isinstance(m, Meta)), Meta((), np.dtype("float32")))
    found = [[first] if slot.is_list else first for slot in op.outs]
    return found[0] if len(found) == 1 else tuple(found)


def raise_maybe_undefined(maybe_undefined: MaybeUndefinedRecord) -> NoReturn:
    """Raise MaybeUndefinedError for a variable that may have no value."""
    raise maybe_undefined_error(maybe_undefined)


class MaybeUndefinedError(TraceError):
    """Raised if an op reads a variable that is assigned only on some paths."""


def maybe_undefined_error(maybe_undefined: MaybeUndefinedRecord) -> MaybeUndefinedError:
    """Return the MaybeUndefinedError for a variable that may have no value."""
    fix = (
        ""
        if maybe_undefined.none_flag is not None
        else "; assign it before, or use it under the same condition"
    )
    reason = f"{maybe_undefined.defined_when}{fix}{maybe_undefined.branch_values}"
    why = f"'{maybe_undefined.name}' {reason}"
    return MaybeUndefinedError(append_user_line(why))


def find_static_base_mode(mode: Mode) -> Static | None:
    """Return `mode`, or the mode that it wraps, if that is a `Static` mode; otherwise None."""
    base = base_mode_of(mode)
    return base if isinstance(base, Static) else None


def recorder_of_mode(mode: Mode) -> Recorder | None:
    """Return the recorder of `mode` or of the mode that it wraps; None if the mode records no
    program.
    """
    base = base_mode_of(mode)
    return base.recorder if isinstance(base, Static | Trace) else None


def result_names_of_slot(result: Any) -> list[str]:
    """Return the names of the variables in one output slot, given as a tensor or a list of
    tensors.
    """
    return [result.name] if isinstance(result, Tensor) else [t.name for t in result]


class DynamicSizeEmitter:
    """Emits reads of dynamic sizes of one tensor. All reads share one `shape` op while its result
    is visible in the current block.
    """

    def __init__(self, recorder: Recorder, tensor: Tensor) -> None:
        self._recorder, self._tensor = recorder, tensor
        self._variable_name = tensor.name
        self._shape_output: Variable | None = None

    def __call__(self, axis: int) -> Tensor:
        """Return the size of an axis as a 0-D int32 Variable."""
        shape_output = self._shape_output
        if (
            shape_output is None
            or self._tensor.name != self._variable_name
            or self._recorder.var(shape_output.name) is not shape_output.raw
        ):
            self._variable_name = self._tensor.name
            shape_output = self._shape_output = OPS["shape"](self._tensor)
        return emit_axis_size(self._tensor, axis, shape_output)


def emit_axis_size(tensor: Tensor, axis: int, sizes: Tensor | None = None) -> Tensor:
    """Return the size of an axis as a 0-D int32 Variable, by a `shape` and a `slice` op as in
    Paddle.

    sizes: the result of the `shape` op if it was already recorded.
    """
    sizes = OPS["shape"](tensor) if sizes is None else sizes
    size: Tensor = OPS["slice"](
        sizes, axes=[0], starts=[axis], ends=[axis + 1], infer_flags=[1], decrease_axis=[0]
    )
    dims = tensor.raw.dims if isinstance(tensor, Variable) else ()
    dim = dims[axis] if 0 <= axis < len(dims) else None
    kind = NONNEGATIVE_INT if dim is None else replace(NONNEGATIVE_INT, dim_name=dim.name)
    return mark_symbolic_scalar(size, kind)


class UnreadSize:
    """Item of a SymbolicShape: a dynamic size that no code has read yet."""

    def __init__(self, axis: int) -> None:
        self.axis = axis

    def __repr__(self) -> str:
        return "?"


class SymbolicShape(list[Any]):
    """A shape with dynamic sizes. Reading a dynamic size returns a Variable."""

    def __init__(self, sizes: tuple[int, ...], variable: Callable[[int], Tensor]) -> None:
        super().__init__(UnreadSize(axis) if size < 0 else size for axis, size in enumerate(sizes))
        self._read_size = variable

    def _emit_size_if_unread(self, item: Any) -> Any:
        return self._read_size(item.axis) if isinstance(item, UnreadSize) else item

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return (
            [self._emit_size_if_unread(i) for i in found]
            if isinstance(index, slice)
            else self._emit_size_if_unread(found)
        )

    def __iter__(self) -> Iterator[Any]:
        return (self._emit_size_if_unread(item) for item in super().__iter__())

    def __reversed__(self) -> Iterator[Any]:
        return (self._emit_size_if_unread(item) for item in super().__reversed__())

    def pop(self, index: Any = -1) -> Any:
        """Remove a size from the shape and return it."""
        return self._emit_size_if_unread(super().pop(index))

    def __add__(self, other: Any) -> list[Any]:
        return self[:] + list(other)

    def __radd__(self, other: Any) -> list[Any]:
        return list(other) + self[:]

    def __mul__(self, count: Any) -> list[Any]:
        return self[:] * count

    __rmul__ = __mul__

    def copy(self) -> list[Any]:
        """Return the sizes as a plain list, dynamic sizes as Variables."""
        return self[:]


# pytree flattens a SymbolicShape like a list; dynamic sizes become Variables.
pytree.register_unwrapped_proxy_type(SymbolicShape, lambda shape: shape[:])


def _make_rejecting_comparison_method(name: str) -> Callable[..., NoReturn]:
    """Return a replacement for the method `name` of list that raises TraceError, because the method
    would compare dynamic sizes.
    """

    def method(self: SymbolicShape, *_: Any) -> NoReturn:
        why = f"shape {list.__repr__(self)} has sizes known only at run time; it cannot be compared"
        raise TraceError(append_user_line(why))

    return method


for _name in (
    "__contains__",
    "__eq__",
    "__ge__",
    "__gt__",
    "__le__",
    "__lt__",
    "__ne__",
    "count",
    "index",
    "remove",
    "sort",
):
    setattr(SymbolicShape, _name, _make_rejecting_comparison_method(_name))
SymbolicShape.__hash__ = None
