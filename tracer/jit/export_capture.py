"""A method recorded for a file, which keeps nothing from call to call: what it does to Python is
undone, or refused.
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
from .asserts_to_guards import asserted
from .captured_program import Recorded
from .guards.side_effects import Effect
from .guards.snapshots import is_plain
from .guards.source import Place
from .layer_capture import CHECK, Recording, described, finish, recording_of, some
from .relax_guards import difference
from .saved_methods import Method


class Together:
    """The values that the programs of one model share, under the same name in each."""

    def __init__(self) -> None:
        self._namer = Namer()
        self._known: dict[int, str] = {}
        self._alive: list[Tensor] = []

    def recorder(self) -> Recorder:
        """A recorder for the next program."""
        return Recorder(namer=self._namer.beside(self._known.values()), known=self._known)

    def add(self, scope: dict[str, Tensor]) -> None:
        """What a program took from outside has its name from now on."""
        self._known.update({id(t): name for name, t in scope.items()})
        self._alive += scope.values()


class Touched:
    """What a call of a method changes in Python, to be undone after each.

    effects: attributes that were given values of the program; tensors: buffers that it writes;
    hooked: tensors that it may give hooks.
    """

    def __init__(
        self,
        effects: list[Effect],
        places: list[Place],
        tensors: Iterable[Tensor] = (),
        hooked: Iterable[Tensor] = (),
    ) -> None:
        self._effects, self._places = effects, places
        self._arrays = [(tensor, tensor.array) for tensor in tensors]
        self._hooks = [(tensor, list(tensor._hooks or ())) for tensor in hooked]

    def undo(self) -> None:
        """Put back what was there before the first call."""
        for effect in self._effects:
            effect.restore()
        for place in self._places:
            place.put_back()
        for tensor, array in self._arrays:
            if tensor.array is not array:
                tensor.array = array
        for tensor, hooks in self._hooks:
            if tensor._hooks:
                tensor._hooks[:] = hooks


def record(method: Method, together: Together, guards: str = CHECK) -> Recording:
    """The recording of a method; Python is as it was before.

    guards: whether what it asserts is an assumption of the program.

    One that was only called is recorded for any number of rows, where it can.
    Raises TraceError where the program would need what an earlier call left behind.
    """
    wider = method.of_any_batch()
    if wider is not None:
        # where Python needs to know the number of rows, it is that of the call
        with suppress(Exception):
            made = _recorded(wider, together, guards)
            made.shapes = [leaf.shape for leaf in method.arguments.tensors()]
            return made
    return _recorded(method, together, guards)


def _recorded(method: Method, together: Together, guards: str) -> Recording:
    made, found = _once(method, together, guards)
    _warn_of_moving(found, method)
    changed = found.assumed.changed()
    counted = [place for place in changed if is_plain(place.now())]
    made.assigned = assigned(made)
    touched = Touched(
        found.effects, changed, [made.scope[name] for name in made.assigned], made.scope.values()
    )
    try:
        if counted:
            Touched([], [place for place in changed if place not in counted]).undo()
            _refuse_counting(made, _once(method, together, guards)[0], counted)
    finally:
        touched.undo()
    together.add(made.scope)
    made.undo = touched.undo
    return made


def _once(method: Method, together: Together, guards: str) -> tuple[Recording, Recorded]:
    found = Recorded.by(together.recorder(), method.arguments, method.holder)
    for variable in found.inputs:
        variable.stop_gradient = True  # a file does not say which inputs will want gradients
    try:
        return _written(found, method, guards), found
    except BaseException:
        Touched(found.effects, found.assumed.changed()).undo()
        raise
    finally:
        for handle in found.recorder.hooks:
            handle.remove()


def _written(found: Recorded, method: Method, guards: str) -> Recording:
    recorder = found.recorder
    with replace_base_mode(found.mode):
        outputs = found.call(method.plain, method.parameters)
        _refuse_lost(found)
        checks = asserted(recorder)
        for guard in checks if guards == CHECK else []:
            recorder.assume(guard)
        contract = finish(recorder, some(outputs))
    _warn_of_arrays(method.parameters.name, outputs)
    made = recording_of(method.owner, recorder, described(recorder.program, contract))
    made.asserts = bool(checks)
    return made


def _warn_of_arrays(function: str, outputs: Any) -> None:
    """Warn that a result that is an ndarray in Python is a Tensor in the saved program."""
    if _holds_array(outputs):
        warn(
            f"{function}: it returns an ndarray (from x.numpy()); the saved program returns a "
            f"Tensor instead"
        )


def _holds_array(value: Any) -> bool:
    if type(value) in (list, tuple, dict):
        return any(map(_holds_array, value.values() if isinstance(value, dict) else value))
    return isinstance(value, Variable) and value.of_numpy


def _warn_of_moving(found: Recorded, method: Method) -> None:
    """Say what forward took from Python that is another at each call: a file has it as it was."""
    found.assumed.settle()
    moved = found.assumed.restless or next(iter(found.assumed.doubted), "")
    if moved:
        why = f"'{moved}' is another at each call; the file has what it gave now"
        warn(
            f"{method.parameters.name}: {why}. Give it as an input, or draw with paddle's functions"
        )


def assigned(recording: Recording) -> dict[str, str]:
    """The buffers that a program writes in each run, and where; what ops keep of their own, such as
    those of norms, is another matter.
    """
    ops = [op for op in recording.program.ops() if op.type == "assign"]
    return {name: op.where for op in ops for name in op.output_names() if name in recording.scope}


def refuse_assigned(recording: Recording) -> None:
    """Raise TraceError where a program that is ready to be saved needs a buffer that
    calls write.
    """
    read = {name for op in recording.program.ops() for name in op.input_names()}
    for name, where in recording.assigned.items():
        if name in read:
            why = f"forward changes a buffer in place, '{recording.structured.get(name, name)}'"
            raise TraceError(
                f"{why}; a saved program keeps nothing from call to call\n  at {where}"
            )


def _refuse_lost(found: Recorded) -> None:
    """Raise TraceError for tensors that are more than a note of the last call: buffers, and those
    that the program reads.
    """
    lost = [
        e.label
        for e in found.effects
        if e.is_of_state() or any(map(found.recorder.knows, pytree.flatten(e.before)[0]))
    ]
    if lost:
        why = (
            f"forward stores values of the program in {lost}; a saved program keeps nothing "
            f"from call to call"
        )
        raise TraceError(with_user_line(why))


def _refuse_counting(first: Recording, second: Recording, places: list[Place]) -> None:
    """Raise TraceError where the next call gives another program: forward computes with what it
    counts.
    """
    why = difference(first, second)
    if why:
        labels = [place.label for place in places]
        raise TraceError(
            f"forward computes with {labels}, which it changes itself; a saved program "
            f"keeps nothing from call to call: "
            f"at the next call {why}"
        )
