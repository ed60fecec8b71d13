"""What a failure inside of a compiled program means: the line of the function says which op it was,
its locals the operands.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, NoReturn

from ..capture.undefined_checks import LATE
from ..capture.undefined_checks import missing as no_value
from ..core.eager import raise_op_error
from ..core.errors import AssertError, MemoryLimitError, NumericsError, OpError, with_user_line
from ..core.limits import memory_problem
from ..core.tensor import Tensor
from .codegen import Function
from .instructions import Call, Step


def raise_explained(function: Function, steps: list[Step | None], error: Exception) -> NoReturn:
    """Raise what the failure of a compiled function means to the user; `error` itself where it was
    no op's.
    """
    found = _where(function, error.__traceback__)
    step = None if found is None else steps[found[0] - 1]
    if found is None or step is None:
        raise error
    recorded = f"\n  recorded at {step.desc.where}" if step.desc.where else ""
    if isinstance(error, NumericsError):  # the message already names the op
        raise NumericsError(
            str(error).splitlines()[0] + recorded if recorded else str(error)
        ) from None
    try:
        _explain(step, found[1], error)
    except OpError as made:
        text = str(made).splitlines()[0] if recorded else str(made)
        kind = AssertError if isinstance(error, AssertError) else type(made)
        raise kind(text + recorded) from made.__cause__


def _where(function: Function, trace: TracebackType | None) -> tuple[int, dict[str, Any]] | None:
    """The line of the function that failed, and its locals."""
    while trace is not None:
        if trace.tb_frame.f_code is function.__code__:
            return trace.tb_lineno, dict(trace.tb_frame.f_locals)
        trace = trace.tb_next
    return None


def _explain(step: Step, values: dict[str, Any], error: Exception) -> NoReturn:
    if (
        isinstance(error, OpError)
        and isinstance(step, Call)
        and error.__cause__ is None
        and _said(error, step)
    ):
        raise error
    if step.desc.attr(LATE) is not None:
        raise OpError(with_user_line(str(error)))
    if not isinstance(step, Call):
        if isinstance(error, MemoryError):
            raise MemoryLimitError(with_user_line(f"{step.desc.type}: {memory_problem([])}"))
        raise OpError(
            with_user_line(
                str(error).removeprefix(f"{step.desc.type}: ").join((f"{step.desc.type}: ", ""))
            )
        )
    for name in step.desc.input_names():
        if no_value(name) is not None:
            raise OpError(with_user_line(f"{no_value(name)}"))
    args = tuple(_tensors(slot, values) for slot in step.ins)
    missing = [
        s.name
        for s, a, slot in zip(step.op.ins, args, step.ins, strict=True)
        if slot is not None and a is None
    ]
    if missing:
        raise OpError(
            with_user_line(f"{step.op.type}: {missing[0]} was not computed: no op before wrote it")
        )
    raise_op_error(step.op, args, step.attrs, error)


def _said(error: OpError, step: Call) -> bool:
    """Whether an error has the op and its operands in it already."""
    return str(error).startswith(f"{step.op.type}: ") and " (" in str(error)


def _tensors(slot: Any, values: dict[str, Any]) -> Any:
    if slot is None:
        return None
    if isinstance(slot, tuple):
        return [_tensor(values[c]) for c in slot if values.get(c) is not None]
    return None if values.get(slot) is None else _tensor(values[slot])


def _tensor(value: Any) -> Any:
    if isinstance(value, list | tuple):  # offsets, by level
        return [_tensor(v) for v in value]
    return value if isinstance(value, Tensor) else Tensor(value)
