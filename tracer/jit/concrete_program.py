"""A function made a program for one kind of call: what it was recorded from, and how it is run."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..capture.control.branch_values import Undefined
from ..capture.control.maybe_undefined import unchecked, whether_set
from ..capture.control.tensor_arrays import TensorArray
from ..capture.recorder import Recorder
from ..capture.symbolic_scalars import is_pure, stands_for
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
from .captured_program import Recorded
from .guards.guard_set import Assumed
from .guards.rollback import Rollback
from .guards.side_effects import Effect, is_buffer, refuse_lists
from .guards.snapshots import MISSING, Snapshot, reachable, snapshot
from .layer_capture import Recording, described, finish, recording_of


class ConcreteProgram:
    """The program of a function for one kind of call.

    arguments: of the call, as InputSpecs; owner: the layer or object whose method it is;
    parameters: the tensors it takes from outside; feeds, fetches: the names of what a call gives
    and gets.
    """

    def __init__(
        self,
        recording: Recording,
        feeds: Sequence[str],
        fetches: Sequence[str],
        results: Results,
        assumed: Assumed,
        arguments: Arguments,
        owner: Any = None,
    ) -> None:
        self.recording, self.arguments, self._owner = recording, arguments, owner
        self._feeds, self._fetches = feeds, fetches
        self.parameters = list(recording.scope.values())
        self.results = results
        self.assumed = assumed
        self.cuts: list[str] = []  # what the program lacks to give gradients
        # that tensors from outside were given when it was made
        self.hooks: list[RemovableHook] = []
        self.keeps_state = bool(results.effects) or bool(updated(recording))
        self.training = True
        self._runner: Any = None

    def __call__(self, tensors: Sequence[Tensor]) -> Any:
        """Run the program for the inputs in order and return the results of the function.

        A failed run leaves random generators and buffers unchanged.
        """
        given = [*tensors, *self.results.held()]
        stops = self.partial.stops(given)
        before = self._state()
        try:
            if stops is None or False not in stops:
                found = self._inferred(given)
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
        made = self.results.put(found, tensors)
        self.assumed.replay()
        return made

    def _state(self) -> tuple[list[tuple[Tensor, Any]], list[Any] | None]:
        """The state that a run changes besides its results: arrays of tensors, and the state of the
        random generator.
        """
        if not self._changes_state:
            return [], None
        tensors = (self.recording.scope[name] for name in updated(self.recording))
        return [(tensor, tensor.array) for tensor in tensors], rng.get_rng_state()

    @functools.cached_property
    def _changes_state(self) -> bool:
        """Whether a run changes buffers or draws random numbers."""
        return bool(updated(self.recording)) or draws_random(self.recording.program)

    @functools.cached_property
    def prints(self) -> bool:
        """Whether a run calls Python functions, so that it must not be run twice."""
        return any(
            traits_of(op.type).has_side_effects and op.type != "assert"
            for op in self.recording.program.ops()
        )

    def labelled(self, given: Any) -> Any:
        """What Python gave in place of the program, whose tensors know from now on which outputs
        they are.
        """
        tensors = (leaf for leaf in pytree.flatten(given)[0] if isinstance(leaf, Tensor))
        for tensor, name in zip(tensors, self._fetches, strict=False):
            tensor._given_as = name
        return given

    def lacks_gradients(self, tensors: Sequence[Tensor]) -> bool:
        """Whether gradients are wanted that the program does not give."""
        return bool(self.cuts) and False in (
            self.partial.stops([*tensors, *self.results.held()]) or ()
        )

    @functools.cached_property
    def partial(self) -> PartialProgram:
        """What runs it where gradients are wanted, or a run does more than give results."""
        return PartialProgram(self.recording.program, self.recording.scope, training=self.training)

    def _inferred(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        if self._runs_whole or checks_numerics():
            with no_grad():
                return self.partial(tensors)
        if self._runner is None:
            self._runner = ProgramRunner(
                self.recording.program, self.recording.scope, name="to_static"
            )
        return [Tensor(a) for a in self._runner.infer([t.array for t in tensors])]

    @functools.cached_property
    def _runs_whole(self) -> bool:
        """Whether the engine cannot run it: it draws random numbers, prints, asserts, keeps state,
        or gives nothing.
        """
        program = self.recording.program
        acts = any(traits_of(op.type).has_side_effects for op in program.ops())
        return self.keeps_state or acts or draws_random(program) or not program.fetches()

    # -- what users look at
    # -------------------------------------------------------------------------------------

    @functools.cached_property
    def main_program(self) -> View:
        """The program, as `static.Program` shows one that is written by hand: without feed and
        fetch ops.
        """
        first, *rest = self.recording.program.blocks
        ops = [op for op in first.ops if not is_feed_or_fetch(op.type)]
        blocks = [replace(first, ops=ops), *rest]
        return View.of(replace(self.recording.program, blocks=blocks))

    @functools.cached_property
    def startup_program(self) -> View:
        """An empty one: the parameters have their values."""
        return View()

    @property
    def input_variables(self) -> list[Variable]:
        """The variables of main_program that a call feeds."""
        return [self.main_program.global_block().var(name) for name in self._feeds]

    @property
    def inputs(self) -> tuple[Any, ...]:
        """The arguments, of a method its object first, with variables of main_program in place of
        tensors.
        """
        variables = iter(self.input_variables)
        leaves = [next(variables) if is_input(leaf) else leaf for leaf in self.arguments.leaves]
        first = () if self._owner is None else (self._owner,)
        return *first, *self.arguments.rebuilt(leaves).values()

    @property
    def outputs(self) -> list[Variable]:
        """The variables of main_program that a call gives."""
        return [self.main_program.global_block().var(name) for name in self._fetches]


class Results:
    """What a call gives and leaves behind.

    constants: by leaf, what is no tensor; effects: attributes, their values come after the outputs.

    as_eager: return numbers and arrays of Python where the function returns such, as eager
    execution does; else all are tensors.
    """

    def __init__(
        self, nesting: Any, leaves: list[Any], effects: list[Effect], as_eager: bool = False
    ) -> None:
        self.nesting = nesting
        self.python = {
            i: to_python
            for i, leaf in enumerate(leaves)
            if as_eager and (to_python := python_converter(leaf))
        }
        self.constants = {i: leaf for i, leaf in enumerate(leaves) if not isinstance(leaf, Tensor)}
        self.count = len(leaves)
        self.effects = effects
        self.changed: list[int] = []  # inputs that are changed in place: their values come last
        self.sources: list[
            tuple[Effect, int]
        ] = []  # tensors before them that the program also reads, by leaf: further inputs
        self._single = nesting == 0 and not self.constants and not self.python and not effects

    def held(self) -> list[Tensor]:
        """What attributes hold now, for the inputs that they are."""
        return [pytree.flatten(effect.now())[0][leaf] for effect, leaf in self.sources]

    def put(self, flat: Sequence[Tensor], given: Sequence[Tensor]) -> Any:
        """The results in their nesting; attributes are set, and inputs changed in place."""
        if self._single and not self.changed:
            return flat[0]
        tensors = iter(flat)
        leaves = [
            self.constants[i] if i in self.constants else next(tensors) for i in range(self.count)
        ]
        for i, to_python in self.python.items():
            leaves[i] = to_python(leaves[i])
        if self.effects:
            self._keep(tensors)
        for i in self.changed:
            state.mode.assign_inplace(given[i], next(tensors))
        return pytree.unflatten(self.nesting, leaves)

    def _keep(self, tensors: Iterator[Tensor]) -> None:
        """Let attributes and elements hold what a run made of them; a container that several of
        them hold is one afterwards.
        """
        built: dict[int, Any] = {}
        for effect in self.effects:
            parts, nesting = pytree.flatten(effect.after)
            made = pytree.unflatten(
                nesting, [next(tensors) if isinstance(v, Variable) else v for v in parts]
            )
            if effect.is_set is True or next(tensors).array.item():
                effect.put(built.setdefault(id(effect.after), made))


def python_converter(leaf: Any) -> Callable[[Tensor], Any] | None:
    """The function that converts an output tensor back to the Python number or ndarray it stands
    for; None for any other result.
    """
    if not isinstance(leaf, Variable):
        return None
    if leaf.of_numpy:
        return Tensor.numpy
    stands = stands_for(leaf)
    if stands is None or not is_pure(stands):
        return None
    kind = next(iter(stands.types)) if len(stands.types) == 1 else None
    return lambda tensor: tensor.numpy().item() if kind is None else kind(tensor.numpy().item())


def updated(recording: Recording) -> list[str]:
    """The parameters and buffers that a program writes."""
    written = recording.program.written()
    return [name for name in recording.scope if name in written]


def build(
    function: Callable[..., Any],
    parameters: Parameters,
    arguments: Arguments,
    owner: Any = None,
    strict: bool = False,
) -> ConcreteProgram:
    """Record `function` for arguments like these; what it leaves in Python each run leaves there.

    owner: the layer or object whose method it is.

    strict: refuse what a run could only find out, such as a result that may be None.
    A recording that fails leaves Python as it was.
    """
    recorder = Recorder()
    recorder.rollback, recorder.strict = Rollback(), strict
    found = Recorded.by(recorder, arguments, owner)
    try:
        with defer_warnings() as warnings:
            made = _built(function, parameters, arguments, owner, found)
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
        ):  # else the call runs as Python, which issues the warnings itself
            _issue(warnings)
        raise
    recorder.rollback.commit()
    recorder.rollback = None
    _issue(warnings)
    return made


def _issue(warnings: list[Callable[[], None]]) -> None:
    for give in warnings:
        give()


def _roll_back(found: Recorded, hooks: bool) -> None:
    """Roll back the side effects of a failed recording."""
    recorder = found.recorder
    for effect in found.effects:
        effect.restore()
    for place in found.assumed.changed():
        place.put_back()
    for handle in recorder.hooks if hooks else ():
        handle.remove()
    recorder.rollback.undo()


def _built(
    function: Callable[..., Any],
    parameters: Parameters,
    arguments: Arguments,
    owner: Any,
    found: Recorded,
) -> ConcreteProgram:
    recorder = found.recorder
    found.mode.called_with_tape = state.mode.tape
    with replace_base_mode(found.mode):
        given = {name: snapshot(value) for name, value in found.bound.items()}
        outputs = found.call(function, parameters)
        _reject_stop_gradient_writes(recorder)
        refuse_lists(found.effects)
        found.assumed.finish(found.effects)
        _warn_of_containers(
            parameters.name,
            [n for n, was in given.items() if _is_changed(recorder, was, found.bound[n])],
            recorder.strict,
        )
        results, tensors, behind = _results(found, outputs)
        contract = finish(recorder, tensors + behind)
    program = described(recorder.program, contract)
    recording = recording_of(
        owner if isinstance(owner, Layer) else None, recorder, eliminate_dead_ops(program)
    )
    fetched = recording.program.fetches()[: len(tensors)]
    made = ConcreteProgram(
        recording, found.fed, fetched, results, found.assumed, arguments.as_specs(), owner
    )
    made.cuts, made.hooks = recorder.cuts, recorder.hooks
    return made


def _reject_stop_gradient_writes(recorder: Recorder) -> None:
    """Raise SideEffectError if the function set `stop_gradient` of a tensor that it did
    not create.
    """
    for tensor, before in recorder.rollback.flags.values():
        if tensor.stop_gradient != before:
            why = (
                f"a `to_static` program cannot set stop_gradient of '{tensor.name}', a tensor "
                f"created outside of the function"
            )
            raise SideEffectError(with_user_line(why))


def _results(found: Recorded, outputs: Any) -> tuple[Results, list[Tensor], list[Tensor]]:
    """What a run gives and leaves behind: as it does it, the tensors that it gives, and those that
    it leaves.
    """
    kept = [e for e in found.effects if not _written_back(found.recorder, e)]
    found.assumed.only(kept)
    flat, nesting = pytree.flatten(outputs)
    refuse_results(flat)
    results = Results(nesting, flat, kept, as_eager=found.recorder.strict)
    before = [(e, i, leaf) for e in kept for i, leaf in enumerate(pytree.flatten(e.before)[0])]
    results.sources = [(e, i) for e, i, leaf in before if _as_input(found.recorder, leaf)]
    results.changed = found.changed_inputs()
    behind = [*_left_behind(found.recorder, kept), *(found.inputs[i] for i in results.changed)]
    return results, [t for t in flat if isinstance(t, Tensor)], behind


def _left_behind(recorder: Recorder, effects: list[Effect]) -> Iterator[Tensor]:
    """What a run gives for effects, in order; beside what some ways give only, whether it
    is there.
    """
    for effect in effects:
        if effect.before is MISSING:
            effect.is_set = whether_set(recorder, effect.after)
            effect.after = unchecked(recorder, effect.after)
        yield from (leaf for leaf in pytree.flatten(effect.after)[0] if isinstance(leaf, Variable))
        if effect.is_set is not True:
            yield OPS["assign"](effect.is_set)


def _is_changed(recorder: Recorder, was: Snapshot, now: Any) -> bool:
    """Whether the recording mutated an argument, or replaced a list in it with a TensorArray."""
    return not was.same(now) or any(
        value is moved for value in reachable(now) for moved in recorder.moved
    )


def _warn_of_containers(function: str, names: list[str], strict: bool) -> None:
    """Warn about the caller's lists and dicts that the function mutates: the program works on
    copies.

    strict: raise TraceError instead
    """
    if names:
        why = (
            f"it mutates {names}, but the program works on copies, so the caller's lists and "
            f"dicts do not change. Return the new values instead"
        )
        if strict:
            raise TraceError(with_user_line(f"{function}: {why}"))
        warn(f"{function}: {why}")


def refuse_results(flat: list[Any]) -> None:
    """Raise TraceError for a list that only a run knows the length of, and for objects that hold
    values of the program.

    A name without a value raises UnboundLocalError, as in Python.
    """
    for leaf in flat:
        if isinstance(leaf, Undefined):
            leaf.use()
        held = [*reachable(leaf), *getattr(leaf, "__dict__", {}).values()]
        if not isinstance(leaf, Tensor) and any(isinstance(v, Variable) for v in held):
            why = (
                f"'{type(leaf).__name__}' holds values of the program and is no result; give "
                f"them in a tuple or dict"
            )
            raise TraceError(with_user_line(why))
        if isinstance(leaf, TensorArray):
            why = (
                f"a list whose length only a run knows ('{leaf.name}') is no result; stack or "
                f"concat it"
            )
            raise TraceError(with_user_line(why))


def _as_input(recorder: Recorder, before: Any) -> bool:
    """Make an input of a place's value, which is another one at each call; gives whether the
    program reads it at all.
    """
    if not isinstance(before, Tensor) or not recorder.knows(before):
        return False
    name = recorder.name_of(before)
    if recorder.scope.pop(name, None) is not None:
        desc = recorder.program.block.vars[name]
        desc.persistable = desc.is_parameter = False
        desc.checks_feed = True
        feeds = recorder.program.feeds()
        recorder.program.block.ops.insert(len(feeds), feed_op(name, len(feeds)))
    return True


def _written_back(recorder: Recorder, effect: Effect) -> bool:
    """Whether an effect is on a buffer of fixed shape that nothing else holds: then the program
    itself writes it.
    """
    if not is_buffer(effect.owner, effect.key, effect.before) or not isinstance(
        effect.after, Variable
    ):
        return False
    if effect.before.meta != effect.after.meta or effect.shared:
        return False
    name = recorder.name_of(effect.before)
    recorder.emit("assign", {"X": [recorder.name_of(effect.after)]}, {"Out": [name]})
    return True
