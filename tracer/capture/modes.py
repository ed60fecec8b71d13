"""The two modes that write a program: `Trace` runs each op and notes it, `Static` only notes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, NoReturn

import numpy as np

from ..core import pytree
from ..core.eager import Eager, metas_of
from ..core.errors import (
    OpError,
    SideEffectError,
    TraceError,
    same_kind,
    user_line,
    warn,
    with_user_line,
)
from ..core.mode import Mode, base_mode
from ..core.op import OPS, Meta, Op, Slot
from ..core.tensor import RemovableHook, Tensor
from ..ir.guards import shown_value
from ..ir.program import Guard
from .guarded_int import WatchedShape
from .recorder import Recorder, recorded_slots
from .symbolic_scalars import NATURAL, marked
from .variable import Half, Variable

OUTSIDE = "a parameter or another tensor from outside cannot be changed by a recorded program"


class Trace(Eager):
    """Run every op, write it down, and note what Python reads of the values.

    recorder: the program, with the reads as guards; decided: where given, the sizes that Python
    does more than compute with are put there: variable and axis.
    """

    is_eager = False
    bare = False  # gradients, and programs that are called, are recorded op by op

    def __init__(
        self, recorder: Recorder, tape: bool = True, decided: set[tuple[str, int]] | None = None
    ) -> None:
        super().__init__(tape)
        self.recorder, self.decided = recorder, decided

    def with_tape(self, tape: bool) -> Trace:
        """The same recording, with or without a tape."""
        return Trace(self.recorder, tape, self.decided)

    def run(self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Run, then write down."""
        made = super().run(op, args, attrs)
        slots = [made] if len(op.outs) == 1 else list(made)
        outputs: dict[str, list[str]] = {}
        for i, slot in recorded_slots(op):
            tensors = slots[i] if slot.many else [slots[i]]
            outputs[slot.name] = [self._name_result(op, slot, args, t) for t in tensors]
        self.recorder.add(op, args, attrs, outputs)
        return made

    def _name_result(self, op: Op, slot: Slot, args: tuple[Any, ...], tensor: Tensor) -> str:
        name = self.recorder.new_output(op, slot, args, tensor.meta).name
        self.recorder.bind(tensor, name)
        return name

    def snapshot(self, tensor: Tensor) -> Tensor:
        """See Mode.snapshot."""
        made = super().snapshot(tensor)
        self.recorder.bind(made, self.recorder.name_of(tensor))
        return made

    def assign_inplace(self, tensor: Tensor, made: Tensor) -> None:
        """Raises TraceError for a tensor that does not belong to the program."""
        if not self.recorder.knows(tensor) or self.recorder.name_of(tensor) in self.recorder.scope:
            raise TraceError(with_user_line(f"in place: {OUTSIDE} (X={tensor.meta})"))
        super().assign_inplace(tensor, made)
        self.recorder.bind(tensor, self.recorder.name_of(made))

    def read(self, tensor: Tensor, reader: str) -> None:
        """Note that Python saw a value."""
        if self.recorder.knows(tensor) and self.recorder.name_of(tensor) not in self.recorder.scope:
            self._note("value", tensor, 0, shown_value(tensor.array), reader)
            if tensor.array.ndim > 1:  # as many values in another shape are another array
                for axis in range(tensor.array.ndim):
                    self._note_dim(tensor, axis, reader)
                    if self.decided is not None:
                        self.decided.add((self.recorder.name_of(tensor), axis))

    def shape(self, tensor: Tensor) -> list[Any]:
        """The shape, as a list that notes which sizes are looked at."""
        if not self.recorder.knows(tensor) or self.recorder.name_of(tensor) in self.recorder.scope:
            return list(tensor.array.shape)
        decided, name = self.decided, self.recorder.name_of(tensor)
        decide = None if decided is None else lambda axis: decided.add((name, axis))
        return WatchedShape(tensor.array.shape, lambda axis: self._note_dim(tensor, axis), decide)

    def _note_dim(self, tensor: Tensor, axis: int, reader: str = "") -> None:
        self._note(
            "dim", tensor, axis, repr(int(tensor.array.shape[axis])), reader or f"shape[{axis}]"
        )

    def _note(self, kind: str, tensor: Tensor, axis: int, expected: str, reader: str) -> None:
        line = user_line()
        where = "" if line is None else f"{line.file}:{line.lineno} in {line.function}"
        text = "" if line is None else line.text
        guard = Guard(kind, self.recorder.name_of(tensor), axis, expected, reader, where, text)
        self.recorder.assume(guard)


