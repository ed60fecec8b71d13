"""ConcreteProgram: the program of a function for one call signature, and how it is run."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..capture.control.branch_values import Undefined
from ..capture.control.defined_flags import copy_without_undefined_check, value_defined_flag
from ..capture.control.tensor_arrays import TensorArray
from ..capture.recorder import Recorder
from ..capture.symbolic_scalars import is_always_scalar, scalar_kind
from ..capture.variable import Variable
from ..compiler.partial_program import PartialProgram
from ..core import pytree, rng
from ..core._tape import wrap_arrays
from ..core.autograd import no_grad
from ..core.errors import (
    SideEffectError,
    TraceError,
    append_user_line,
    defer_and_collect_warnings,
    warn,
)
from ..core.mode import state, use_base_mode
from ..core.numerics_check import is_enabled as checks_numerics
from ..core.op import OPS
from ..core.tensor import RemovableHookHandle, Tensor
from ..ir.block_captures import program_draws_random
from ..ir.kernelless_op_traits import is_feed_or_fetch, kernelless_op_traits_or_default
from ..ir.passes.prune import eliminate_dead_ops, make_feed_op
from ..ir.work_estimate import is_too_small_for_threads
from ..loader.program_runner import ProgramRunner
from ..nn.layer import Layer
from ..static.graph.program import Program as View
from .call_arguments import FlattenedArguments, FunctionParameters, is_input
from .guards.guard_set import GuardSet
from .guards.rollback import StateRollback
from .guards.side_effects import (
    SideEffect,
    is_registered_buffer,
    reject_effects_assigning_tensor_arrays,
)
from .guards.snapshots import MISSING, Snapshot, iter_value_and_items, take_snapshot
from .layer_capture import (
    CapturedProgram,
    complete_and_store_contract,
    create_captured_program,
    rename_and_fetch_outputs_and_make_contract,
)
from .static_call_capture import StaticCallCapture


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
        results: SideEffectReplayAndResultBuilder,
        guards: GuardSet,
        arguments: FlattenedArguments,
        owner: Any = None,
    ) -> None:
        self.captured_program, self.arguments, self._method_owner = recording, arguments, owner
        self._input_names, self._output_names = feeds, fetches
        self.parameters = list(recording.scope.values())
        self.result_builder = results
        self.guards = guards
        self.missing_gradient_reasons: list[str] = []  # why the program cannot provide gradients
        # Hooks that the capture registered on external tensors.
        self.captured_hooks: list[RemovableHookHandle] = []
        self.has_persistent_effects = bool(results.side_effects) or bool(
            written_state_names(recording)
        )
        self.is_training = True
        self._runner: Any = None

    def __call__(self, tensors: Sequence[Tensor]) -> Any:
        """Run the program for its inputs, in order, and return the results of the function.

        If the run fails, random generators and buffers are restored to their previous state.
        """
        if self._is_stateless and not state.mode.tape:
            return self._build_results(self._run_without_gradients(tensors), tensors)
        inputs = [*tensors, *self.result_builder.read_effect_input_tensors()]
        stops = self.partial_program.stop_gradients_of_inputs_and_state(inputs)
        before = self._snapshot_mutable_state()
        try:
            if stops is None or False not in stops:
                outputs = self._run_without_gradients(inputs)
            else:
                outputs = self.partial_program.call_given_stop_gradients(inputs, stops)
        except Exception:
            for tensor, array in before[0]:
                tensor.array = array
            if before[1] is not None:
                rng.set_rng_state(before[1])
            raise
        return self._build_results(outputs, tensors)

    def _build_results(self, outputs: list[Tensor], tensors: Sequence[Tensor]) -> Any:
        """Return the results of the function for the outputs of a run; perform its side effects.

        tensors: the inputs of the function.
        """
        if self._returns_tensor_without_effects:
            outputs[0]._program_output_name = self._output_names[0]
            return outputs[0]
        for tensor, name in zip(outputs, self._output_names, strict=False):
            tensor._program_output_name = name
        result = self.result_builder.apply_effects_and_build_results(outputs, tensors)
        self.guards.replay_assignments()
        return result

    def _snapshot_mutable_state(self) -> tuple[list[tuple[Tensor, Any]], list[Any] | None]:
        """Return a copy of the state that a run of the program changes: tensors with their arrays,
        and the state of the random generator.
        """
        if not self._mutates_buffers_or_draws_random:
            return [], None
        tensors = (
            self.captured_program.scope[name] for name in written_state_names(self.captured_program)
        )
        return [(tensor, tensor.array) for tensor in tensors], rng.get_rng_state()

    @functools.cached_property
    def _mutates_buffers_or_draws_random(self) -> bool:
        """Whether a run changes buffers or draws random numbers."""
        return bool(written_state_names(self.captured_program)) or program_draws_random(
            self.captured_program.program
        )

    @functools.cached_property
    def _returns_tensor_without_effects(self) -> bool:
        """Whether the function returns one tensor and has no side effects."""
        return self.result_builder.returns_single_output and not self.guards.replays_assignments

    @functools.cached_property
    def _is_stateless(self) -> bool:
        """Whether a run reads no tensors besides inputs and parameters, and changes no state that a
        failed run would have to restore.
        """
        return not (self.result_builder.effect_sources or self._mutates_buffers_or_draws_random)

    @functools.cached_property
    def has_side_effect_calls(self) -> bool:
        """Whether a run calls Python functions with side effects, so that it must not be
        repeated.
        """
        return any(
            kernelless_op_traits_or_default(op.type).has_side_effects and op.type != "assert"
            for op in self.captured_program.program.ops()
        )

    def tag_tensors_with_output_names(self, given: Any) -> Any:
        """Store in each tensor of a Python result the name of the program output that it
        corresponds to.
        """
        tensors = (leaf for leaf in pytree.flatten(given)[0] if isinstance(leaf, Tensor))
        for tensor, name in zip(tensors, self._output_names, strict=False):
            tensor._program_output_name = name
        return given

    def call_lacks_needed_gradients(self, tensors: Sequence[Tensor]) -> bool:
        """Whether a call with these inputs requires gradients, but the program cannot provide
        them.
        """
        return bool(self.missing_gradient_reasons) and False in (
            self.partial_program.stop_gradients_of_inputs_and_state(
                [*tensors, *self.result_builder.read_effect_input_tensors()]
            )
            or ()
        )

    @functools.cached_property
    def partial_program(self) -> PartialProgram:
        """The program as a PartialProgram, which eager code can call and differentiate."""
        return PartialProgram(
            self.captured_program.program, self.captured_program.scope, training=self.is_training
        )

    def _run_without_gradients(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        if self._needs_interpreter or checks_numerics():
            with no_grad():
                return self.partial_program(tensors)
        if self._runner is None:
            program = self.captured_program.program
            options = {"threads": 1} if is_too_small_for_threads(program) else {}
            self._runner = ProgramRunner(
                program, self.captured_program.scope, options=options, name="to_static"
            )
        return wrap_arrays(tuple(self._runner.infer([t.array for t in tensors])))

    @functools.cached_property
    def _needs_interpreter(self) -> bool:
        """Whether the program must not run in the engine, because it draws random numbers, has side
        effects or state, or has no outputs.
        """
        program = self.captured_program.program
        has_side_effects = any(
            kernelless_op_traits_or_default(op.type).has_side_effects for op in program.ops()
        )
        return (
            self.has_persistent_effects
            or has_side_effects
            or program_draws_random(program)
            or not program.fetch_names()
        )

    # -- attributes for users
    # -------------------------------------------------------------------------------------

    @functools.cached_property
    def main_program(self) -> View:
        """The program without feed and fetch ops, as `static.Program` shows it."""
        first, *rest = self.captured_program.program.blocks
        ops = [op for op in first.ops if not is_feed_or_fetch(op.type)]
        blocks = [replace(first, ops=ops), *rest]
        return View.view_of_raw(replace(self.captured_program.program, blocks=blocks))

    @functools.cached_property
    def startup_program(self) -> View:
        """An empty program, because the parameters already have values."""
        return View()

    @property
    def input_variables(self) -> list[Variable]:
        """The variables of main_program that a call feeds."""
        return [self.main_program.global_block().var(name) for name in self._input_names]

    @property
    def inputs(self) -> tuple[Any, ...]:
        """The arguments of the call, with variables of main_program in place of tensors. For a
        method, the object comes first.
        """
        variables = iter(self.input_variables)
        leaves = [next(variables) if is_input(leaf) else leaf for leaf in self.arguments.leaves]
        first = () if self._method_owner is None else (self._method_owner,)
        return *first, *self.arguments.unflatten(leaves).values()

    @property
    def outputs(self) -> list[Variable]:
        """The variables of main_program that a call returns."""
        return [self.main_program.global_block().var(name) for name in self._output_names]


class SideEffectReplayAndResultBuilder:
    """Builds the Python results of a call from the outputs of the program, and performs the side
    effects of the captured function.

    constant_results: by index of the leaf, the results that are not tensors.
    side_effects: the attributes and elements that the function assigns.
    changed_input_indices: the indices of inputs that the function changes in place.
    effect_sources: the tensors that assigned attributes hold before a call, which the program reads
    as additional inputs.
    as_eager: return Python numbers and ndarrays where the function returns such in eager execution;
    if false, all these results are tensors.

    The outputs of the program are the results, then the assigned values, then the new values of
    inputs that are changed in place.
    """

    def __init__(
        self, spec: Any, leaves: list[Any], effects: list[SideEffect], as_eager: bool = False
    ) -> None:
        self.spec = spec
        self.python_converters = {
            i: to_python
            for i, leaf in enumerate(leaves)
            if as_eager and (to_python := find_python_result_converter(leaf))
        }
        self.constant_results = {
            i: leaf for i, leaf in enumerate(leaves) if not isinstance(leaf, Tensor)
        }
        self.num_results = len(leaves)
        self.side_effects = effects
        self.changed_input_indices: list[int] = []  # indices of inputs that are changed in place
        # pairs of an effect and the index of a leaf of its previous value that the program reads
        # as an additional input
        self.effect_sources: list[tuple[SideEffect, int]] = []
        self._is_single_tensor = (
            spec == 0 and not self.constant_results and not self.python_converters and not effects
        )

    @property
    def returns_single_output(self) -> bool:
        """Whether the only output of the program is the result, and inputs and attributes stay."""
        return self._is_single_tensor and not self.changed_input_indices

    def read_effect_input_tensors(self) -> list[Tensor]:
        """Return the tensors that the assigned attributes hold now and that are additional inputs
        of the program.
        """
        return [pytree.flatten(effect.read())[0][leaf] for effect, leaf in self.effect_sources]

    def apply_effects_and_build_results(
        self, flat: Sequence[Tensor], inputs: Sequence[Tensor]
    ) -> Any:
        """Assign attributes and elements, and change inputs in place, as the captured function
        does; return its nested results.
        """
        if self.returns_single_output:
            return flat[0]
        tensors = iter(flat)
        leaves = [
            self.constant_results[i] if i in self.constant_results else next(tensors)
            for i in range(self.num_results)
        ]
        for i, to_python in self.python_converters.items():
            leaves[i] = to_python(leaves[i])
        if self.side_effects:
            self._assign_effects(tensors)
        for i in self.changed_input_indices:
            state.mode.assign_inplace(inputs[i], next(tensors))
        return pytree.unflatten(self.spec, leaves)

    def _assign_effects(self, tensors: Iterator[Tensor]) -> None:
        """Assign the values of the side effects. If the function stored one container in several
        places, one new container is stored in all of them.
        """
        built_values: dict[int, Any] = {}
        for effect in self.side_effects:
            parts, spec = pytree.flatten(effect.new_value)
            result = pytree.unflatten(
                spec, [next(tensors) if isinstance(v, Variable) else v for v in parts]
            )
            if effect.condition is True or next(tensors).array.item():
                effect.write(built_values.setdefault(id(effect.new_value), result))


def find_python_result_converter(leaf: Any) -> Callable[[Tensor], Any] | None:
    """Return the function that converts an output tensor to the Python number or ndarray that eager
    execution returns; None if eager execution returns a tensor.
    """
    if not isinstance(leaf, Variable):
        return None
    if leaf.is_ndarray:
        return Tensor.numpy
    kind = scalar_kind(leaf)
    if kind is None or not is_always_scalar(kind):
        return None
    python_type = next(iter(kind.types)) if len(kind.types) == 1 else None
    return lambda tensor: (
        tensor.numpy().item() if python_type is None else python_type(tensor.numpy().item())
    )


def written_state_names(recording: CapturedProgram) -> list[str]:
    """Return the names, in the program, of the parameters and buffers that the program writes."""
    written = recording.program.written_names()
    return [name for name in recording.scope if name in written]


def capture_concrete_program(
    function: Callable[..., Any],
    parameters: FunctionParameters,
    arguments: FlattenedArguments,
    owner: Any = None,
    strict: bool = False,
) -> ConcreteProgram:
    """Capture `function` for these arguments. Return a ConcreteProgram; each of its calls changes
    the Python state as the function does. If the capture fails, the Python state is restored.

    owner: the layer or object whose method the function is.
    strict: raise an error for constructs that may fail only at run time, such as a result that may
    be None.
    """
    recorder = Recorder()
    recorder.rollback, recorder.strict = StateRollback(), strict
    capture = StaticCallCapture.create(recorder, arguments, owner)
    try:
        with defer_and_collect_warnings() as warnings:
            concrete = _capture_without_rollback(function, parameters, arguments, owner, capture)
    except BaseException as error:
        _roll_back_capture(capture, isinstance(error, Exception))
        if recorder.rollback.irreversible_effect and isinstance(error, SideEffectError):
            why = (
                f"{recorder.rollback.irreversible_effect} cannot be undone, so the call cannot run "
                f"as Python; set full_graph=False"
            )
            raise TraceError(f"{why}: {error}") from error
        if not strict and not isinstance(
            error, SideEffectError
        ):  # after a SideEffectError the call runs as Python, which issues the same warnings
            _emit_deferred_warnings(warnings)
        raise
    recorder.rollback.print_deferred()
    recorder.rollback = None
    _emit_deferred_warnings(warnings)
    return concrete


def _emit_deferred_warnings(warnings: list[Callable[[], None]]) -> None:
    for emit in warnings:
        emit()


def _roll_back_capture(capture: StaticCallCapture, removes_hooks: bool) -> None:
    """Roll back the side effects of a failed recording."""
    recorder = capture.recorder
    for effect in capture.side_effects:
        effect.restore()
    for guard in capture.guards.find_guards_with_call_local_value():
        guard.restore_value()
    for handle in recorder.hooks if removes_hooks else ():
        handle.remove()
    recorder.rollback.restore_all()


def _capture_without_rollback(
    function: Callable[..., Any],
    parameters: FunctionParameters,
    arguments: FlattenedArguments,
    owner: Any,
    capture: StaticCallCapture,
) -> ConcreteProgram:
    recorder = capture.recorder
    capture.mode.caller_has_tape = state.mode.tape
    with use_base_mode(capture.mode):
        snapshots = {name: take_snapshot(value) for name, value in capture.bound_arguments.items()}
        outputs = capture.call_function(function, parameters)
        _reject_stop_gradient_writes(recorder)
        reject_effects_assigning_tensor_arrays(capture.side_effects)
        capture.guards.select_guards_after_capture(capture.side_effects)
        _warn_or_raise_for_mutated_arguments(
            parameters.name,
            [
                n
                for n, was in snapshots.items()
                if _is_argument_mutated(recorder, was, capture.bound_arguments[n])
            ],
            recorder.strict,
        )
        results, tensors, effect_tensors = _collect_results_and_effects(capture, outputs)
        contract = rename_and_fetch_outputs_and_make_contract(recorder, tensors + effect_tensors)
    program = complete_and_store_contract(recorder.program, contract)
    recording = create_captured_program(
        owner if isinstance(owner, Layer) else None, recorder, eliminate_dead_ops(program)
    )
    fetched = recording.program.fetch_names()[: len(tensors)]
    result = ConcreteProgram(
        recording,
        capture.input_names,
        fetched,
        results,
        capture.guards,
        arguments.with_specs_for_tensors(),
        owner,
    )
    result.missing_gradient_reasons, result.captured_hooks = (
        recorder.missing_gradient_reasons,
        recorder.hooks,
    )
    return result


def _reject_stop_gradient_writes(recorder: Recorder) -> None:
    """Raise SideEffectError if the function set `stop_gradient` of a tensor that it did
    not create.
    """
    for tensor, before in recorder.rollback.saved_stop_gradient.values():
        if tensor.stop_gradient != before:
            why = (
                f"a `to_static` program cannot set stop_gradient of '{tensor.name}', a tensor "
                f"created outside of the function"
            )
            raise SideEffectError(append_user_line(why))


def _collect_results_and_effects(
    capture: StaticCallCapture, outputs: Any
) -> tuple[SideEffectReplayAndResultBuilder, list[Tensor], list[Tensor]]:
    """Return the builder of the Python results, the tensors that the function returns, and the
    tensors that are assigned as side effects or to inputs in place.
    """
    effects = [e for e in capture.side_effects if not _try_emit_buffer_assign(capture.recorder, e)]
    capture.guards.set_replayed_side_effects_and_checked_version(effects)
    flat, spec = pytree.flatten(outputs)
    reject_invalid_results(flat)
    results = SideEffectReplayAndResultBuilder(
        spec, flat, effects, as_eager=capture.recorder.strict
    )
    before = [
        (e, i, leaf) for e in effects for i, leaf in enumerate(pytree.flatten(e.previous_value)[0])
    ]
    results.effect_sources = [
        (e, i)
        for e, i, leaf in before
        if _try_make_previous_tensor_an_input(capture.recorder, leaf)
    ]
    results.changed_input_indices = capture.changed_input_indices()
    effect_tensors = [
        *_update_effects_and_iter_tensors_and_conditions(capture.recorder, effects),
        *(capture.inputs[i] for i in results.changed_input_indices),
    ]
    return results, [t for t in flat if isinstance(t, Tensor)], effect_tensors


def _update_effects_and_iter_tensors_and_conditions(
    recorder: Recorder, effects: list[SideEffect]
) -> Iterator[Tensor]:
    """Yield the tensors that the side effects assign, in order; for a side effect that happens only
    on some paths, also its condition. If the attribute does not exist before the call, `condition`
    and `new_value` of the effect are updated.
    """
    for effect in effects:
        if effect.previous_value is MISSING:
            effect.condition = value_defined_flag(recorder, effect.new_value)
            effect.new_value = copy_without_undefined_check(recorder, effect.new_value)
        yield from (
            leaf for leaf in pytree.flatten(effect.new_value)[0] if isinstance(leaf, Variable)
        )
        if effect.condition is not True:
            yield OPS["assign"](effect.condition)


def _is_argument_mutated(recorder: Recorder, snapshot: Snapshot, value: Any) -> bool:
    """Whether the recording mutated an argument, or replaced a list in it with a TensorArray."""
    return not snapshot.matches(value) or any(
        value is moved for value in iter_value_and_items(value) for moved in recorder.replaced_lists
    )


def _warn_or_raise_for_mutated_arguments(function: str, names: list[str], strict: bool) -> None:
    """Warn that the function mutates arguments that are lists or dicts, because the program mutates
    only copies of them.

    strict: raise TraceError instead of a warning.
    """
    if names:
        why = (
            f"it mutates {names}, but the program works on copies, so the caller's lists and "
            f"dicts do not change. Return the new values instead"
        )
        if strict:
            raise TraceError(append_user_line(f"{function}: {why}"))
        warn(f"{function}: {why}")


def reject_invalid_results(flat: list[Any]) -> None:
    """Raise TraceError if a leaf of the function's result is a TensorArray, or an object that holds
    symbolic tensors.

    If a leaf is a variable without a value, raise UnboundLocalError as Python does.
    """
    for leaf in flat:
        if isinstance(leaf, Undefined):
            leaf.raise_error()
        attribute_values = [*iter_value_and_items(leaf), *getattr(leaf, "__dict__", {}).values()]
        if not isinstance(leaf, Tensor) and any(isinstance(v, Variable) for v in attribute_values):
            why = (
                f"an object of type '{type(leaf).__name__}' that holds tensors cannot be "
                f"returned; return "
                f"the tensors in a tuple or dict"
            )
            raise TraceError(append_user_line(why))
        if isinstance(leaf, TensorArray):
            why = (
                f"a list whose length is known only at run time ('{leaf.name}') cannot be "
                f"returned; stack or concatenate its elements"
            )
            raise TraceError(append_user_line(why))


def _try_make_previous_tensor_an_input(recorder: Recorder, before: Any) -> bool:
    """If the program reads `before`, the tensor that an assigned attribute held before the call,
    make it an input of the program, because the tensor differs at each call. Return whether
    `before` is an input of the program.
    """
    if not isinstance(before, Tensor) or not recorder.is_tensor_bound_to_variable(before):
        return False
    name = recorder.find_name_or_declare_persistable(before)
    if recorder.scope.pop(name, None) is not None:
        desc = recorder.program.block.vars[name]
        desc.persistable = desc.is_parameter = False
        desc.checks_feed = True
        feeds = recorder.program.feed_names()
        recorder.program.block.ops.insert(len(feeds), make_feed_op(name, len(feeds)))
    return True


def _try_emit_buffer_assign(recorder: Recorder, effect: SideEffect) -> bool:
    """If a side effect assigns a new value to a buffer, with the same shape and dtype, and nothing
    else refers to the old tensor, append an op that assigns the buffer. Return whether this op
    replaces the side effect.
    """
    if not is_registered_buffer(effect.owner, effect.key, effect.previous_value) or not isinstance(
        effect.new_value, Variable
    ):
        return False
    if effect.previous_value.meta != effect.new_value.meta or effect.is_previous_tensor_aliased:
        return False
    name = recorder.find_name_or_declare_persistable(effect.previous_value)
    recorder.append_op(
        "assign",
        {"X": [recorder.find_name_or_declare_persistable(effect.new_value)]},
        {"Out": [name]},
    )
    return True
