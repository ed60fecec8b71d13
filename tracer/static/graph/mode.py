"""The mode that writes programs by hand, and who turns it on and off."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar

from ...capture.modes import Static, static_mode
from ...capture.variable import Variable
from ...core import unique_name
from ...core.dtype import is_float
from ...core.errors import OperandError, OpError, is_library_file, with_user_line
from ...core.mode import Mode, base_mode, state, use_mode
from ...core.op import Meta, Op, Slot
from ...core.paddle1_compat import compat
from ...core.tensor import Tensor
from ...ir.program import OpDesc
from .default_programs import default_main_program
from .program import Program
from .program_recorder import HandRecorder

# Ops that accept integers here, but raise TypeError in Paddle's functions that record programs.
FLOATS_ONLY = frozenset(
    {
        "brelu",
        "hard_shrink",
        "leaky_relu",
        "prelu",
        "relu",
        "relu6",
        "softshrink",
        "thresholded_relu",
    }
)


def _any_wants(args: tuple[Any, ...]) -> bool:
    """Whether an operand wants a gradient.

    In Paddle 2 a result of none that does wants none itself; in 1.x it did.
    """
    return any(
        isinstance(t, Tensor) and not t.stop_gradient
        for arg in args
        for t in (arg if isinstance(arg, list | tuple) else (arg,))
    )


class StaticGraphMode(Static):
    """Write every op to the main program in force.

    program: another one to write to; tape: whether gradients flow through results

    convert: what makes a function write its control flow, where that is wanted
    """

    trains = True
    make_builder: ClassVar[Callable[[StaticGraphMode], Any]]  # set by builder

    def __init__(
        self,
        program: Program | None = None,
        tape: bool = True,
        convert: Callable[[Any], Any] | None = None,
    ) -> None:
        self._program = program
        self._convert = convert
        self.tape = tape
        self.builder = StaticGraphMode.make_builder(self)

    @property
    def program(self) -> Program:
        """The program that is written to."""
        return default_main_program() if self._program is None else self._program

    @property
    def recorder(self) -> HandRecorder:  # type: ignore[override]
        """What writes to it."""
        return self.program.recorder

    def run(self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """See Mode.run.   Operands of another program take the op there."""
        if (
            op.type in FLOATS_ONLY
            and isinstance(args[0], Tensor)
            and not is_float(args[0].meta.dtype)
        ):
            raise OperandError(
                with_user_line(f"{op.type}: X is not a tensor of floats (X={args[0].meta})")
            )
        other = self._home(args) if self._program is None else None
        if other is not None:
            with use_mode(StaticGraphMode(other, self.tape, self._convert)):
                return op(*args, **attrs)
        namer = self.recorder.namer
        if namer.operator and not namer.owner:
            return super().run(op, args, attrs)
        with self.recorder.owned_by(namer.owner or unique_name.generate(op.type)):
            return super().run(op, args, attrs)

    def _home(self, args: tuple[Any, ...]) -> Program | None:
        """The program of an operand that this one does not know by its name; None where all are
        known.
        """
        program = self.program
        for arg in args:
            for one in arg if isinstance(arg, list) else (arg,):
                block = one._block if isinstance(one, Variable) else None
                if (
                    block is not None
                    and block.program is not program
                    and self.recorder.var(one.raw.name) is None
                ):
                    return block.program
        return None

    def with_tape(self, tape: bool) -> StaticGraphMode:
        """The same; no gradients flow through what is written without a tape."""
        return self if tape == self.tape else StaticGraphMode(self._program, tape, self._convert)

    def _result(self, op: Op, slot: Slot, args: tuple[Any, ...], meta: Meta) -> Variable:
        desc = self.recorder.new_output(op, slot, args, meta)
        if slot.over:  # the operand itself, whichever block declares it
            return self.program.current_block()._var_recursive(desc.name)
        constant = bool(op.traits.no_grad) or slot.intermediate or not is_float(meta.dtype)
        desc.stop_gradient = (
            constant or not self.tape or not (compat.is_paddle1 or _any_wants(args))
        )
        return self.program.current_block().of(desc)

    def snapshot(self, tensor: Tensor) -> Tensor:
        """Return a copy of the tensor as it is now."""
        made = super().snapshot(tensor)
        assert isinstance(made, Variable)
        assert isinstance(tensor, Variable)
        made.block = tensor.block
        return made

    def assign_inplace(self, tensor: Tensor, made: Tensor) -> None:
        """See Mode.assign_inplace.

        What outlives a run is written itself; any other is another variable from now on.
        """
        assert isinstance(tensor, Variable)
        assert isinstance(made, Variable)
        if tensor.persistable:
            self.write(made, tensor)
            self.recorder.aliases.on_write(tensor)
        else:
            super().assign_inplace(tensor, made)

    def rebind(self, tensor: Variable, made: Variable) -> None:
        """Bind the name to the new value."""
        super().rebind(tensor, made)
        tensor.block = made.block

    def write(self, made: Variable, target: Variable) -> None:
        """Let the op that gives `made`, or one more, write `target`."""
        block = self.recorder.block
        last = block.ops[-1] if block.ops else OpDesc("", {}, {})
        if self.recorder.var(target.name) is None:
            why = f"'{target.name}' is a variable of another program than the one that is written"
            raise OpError(with_user_line(f"{last.type or 'assign'}: {why}"))
        if made.name in last.output_names() and made.name in block.vars and not made.persistable:
            for names in last.outputs.values():
                names[:] = [target.name if name == made.name else name for name in names]
            if made.name not in last.input_names():
                del block.vars[made.name]
            self.program.changed()
        else:
            self.recorder.block.ops.append(
                OpDesc("assign", {"X": [made.name]}, {"Out": [target.name]})
            )
            self.recorder.label(block.ops[-1])

    def shape(self, tensor: Tensor) -> Any:
        """The shape: a tuple with -1 for users, as in Paddle; values of the program where Oarlock
        itself computes with them.
        """
        return super().shape(tensor) if asked_inside() else tuple(tensor.meta.shape)


def asked_inside() -> bool:
    """Whether whoever asked for `tensor.shape` is Oarlock itself."""
    frame = sys._getframe(2)
    # of modes over this one, and of Tensor
    while frame.f_code.co_name == "shape" and frame.f_back is not None:
        frame = frame.f_back
    return is_library_file(frame.f_code.co_filename)


@cache
def _mode_of_main_program() -> StaticGraphMode:
    """The mode of `enable_static`."""
    return StaticGraphMode()


def writing() -> bool:
    """Whether a program is being written by hand."""
    return isinstance(base_mode(state.mode), StaticGraphMode)


_before: list[Mode] = []


def enable_static() -> None:
    """From now on ops are written to the main program instead of run, and layers make variables of
    it.

    In this thread.
    """
    if not writing():
        _before.append(state.mode)
        state.mode = _mode_of_main_program()


def disable_static(place: Any = None) -> None:
    """From now on ops run when they are called, as in the beginning."""
    if writing():
        state.mode = _before.pop()


def in_dynamic_mode() -> bool:
    """Whether ops run eagerly: False between enable_static and disable_static, and while `jit.save`
    or `to_static` records.

    A function of `to_static` with full_graph=False follows its eager execution, so it is True
    there, as in Paddle 2.6.
    """
    mode = static_mode(state.mode)
    return not state.mode.static if mode is None else mode.recorder.strict
