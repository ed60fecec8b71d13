"""The dispatch mode that records ops into static graph programs, and `enable_static`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar

from ...capture.modes import Static, find_static_base_mode
from ...capture.variable import Variable
from ...core import unique_name
from ...core.dtype import is_inexact
from ...core.errors import OperandError, OpError, append_user_line, is_oarlock_internal_file
from ...core.mode import Mode, base_mode_of, state, use_mode
from ...core.op import Meta, Op, Slot
from ...core.paddle1_compat import compat
from ...core.tensor import Tensor
from ...core.type_aliases import PlaceLike
from ...ir.program import OpDesc
from .default_programs import default_main_program
from .program import Program
from .program_recorder import ProgramRecorder

# Ops that accept integers in eager mode, but raise TypeError for integers in Paddle's static graph
# functions, and so in static graph mode.
FLOAT_ONLY_OPS = frozenset(
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


def _has_input_requiring_gradient(args: tuple[Any, ...]) -> bool:
    """Whether an operand of an op requires a gradient.

    In Paddle 2 an output requires a gradient only if an input does; in Paddle 1.x it always did.
    """
    return any(
        isinstance(t, Tensor) and not t.stop_gradient
        for arg in args
        for t in (arg if isinstance(arg, list | tuple) else (arg,))
    )


class StaticGraphMode(Static):
    """Dispatch mode that records every op into the current main program.

    program: another program to record into
    tape: whether gradients flow through the outputs
    convert: converts the control flow of a Python function, if requested
    """

    is_for_training = True
    builder_class: ClassVar[Callable[[StaticGraphMode], Any]]  # set by `builder`

    def __init__(
        self,
        program: Program | None = None,
        tape: bool = True,
        convert: Callable[[Any], Any] | None = None,
    ) -> None:
        self._program = program
        self._convert = convert
        self.tape = tape
        self.program_builder = StaticGraphMode.builder_class(self)

    @property
    def program(self) -> Program:
        """The program into which ops are recorded."""
        return default_main_program() if self._program is None else self._program

    @property
    def recorder(self) -> ProgramRecorder:  # type: ignore[override]
        """The recorder, which appends ops to the program."""
        return self.program.recorder

    def run(self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Record an op. If the operands of the op belong to another program, the op is recorded
        into that program.
        """
        if (
            op.type in FLOAT_ONLY_OPS
            and isinstance(args[0], Tensor)
            and not is_inexact(args[0].meta.dtype)
        ):
            raise OperandError(
                append_user_line(
                    f"{op.public_name}: X is not a floating-point tensor (X={args[0].meta})"
                )
            )
        other = self._find_program_of_foreign_operand(args) if self._program is None else None
        if other is not None:
            with use_mode(StaticGraphMode(other, self.tape, self._convert)):
                return op(*args, **attrs)
        namer = self.recorder.namer
        if namer.is_in_operator and not namer.output_prefix:
            return super().run(op, args, attrs)
        with self.recorder.prefixing_output_names(
            namer.output_prefix or unique_name.generate(op.type)
        ):
            return super().run(op, args, attrs)

    def _find_program_of_foreign_operand(self, args: tuple[Any, ...]) -> Program | None:
        """Return the program of the first operand whose name is not declared in the program of this
        mode; None if all are declared in it.
        """
        program = self.program
        for arg in args:
            for item in arg if isinstance(arg, list) else (arg,):
                block = item._block if isinstance(item, Variable) else None
                if (
                    block is not None
                    and block.program is not program
                    and self.recorder.var(item.raw.name) is None
                ):
                    return block.program
        return None

    def mode_with_tape_set(self, tape: bool) -> StaticGraphMode:
        """Return this mode if its `tape` has the given value, otherwise a mode for the same program
        with this `tape`. `tape` tells whether gradients flow through the outputs of recorded ops.
        """
        return self if tape == self.tape else StaticGraphMode(self._program, tape, self._convert)

    def _declare_result(self, op: Op, slot: Slot, args: tuple[Any, ...], meta: Meta) -> Variable:
        desc = self.recorder.declare_output(op, slot, args, meta)
        if slot.overwrites:  # the operand itself, whichever block declares it
            return self.program.current_block()._var_recursive(desc.name)
        constant = (
            bool(op.traits.no_grad_reason) or slot.is_intermediate or not is_inexact(meta.dtype)
        )
        desc.stop_gradient = (
            constant
            or not self.tape
            or not (compat.rules.outputs_require_gradients or _has_input_requiring_gradient(args))
        )
        return self.program.current_block().get_or_create_variable_of_desc(desc)

    def make_inplace_op_input(self, tensor: Tensor) -> Tensor:
        """Return a second Variable object for the same variable of the program, which an in-place
        op takes as input.
        """
        copy = super().make_inplace_op_input(tensor)
        assert isinstance(copy, Variable)
        assert isinstance(tensor, Variable)
        copy.block = tensor.block
        return copy

    def assign_inplace(self, tensor: Tensor, value: Tensor) -> None:
        """Perform an in-place assignment: append an op that writes a persistable variable; let any
        other Tensor object refer to the variable of `value`.
        """
        assert isinstance(tensor, Variable)
        assert isinstance(value, Variable)
        if tensor.persistable:
            self.redirect_last_output_or_assign(value, tensor)
            self.recorder.aliases.invalidate_tensor_aliases(tensor)
        else:
            super().assign_inplace(tensor, value)

    def rebind(self, tensor: Variable, value: Variable) -> None:
        """Make the Variable object `tensor` refer to the variable of `value`."""
        super().rebind(tensor, value)
        tensor.block = value.block

    def redirect_last_output_or_assign(self, value: Variable, target: Variable) -> None:
        """Write `value` to the variable `target`. If the last op computed `value`, let this op
        write `target` instead; otherwise append an assign op.
        """
        block = self.recorder.block
        last = block.ops[-1] if block.ops else OpDesc("", {}, {})
        if self.recorder.var(target.name) is None:
            why = f"'{target.name}' is not a variable of the program that is being recorded"
            raise OpError(append_user_line(f"{last.type or 'assign'}: {why}"))
        if value.name in last.output_names() and value.name in block.vars and not value.persistable:
            for names in last.outputs.values():
                names[:] = [target.name if name == value.name else name for name in names]
            if value.name not in last.input_names():
                del block.vars[value.name]
            self.program.mark_changed()
        else:
            self.recorder.block.ops.append(
                OpDesc("assign", {"X": [value.name]}, {"Out": [target.name]})
            )
            self.recorder.set_common_attrs(block.ops[-1])

    def shape(self, tensor: Tensor) -> Any:
        """Return the shape of a tensor. User code gets a tuple with -1 for dynamic dimensions, as
        in Paddle. Oarlock's own code gets symbolic sizes, with which it can compute.
        """
        return super().shape(tensor) if _is_shape_read_by_library() else tuple(tensor.meta.shape)


