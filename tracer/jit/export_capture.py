"""Capture a method for a file. A saved program keeps no state between calls. Side effects of the
method on Python state are undone, or rejected if the results depend on them.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from ..capture.recorder import Recorder
from ..capture.variable import Variable
from ..core import pytree
from ..core.errors import TraceError, append_user_line, warn
from ..core.mode import use_base_mode
from ..core.tensor import Tensor
from ..ir.program_names import Namer
from .asserts_to_guards import extract_assert_guards_and_drop_prints
from .guards.guard import StateGuard
from .guards.side_effects import SideEffect
from .guards.snapshots import consists_of_constants
from .layer_capture import (
    CHECK,
    CapturedProgram,
    complete_and_store_contract,
    create_captured_program,
    rename_and_fetch_outputs_and_make_contract,
    require_any_tensor_output,
)
from .methods_to_save import MethodToSave
from .relax_guards import describe_program_difference
from .static_call_capture import StaticCallCapture


class SharedParameterNames:
    """Holds the names of parameters and buffers that the programs of one model share, so that each
    has the same name in all of them.
    """

    def __init__(self) -> None:
        self._namer = Namer()
        self._names_by_tensor: dict[int, str] = {}
        self._referenced_tensors: list[Tensor] = []

    def create_recorder(self) -> Recorder:
        """Return a recorder for the next program."""
        return Recorder(
            namer=self._namer.for_related_program(self._names_by_tensor.values()),
            known=self._names_by_tensor,
        )

    def register_scope(self, scope: dict[str, Tensor]) -> None:
        """Store the names of the tensors in the scope of a program, for the following programs."""
        self._names_by_tensor.update({id(t): name for name, t in scope.items()})
        self._referenced_tensors += scope.values()


class CallRollback:
    """Restores the Python state that a call of a method changes.

    effects: the attributes to which the method assigned tensors.
    tensors: the buffers that the method writes.
    hookable_tensors: the tensors to which the method may add hooks.
    """

    def __init__(
        self,
        effects: list[SideEffect],
        guards: list[StateGuard],
        tensors: Iterable[Tensor] = (),
        hookable_tensors: Iterable[Tensor] = (),
    ) -> None:
        self._side_effects, self._state_guards = effects, guards
        self._saved_arrays = [(tensor, tensor.array) for tensor in tensors]
        self._saved_hooks = [(tensor, list(tensor._hooks or ())) for tensor in hookable_tensors]

    def undo(self) -> None:
        """Restore the Python state from before the call."""
        for effect in self._side_effects:
            effect.restore()
        for guard in self._state_guards:
            guard.restore_value()
        for tensor, array in self._saved_arrays:
            if tensor.array is not array:
                tensor.array = array
        for tensor, hooks in self._saved_hooks:
            if tensor._hooks:
                tensor._hooks[:] = hooks


def capture_method(
    method: MethodToSave, shared: SharedParameterNames, guards: str = CHECK
) -> CapturedProgram:
    """Capture a method for a file, and restore the Python state.

    guards: whether asserts become guards of the program.

    If the arguments are those of an example call, the batch size becomes dynamic if possible.
    Raises TraceError if the program depends on state that an earlier call changed.
    """
    dynamic_method = method.with_dynamic_batch_or_none()
    if dynamic_method is not None:
        # If Python code reads the batch size, it stays fixed at the size of the example call.
        with suppress(Exception):
            result = _capture_and_restore(dynamic_method, shared, guards)
            result.accepted_input_shapes = [leaf.shape for leaf in method.arguments.input_leaves()]
            return result
    return _capture_and_restore(method, shared, guards)


def _capture_and_restore(
    method: MethodToSave, shared: SharedParameterNames, guards: str
) -> CapturedProgram:
    result, capture = _capture_once(method, shared, guards)
    _warn_unstable_reads(capture, method)
    changed = capture.guards.find_guards_with_call_local_value()
    counter_guards = [guard for guard in changed if consists_of_constants(guard.source.read())]
    result.assigned_buffers = user_lines_by_assigned_buffer(result)
    rollback = CallRollback(
        capture.side_effects,
        changed,
        [result.scope[name] for name in result.assigned_buffers],
        result.scope.values(),
    )
    try:
        if counter_guards:
            CallRollback([], [guard for guard in changed if guard not in counter_guards]).undo()
            _reject_different_second_capture(
                result, _capture_once(method, shared, guards)[0], counter_guards
            )
    finally:
        rollback.undo()
    shared.register_scope(result.scope)
    result.restore_python_state = rollback.undo
    return result


def _capture_once(
    method: MethodToSave, shared: SharedParameterNames, guards: str
) -> tuple[CapturedProgram, StaticCallCapture]:
    capture = StaticCallCapture.create(
        shared.create_recorder(), method.arguments, method.method_owner
    )
    for variable in capture.inputs:
        # a program file does not store which inputs require gradients
        variable.stop_gradient = True
    try:
        return _record_call_and_create_program(capture, method, guards), capture
    except BaseException:
        CallRollback(
            capture.side_effects, capture.guards.find_guards_with_call_local_value()
        ).undo()
        raise
    finally:
        for handle in capture.recorder.hooks:
            handle.remove()


def _record_call_and_create_program(
    capture: StaticCallCapture, method: MethodToSave, guards: str
) -> CapturedProgram:
    recorder = capture.recorder
    with use_base_mode(capture.mode):
        outputs = capture.call_function(method.function, method.parameters)
        _reject_side_effects_on_buffers_and_read_tensors(capture)
        checks = extract_assert_guards_and_drop_prints(recorder)
        for guard in checks if guards == CHECK else []:
            recorder.add_guard(guard)
        contract = rename_and_fetch_outputs_and_make_contract(
            recorder, require_any_tensor_output(outputs)
        )
    _warn_ndarray_outputs_become_tensors(method.parameters.name, outputs)
    result = create_captured_program(
        method.owner, recorder, complete_and_store_contract(recorder.program, contract)
    )
    result.has_assert_statements = bool(checks)
    return result


def _warn_ndarray_outputs_become_tensors(function: str, outputs: Any) -> None:
    """Warn that a result which is an ndarray in Python is a Tensor when the saved program returns
    it.
    """
    if _contains_ndarray_variable(outputs):
        warn(
            f"{function}: it returns an ndarray (from x.numpy()); the saved program returns a "
            f"Tensor instead"
        )


def _contains_ndarray_variable(value: Any) -> bool:
    if type(value) in (list, tuple, dict):
        return any(
            map(_contains_ndarray_variable, value.values() if isinstance(value, dict) else value)
        )
    return isinstance(value, Variable) and value.is_ndarray


def _warn_unstable_reads(capture: StaticCallCapture, method: MethodToSave) -> None:
    """Warn if forward reads a Python value that differs at each call, because the file contains the
    current value.
    """
    capture.guards.record_changed_random_generators_and_iterators()
    unstable = capture.guards.first_unstable_read_description or next(
        iter(capture.guards.suspected_unstable_reads), ""
    )
    if unstable:
        why = f"'{unstable}' differs at each call; the file contains its current value"
        warn(
            f"{method.parameters.name}: {why}. Pass it as an input, or draw random "
            "numbers with Paddle's functions"
        )


def user_lines_by_assigned_buffer(recording: CapturedProgram) -> dict[str, str]:
    """Return the names of the buffers that a program assigns in each run, with the user's line of
    the assignment. Buffers that ops update, such as the statistics of batch norm, are not included.
    """
    ops = [op for op in recording.program.ops() if op.type == "assign"]
    return {
        name: op.user_line for op in ops for name in op.output_names() if name in recording.scope
    }


def reject_reads_of_assigned_buffers(recording: CapturedProgram) -> None:
    """Raise TraceError if a program to be saved reads a buffer that it assigns."""
    read = {name for op in recording.program.ops() for name in op.input_names()}
    for name, where in recording.assigned_buffers.items():
        if name in read:
            why = (
                f"forward changes a buffer in place, '{recording.structured_names.get(name, name)}'"
            )
            raise TraceError(f"{why}; a saved program keeps no state between calls\n  at {where}")


def _reject_side_effects_on_buffers_and_read_tensors(capture: StaticCallCapture) -> None:
    """Raise TraceError if the method assigns attributes that hold buffers, or tensors that the
    program reads.
    """
    labels = [
        e.label
        for e in capture.side_effects
        if e.replaces_layer_state()
        or any(
            map(capture.recorder.is_tensor_bound_to_variable, pytree.flatten(e.previous_value)[0])
        )
    ]
    if labels:
        why = (
            f"forward stores values of the program in {labels}, but a saved program keeps no state "
            "between calls"
        )
        raise TraceError(append_user_line(why))


def _reject_different_second_capture(
    first: CapturedProgram, second: CapturedProgram, guards: list[StateGuard]
) -> None:
    """Raise TraceError if two successive captures of `forward` differ, because `forward` computes
    with a Python value that it also changes.
    """
    why = describe_program_difference(first, second)
    if why:
        labels = [guard.source.display_name for guard in guards]
        raise TraceError(
            f"forward computes with {labels}, which it changes itself, but a saved program "
            f"keeps no state between calls: at the next call {why}"
        )