class Static(Mode):
    """Write every op down without running it; a size that is not known becomes a value of the
    program.
    """

    is_eager = False
    # set by autodiff, which emits ops in this mode
    differentiate: ClassVar[Callable[..., list[Any] | None]]
    static = True
    continues = False  # whether recording continues after an error
    # `switch_case`, set by control/switch_case.py, which builds on this file
    switch: ClassVar[Callable[..., Any]]

    def __init__(
        self, recorder: Recorder, convert: Callable[[Any], Any] | None = None, trains: bool = False
    ) -> None:
        self.recorder = recorder
        self.trains = self.tape = trains  # whether what no gradient flows through is marked
        self._convert = convert

    @property
    def converts(self) -> bool:
        """Whether source is converted on the way."""
        return self._convert is not None

    def note_missing_gradient(self, why: str) -> None:
        """See Mode.note_missing_gradient."""
        if self.tape:
            self.recorder.cuts.append(why)

    def on_hook_registered(self, tensor: Tensor, handle: RemovableHook) -> None:
        """See Mode.on_hook_registered."""
        if not isinstance(tensor, Variable):
            self.recorder.hooks.append(handle)

    def refuse_side_effect(self, what: str) -> bool:
        """Implement Mode.refuse_side_effect. While `oarlock explain` runs, record the error and
        return True, so that the caller skips `what`.
        """
        if self.builder is not None:
            return False
        why = f"{what}: cannot be part of a `to_static` program; move it out of the function"
        error = self.recorder.side_effect = SideEffectError(with_user_line(why))
        self.trouble(error, None)
        return True

    def select(self, index: Tensor, branches: Sequence[Callable[[], Any]]) -> Any:
        """See Mode.select."""
        return Static.switch(index, list(branches))

    def convert_forward(self, function: Any) -> Any:
        """See Mode.convert_forward."""
        return function if self._convert is None else self._convert(function)

    def gradients(self, roots: Any, given: Any, wanted: Any, barred: Any) -> list[Any] | None:
        """See Mode.gradients."""
        # a program that is written by hand has functions of its own for that
        if self.builder is not None:
            return None
        if len(self.recorder.open) > 1:
            raise TraceError(
                with_user_line(
                    "grad: inside of a branch or a loop that a program takes, there are "
                    "no "
                    "gradients"
                )
            )
        start = len(self.recorder.block.ops)
        found = Static.differentiate(roots, wanted, given, barred)
        for op in self.recorder.block.ops[start:]:
            op.attrs.pop("op_role", None)  # a part of the program forward
        return found

    def with_tape(self, tape: bool) -> Static:
        """The same recording; in one to train, no gradients flow through what is recorded without a
        tape.
        """
        if not self.trains or tape == self.tape:
            return self
        made = Static(self.recorder, self._convert, True)
        made.tape, made.called_with_tape = tape, self.called_with_tape
        return made

    def trouble(self, error: Exception, instead: Any) -> Any:
        """Raise an error of the recording.

        A mode that looks for all of them notes it, and gives what to go on with.
        """
        raise error

    def run(self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Infer what the results are, and write the op down."""
        args = tuple(
            [self._sure(op, one) for one in arg]
            if isinstance(arg, list | tuple)
            else self._sure(op, arg)
            for arg in args
        )
        metas = metas_of(op, args)
        try:
            inferred = op.infer(metas, attrs)
        except (OpError, TypeError) as error:
            why = str(error).removeprefix(f"{op.type}: ")
            wrong = same_kind(
                error, with_user_line(f"{op.type}: {why} ({op.format_inputs(metas)})")
            )
            wrong.__suppress_context__ = True
            inferred = self.trouble(wrong, _like_operands(op, metas))
        slots = [inferred] if len(op.outs) == 1 else list(inferred)
        made = [self._results(op, s, args, m) for s, m in zip(op.outs, slots, strict=True)]
        outputs = {s.name: names_of(made[i]) for i, s in recorded_slots(op)}
        written = self.recorder.add(op, args, attrs, outputs)
        for slot in made:
            for variable in slot if isinstance(slot, list) else [slot]:
                variable.where = written.where
        return made[0] if len(op.outs) == 1 else tuple(made)

    def _sure(self, op: Op, operand: Any) -> Any:
        """The operand, refused where it may have no value, or values of which nothing is known.

        A number, or a list of one, is the number.
        """
        if not isinstance(operand, Variable):
            return operand
        half = operand.half
        if (
            half is not None
            and half.block == self.recorder.block.idx
            and not self.recorder.is_known(half)
        ):
            self.trouble(half_error(half), None)
        if operand.single and op.type != "reshape2":
            warn(
                f"{op.type}: an operand has no axes in one branch, and one in the other; "
                f"it is taken with none{operand.mixed}"
            )
            self.recorder.merges_ranks = True
            operand = OPS["reshape2"](operand, shape=[])
        elif operand.mixed and not operand.single:
            why = (
                "an operand has another dtype or number of axes in each branch; it can only "
                "be fetched, or given back"
            )
            self.trouble(TraceError(with_user_line(f"{op.type}: {why}{operand.mixed}")), None)
        return operand

    def _results(self, op: Op, slot: Slot, args: tuple[Any, ...], metas: Any) -> Any:
        if slot.many:
            return [self._result(op, slot, args, m) for m in metas]
        return self._result(op, slot, args, metas)

    def _result(self, op: Op, slot: Slot, args: tuple[Any, ...], meta: Meta) -> Variable:
        desc = self.recorder.new_output(op, slot, args, meta)
        if self.trains and not self.tape and not desc.persistable:
            desc.stop_gradient = True
        return self.recorder.variable(desc)

    def snapshot(self, tensor: Tensor) -> Tensor:
        """See Mode.snapshot."""
        if not isinstance(tensor, Variable):
            self._refuse_outside(tensor)
            return tensor
        self.recorder.aliases.check(tensor)
        return self.recorder.variable(tensor.raw)

    def assign_inplace(self, tensor: Tensor, made: Tensor) -> None:
        """See Mode.assign_inplace.   A buffer is written by the program, at this place of it."""
        assert isinstance(made, Variable)
        if not isinstance(tensor, Variable):
            self._refuse_outside(tensor)
            name = self.recorder.name_of(tensor)
            self.recorder.emit("assign", {"X": [made.name]}, {"Out": [name]})
        else:
            self.rebind(tensor, made)
        self.recorder.aliases.written(tensor)

    def rebind(self, tensor: Variable, made: Variable) -> None:
        """Let `tensor` be the variable that `made` is from now on; what may be the same tensor does
        not hear of it.
        """
        for inner in self.recorder.open[1:]:
            inner.changed.setdefault(id(tensor), (tensor, tensor.raw))
        tensor.raw = made.raw
        tensor._name = made.raw.name
        self.recorder.bind(tensor, made.raw.name)

    def begin_gradient(self, tensor: Tensor) -> None:
        """See Mode.begin_gradient.

        The variable before, through which no gradient flows, stays in between.
        """
        assert isinstance(tensor, Variable)
        self.recorder.aliases.check(tensor)
        given = tensor.raw.checks_feed or tensor.raw.persistable
        if (
            self.builder is None
            and self.tape
            and not given
            and self.recorder.var(tensor.name) is tensor.raw
        ):
            self.rebind(tensor, OPS["assign"](tensor))

    def _refuse_outside(self, tensor: Tensor) -> None:
        """Raise TraceError for a tensor from outside that no program may write: one that wants
        gradients, or beside one written by hand.
        """
        if self.builder is not None or not (tensor.stop_gradient or not self.tape):
            raise TraceError(with_user_line(f"in place: {OUTSIDE} (X={tensor.meta})"))

    def shape(self, tensor: Tensor) -> list[Any]:
        """The shape; looking at a size that is not known gives a value of the program."""
        sizes = tensor.meta.shape
        if all(d >= 0 for d in sizes):
            return list(sizes)
        return SymbolicShape(sizes, Sizes(self.recorder, tensor))

    def read(self, tensor: Tensor, reader: str) -> None:
        """A tensor with a value is a constant of the program; reading it assumes nothing of the
        inputs, but what it holds.
        """
        if self.recorder.looked is not None:
            self.recorder.looked.value(tensor, reader)


def _like_operands(op: Op, metas: tuple[Any, ...]) -> Any:
    """What the results of an op are taken for that refuses its operands: like the first of them."""
    first = next((m for m in metas if isinstance(m, Meta)), Meta((), np.dtype("float32")))
    found = [[first] if slot.many else first for slot in op.outs]
    return found[0] if len(found) == 1 else tuple(found)


def refuse_half(half: Half) -> NoReturn:
    """Say that a variable may have no value."""
    raise half_error(half)


class NoValue(TraceError):
    """A variable may have no value here."""


def half_error(half: Half) -> NoValue:
    """The error for a variable that may have no value."""
    fix = (
        ""
        if half.none is not None
        else ("; give it one before, or use it under the same condition")
    )
    why = f"'{half.name}' {half.why}{fix}{half.sides}"
    return NoValue(with_user_line(why))


def static_mode(mode: Mode) -> Static | None:
    """The `Static` that `mode` is, or is over; None where no program is written by names only."""
    found = base_mode(mode)
    return found if isinstance(found, Static) else None


def recorder_of(mode: Mode) -> Recorder | None:
    """What the mode writes to, if it writes a program."""
    found = base_mode(mode)
    return found.recorder if isinstance(found, Static | Trace) else None


def names_of(made: Any) -> list[str]:
    """The names of one slot's results."""
    return [made.name] if isinstance(made, Tensor) else [t.name for t in made]


class Sizes:
    """The sizes of a tensor, of which one op asks as long as it can be seen where one is wanted."""

    def __init__(self, recorder: Recorder, tensor: Tensor) -> None:
        self._recorder, self._tensor = recorder, tensor
        self._name = tensor.name
        self._sizes: Variable | None = None

    def __call__(self, axis: int) -> Tensor:
        """That of an axis."""
        held = self._sizes
        if (
            held is None
            or self._tensor.name != self._name
            or self._recorder.var(held.name) is not held.raw
        ):
            self._name = self._tensor.name
            held = self._sizes = OPS["shape"](self._tensor)
        return size_variable(self._tensor, axis, held)


def size_variable(tensor: Tensor, axis: int, sizes: Tensor | None = None) -> Tensor:
    """The size of an axis as a 0-D int32 value of the program, as real Paddle writes it: shape,
    then slice.

    sizes: all of them, if they are there
    """
    sizes = OPS["shape"](tensor) if sizes is None else sizes
    found: Tensor = OPS["slice"](
        sizes, axes=[0], starts=[axis], ends=[axis + 1], infer_flags=[1], decrease_axis=[0]
    )
    return marked(found, NATURAL)


class Unknown:
    """A size that only a run will know, in a SymbolicShape."""

    def __init__(self, axis: int) -> None:
        self.axis = axis

    def __repr__(self) -> str:
        return "?"


class SymbolicShape(list[Any]):
    """A shape with sizes known only at run time: whoever looks at one gets a Variable."""

    def __init__(self, sizes: tuple[int, ...], variable: Callable[[int], Tensor]) -> None:
        super().__init__(Unknown(axis) if size < 0 else size for axis, size in enumerate(sizes))
        self._variable = variable

    def _known(self, item: Any) -> Any:
        return self._variable(item.axis) if isinstance(item, Unknown) else item

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return [self._known(i) for i in found] if isinstance(index, slice) else self._known(found)

    def __iter__(self) -> Iterator[Any]:
        return (self._known(item) for item in super().__iter__())

    def __reversed__(self) -> Iterator[Any]:
        return (self._known(item) for item in super().__reversed__())

    def pop(self, index: Any = -1) -> Any:
        """The size taken away."""
        return self._known(super().pop(index))

    def __add__(self, other: Any) -> list[Any]:
        return self[:] + list(other)

    def __radd__(self, other: Any) -> list[Any]:
        return list(other) + self[:]

    def __mul__(self, count: Any) -> list[Any]:
        return self[:] * count

    __rmul__ = __mul__

    def copy(self) -> list[Any]:
        """A plain list of the sizes."""
        return self[:]


# Flattened like a list; dynamic sizes become values of the program.
pytree.register_proxy(SymbolicShape, lambda shape: shape[:])


def _refusing(name: str) -> Callable[..., NoReturn]:
    """A method of list that would compare sizes that are not known."""

    def method(self: SymbolicShape, *_: Any) -> NoReturn:
        why = f"shape {list.__repr__(self)} has sizes known only at run time; it cannot be compared"
        raise TraceError(with_user_line(why))

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
    setattr(SymbolicShape, _name, _refusing(_name))
SymbolicShape.__hash__ = None