def _is_shape_read_by_library() -> bool:
    """Whether the caller that reads `tensor.shape` is Oarlock's own code, found on the call
    stack.
    """
    frame = sys._getframe(2)
    # skip the frames of `Tensor.shape` and of enclosing modes
    while frame.f_code.co_name == "shape" and frame.f_back is not None:
        frame = frame.f_back
    return is_oarlock_internal_file(frame.f_code.co_filename)


@cache
def _cached_main_program_mode() -> StaticGraphMode:
    """Return the mode that `enable_static` sets; it is created at the first call."""
    return StaticGraphMode()


def is_recording_static_graph() -> bool:
    """Return whether static graph mode is on, that is, ops are recorded into a static graph
    program.
    """
    return isinstance(base_mode_of(state.mode), StaticGraphMode)


_previous_modes: list[Mode] = []


def enable_static() -> None:
    """Enter static graph mode: ops of this thread are recorded into the main program, not run.

    Layers that are created in this mode create variables of the program.

    Examples
    --------
    >>> paddle.enable_static()
    >>> with paddle.static.program_guard(paddle.static.Program()):
    ...     print(paddle.static.data("x", [2], "float32") * 2)
    Variable(name=..., float32[2], stop_gradient=True)
    >>> paddle.disable_static()
    """
    if not is_recording_static_graph():
        _previous_modes.append(state.mode)
        state.mode = _cached_main_program_mode()


def disable_static(place: PlaceLike | None = None) -> None:
    """Return to eager execution, which is the initial mode.

    Parameters
    ----------
    place : Place, optional
        Not used.

    Examples
    --------
    >>> paddle.enable_static()
    >>> paddle.disable_static()
    >>> paddle.in_dynamic_mode()
    True
    """
    if is_recording_static_graph():
        state.mode = _previous_modes.pop()


def in_dynamic_mode() -> bool:
    """Return whether ops run eagerly.

    Returns
    -------
    bool
        False between `enable_static` and `disable_static`, and while `jit.save` or `to_static`
        captures a function. A function of `to_static` with full_graph=False follows its eager
        execution, so the result is True there, as in Paddle 2.6.

    Examples
    --------
    >>> paddle.in_dynamic_mode()
    True
    """
    mode = find_static_base_mode(state.mode)
    return not state.mode.static if mode is None else mode.recorder.strict
