"""Map an exception in a compiled function to the op that failed. The line number in the traceback
identifies the instruction, and the local variables of the frame hold its inputs.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, NoReturn

from ..capture.undefined_checks import EXPECTED_FLAG_ATTR
from ..capture.undefined_checks import find_check_variable_message as no_value
from ..core.eager import raise_op_error
from ..core.errors import AssertError, MemoryLimitError, NumericsError, OpError, append_user_line
from ..core.result_size_limit import out_of_memory_message
from ..core.tensor import Tensor
from .codegen import Function
from .instructions import Instruction, KernelCall


def reraise_naming_failed_op(
    function: Function, instructions: list[Instruction | None], error: Exception
) -> NoReturn:
    """Raise an error that names the op whose instruction raised `error`, and the user's line that
    recorded the op. Re-raise `error` if no instruction raised it.
    """
    found = _find_failed_line_and_locals(function, error.__traceback__)
    instruction = None if found is None else instructions[found[0] - 1]
    if found is None or instruction is None:
        raise error
    recorded = f"\n  recorded at {instruction.desc.user_line}" if instruction.desc.user_line else ""
    if isinstance(error, NumericsError):  # the message already names the op
        raise NumericsError(
            str(error).splitlines()[0] + recorded if recorded else str(error)
        ) from None
    try:
        _reraise_naming_op_of_instruction(instruction, found[1], error)
    except OpError as op_error:
        text = str(op_error).splitlines()[0] if recorded else str(op_error)
        kind = AssertError if isinstance(error, AssertError) else type(op_error)
        raise kind(text + recorded) from op_error.__cause__


def _find_failed_line_and_locals(
    function: Function, trace: TracebackType | None
) -> tuple[int, dict[str, Any]] | None:
    """The line number at which `function` failed, and its local variables at that moment; None if
    it is not in the traceback.
    """
    while trace is not None:
        if trace.tb_frame.f_code is function.__code__:
            return trace.tb_lineno, dict(trace.tb_frame.f_locals)
        trace = trace.tb_next
    return None


def _reraise_naming_op_of_instruction(
    instruction: Instruction, values: dict[str, Any], error: Exception
) -> NoReturn:
    if (
        isinstance(error, OpError)
        and isinstance(instruction, KernelCall)
        and error.__cause__ is None
        and _message_has_op_and_inputs(error, instruction)
    ):
        raise error
    if instruction.desc.attr(EXPECTED_FLAG_ATTR) is not None:
        raise OpError(append_user_line(str(error)))
    if not isinstance(instruction, KernelCall):
        if isinstance(error, MemoryError):
            raise MemoryLimitError(
                append_user_line(f"{instruction.desc.type}: {out_of_memory_message([])}")
            )
        # Prefix the message with the op type, unless it has this prefix already.
        raise OpError(
            append_user_line(
                str(error)
                .removeprefix(f"{instruction.desc.type}: ")
                .join((f"{instruction.desc.type}: ", ""))
            )
        )
    for name in instruction.desc.input_names():
        if no_value(name) is not None:
            raise OpError(append_user_line(f"{no_value(name)}"))
    args = tuple(_slot_tensors(slot, values) for slot in instruction.ins)
    missing = [
        s.name
        for s, a, slot in zip(instruction.op.ins, args, instruction.ins, strict=True)
        if slot is not None and a is None
    ]
    if missing:
        why = f"{missing[0]} was not computed: no earlier op writes it"
        raise OpError(append_user_line(f"{instruction.op.public_name}: {why}"))
    raise_op_error(instruction.op, args, instruction.attrs, error)


def _message_has_op_and_inputs(error: OpError, instruction: KernelCall) -> bool:
    """Whether the error message already starts with the op type and contains the metas of the
    inputs.
    """
    return str(error).startswith(f"{instruction.op.public_name}: ") and " (" in str(error)


def _slot_tensors(slot: Any, values: dict[str, Any]) -> Any:
    if slot is None:
        return None
    if isinstance(slot, tuple):
        return [_to_tensor(values[c]) for c in slot if values.get(c) is not None]
    return None if values.get(slot) is None else _to_tensor(values[slot])


def _to_tensor(value: Any) -> Any:
    if isinstance(value, list | tuple):  # LoD offsets: one array per level
        return [_to_tensor(v) for v in value]
    return value if isinstance(value, Tensor) else Tensor(value)
