"""Record loops: a block of a `while` op that runs while a condition holds, and the loop-carried
variables.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from ...core import pytree
from ...core.errors import TraceError, append_user_line
from ...core.op import OPS, Meta
from ...core.tensor import Tensor
from ..modes import Static
from ..recorder import OpenBlock
from ..symbolic_scalars import (
    mark_symbolic_scalar,
    merge_scalar_kinds,
    merge_scalar_kinds_of_values,
    scalar_kind,
)
from ..undefined_checks import UndefinedCheck
from ..variable import MaybeUndefinedRecord, Variable
from .array_replacement import (
    CarriedArray,
    assign_arrays_simultaneously,
    merge_needs_tensor_array,
    replace_by_tensor_array_if_tensor_sequence,
)
from .block_ops import emit_while
from .branch import check_one_element_bool_condition, rebind_tensor_to_declaration
from .branch_values import (
    Undefined,
    are_recursively_interchangeable,
    cast_or_fill_like,
    emit_nan_or_zero_placeholder,
    emit_scalar_constant,
    find_meta_of_value,
    raise_merge_error,
    require_common_meta_of_values,
)
from .container_aliasing import (
    MUTABLE_CONTAINERS,
    InvalidatedMarker,
    LoopStringPlaceholder,
    MayAliasList,
    items_without_alias_check,
    to_builtin_container,
)
from .defined_flags import (
    ANY_BLOCK,
    UNASSIGNED_IN_LOOP,
    LoopDefinedFlag,
    LoopDefinedFlags,
    is_user_variable_name,
)
from .loop_aliasing import LoopAliasAnalysis, LoopCarriedVariable
from .loop_containers import ExpandedContainers
from .loop_locations import LoopMutableLocations
from .loop_state import LoopState
from .mutable_locations import MutableLocation, Mutations, collect_and_roll_back_mutations
from .optional_values import LoopNoneFlags
from .tensor_arrays import TensorArray

LoopValues = list[Any]
# Loop-carried variables with their values at the end of an iteration.
Successors = list[tuple[LoopCarriedVariable | CarriedArray, Any]]
LoopTest = Callable[[LoopValues], tuple[Any, LoopValues]]
BEFORE, AFTER = PHASE_LABELS = ("before the loop", "after an iteration")


def record_loop(
    mode: Static,
    test: LoopTest,
    body: Callable[[LoopValues], LoopValues],
    start: LoopValues,
    names: Sequence[str],
) -> LoopValues:
    """Record a loop, and return the values after it. Values that no iteration changes are returned
    unchanged.

    test: called with the values; returns the condition and the values, because it may assign them.

    The body is recorded repeatedly until its effect is known: a list that grows becomes a
    TensorArray, a number becomes a tensor, a size that differs becomes dynamic.
    """
    return LoopRecording(mode, test, body, list(start), list(names)).record()


def _are_both_undefined(a: Any, b: Any) -> bool:
    return isinstance(a, Undefined) and isinstance(b, Undefined)


MAX_OPEN_BLOCKS = 10  # the largest number of blocks around a loop
MAX_RECORDINGS = 1000


class LoopRecording(LoopState):
    """Records one loop."""

    def __init__(
        self,
        mode: Static,
        test: LoopTest,
        body: Callable[[LoopValues], LoopValues],
        start: LoopValues,
        names: list[str],
    ) -> None:
        self.mode, self.recorder = mode, mode.recorder
        self.test, self.body = test, body
        self.values, self.names = start, names
        # For each value, the structure of a container that is expanded to its leaves; None for a
        # value that is carried as it is.
        self.specs: list[Any] = [None] * len(start)
        # by the position of the value in `self.values`
        self.carried: dict[int, LoopCarriedVariable] = {}
        self.inplace_writes: dict[
            int, tuple[Variable, LoopCarriedVariable]
        ] = {}  # by id: external tensors that an iteration changes in place
        self.num_variables = len(start)  # values after these are in mutable locations
        self.locations = LoopMutableLocations(mode.recorder)
        # By position: variables that hold a TensorArray and to which an iteration assigns another
        # list.
        self.arrays: dict[int, CarriedArray] = {}
        # Lengths of the lists at the start of an iteration, by position.
        self.list_lengths: dict[int, int] = {}
        self.lists_to_replace: dict[int, Any] = {}  # by id, lists that must become TensorArrays
        self.tuples_to_replace: list[int] = []  # positions of tuples that must become TensorArrays
        self.containers = ExpandedContainers(mode.recorder)
        self.optional_values, self.undefined_values = LoopNoneFlags(), LoopDefinedFlags()
        self.alias_analysis = LoopAliasAnalysis(mode.recorder.aliases)
        # By position, whether a maybe-undefined value has a value at the end of an iteration, from
        # the last recording of the body.
        self._defined_flags_after: dict[int, Any] = {}
        self._first_condition: Tensor | None = None  # the condition before the first iteration
        # Whether the body must be recorded again, because the last recording changed what the loop
        # carries; and whether it expanded another container to leaves.
        self.needs_another_recording = self.has_new_leaves = False

    def record(self) -> LoopValues:
        """Record the loop, and return the values after it.

        Raises TraceError if loops are nested too deep: an inner loop is recorded several times for
        each recording of the outer one.
        """
        if self.num_open_recorder_blocks() > MAX_OPEN_BLOCKS:
            raise TraceError(
                append_user_line(
                    f"loops are nested more than {MAX_OPEN_BLOCKS} deep; "
                    "move the inner loops into ops"
                )
            )
        for _ in range(MAX_RECORDINGS):
            self._replace_lists_by_arrays()
            self._stop_carrying_invalidated_items()
            checkpoint, deferred_errors = self.recorder.checkpoint(), self.recorder.deferred_errors
            num_deferred = len(deferred_errors)
            inner, after, condition = self._record_iteration()
            if not self.needs_another_recording:
                break
            self.recorder.rewind(checkpoint)
            del deferred_errors[num_deferred:]
        else:
            why = (
                "each recording of the loop's body changes other values; keep the values that "
                "change in variables of the loop"
            )
            raise TraceError(append_user_line(why))
        if deferred_errors and not self.recorder.num_open_loops:
            raise deferred_errors[0]
        with self.recorder.aliases.allow_invalidated_reads():
            self._emit_loop(inner, after, condition)
            results = self._finalize_and_get_values_after_loop()
        self.alias_analysis.set_alias_state_before_iteration(
            self._loop_carried_by_position()
        )  # after the loop, the same aliases are possible as before another iteration
        return results

    # -- recording the body
    # --------------------------------------------------------------------------

    def _record_iteration(self) -> tuple[OpenBlock, Successors, Any]:
        """Record the body once. Returns the block of the body, the carried variables with their
        values at the end of the iteration, and the condition.
        """
        self.needs_another_recording = self.has_new_leaves = False
        with self.recorder.enter_new_block() as inner, self.recorder.track_open_loop():
            body_inputs = self._declare_body_inputs(inner)
            self.alias_analysis.set_alias_state_before_iteration(self._loop_carried_by_position())
            condition, result = self._run_test(self._run_body(body_inputs))
            for i in self.arrays:
                result[i] = replace_by_tensor_array_if_tensor_sequence(
                    self.mode, self.names[i], result[i]
                )
            self._defined_flags_after = self.undefined_values.flags_by_position_after_iteration(
                self.recorder, result
            )
        next_values: dict[Hashable, Any] = {i: result[i] for i in (*self.carried, *self.arrays)}
        result = [
            v if v is g else self._snapshot_if_written_in_place(inner, v)
            for v, g in zip(result, body_inputs, strict=True)
        ]
        self._schedule_resized_lists_for_replacement(inner, result)
        changes = collect_and_roll_back_mutations(inner)
        after = self._pair_next_values_and_carry_changed_values(
            body_inputs, result
        ) + self._undo_inplace_writes_and_pair_next_values(inner)
        self._carry_new_locations(changes)
        self._request_recording_after_untyped_array_reads()
        if not self.needs_another_recording:
            self.needs_another_recording = (
                self.alias_analysis.record_iteration_aliases_and_report_new(next_values)
            )
        return inner, after, condition

    def _request_recording_after_untyped_array_reads(self) -> None:
        """Request another recording of the body if it read from a TensorArray of unknown element
        type to which a later part of the body writes.
        """
        written_arrays = [
            array for array in self.recorder.arrays_read_empty if array.element_meta is not None
        ]
        self.recorder.arrays_read_empty = [
            array for array in self.recorder.arrays_read_empty if array.element_meta is None
        ]
        self.needs_another_recording = self.needs_another_recording or bool(written_arrays)

    def _declare_body_inputs(self, inner: OpenBlock) -> LoopValues:
        """Declare a new variable for each carried value, and return the values with which the body
        starts.
        """
        values = list(self.values)
        for i, carried in self.carried.items():
            values[i] = self._declare_carried_variable(carried)
        for i, replaced in self.arrays.items():
            values[i] = replaced.declare_variable(self.mode, self.recorder.open_blocks[-2].block)
        for flag in (
            *self.optional_values.flag_by_position.values(),
            *self.undefined_values.flag_by_position.values(),
        ):
            self._declare_carried_variable(flag)
        self.undefined_values.mark_flagged_values_maybe_undefined(values)
        self.optional_values.mark_flagged_values_maybe_none(
            values, self.names, self.recorder.block.idx
        )
        for tensor, carried in self.inplace_writes.values():
            variable = self._declare_carried_variable(carried)
            rebind_tensor_to_declaration(self.mode, tensor, variable.raw)
        self.list_lengths = {
            i: len(items_without_alias_check(v))
            for i, v in enumerate(values)
            if type(v) in (list, MayAliasList)
        }
        inner.loop_lists = {id(values[i]): False for i in self.list_lengths}
        return values

    def _schedule_resized_lists_for_replacement(self, inner: OpenBlock, result: LoopValues) -> None:
        """Schedule lists for replacement by TensorArrays: those whose length an iteration changed,
        and those in which it assigned an element at a run-time index.
        """
        for i, length in self.list_lengths.items():
            given, after = self.values[i], result[i]
            is_resized = isinstance(after, TensorArray) or (
                type(after) in (list, MayAliasList)
                and len(items_without_alias_check(after)) != length
            )
            if (
                is_resized
                or len(items_without_alias_check(given)) != length
                or inner.loop_lists[id(given)]
            ):
                self.lists_to_replace[id(given)] = given
                self.needs_another_recording = True

    def _carry_new_locations(self, changes: Mutations) -> None:
        """Make the values of mutable locations loop-carried that this recording of the body is the
        first to change.
        """
        count = len(self.lists_to_replace)
        for label, before in self.locations.add_and_iter_new_locations(
            changes, self.lists_to_replace
        ):
            self.values.append(before)
            self.names.append(label)
            self.specs.append(None)
            self.needs_another_recording = True
        self.needs_another_recording = (
            self.needs_another_recording or len(self.lists_to_replace) != count
        )

    def _declare_carried_variable(self, carried: LoopCarriedVariable) -> Variable:
        recorder = self.recorder
        outer = recorder.open_blocks[-2].block
        result = recorder.create_variable(
            recorder.declare(recorder.namer.generate_temporary_name("while"), carried.meta, outer)
        )
        result.user_line = (
            carried.initial.user_line if isinstance(carried.initial, Variable) else ""
        )
        carried.variable = result
        return mark_symbolic_scalar(result, carried.scalar_kind)

    def _pair_next_values_and_carry_changed_values(
        self, given: LoopValues, result: LoopValues
    ) -> Successors:
        """Return the carried variables with their values at the end of the iteration. Types of
        carried variables are generalized to cover the new values, and values that this iteration is
        the first to change become loop-carried.
        """
        successors: Successors = []
        for i, (before, after) in enumerate(zip(given, result, strict=True)):
            if id(before) in self.lists_to_replace or (
                type(before) in MUTABLE_CONTAINERS and after is before
            ):
                continue  # the elements of a list or dict are carried as mutable locations
            if isinstance(before, LoopStringPlaceholder):
                continue
            if i in self.arrays:
                self.needs_another_recording = (
                    self.arrays[i].generalize_element_type_and_report_change(after)
                    or self.needs_another_recording
                )
                successors.append((self.arrays[i], after))
            elif (
                isinstance(before, TensorArray)
                and before is not after
                and merge_needs_tensor_array(before, after)
            ):
                self.arrays[i] = CarriedArray.create(self.names[i], before, after)
                self.needs_another_recording = True
            elif i in self.carried:
                # If the value changed in place, `_declare_body_inputs` creates a new variable for
                # the next recording.
                self.needs_another_recording = (
                    self.optional_values.add_flag_if_needed(i, self.carried[i], after)
                    or self.needs_another_recording
                )
                self.needs_another_recording = (
                    self.undefined_values.add_flag_if_needed(
                        i, self.names[i], self.carried[i].initial, after
                    )
                    or self.needs_another_recording
                )
                successors += self.optional_values.iter_flag_and_next_flag_if_present(i, after)
                successors += self.undefined_values.iter_flag_and_next_flag_if_present(
                    i, self._defined_flags_after
                )
                last = (
                    self.recorder.create_variable(before.raw)
                    if after is before or after is None
                    else after
                )
                self._generalize_type(self.carried[i], last)
                successors.append((self.carried[i], last))
            elif type(before) in MUTABLE_CONTAINERS or (
                not are_recursively_interchangeable(before, after)
                and not _are_both_undefined(before, after)
            ):
                self._start_carrying_value(i, to_builtin_container(after))
                if self.has_new_leaves:
                    return successors
                if i in self.carried:
                    self.undefined_values.add_flag_if_needed(
                        i, self.names[i], self.carried[i].initial, after
                    )
        return successors

    def _start_carrying_value(self, i: int, after: Any) -> None:
        """Make value `i` loop-carried."""
        name, initial = self.names[i], self.values[i]
        self.needs_another_recording = True
        if isinstance(initial, InvalidatedMarker):
            initial.raise_error()
        if isinstance(after, InvalidatedMarker):
            # reading the marker raises an error, in each iteration and after the loop
            self.values[i] = after
            return
        optional = self.optional_values.create_carried_variable_and_none_flag_if_maybe_none(
            i, name, initial, after, PHASE_LABELS
        )
        if optional is not None:
            self.carried[i] = optional
            return
        if isinstance(initial, Undefined):
            meta = find_meta_of_value(after)
            if isinstance(after, tuple):
                self._expand_undefined_tuple(i, after)
                return
            if meta is None:
                # Each iteration assigns a new Python object, which a program cannot carry to the
                # next iteration; the name has no value before the loop.
                self.values[i] = after
                return
            self.carried[i] = LoopCarriedVariable(
                name, meta, Undefined(name), scalar_kind=scalar_kind(after)
            )
            return
        if find_meta_of_value(initial) is None or find_meta_of_value(after) is None:
            self._carry_container_or_string(i, after)
            return
        self.carried[i] = LoopCarriedVariable(
            name,
            require_common_meta_of_values(name, initial, after, PHASE_LABELS),
            initial,
            scalar_kind=merge_scalar_kinds_of_values((initial, after)),
        )

    def _carry_container_or_string(self, i: int, after: Any) -> None:
        """Make value `i`, which is no tensor or number, loop-carried. A tuple whose length changes
        becomes a TensorArray, a string in a mutable location becomes a placeholder, and another
        container is replaced by its leaves. Raises TraceError for a value that is neither a string
        nor a container.
        """
        before = self.containers.copy_as_before_expansion(self.values[i])
        if type(before) is tuple and merge_needs_tensor_array(before, after):
            self.tuples_to_replace.append(i)
            return
        if (
            isinstance(before, str)
            and isinstance(after, str)
            and (location := self._find_mutable_location_of_leaf(i)) is not None
        ):
            self.values[i] = LoopStringPlaceholder(self.names[i], after)
            self.recorder.loop_string_locations.append(location)
            return
        if (
            isinstance(pytree.flatten(before)[1], int)
            or pytree.flatten(before)[1] != pytree.flatten(after)[1]
        ):
            raise_merge_error(
                self.names[i],
                before,
                after,
                PHASE_LABELS,
                "only tensors and numbers can be loop-carried",
            )
        self._expand_container_at(i)
        self.has_new_leaves = True

    def _find_mutable_location_of_leaf(self, i: int) -> tuple[MutableLocation, Any] | None:
        """Return the mutable location, and its key, that holds leaf `i`; None if the leaf belongs
        to a variable of the caller.
        """
        counts = [1 if spec is None else pytree.num_leaves(spec) for spec in self.specs]
        number = next(n for n in range(len(counts)) if i < sum(counts[: n + 1]))
        return (
            None
            if number < self.num_variables
            else self.locations.locations[number - self.num_variables]
        )

    def _expand_undefined_tuple(self, i: int, after: Any) -> None:
        """Replace value `i`, which has no value before the loop and is a tuple after an iteration,
        by the leaves of the tuple.
        """
        _, spec = pytree.flatten(after)
        self.values[i] = pytree.unflatten(
            spec, [Undefined(self.names[i] + p) for p in pytree.subscript_paths(spec)]
        )
        self._expand_container_at(i)
        self.has_new_leaves = True

    def _generalize_type(self, carried: LoopCarriedVariable, after: Any) -> None:
        """Generalize the shape and dtype of the loop-carried variable `carried`, so that they cover
        `after`, its value after an iteration.
        """
        previous = (
            carried.variable if find_meta_of_value(carried.initial) is None else carried.initial
        )
        if isinstance(after, Undefined):
            raise_merge_error(
                carried.name, previous, after, PHASE_LABELS, "an iteration deletes it"
            )
        merged = require_common_meta_of_values(carried.name, previous, after, PHASE_LABELS)
        kind = merge_scalar_kinds((carried.scalar_kind, scalar_kind(after)))
        if kind != carried.scalar_kind:
            carried.scalar_kind, self.needs_another_recording = kind, True
        shape = tuple(
            a if a == b else -1 for a, b in zip(carried.meta.shape, merged.shape, strict=True)
        )
        if (shape, merged.dtype) != (carried.meta.shape, carried.meta.dtype):
            carried.meta, self.needs_another_recording = Meta(shape, merged.dtype), True

    def _undo_inplace_writes_and_pair_next_values(self, inner: OpenBlock) -> Successors:
        """Restore the tensors from outside of the loop that the body changed in place; return them
        as carried variables with their values at the end of the iteration.
        """
        successors: Successors = []
        for key, (tensor, before) in inner.inplace_writes.items():
            after = self.recorder.create_variable(tensor.raw)
            existing = self.inplace_writes.get(key)
            if existing is None and self.recorder.var(before.name) is not before:
                continue  # the tensor was created in the body
            if existing is not None:
                self._generalize_type(existing[1], after)
                successors.append((existing[1], after))
            elif all(tensor is not v for v in self._carried_variables()):
                start = self.recorder.create_variable(before)
                meta = require_common_meta_of_values(before.name, start, after, PHASE_LABELS)
                self.inplace_writes[key] = (tensor, LoopCarriedVariable(before.name, meta, start))
                self.needs_another_recording = True
            rebind_tensor_to_declaration(
                self.mode, tensor, before if existing is None else existing[1].initial.raw
            )
        self._stop_carrying_tensors_no_longer_changed_inplace(inner)
        return successors

    def _stop_carrying_tensors_no_longer_changed_inplace(self, inner: OpenBlock) -> None:
        """Stop carrying the tensors that the latest recording of the body does not change in place,
        unlike an earlier one.
        """
        for key in [k for k in self.inplace_writes if k not in inner.inplace_writes]:
            tensor, carried = self.inplace_writes.pop(key)
            rebind_tensor_to_declaration(self.mode, tensor, carried.initial.raw)
            self.needs_another_recording = True

    def _snapshot_if_written_in_place(self, inner: OpenBlock, value: Any) -> Any:
        """Return the value of a tensor at the end of an iteration. A tensor that the body changed
        in place is returned as a new Variable, because the original one will be restored.
        """
        return (
            self.recorder.create_variable(value.raw) if id(value) in inner.inplace_writes else value
        )

    def _loop_carried_by_position(self) -> dict[Hashable, LoopCarriedVariable | CarriedArray]:
        """Return all loop-carried values and lists, by position."""
        carried_values: dict[Hashable, LoopCarriedVariable | CarriedArray] = {}
        carried_values.update({i: carried for i, carried in self.carried.items()})  # noqa: C416 - a dict[int, ...] is none of Hashable
        carried_values.update({i: replaced for i, replaced in self.arrays.items()})  # noqa: C416
        return carried_values

    def _carried_variables(self) -> list[Any]:
        return [c.variable for c in self.carried.values()]

    # -- lists
    # --------------------------------------------------------------------------

    def _stop_carrying_invalidated_items(self) -> None:
        """Stop carrying items of lists and dicts that were invalidated since they were found."""
        invalidated, leaf = self.locations.invalidated_marker_per_location(), 0
        for i, spec in enumerate(self.specs):
            invalidated_value = (
                invalidated[i - self.num_variables]
                if i >= self.num_variables and spec is None
                else None
            )
            if invalidated_value is not None:
                self.values[leaf] = invalidated_value
                self.carried.pop(leaf, None)
            leaf += 1 if spec is None else pytree.num_leaves(spec)

    def _replace_lists_by_arrays(self) -> None:
        """Replace the lists and tuples whose length changes by TensorArrays."""
        for i, value in enumerate(self.values):
            if id(value) in self.lists_to_replace:
                self.locations.list_names.setdefault(id(value), self.names[i])
        for value in self.lists_to_replace.values():
            array = TensorArray.replace_list_by_array(
                self.mode, self.locations.list_names[id(value)], value
            )
            self.alias_analysis.mark_array_created_before_loop(array)
            self.values = [array if held is value else held for held in self.values]
        self.lists_to_replace = {}
        for i in self.tuples_to_replace:
            self.values[i] = TensorArray.from_items(self.mode, self.values[i])
            self.alias_analysis.mark_array_created_before_loop(self.values[i])
        self.tuples_to_replace = []

    # -- writing the ops
    # ---------------------------------------------------------------------------------------------

    def _emit_loop(self, inner: OpenBlock, after: Successors, condition: Any) -> None:
        recorder = self.recorder
        for carried, _ in after:
            if isinstance(carried, CarriedArray):
                carried.initial.assign_to(carried.variable)
            else:
                self._emit_carried_assign(self._cast_initial_or_placeholder(carried), carried)
        for tensor, carried in self.inplace_writes.values():
            assert carried.variable is not None
            rebind_tensor_to_declaration(self.mode, tensor, carried.variable.raw)
        first = self._first_condition = self._record_test_before_loop()
        flag = recorder.create_variable(
            recorder.declare(recorder.namer.generate_temporary_name("while"), first.meta)
        )
        recorder.append_op(
            "assign",
            {"X": [recorder.find_name_or_declare_persistable(first)]},
            {"Out": [flag.name]},
        )
        with recorder.enter_block(inner):
            last = self._to_checked_condition_tensor(condition)
            self._emit_parallel_assigns(after)
            recorder.append_op(
                "assign",
                {"X": [recorder.find_name_or_declare_persistable(last)]},
                {"Out": [flag.name]},
            )
        emit_while(recorder, inner.block, flag.name)

    def _record_test_before_loop(self) -> Tensor:
        """Record the test before the first iteration, and return the condition. Values that the
        test changes are assigned to the carried variables.
        """
        start = self._values_with_carried_variables()
        condition, values = self._run_test(list(start))
        after: Successors = [(carried, values[i]) for i, carried in self.carried.items()]
        after += [(replaced, values[i]) for i, replaced in self.arrays.items()]
        after += [
            (carried, self.recorder.create_variable(tensor.raw))
            for tensor, carried in self.inplace_writes.values()
        ]
        self._emit_parallel_assigns(after)
        return self._to_checked_condition_tensor(condition)

    def _values_with_carried_variables(self) -> LoopValues:
        values = list(self.values)
        for i, carried in self.carried.items():
            values[i] = carried.variable
        for i, replaced in self.arrays.items():
            values[i] = replaced.variable
        return values

    def _to_checked_condition_tensor(self, value: Any) -> Tensor:
        condition = value if isinstance(value, Tensor) else emit_scalar_constant(bool(value))
        check_one_element_bool_condition("while", condition)
        return condition

    def _cast_initial_or_placeholder(self, carried: LoopCarriedVariable) -> Tensor:
        if isinstance(carried, LoopDefinedFlag):
            return cast_or_fill_like(carried.initial_flag(self.recorder), carried.meta)
        if find_meta_of_value(carried.initial) is None:
            return emit_nan_or_zero_placeholder(carried.meta)
        return cast_or_fill_like(carried.initial, carried.meta)

    def _emit_carried_assign(self, value: Tensor, carried: LoopCarriedVariable) -> None:
        assert carried.variable is not None
        needs_check = (
            isinstance(value, Variable)
            and value.maybe_undefined is not None
            and value.maybe_undefined.name != carried.name
        )
        name = (
            self.recorder.emit_undefined_check_and_get_name(value)
            if needs_check
            else self.recorder.find_name_or_declare_persistable(value)
        )
        self.recorder.append_op("assign", {"X": [name]}, {"Out": [carried.variable.name]})

    def _emit_parallel_assigns(self, after: Successors) -> None:
        """Write the assignments to the carried variables, at the end of an iteration and after the
        test before the loop. The assignments act as if they were simultaneous: a value that an
        earlier assignment would overwrite is copied first.
        """
        assign_arrays_simultaneously(
            [(c.variable, v) for c, v in after if isinstance(c, CarriedArray)]
        )
        names = {c.variable.name for c, _ in after if c.variable is not None}
        values = [
            (c, cast_or_fill_like(v, c.meta))
            for c, v in after
            if isinstance(c, LoopCarriedVariable)
        ]
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
                and self.recorder.find_name_or_declare_persistable(value) != carried.variable.name
            ):
                self._emit_carried_assign(value, carried)

    def _finalize_and_get_values_after_loop(self) -> LoopValues:
        values = self._values_with_carried_variables()
        assert self._first_condition is not None
        flag, where = (
            self.recorder.find_name_or_declare_persistable(self._first_condition),
            self.recorder.block.ops[-1].user_line,
        )
        self.optional_values.mark_flagged_values_maybe_none(
            values, self.names, self.recorder.block.idx
        )
        self.undefined_values.mark_flagged_values_maybe_undefined(values, where)
        for i, carried in self.carried.items():
            is_undefined_before = (
                isinstance(carried.initial, Undefined)
                and i not in self.optional_values.flag_by_position
                and i not in self.undefined_values.flag_by_position
            )
            if (
                is_undefined_before
                and is_user_variable_name(carried.name)
                and carried.variable is not None
            ):
                check = UndefinedCheck(carried.name, carried.variable.raw, flag, where)
                carried.variable.maybe_undefined = MaybeUndefinedRecord(
                    carried.name, UNASSIGNED_IN_LOOP, ANY_BLOCK, None, check
                )
        for tensor, carried in self.inplace_writes.values():
            assert carried.variable is not None
            rebind_tensor_to_declaration(self.mode, tensor, carried.initial.raw)
            self.mode.rebind(tensor, carried.variable)
        results = self.containers.merge_containers_in_loop_results(
            self._rebuild_from_leaves(values)
        )
        self.locations.write_values(results[self.num_variables :])
        return results[: self.num_variables]
