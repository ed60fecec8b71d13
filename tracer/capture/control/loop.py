"""Record loops: a block that runs while a condition holds, and the loop-carried variables."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from ...core import pytree
from ...core.errors import TraceError, with_user_line
from ...core.op import OPS, Meta
from ...core.tensor import Tensor
from ..modes import Static
from ..recorder import OpenBlock
from ..symbolic_scalars import mark_scalar, merge_kinds, merged_kind, scalar_kind
from ..undefined_checks import UndefinedCheck
from ..variable import MaybeUndefined, Variable
from .array_replacement import CarriedArray, assign_in_parallel, needs_array, to_array
from .block_ops import emit_while
from .branch import check_condition, restore_in_place
from .branch_values import (
    Undefined,
    cast_to,
    constant,
    is_same,
    merged_meta,
    meta_of,
    reject_merge,
    uninitialized,
)
from .loop_aliasing import LoopAliasAnalysis, LoopCarried
from .loop_containers import ExpandedContainers
from .loop_locations import LoopLocations
from .loop_state import LoopState
from .may_alias import (
    MUTABLE_CONTAINERS,
    Invalidated,
    LoopText,
    MayAliasList,
    raw_items,
    to_builtin,
)
from .maybe_undefined import ANY_BLOCK, WHY, DefinedFlag, UndefinedLoopValues, is_user_name
from .mutable_locations import MutableLocation, Mutations, roll_back
from .optional_values import OptionalLoopValues
from .tensor_arrays import TensorArray

Values = list[Any]
# Loop-carried variables with their values at the end of an iteration.
Successors = list[tuple[LoopCarried | CarriedArray, Any]]
Test = Callable[[Values], tuple[Any, Values]]
BEFORE, AFTER = LABELS = ("before the loop", "after an iteration")


def record_loop(
    mode: Static, test: Test, body: Callable[[Values], Values], start: Values, names: Sequence[str]
) -> Values:
    """Record a loop, and return the values after it. Values that no iteration changes are returned
    unchanged.

    test: returns the condition and the values, which it may change as well.

    The body is recorded repeatedly until its effect is known: a list that grows becomes a
    TensorArray, a number becomes a tensor, a size that differs becomes dynamic.
    """
    return Loop(mode, test, body, list(start), list(names)).record()


def _both_undefined(a: Any, b: Any) -> bool:
    return isinstance(a, Undefined) and isinstance(b, Undefined)


MAX_DEPTH = 10  # blocks around a loop
MAX_ATTEMPTS = 1000


class Loop(LoopState):
    """A loop that is being recorded."""

    def __init__(
        self,
        mode: Static,
        test: Test,
        body: Callable[[Values], Values],
        start: Values,
        names: list[str],
    ) -> None:
        self.mode, self.recorder = mode, mode.recorder
        self.test, self.body = test, body
        self.values, self.names = start, names
        # The structures of values that are expanded to leaves; None for a leaf.
        self.specs: list[Any] = [None] * len(start)
        self.carried: dict[int, LoopCarried] = {}  # by position among the values
        self.rebound: dict[
            int, tuple[Variable, LoopCarried]
        ] = {}  # by id: external tensors that an iteration changes in place
        self.num_named = len(start)  # the others are in mutable locations
        self.locations = LoopLocations(mode.recorder)
        # By position: TensorArrays that an iteration replaces.
        self.arrays: dict[int, CarriedArray] = {}
        # Lengths of the lists at the start of an iteration, by position.
        self.lengths: dict[int, int] = {}
        self.lists_to_replace: dict[int, Any] = {}  # by id, lists that must become TensorArrays
        self.tuples_to_replace: list[int] = []  # the same for tuples, by position
        self.containers = ExpandedContainers(mode.recorder)
        self.optional_values, self.undefined_values = OptionalLoopValues(), UndefinedLoopValues()
        self.alias_analysis = LoopAliasAnalysis(mode.recorder.aliases)
        # Whether values are defined after the last recording of the body, by position.
        self._defined_after: dict[int, Any] = {}
        self._first_condition_value: Tensor | None = (
            None  # the condition before the first iteration
        )
        # Whether the last recording changed the set of carried values or their expansion to leaves.
        self.changed = self.specs_changed = False

    def record(self) -> Values:
        """Record the loop, and return the values after it.

        Raises TraceError if loops are nested too deep: an inner loop is recorded several times for
        each recording of the outer one.
        """
        if self.depth() > MAX_DEPTH:
            raise TraceError(
                with_user_line(
                    f"loops are nested more than {MAX_DEPTH} deep; put the inner ones into ops"
                )
            )
        for _ in range(MAX_ATTEMPTS):
            self._lists_to_arrays()
            self._drop_invalidated()
            mark, early = self.recorder.checkpoint(), self.recorder.deferred_errors
            known = len(early)
            inner, after, condition = self._record_iteration()
            if not self.changed:
                break
            self.recorder.rewind(mark)
            del early[known:]
        else:
            why = (
                "what a round changes is another thing each time that its body is read; keep "
                "what changes in variables of the loop"
            )
            raise TraceError(with_user_line(why))
        if early and not self.recorder.num_open_loops:
            raise early[0]
        with self.recorder.aliases.ignoring_invalidation():
            self._emit(inner, after, condition)
            found = self._results()
        self.alias_analysis.begin_iteration(
            self._all_carried()
        )  # the state after the loop is that before another iteration
        return found

    # -- recording the body
    # --------------------------------------------------------------------------

    def _record_iteration(self) -> tuple[OpenBlock, Successors, Any]:
        """Record the body once. Returns its block, the carried variables with their values at the
        end of the iteration, and the condition.
        """
        self.changed = self.specs_changed = False
        with self.recorder.new_block() as inner, self.recorder.in_loop():
            given = self._declare_inputs(inner)
            self.alias_analysis.begin_iteration(self._all_carried())
            condition, result = self._run_test(self._run_body(given))
            for i in self.arrays:
                result[i] = to_array(self.mode, self.names[i], result[i])
            self._defined_after = self.undefined_values.defined_after(self.recorder, result)
        left: dict[Hashable, Any] = {i: result[i] for i in (*self.carried, *self.arrays)}
        result = [
            v if v is g else self._value_after(inner, v) for v, g in zip(result, given, strict=True)
        ]
        self._find_grown_lists(inner, result)
        changes = roll_back(inner)
        after = self._match_successors(given, result) + self._rebound_successors(inner)
        self._add_locations(changes)
        self._retry_empty_reads()
        if not self.changed:
            self.changed = self.alias_analysis.end_iteration(left)
        return inner, after, condition

    def _retry_empty_reads(self) -> None:
        """Record the body again if it read from a TensorArray of unknown element type to which a
        later part of the body writes.
        """
        found = [array for array in self.recorder.empty_arrays if array.element is not None]
        self.recorder.empty_arrays = [
            array for array in self.recorder.empty_arrays if array.element is None
        ]
        self.changed = self.changed or bool(found)

    def _declare_inputs(self, inner: OpenBlock) -> Values:
        """Return the values at the start of the body: new variables for carried values."""
        values = list(self.values)
        for i, carried in self.carried.items():
            values[i] = self._declare(carried)
        for i, replaced in self.arrays.items():
            values[i] = replaced.declare(self.mode, self.recorder.open_blocks[-2].block)
        for flag in (*self.optional_values.flags.values(), *self.undefined_values.flags.values()):
            self._declare(flag)
        self.undefined_values.annotate(values)
        self.optional_values.annotate(values, self.names, self.recorder.block.idx)
        for tensor, carried in self.rebound.values():
            variable = self._declare(carried)
            restore_in_place(self.mode, tensor, variable.raw)
        self.lengths = {
            i: len(raw_items(v)) for i, v in enumerate(values) if type(v) in (list, MayAliasList)
        }
        inner.loop_lists = {id(values[i]): False for i in self.lengths}
        return values

    def _find_grown_lists(self, inner: OpenBlock, result: Values) -> None:
        """Find the lists whose length an iteration changed, and those in which it assigned an
        element at a run-time index.
        """
        for i, length in self.lengths.items():
            given, after = self.values[i], result[i]
            others = isinstance(after, TensorArray) or (
                type(after) in (list, MayAliasList) and len(raw_items(after)) != length
            )
            if others or len(raw_items(given)) != length or inner.loop_lists[id(given)]:
                self.lists_to_replace[id(given)] = given
                self.changed = True

    def _add_locations(self, changes: Mutations) -> None:
        """Carry the values of mutable locations that the body changed for the first time."""
        count = len(self.lists_to_replace)
        for label, before in self.locations.find_new(changes, self.lists_to_replace):
            self.values.append(before)
            self.names.append(label)
            self.specs.append(None)
            self.changed = True
        self.changed = self.changed or len(self.lists_to_replace) != count

    def _declare(self, carried: LoopCarried) -> Variable:
        recorder = self.recorder
        outer = recorder.open_blocks[-2].block
        result = recorder.variable(
            recorder.declare(recorder.namer.temporary_name("while"), carried.meta, outer)
        )
        result.where = carried.initial.where if isinstance(carried.initial, Variable) else ""
        carried.variable = result
        return mark_scalar(result, carried.scalar_kind)

    def _match_successors(self, given: Values, result: Values) -> Successors:
        found: Successors = []
        for i, (before, after) in enumerate(zip(given, result, strict=True)):
            if id(before) in self.lists_to_replace or (
                type(before) in MUTABLE_CONTAINERS and after is before
            ):
                continue  # its elements are mutable locations
            if isinstance(before, LoopText):
                continue
            if i in self.arrays:
                self.changed = self.arrays[i].follow(after) or self.changed
                found.append((self.arrays[i], after))
            elif (
                isinstance(before, TensorArray)
                and before is not after
                and needs_array(before, after)
            ):
                self.arrays[i] = CarriedArray.of(self.names[i], before, after)
                self.changed = True
            elif i in self.carried:
                # If the value changed in place, it is restored before the next recording.
                self.changed = (
                    self.optional_values.add_if_needed(i, self.carried[i], after) or self.changed
                )
                self.changed = (
                    self.undefined_values.add_if_needed(
                        i, self.names[i], self.carried[i].initial, after
                    )
                    or self.changed
                )
                found += self.optional_values.successors(i, after)
                found += self.undefined_values.successors(i, self._defined_after)
                last = (
                    self.recorder.variable(before.raw)
                    if after is before or after is None
                    else after
                )
                self._widen(self.carried[i], last)
                found.append((self.carried[i], last))
            elif type(before) in MUTABLE_CONTAINERS or (
                not is_same(before, after) and not _both_undefined(before, after)
            ):
                self._carry(i, to_builtin(after))
                if self.specs_changed:
                    return found
                if i in self.carried:
                    self.undefined_values.add_if_needed(
                        i, self.names[i], self.carried[i].initial, after
                    )
        return found

    def _carry(self, i: int, after: Any) -> None:
        """Make value `i` loop-carried."""
        name, initial = self.names[i], self.values[i]
        self.changed = True
        if isinstance(initial, Invalidated):
            initial.use()
        if isinstance(after, Invalidated):
            self.values[i] = after  # reading it raises, in each iteration and after the loop
            return
        maybe = self.optional_values.carry(i, name, initial, after, LABELS)
        if maybe is not None:
            self.carried[i] = maybe
            return
        if isinstance(initial, Undefined):
            meta = meta_of(after)
            if isinstance(after, tuple):
                self._expand_undefined(i, after)
                return
            if meta is None:
                # Each iteration creates a new Python object, which a program cannot carry.
                self.values[i] = after
                return
            self.carried[i] = LoopCarried(
                name, meta, Undefined(name), scalar_kind=scalar_kind(after)
            )
            return
        if meta_of(initial) is None or meta_of(after) is None:
            self._expand_container(i, after)
            return
        self.carried[i] = LoopCarried(
            name,
            merged_meta(name, initial, after, LABELS),
            initial,
            scalar_kind=merged_kind((initial, after)),
        )

    def _expand_container(self, i: int, after: Any) -> None:
        """Make the leaves of a container loop-carried."""
        before = self.containers.original(self.values[i])
        if type(before) is tuple and needs_array(before, after):
            self.tuples_to_replace.append(i)
            return
        if (
            isinstance(before, str)
            and isinstance(after, str)
            and (place := self._location_of(i)) is not None
        ):
            self.values[i] = LoopText(self.names[i], after)
            self.recorder.loop_texts.append(place)
            return
        if (
            isinstance(pytree.flatten(before)[1], int)
            or pytree.flatten(before)[1] != pytree.flatten(after)[1]
        ):
            reject_merge(
                self.names[i],
                before,
                after,
                LABELS,
                "only tensors and numbers can be loop-carried",
            )
        self._expand(i)
        self.specs_changed = True

    def _location_of(self, i: int) -> tuple[MutableLocation, Any] | None:
        """Return the mutable location, and its key, that holds leaf `i`; None if the leaf belongs
        to a variable of the caller.
        """
        counts = [1 if spec is None else pytree.num_leaves(spec) for spec in self.specs]
        number = next(n for n in range(len(counts)) if i < sum(counts[: n + 1]))
        return (
            None if number < self.num_named else self.locations.locations[number - self.num_named]
        )

    def _expand_undefined(self, i: int, after: Any) -> None:
        """Expand a tuple that is undefined before the loop."""
        _, spec = pytree.flatten(after)
        self.values[i] = pytree.unflatten(
            spec, [Undefined(self.names[i] + p) for p in pytree.key_paths(spec)]
        )
        self._expand(i)
        self.specs_changed = True

    def _widen(self, carried: LoopCarried, after: Any) -> None:
        """Generalize the shape and dtype of `carried`, so that they also cover `after`."""
        like = carried.variable if meta_of(carried.initial) is None else carried.initial
        if isinstance(after, Undefined):
            reject_merge(carried.name, like, after, LABELS, "an iteration deletes its value")
        found = merged_meta(carried.name, like, after, LABELS)
        stands = merge_kinds((carried.scalar_kind, scalar_kind(after)))
        if stands != carried.scalar_kind:
            carried.scalar_kind, self.changed = stands, True
        shape = tuple(
            a if a == b else -1 for a, b in zip(carried.meta.shape, found.shape, strict=True)
        )
        if (shape, found.dtype) != (carried.meta.shape, carried.meta.dtype):
            carried.meta, self.changed = Meta(shape, found.dtype), True

    def _rebound_successors(self, inner: OpenBlock) -> Successors:
        """Return the values that external tensors have after the body changed them in place, and
        restore the tensors.
        """
        found: Successors = []
        for key, (tensor, before) in inner.rebound.items():
            after = self.recorder.variable(tensor.raw)
            mine = self.rebound.get(key)
            if mine is None and self.recorder.var(before.name) is not before:
                continue  # created in the body itself
            if mine is not None:
                self._widen(mine[1], after)
                found.append((mine[1], after))
            elif all(tensor is not v for v in self._variables()):
                start = self.recorder.variable(before)
                meta = merged_meta(before.name, start, after, LABELS)
                self.rebound[key] = (tensor, LoopCarried(before.name, meta, start))
                self.changed = True
            restore_in_place(self.mode, tensor, before if mine is None else mine[1].initial.raw)
        self._drop_unchanged(inner)
        return found

    def _drop_unchanged(self, inner: OpenBlock) -> None:
        """Stop carrying tensors that the body no longer changes in place."""
        for key in [k for k in self.rebound if k not in inner.rebound]:
            tensor, carried = self.rebound.pop(key)
            restore_in_place(self.mode, tensor, carried.initial.raw)
            self.changed = True

    def _value_after(self, inner: OpenBlock, value: Any) -> Any:
        """Return the value of a tensor at the end of an iteration. For an external tensor that
        changed in place this is a new tensor, because the original one is restored.
        """
        return self.recorder.variable(value.raw) if id(value) in inner.rebound else value

    def _all_carried(self) -> dict[Hashable, LoopCarried | CarriedArray]:
        """Return everything that is carried from iteration to iteration."""
        found: dict[Hashable, LoopCarried | CarriedArray] = {}
        found.update({i: carried for i, carried in self.carried.items()})  # noqa: C416 - a dict[int, ...] is none of Hashable
        found.update({i: replaced for i, replaced in self.arrays.items()})  # noqa: C416
        return found

    def _variables(self) -> list[Any]:
        return [c.variable for c in self.carried.values()]

    # -- lists
    # --------------------------------------------------------------------------

    def _drop_invalidated(self) -> None:
        """Stop carrying items of lists and dicts that were invalidated since they were found."""
        invalidated, at = self.locations.invalidated(), 0
        for i, spec in enumerate(self.specs):
            found = (
                invalidated[i - self.num_named] if i >= self.num_named and spec is None else None
            )
            if found is not None:
                self.values[at] = found
                self.carried.pop(at, None)
            at += 1 if spec is None else pytree.num_leaves(spec)

    def _lists_to_arrays(self) -> None:
        """Replace the lists whose length changes by TensorArrays."""
        for i, value in enumerate(self.values):
            if id(value) in self.lists_to_replace:
                self.locations.names.setdefault(id(value), self.names[i])
        for value in self.lists_to_replace.values():
            array = TensorArray.replacing(self.mode, self.locations.names[id(value)], value)
            self.alias_analysis.add_array(array)
            self.values = [array if held is value else held for held in self.values]
        self.lists_to_replace = {}
        for i in self.tuples_to_replace:
            self.values[i] = TensorArray.of(self.mode, self.values[i])
            self.alias_analysis.add_array(self.values[i])
        self.tuples_to_replace = []

    # -- writing the ops
    # ---------------------------------------------------------------------------------------------

    def _emit(self, inner: OpenBlock, after: Successors, condition: Any) -> None:
        recorder = self.recorder
        for carried, _ in after:
            if isinstance(carried, CarriedArray):
                carried.initial.assign_to(carried.variable)
            else:
                self._assign(self._initial_value(carried), carried)
        for tensor, carried in self.rebound.values():
            assert carried.variable is not None
            restore_in_place(self.mode, tensor, carried.variable.raw)
        first = self._first_condition_value = self._first_condition()
        flag = recorder.variable(
            recorder.declare(recorder.namer.temporary_name("while"), first.meta)
        )
        recorder.emit("assign", {"X": [recorder.name_of(first)]}, {"Out": [flag.name]})
        with recorder.in_block(inner):
            last = self._condition(condition)
            self._write_back(after)
            recorder.emit("assign", {"X": [recorder.name_of(last)]}, {"Out": [flag.name]})
        emit_while(recorder, inner.block, flag.name)

    def _first_condition(self) -> Tensor:
        """Record the condition before the first iteration. Values that the test itself changes are
        assigned to the carried variables.
        """
        start = self._start_values()
        found, values = self._run_test(list(start))
        after: Successors = [(carried, values[i]) for i, carried in self.carried.items()]
        after += [(replaced, values[i]) for i, replaced in self.arrays.items()]
        after += [
            (carried, self.recorder.variable(tensor.raw))
            for tensor, carried in self.rebound.values()
        ]
        self._write_back(after)
        return self._condition(found)

    def _start_values(self) -> Values:
        values = list(self.values)
        for i, carried in self.carried.items():
            values[i] = carried.variable
        for i, replaced in self.arrays.items():
            values[i] = replaced.variable
        return values

    def _condition(self, value: Any) -> Tensor:
        found = value if isinstance(value, Tensor) else constant(bool(value))
        check_condition("while", found)
        return found

    def _initial_value(self, carried: LoopCarried) -> Tensor:
        if isinstance(carried, DefinedFlag):
            return cast_to(carried.start(self.recorder), carried.meta)
        if meta_of(carried.initial) is None:
            return uninitialized(carried.meta)
        return cast_to(carried.initial, carried.meta)

    def _assign(self, value: Tensor, carried: LoopCarried) -> None:
        assert carried.variable is not None
        other = (
            isinstance(value, Variable)
            and value.maybe_undefined is not None
            and value.maybe_undefined.name != carried.name
        )
        name = self.recorder.operand_name(value) if other else self.recorder.name_of(value)
        self.recorder.emit("assign", {"X": [name]}, {"Out": [carried.variable.name]})

    def _write_back(self, after: Successors) -> None:
        """Write the assignments to the carried variables at the end of an iteration. They act as if
        they were simultaneous, so a value that an earlier assignment would overwrite is copied
        first.
        """
        assign_in_parallel([(c.variable, v) for c, v in after if isinstance(c, CarriedArray)])
        names = {c.variable.name for c, _ in after if c.variable is not None}
        values = [(c, cast_to(v, c.meta)) for c, v in after if isinstance(c, LoopCarried)]
        for i, (carried, value) in enumerate(values):
            if (
                carried.variable is not None
                and value.name != carried.variable.name
                and value.name in names
            ):
                values[i] = (carried, OPS["assign"](value))
        for carried, value in values:
            if (
                carried.variable is not None
                and self.recorder.name_of(value) != carried.variable.name
            ):
                self._assign(value, carried)

    def _results(self) -> Values:
        values = self._start_values()
        assert self._first_condition_value is not None
        flag, where = (
            self.recorder.name_of(self._first_condition_value),
            self.recorder.block.ops[-1].user_line,
        )
        self.optional_values.annotate(values, self.names, self.recorder.block.idx)
        self.undefined_values.annotate(values, where)
        for i, carried in self.carried.items():
            unset_before = (
                isinstance(carried.initial, Undefined)
                and i not in self.optional_values.flags
                and i not in self.undefined_values.flags
            )
            if unset_before and is_user_name(carried.name) and carried.variable is not None:
                late = UndefinedCheck(carried.name, carried.variable.raw, flag, where)
                carried.variable.maybe_undefined = MaybeUndefined(
                    carried.name, WHY, ANY_BLOCK, None, late
                )
        for tensor, carried in self.rebound.values():
            assert carried.variable is not None
            restore_in_place(self.mode, tensor, carried.initial.raw)
            self.mode.rebind(tensor, carried.variable)
        found = self.containers.results(self._pack(values))
        self.locations.write(found[self.num_named :])
        return found[: self.num_named]
