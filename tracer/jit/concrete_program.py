"""ConcreteProgram: the program of a function for one call signature, and how it is run."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..capture.control.branch_values import Undefined
from ..capture.control.maybe_undefined import copy_without_check, value_defined_flag
from ..capture.control.tensor_arrays import TensorArray
from ..capture.recorder import Recorder
from ..capture.symbolic_scalars import is_always_scalar, scalar_kind
from ..capture.variable import Variable
from ..compiler.partial_program import PartialProgram
from ..core import pytree, rng
from ..core.autograd import no_grad
from ..core.errors import SideEffectError, TraceError, defer_warnings, warn, with_user_line
from ..core.mode import replace_base_mode, state
from ..core.numerics_check import is_enabled as checks_numerics
from ..core.op import OPS
from ..core.tensor import RemovableHook, Tensor
from ..ir.block_captures import draws_random
from ..ir.op_traits import is_feed_or_fetch, traits_of
from ..ir.passes.prune import eliminate_dead_ops, feed_op
from ..loader.program_runner import ProgramRunner
from ..nn.layer import Layer
from ..static.graph.program import Program as View
from .call_arguments import Arguments, Parameters, is_input
from .function_capture import FunctionCapture
from .guards.guard_set import GuardSet
from .guards.rollback import Rollback
from .guards.side_effects import SideEffect, is_buffer, reject_array_effects
from .guards.snapshots import MISSING, Snapshot, iter_items, take_snapshot
from .layer_capture import CapturedProgram, create_captured_program, with_contract, write_outputs


class ConcreteProgram:
    """The program of a function for one call signature.

    arguments: the arguments of the call, as InputSpecs.
    owner: the layer or object whose method the function is.
    parameters: the external tensors that the program reads.
    feeds, fetches: the names of inputs and outputs.
    guards: the guards on Python state.
    """

    def __init__(
        self,
        recording: CapturedProgram,
        feeds: Sequence[str],
        fetches: Sequence[str],
        results: ResultBuilder,
        guards: GuardSet,
        arguments: Arguments,
        owner: Any = None,
    ) -> None:
        self.recording, self.arguments, self._owner = recording, arguments, owner
        self._feeds, self._fetches = feeds, fetches
        self.parameters = list(recording.scope.values())
        self.results = results
        self.guards = guards
        self.cuts: list[str] = []  # why the program cannot provide gradients
        # Hooks that the capture registered on external tensors.
        self.hooks: list[RemovableHook] = []
        self.has_state = bool(results.effects) or bool(written_state(recording))
        self.training = True
        self._runner: Any = None

    def __call__(self, tensors: Sequence[Tensor]) -> Any:
        """Run the program for its inputs, in order, and return the results of the function.

        If the run fails, random generators and buffers keep their previous state.
        """
        given = [*tensors, *self.results.effect_inputs()]
        stops = self.partial.stops(given)
        before = self._state()
        try:
            if stops is None or False not in stops:
                found = self._run_inference(given)
            else:
                found = self.partial.call(given, stops)
        except Exception:
            for tensor, array in before[0]:
                tensor.array = array
            if before[1] is not None:
                rng.set_rng_state(before[1])
            raise
        for tensor, name in zip(found, self._fetches, strict=False):
            tensor._given_as = name
        result = self.results.build(found, tensors)
        self.guards.replay()
        return result

    def _state(self) -> tuple[list[tuple[Tensor, Any]], list[Any] | None]:
        """Return the state that a run changes: tensors with their arrays, and the state of the
        random generator.
        """
        if not self._changes_state:
            return [], None
        tensors = (self.recording.scope[name] for name in written_state(self.recording))
        return [(tensor, tensor.array) for tensor in tensors], rng.get_rng_state()

    @functools.cached_property
    def _changes_state(self) -> bool:
        """Whether a run changes buffers or draws random numbers."""
        return bool(written_state(self.recording)) or draws_random(self.recording.program)

    @functools.cached_property
    def prints(self) -> bool:
        """Whether a run calls Python functions with side effects, so that it must not be
        repeated.
        """
        return any(
            traits_of(op.type).has_side_effects and op.type != "assert"
            for op in self.recording.program.ops()
        )

    def label_outputs(self, given: Any) -> Any:
        """Mark the tensors of a Python result with the outputs of the program to which they
        correspond.
        """
        tensors = (leaf for leaf in pytree.flatten(given)[0] if isinstance(leaf, Tensor))
        for tensor, name in zip(tensors, self._fetches, strict=False):
            tensor._given_as = name
        return given

    def lacks_gradients(self, tensors: Sequence[Tensor]) -> bool:
        """Whether a call needs gradients that the program does not provide."""
        return bool(self.cuts) and False in (
            self.partial.stops([*tensors, *self.results.effect_inputs()]) or ()
        )

    @functools.cached_property
    def partial(self) -> PartialProgram:
        """The program as a differentiable function."""
        return PartialProgram(self.recording.program, self.recording.scope, training=self.training)

    def _run_inference(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        if self._needs_interpreter or checks_numerics():
            with no_grad():
                return self.partial(tensors)
        if self._runner is None:
            self._runner = ProgramRunner(
                self.recording.program, self.recording.scope, name="to_static"
            )
        return [Tensor(a) for a in self._runner.infer([t.array for t in tensors])]

    @functools.cached_property
    def _needs_interpreter(self) -> bool:
        """Whether the program must not run in the engine, because it draws random numbers, has side
        effects or state, or has no outputs.
        """
        program = self.recording.program
        acts = any(traits_of(op.type).has_side_effects for op in program.ops())
        return self.has_state or acts or draws_random(program) or not program.fetches()

    # -- attributes for users
    # -------------------------------------------------------------------------------------

    @functools.cached_property
    def main_program(self) -> View:
        """The program without feed and fetch ops, as `static.Program` shows it."""
        first, *rest = self.recording.program.blocks
        ops = [op for op in first.ops if not is_feed_or_fetch(op.type)]
        blocks = [replace(first, ops=ops), *rest]
        return View.of(replace(self.recording.program, blocks=blocks))

    @functools.cached_property
    def startup_program(self) -> View:
        """An empty program, because the parameters already have values."""
        return View()

    @property
    def input_variables(self) -> list[Variable]:
        """The variables of main_program that a call feeds."""
        return [self.main_program.global_block().var(name) for name in self._feeds]

    @property
    def inputs(self) -> tuple[Any, ...]:
        """The arguments of the call, with variables of main_program in place of tensors. For a
        method, the object comes first.
        """
        variables = iter(self.input_variables)
        leaves = [next(variables) if is_input(leaf) else leaf for leaf in self.arguments.leaves]
        first = () if self._owner is None else (self._owner,)
        return *first, *self.arguments.unflatten(leaves).values()

    @property
    def outputs(self) -> list[Variable]:
        """The variables of main_program that a call returns."""
        return [self.main_program.global_block().var(name) for name in self._fetches]


class ResultBuilder:
    """Builds the Python results of a call, and performs its side effects.

    constants: by index of the leaf, the results that are not tensors.
    effects: the attributes and elements that are assigned.
    changed: the indices of inputs that are changed in place.
    sources: the previous tensors of effects, which the program reads as additional inputs.
    as_eager: return Python numbers and ndarrays if the function returns such, as in eager
    execution; otherwise all results are tensors.

    The outputs of the program are the results, then the values of the effects, then the changed
    inputs.
    """

    def __init__(
        self, spec: Any, leaves: list[Any], effects: list[SideEffect], as_eager: bool = False
    ) -> None:
        self.spec = spec
        self.python = {
            i: to_python
            for i, leaf in enumerate(leaves)
            if as_eager and (to_python := python_converter(leaf))
        }
        self.constants = {i: leaf for i, leaf in enumerate(leaves) if not isinstance(leaf, Tensor)}
        self.count = len(leaves)
        self.effects = effects
        self.changed: list[int] = []  # indices of inputs that are changed in place
        self.sources: list[
            tuple[SideEffect, int]
        ] = []  # previous tensors, by leaf, that the program reads as additional inputs
        self._single = spec == 0 and not self.constants and not self.python and not effects

    def effect_inputs(self) -> list[Tensor]:
        """Return the current tensors of effects that are inputs of the program."""
        return [pytree.flatten(effect.read())[0][leaf] for effect, leaf in self.sources]

    def build(self, flat: Sequence[Tensor], given: Sequence[Tensor]) -> Any:
        """Assign the effects, change the inputs that the function changes in place, and return the
        nested results.
        """
        if self._single and not self.changed:
            return flat[0]
        tensors = iter(flat)
        leaves = [
            self.constants[i] if i in self.constants else next(tensors) for i in range(self.count)
        ]
        for i, to_python in self.python.items():
            leaves[i] = to_python(leaves[i])
        if self.effects:
            self._assign_effects(tensors)
        for i in self.changed:
            state.mode.assign_inplace(given[i], next(tensors))
        return pytree.unflatten(self.spec, leaves)

    def _assign_effects(self, tensors: Iterator[Tensor]) -> None:
        """Assign the values of the effects. If several effects store the same container, they get
        one object.
        """
        built: dict[int, Any] = {}
        for effect in self.effects:
            parts, spec = pytree.flatten(effect.after)
            result = pytree.unflatten(
                spec, [next(tensors) if isinstance(v, Variable) else v for v in parts]
            )
            if effect.condition is True or next(tensors).array.item():
                effect.write(built.setdefault(id(effect.after), result))


def python_converter(leaf: Any) -> Callable[[Tensor], Any] | None:
    """Return the function that converts an output tensor to the Python number or ndarray that eager
    execution returns; None if eager execution returns a tensor.
    """
    if not isinstance(leaf, Variable):
        return None
    if leaf.is_ndarray:
        return Tensor.numpy
    stands = scalar_kind(leaf)
    if stands is None or not is_always_scalar(stands):
        return None
    kind = next(iter(stands.types)) if len(stands.types) == 1 else None
    return lambda tensor: tensor.numpy().item() if kind is None else kind(tensor.numpy().item())


def written_state(recording: CapturedProgram) -> list[str]:
    """Return the parameters and buffers that a program writes."""
    written = recording.program.written()
    return [name for name in recording.scope if name in written]


def build_program(
    function: Callable[..., Any],
    parameters: Parameters,
    arguments: Arguments,
    owner: Any = None,
    strict: bool = False,
) -> ConcreteProgram:
    """Capture `function` for these arguments. Each run of the program changes the Python state as
    the function does. If the capture fails, the Python state is restored.

    owner: the layer or object whose method it is.
    strict: reject constructs that may fail only at run time, such as a result that may be None.
    """
    recorder = Recorder()
    recorder.rollback, recorder.strict = Rollback(), strict
    found = FunctionCapture.create(recorder, arguments, owner)
    try:
        with defer_warnings() as warnings:
            made = _capture(function, parameters, arguments, owner, found)
    except BaseException as error:
        _roll_back(found, isinstance(error, Exception))
        if recorder.rollback.irreversible and isinstance(error, SideEffectError):
            why = (
                f"{recorder.rollback.irreversible} cannot be undone, so the call cannot run "
                f"as Python; set full_graph=False"
            )
            raise TraceError(f"{why}: {error}") from error
        if not strict and not isinstance(
            error, SideEffectError
        ):  # after a SideEffectError the call runs as Python, which issues the warnings
            _emit_warnings(warnings)
        raise
    recorder.rollback.commit()
    recorder.rollback = None
    _emit_warnings(warnings)
    return made


def _emit_warnings(warnings: list[Callable[[], None]]) -> None:
    for give in warnings:
        give()


def _roll_back(found: FunctionCapture, hooks: bool) -> None:
    """Roll back the side effects of a failed recording."""
    recorder = found.recorder
    for effect in found.effects:
        effect.restore()
    for guard in found.guards.temporary_changes():
        guard.restore()
    for handle in recorder.hooks if hooks else ():
        handle.remove()
    recorder.rollback.undo()


def _capture(
    function: Callable[..., Any],
    parameters: Parameters,
    arguments: Arguments,
    owner: Any,
    found: FunctionCapture,
) -> ConcreteProgram:
    recorder = found.recorder
    found.mode.called_with_tape = state.mode.tape
    with replace_base_mode(found.mode):
        given = {name: take_snapshot(value) for name, value in found.bound.items()}
        outputs = found.call(function, parameters)
        _reject_stop_gradient_writes(recorder)
        reject_array_effects(found.effects)
        found.guards.finish(found.effects)
        _warn_mutated_arguments(
            parameters.name,
            [n for n, was in given.items() if _is_mutated(recorder, was, found.bound[n])],
            recorder.strict,
        )
        results, tensors, behind = _collect_results(found, outputs)
        contract = write_outputs(recorder, tensors + behind)
    program = with_contract(recorder.program, contract)
    recording = create_captured_program(
        owner if isinstance(owner, Layer) else None, recorder, eliminate_dead_ops(program)
    )
    fetched = recording.program.fetches()[: len(tensors)]
    result = ConcreteProgram(
        recording, found.input_names, fetched, results, found.guards, arguments.as_specs(), owner
    )
    result.cuts, result.hooks = recorder.missing_gradient_reasons, recorder.hooks
    return result


def _reject_stop_gradient_writes(recorder: Recorder) -> None:
    """Raise SideEffectError if the function set `stop_gradient` of a tensor that it did
    not create.
    """
    for tensor, before in recorder.rollback.stop_gradient_flags.values():
        if tensor.stop_gradient != before:
            why = (
                f"a `to_static` program cannot set stop_gradient of '{tensor.name}', a tensor "
                f"created outside of the function"
            )
            raise SideEffectError(with_user_line(why))


def _collect_results(
    found: FunctionCapture, outputs: Any
) -> tuple[ResultBuilder, list[Tensor], list[Tensor]]:
    """Return the result builder, the tensors that the function returns, and the tensors for side
    effects and in-place changes.
    """
    kept = [e for e in found.effects if not _write_back(found.recorder, e)]
    found.guards.set_side_effects(kept)
    flat, spec = pytree.flatten(outputs)
    reject_results(flat)
    results = ResultBuilder(spec, flat, kept, as_eager=found.recorder.strict)
    before = [(e, i, leaf) for e in kept for i, leaf in enumerate(pytree.flatten(e.before)[0])]
    results.sources = [(e, i) for e, i, leaf in before if _make_input(found.recorder, leaf)]
    results.changed = found.changed_inputs()
    behind = [*_effect_values(found.recorder, kept), *(found.inputs[i] for i in results.changed)]
    return results, [t for t in flat if isinstance(t, Tensor)], behind


def _effect_values(recorder: Recorder, effects: list[SideEffect]) -> Iterator[Tensor]:
    """Yield the tensors of side effects, in order. A side effect that happens only on some paths
    also yields its condition.
    """
    for effect in effects:
        if effect.before is MISSING:
            effect.condition = value_defined_flag(recorder, effect.after)
            effect.after = copy_without_check(recorder, effect.after)
        yield from (leaf for leaf in pytree.flatten(effect.after)[0] if isinstance(leaf, Variable))
        if effect.condition is not True:
            yield OPS["assign"](effect.condition)


def _is_mutated(recorder: Recorder, was: Snapshot, now: Any) -> bool:
    """Whether the recording mutated an argument, or replaced a list in it with a TensorArray."""
    return not was.matches(now) or any(
        value is moved for value in iter_items(now) for moved in recorder.replaced_lists
    )


def _warn_mutated_arguments(function: str, names: list[str], strict: bool) -> None:
    """Warn about lists and dicts of the caller that the function mutates: the program mutates
    copies of them.

    strict: raise TraceError instead.
    """
    if names:
        why = (
            f"it mutates {names}, but the program works on copies, so the caller's lists and "
            f"dicts do not change. Return the new values instead"
        )
        if strict:
            raise TraceError(with_user_line(f"{function}: {why}"))
        warn(f"{function}: {why}")


def reject_results(flat: list[Any]) -> None:
    """Raise TraceError for a result that is a TensorArray or an object that holds symbolic tensors.

    For an undefined variable, raise UnboundLocalError as Python does.
    """
    for leaf in flat:
        if isinstance(leaf, Undefined):
            leaf.raise_error()
        held = [*iter_items(leaf), *getattr(leaf, "__dict__", {}).values()]
        if not isinstance(leaf, Tensor) and any(isinstance(v, Variable) for v in held):
            why = (
                f"'{type(leaf).__name__}' holds values of the program and is not a result; give "
                f"them in a tuple or dict"
            )
            raise TraceError(with_user_line(why))
        if isinstance(leaf, TensorArray):
            why = (
                f"a list whose length is known only at run time ('{leaf.name}') is not a result; "
                f"stack or concat it"
            )
            raise TraceError(with_user_line(why))


def _make_input(recorder: Recorder, before: Any) -> bool:
    """Make the previous tensor of a side effect an input of the program, because it differs at each
    call. Return whether the program reads it.
    """
    if not isinstance(before, Tensor) or not recorder.is_bound(before):
        return False
    name = recorder.name_of(before)
    if recorder.scope.pop(name, None) is not None:
        desc = recorder.program.block.vars[name]
        desc.persistable = desc.is_parameter = False
        desc.checks_feed = True
        feeds = recorder.program.feeds()
        recorder.program.block.ops.insert(len(feeds), feed_op(name, len(feeds)))
    return True


def _write_back(recorder: Recorder, effect: SideEffect) -> bool:
    """If a side effect assigns a buffer of the same shape and dtype that has no other references,
    write an op that assigns it. Return whether this op replaces the side effect.
    """
    if not is_buffer(effect.owner, effect.key, effect.before) or not isinstance(
        effect.after, Variable
    ):
        return False
    if effect.before.meta != effect.after.meta or effect.is_shared:
        return False
    name = recorder.name_of(effect.before)
    recorder.emit("assign", {"X": [recorder.name_of(effect.after)]}, {"Out": [name]})
    return True
