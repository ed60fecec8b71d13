"""Capture a method for a file. A saved program has no state that lasts from call to call. Therefore
side effects on Python state are undone, or rejected if the results depend on them.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from ..capture.recorder import Recorder
from ..capture.variable import Variable
from ..core import pytree
from ..core.errors import TraceError, warn, with_user_line
from ..core.mode import replace_base_mode
from ..core.tensor import Tensor
from ..ir.names import Namer
from .asserts_to_guards import take_asserts
from .function_capture import FunctionCapture
from .guards.guard import StateGuard
from .guards.side_effects import SideEffect
from .guards.snapshots import is_constant
from .layer_capture import (
    CHECK,
    CapturedProgram,
    create_captured_program,
    require_outputs,
    with_contract,
    write_outputs,
)
from .relax_guards import difference
from .saved_methods import Method


class SharedParameters:
    """The parameters and buffers that several programs of one model share, under the same names."""

    def __init__(self) -> None:
        self._namer = Namer()
        self._names_by_tensor: dict[int, str] = {}
        self._alive: list[Tensor] = []

    def recorder(self) -> Recorder:
        """Return a recorder for the next program."""
        return Recorder(
            namer=self._namer.beside(self._names_by_tensor.values()), known=self._names_by_tensor
        )

    def add(self, scope: dict[str, Tensor]) -> None:
        """Register the tensors of a program under their names."""
        self._names_by_tensor.update({id(t): name for name, t in scope.items()})
        self._alive += scope.values()


class CallRollback:
    """Restores the Python state that a call of a method changes.

    effects: the attributes that were assigned values of the program.
    tensors: the buffers that the method writes.
    hooked: the tensors to which the method may add hooks.
    """

    def __init__(
        self,
        effects: list[SideEffect],
        guards: list[StateGuard],
        tensors: Iterable[Tensor] = (),
        on_hook_registered: Iterable[Tensor] = (),
    ) -> None:
        self._effects, self._guards = effects, guards
        self._arrays = [(tensor, tensor.array) for tensor in tensors]
        self._hooks = [(tensor, list(tensor._hooks or ())) for tensor in on_hook_registered]

    def undo(self) -> None:
        """Restore the state before the first call."""
        for effect in self._effects:
            effect.restore()
        for guard in self._guards:
            guard.restore()
        for tensor, array in self._arrays:
            if tensor.array is not array:
                tensor.array = array
        for tensor, hooks in self._hooks:
            if tensor._hooks:
                tensor._hooks[:] = hooks


def capture_method(
    method: Method, shared: SharedParameters, guards: str = CHECK
) -> CapturedProgram:
    """Capture a method for a file, and restore the Python state.

    guards: whether asserts become guards of the program.

    If the arguments are those of an example call, the batch size becomes dynamic if possible.
    Raises TraceError if the program depends on state that an earlier call changed.
    """
    wider = method.with_dynamic_batch()
    if wider is not None:
        # If Python code needs the batch size, the size of the example call is used.
        with suppress(Exception):
            result = _capture(wider, shared, guards)
            result.known_shapes = [leaf.shape for leaf in method.arguments.tensors()]
            return result
    return _capture(method, shared, guards)


def _capture(method: Method, shared: SharedParameters, guards: str) -> CapturedProgram:
    result, found = _capture_once(method, shared, guards)
    _warn_unstable_reads(found, method)
    changed = found.guards.temporary_changes()
    counted = [guard for guard in changed if is_constant(guard.source.read())]
    result.assigned_buffers = assigned_buffers(result)
    rollback = CallRollback(
        found.effects,
        changed,
        [result.scope[name] for name in result.assigned_buffers],
        result.scope.values(),
    )
    try:
        if counted:
            CallRollback([], [guard for guard in changed if guard not in counted]).undo()
            _reject_counters(result, _capture_once(method, shared, guards)[0], counted)
    finally:
        rollback.undo()
    shared.add(result.scope)
    result.undo = rollback.undo
    return result


def _capture_once(
    method: Method, shared: SharedParameters, guards: str
) -> tuple[CapturedProgram, FunctionCapture]:
    found = FunctionCapture.create(shared.recorder(), method.arguments, method.holder)
    for variable in found.inputs:
        variable.stop_gradient = True  # a file does not specify which inputs require gradients
    try:
        return _capture_outputs(found, method, guards), found
    except BaseException:
        CallRollback(found.effects, found.guards.temporary_changes()).undo()
        raise
    finally:
        for handle in found.recorder.hooks:
            handle.remove()


def _capture_outputs(found: FunctionCapture, method: Method, guards: str) -> CapturedProgram:
    recorder = found.recorder
    with replace_base_mode(found.mode):
        outputs = found.call(method.plain, method.parameters)
        _reject_state_effects(found)
        checks = take_asserts(recorder)
        for guard in checks if guards == CHECK else []:
            recorder.add_guard(guard)
        contract = write_outputs(recorder, require_outputs(outputs))
    _warn_ndarray_outputs(method.parameters.name, outputs)
    result = create_captured_program(
        method.owner, recorder, with_contract(recorder.program, contract)
    )
    result.has_asserts = bool(checks)
    return result


def _warn_ndarray_outputs(function: str, outputs: Any) -> None:
    """Warn that a result which is an ndarray in Python is a Tensor when the saved program returns
    it.
    """
    if _holds_array(outputs):
        warn(
            f"{function}: it returns an ndarray (from x.numpy()); the saved program returns a "
            f"Tensor instead"
        )


def _holds_array(value: Any) -> bool:
    if type(value) in (list, tuple, dict):
        return any(map(_holds_array, value.values() if isinstance(value, dict) else value))
    return isinstance(value, Variable) and value.is_ndarray


def _warn_unstable_reads(found: FunctionCapture, method: Method) -> None:
    """Warn that forward reads a Python value that differs at each call: the file contains the
    current one.
    """
    found.guards.find_unstable()
    moved = found.guards.first_unstable or next(iter(found.guards.suspected_unstable), "")
    if moved:
        why = f"'{moved}' differs at each call; the file has what it gave now"
        warn(
            f"{method.parameters.name}: {why}. Give it as an input, or draw with paddle's functions"
        )


def assigned_buffers(recording: CapturedProgram) -> dict[str, str]:
    """Return the buffers that a program assigns in each run, with the line. Buffers that ops
    update, such as the statistics of batch norm, are not included.
    """
    ops = [op for op in recording.program.ops() if op.type == "assign"]
    return {name: op.where for op in ops for name in op.output_names() if name in recording.scope}


def reject_buffer_reads(recording: CapturedProgram) -> None:
    """Raise TraceError if a program to be saved reads a buffer that it assigns."""
    read = {name for op in recording.program.ops() for name in op.input_names()}
    for name, where in recording.assigned_buffers.items():
        if name in read:
            why = (
                f"forward changes a buffer in place, '{recording.structured_names.get(name, name)}'"
            )
            raise TraceError(
                f"{why}; a saved program keeps nothing from call to call\n  at {where}"
            )


def _reject_state_effects(found: FunctionCapture) -> None:
    """Raise TraceError for side effects that change buffers, or tensors that the program reads."""
    lost = [
        e.label
        for e in found.effects
        if e.is_layer_state() or any(map(found.recorder.is_bound, pytree.flatten(e.before)[0]))
    ]
    if lost:
        why = (
            f"forward stores values of the program in {lost}; a saved program keeps nothing "
            f"from call to call"
        )
        raise TraceError(with_user_line(why))


def _reject_counters(
    first: CapturedProgram, second: CapturedProgram, guards: list[StateGuard]
) -> None:
    """Raise TraceError if `forward` computes with a Python value that it also changes, so that the
    next call would record another program.
    """
    why = difference(first, second)
    if why:
        labels = [guard.source.label for guard in guards]
        raise TraceError(
            f"forward computes with {labels}, which it changes itself; a saved program "
            f"keeps nothing from call to call: "
            f"at the next call {why}"
        )
