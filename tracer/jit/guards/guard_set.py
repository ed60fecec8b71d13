"""The guards of one captured program. The guards cover all Python state, besides the arguments,
that the captured function read and that may differ at the next call.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ...capture.variable import Variable
from ...core.errors import TraceError, append_user_line, is_oarlock_internal_file, warn
from ...core.tensor import Tensor
from ...ir.input_spec import InputSpec
from ...ir.plain_values import PLAIN_TYPES, is_plain_or_tuple_of_plain
from ...ir.program import Guard
from ...nn import layer as layers
from ...nn.layer import Layer
from .bytecode import iter_assigned_global_names
from .guard import NameGuards, StateGuard
from .read_tracker import ReadTracker
from .side_effects import SideEffect, attribute_dict_id, is_symbolic_value
from .snapshots import (
    MISSING,
    IdentitySnapshot,
    consists_of_constants,
    copy_nested_constants,
    is_container,
    iter_identity_and_state_snapshots,
    iter_value_and_items,
    restore_container_items,
    snapshot_global_random_generators,
    take_snapshot,
    take_snapshot_with_internal_states,
    with_given_elements_unchecked,
    with_iterators_and_rngs_by_identity,
)
from .source import (
    LAYER_REGISTRIES,
    CaptureHeldObjectSource,
    LayerRegistryKeysSource,
    OwnAttributeSource,
    Source,
    create_name_source,
    read_closure_cell,
)
from .user_code import is_non_oarlock_object_with_attributes, is_oarlock_module_name, is_user_module

# Names of functions that can read any attribute of an object.
REFLECTION_NAMES = {
    "getattr",
    "vars",
    "__dict__",
    "__getattribute__",
    "attrgetter",
    "deepcopy",
    "copy",
    "eval",
    "exec",
    "dir",
}
# Attributes that Oarlock or Python sets, for which no guard is needed.
IGNORED_ATTRIBUTES = (
    "_full_name",
    "_layer_version",
    "_static_functions",
    "forward",
    "_state_hooks",
    "_non_persistable",
    "__doc__",
    "__module__",
    "__weakref__",
)


class GuardSet:
    """The guards of a captured program. `are_satisfied` returns whether the program is valid for a
    call.

    The set is created before the capture. The capture calls `guard_names_of_function` before it
    calls a user function. After the capture, `select_guards_after_capture` selects the guards that
    are checked. If the captured function changes state to a constant, each run assigns the constant
    again (`replay_assignments`). If the function changes state to another value, the program is
    valid for one call only. Layers count assignments to their attributes, so that the attributes of
    an unchanged layer need no comparison.
    """

    def __init__(self, owner: Any) -> None:
        self._guard_by_source: dict[tuple[int, str], StateGuard] = {}
        self._watched_objects: dict[
            int, Any
        ] = {}  # objects whose attributes all have guards, by id
        # The user functions that the capture called, by code, cells and module.
        self._user_functions: dict[Any, FunctionType] = {}
        self._existing_function_ids: set[int] = set()  # ids of functions from before the capture
        self._user_codes: set[CodeType] = set()
        # inner functions of the user's code, identified by where they are defined
        self._inner_definitions: set[tuple[str, int, str]] = set()
        self._argument_holders: list[
            dict[str, Any]
        ] = []  # keeps the holders of CaptureHeldObjectSource alive
        self._attribute_names_read: set[str] = set()
        self._has_class_patterns = False
        self._string_constants: set[str] = set()  # names that `getattr` and `hasattr` may read
        self._side_effects: list[SideEffect] = []
        self._replayed_assignments: list[tuple[Source, Any]] = []
        self._invalidating_source = ""  # a source that makes the program valid for one call only
        # Descriptions of values that the function reads and that differ at each call. If a function
        # reads such values, its program is used for one call only.
        self.unstable_reads: dict[str, None] = {}
        # Names of random generators whose state changed during the capture, perhaps by another
        # thread.
        self.suspected_unstable_reads: set[str] = set()
        self.read_tracker = ReadTracker(
            self._guard_by_source,
            self._watched_objects,
            self._guard_all_attributes,
            self._add_unstable_read,
        )
        self._initial_random_states = snapshot_global_random_generators()
        self._always_checked_guards: list[StateGuard] = []
        self._name_guards = NameGuards()
        # By id of a layer: the layer and the guards that are checked only if its version changed.
        self._versioned_guards: dict[int, tuple[Layer, list[StateGuard]]] = {}
        if owner is not None:
            self._guard_all_attributes(owner, is_owner=True)
            self.read_tracker.register_preexisting_value(owner)
        self._last_checked_version = -1

    # -- before and during the capture
    # ------------------------------------------------------------------------

    def guard_names_of_function(self, function: FunctionType) -> None:
        """Add guards for the names that a user function reads, before it is called."""
        code, cells = function.__code__, function.__closure__ or ()
        key = code, tuple(map(id, cells)), id(function.__globals__)
        if key in self._user_functions:
            return
        self._user_functions[key] = function
        codes = list(_iter_code_objects(code))
        if code not in self._user_codes:
            self._user_codes.add(code)
            self._inner_definitions.update(map(_definition_key, codes[1:]))
            self._string_constants.update(
                t for c in codes for t in c.co_consts if isinstance(t, str)
            )
            self._attribute_names_read.update(
                name for c in codes for name in _iter_names_of_attributes_read(c)
            )
            self._has_class_patterns |= any(map(_has_class_patterns, codes))
        if _definition_key(code) not in self._inner_definitions or (
            id(function) in self._existing_function_ids
        ):
            for name, cell in zip(code.co_freevars, cells, strict=True):
                self._guard_value_of_name(cell, name, read_closure_cell(cell))
            for value in (
                *(function.__defaults__ or ()),
                *(function.__kwdefaults__ or {}).values(),
            ):
                self.guard_argument_contents(f"a default of {code.co_name}", value)
        self.read_tracker.register_preexisting_globals_dict(function.__globals__)
        for name in iter_assigned_global_names(code):
            self.read_tracker.guard_absent_global_before_write(function.__globals__, name)
        for name in dict.fromkeys(n for c in codes for n in c.co_names):
            if name in function.__globals__:
                self._guard_value_of_name(function.__globals__, name, function.__globals__[name])

    def guard_argument_contents(self, name: str, argument: Any) -> None:
        """Add guards for the contents of an argument that is not a tensor. The identity of the
        argument needs no guard, because the cache key contains it.
        """
        if not isinstance(argument, (Tensor, np.ndarray, InputSpec, *PLAIN_TYPES)):
            holder = {name: argument}
            self._argument_holders.append(holder)
            if isinstance(argument, ModuleType):
                self._guard_value_of_name(holder, name, argument)
            else:
                self._guard_value_and_nested_attributes(
                    CaptureHeldObjectSource(name, holder, name), argument
                )

    def _guard_value_of_name(self, holder: Any, name: str, value: Any) -> None:
        if isinstance(value, ModuleType):
            if is_user_module(value):
                self._guard_all_attributes(value)
            return
        self._guard_value_and_nested_attributes(create_name_source(name, holder, name), value)

    def _guard_value_and_nested_attributes(self, source: Source, value: Any) -> None:
        if self._add_guard_if_new(source, value):
            for found in iter_value_and_items(value):
                self._guard_all_attributes(found)

    def _guard_all_attributes(self, value: Any, is_owner: bool = False) -> None:
        """Add guards for all attributes of a layer and its sublayers, or of another object."""
        if id(value) in self._watched_objects:
            return
        if isinstance(value, Layer):
            for layer in value.sublayers(include_self=True):
                self._guard_layer_attributes_hooks_and_classes(layer)
        elif (is_owner and hasattr(value, "__dict__")) or is_non_oarlock_object_with_attributes(
            value
        ):
            self._watched_objects[id(value)] = value
            owner = value.__name__ if isinstance(value, ModuleType | type) else type(value).__name__
            for key, found in list(vars(value).items()):
                if key not in IGNORED_ATTRIBUTES and not (
                    isinstance(value, ModuleType) and not isinstance(found, PLAIN_TYPES)
                ):
                    self._add_guard_if_new(OwnAttributeSource(f"{owner}.{key}", value, key), found)
                    if isinstance(found, Layer):
                        self._guard_all_attributes(found)

    def _guard_layer_attributes_hooks_and_classes(self, layer: Layer) -> None:
        if id(layer) in self._watched_objects:
            return
        self._watched_objects[id(layer)] = layer
        for hook in (*layer._forward_pre_hooks.values(), *layer._forward_post_hooks.values()):
            if isinstance(hook, FunctionType) and not is_oarlock_internal_file(
                hook.__code__.co_filename
            ):
                self.guard_names_of_function(hook)
        self._guard_user_classes_in_mro(type(layer))
        is_library_layer = is_oarlock_module_name(type(layer).__module__)
        for key, found in list(vars(layer).items()):
            if key in IGNORED_ATTRIBUTES:
                continue
            label = f"{type(layer).__name__}.{key}"
            if key in LAYER_REGISTRIES:
                source = LayerRegistryKeysSource(label, layer, key)
                self._add_guard_if_new(source, list(found), is_versioned=True)
                continue
            # A layer counts assignments to its attributes, but not mutations of a container that an
            # attribute holds.
            is_versioned = (
                is_library_layer or not is_container(found) or is_plain_or_tuple_of_plain(found)
            )
            self._add_guard_if_new(OwnAttributeSource(label, layer, key), found, is_versioned)
            if not is_versioned:
                for item in iter_value_and_items(found):
                    if isinstance(item, Layer):
                        self._guard_all_attributes(item)

    def _guard_user_classes_in_mro(self, layer_class: type) -> None:
        for kind in layer_class.__mro__:
            is_library_class = (
                is_oarlock_module_name(kind.__module__) or kind.__module__ == "builtins"
            )
            if id(kind) not in self._watched_objects and not is_library_class:
                self._guard_class_attributes(kind)

    def _guard_class_attributes(self, kind: type) -> None:
        self._watched_objects[id(kind)] = kind
        for key, found in list(vars(kind).items()):
            if (
                key not in IGNORED_ATTRIBUTES
                and isinstance(found, (*PLAIN_TYPES, FunctionType))
                and not key.startswith("__")
            ):
                self._add_guard_if_new(
                    OwnAttributeSource(f"{kind.__name__}.{key}", kind, key), found
                )

    def _add_guard_if_new(self, source: Source, value: Any, is_versioned: bool = False) -> bool:
        """Add a guard for a source unless the source has a guard; return whether a guard was
        added.
        """
        key = id(source.holder), source.key
        if key in self._guard_by_source:
            return False
        if isinstance(
            value, (*PLAIN_TYPES, Tensor)
        ):  # most attributes of layers; they have no items
            self._guard_by_source[key] = StateGuard(source, take_snapshot(value), is_versioned)
            return True
        self._existing_function_ids.update(
            id(v) for v in iter_value_and_items(value) if isinstance(v, FunctionType)
        )
        expected = take_snapshot_with_internal_states(value)
        is_versioned = is_versioned and not isinstance(value, np.ndarray)
        self._guard_by_source[key] = StateGuard(source, expected, is_versioned)
        self.read_tracker.register_preexisting_value(value, expected)
        return True

    def _add_unstable_read(self, description: str) -> None:
        """Record that the function reads a value that differs at each call, so that the program is
        used for one call only.
        """
        self.unstable_reads[description] = None

    @property
    def first_unstable_read_description(self) -> str:
        """The description of the first value read by the function that differs at each call; empty
        if there is none.
        """
        return next(iter(self.unstable_reads), "")

    # -- after the capture
    # --------------------------------------------------------------------------

    def select_guards_after_capture(self, effects: list[SideEffect]) -> None:
        """Select the guards when the capture is finished.

        effects: the side effects, which each call performs again.

        Raises TraceError if symbolic values were stored in a list or dict of the user.
        """
        self._side_effects = effects
        assigned = {(attribute_dict_id(e.owner), e.key) for e in effects}
        self.record_changed_random_generators_and_iterators()
        self._guard_absent_instance_attributes()
        for guard in [
            *self._guard_by_source.values(),
            *self._iter_guards_of_capture_added_attributes(),
        ]:
            source = guard.source
            if (attribute_dict_id(source.holder), source.key) in assigned:
                continue
            guard.expected = with_given_elements_unchecked(guard.expected, assigned)
            self._restore_and_reject_symbolic_value(guard)
            is_read = self._may_functions_have_read_source(guard)
            if not guard.is_satisfied():
                self._replay_value_or_limit_validity(guard, is_read)
            elif is_read or (
                isinstance(source.holder, Layer)
                and not self._is_container_read_by_user_code_only(guard)
            ):
                self._add_to_selected_guards(guard)
        self._invalidating_source = (
            self._invalidating_source
            or self.first_unstable_read_description
            or next(iter(self.suspected_unstable_reads), "")
        )
        self._guard_by_source, self._watched_objects, self._user_functions = {}, {}, {}
        self.read_tracker.release_objects()
        self._last_checked_version = layers.version_counter[0]

    def record_changed_random_generators_and_iterators(self) -> None:
        """Record the random generators, iterators and deques whose state changed during the capture
        in `unstable_reads`, or in `suspected_unstable_reads` if another thread may have changed it.
        """
        changed = {
            name for name, state in self._initial_random_states if not state.matches(state.value)
        }
        self.suspected_unstable_reads |= changed - self.read_tracker.used_random_generators
        labels = sorted(changed & self.read_tracker.used_random_generators)
        labels += [
            guard.source.display_name
            for guard in self._guard_by_source.values()
            if not all(
                state.matches(state.value)
                for state in iter_identity_and_state_snapshots(guard.expected)
            )
        ]
        self.unstable_reads.update(dict.fromkeys(labels))
        self._initial_random_states = []

    def add_unstable_reads_suspected_twice(self, previous: GuardSet) -> None:
        """Add to `unstable_reads` the random generators that changed during this capture and the
        previous one. A change during a single capture may come from another thread.
        """
        self.unstable_reads.update(
            dict.fromkeys(self.suspected_unstable_reads & previous.suspected_unstable_reads)
        )

    def iter_holders_keys_and_initial_values(self) -> Iterator[tuple[Any, Any, Any]]:
        """Yield, for each source, its holder, its key, and its value before the capture."""
        return (
            (guard.source.holder, guard.source.key, guard.expected.value)
            for guard in self._guard_by_source.values()
            if guard.source.key not in LAYER_REGISTRIES
        )

    def find_guards_with_call_local_value(self) -> list[StateGuard]:
        """Return the guards whose value the capture changed to data of one call, so that the caller
        can restore them instead of calling `select_guards_after_capture`.
        """
        guards = [*self._guard_by_source.values(), *self._iter_guards_of_capture_added_attributes()]
        return [
            guard for guard in guards if not guard.is_satisfied() and guard.has_call_local_value()
        ]

    def _restore_and_reject_symbolic_value(self, guard: StateGuard) -> None:
        """Raise TraceError if the capture stored a symbolic value in the guarded name or deque;
        restore its previous value first.
        """
        source = guard.source
        is_permanent = (
            source.guard_kind == "name"
            or source.is_recorded_read
            or isinstance(source.holder, ModuleType | type)
        )
        if is_permanent and isinstance(source.read(), Variable):
            self._restore_and_raise_symbolic_value_error(guard)
        for state in iter_identity_and_state_snapshots(guard.expected):
            if any(map(is_symbolic_value, state.current_deque_items())):
                state.restore_deque_items()
                self._restore_and_raise_symbolic_value_error(guard)

    @staticmethod
    def _restore_and_raise_symbolic_value_error(guard: StateGuard) -> None:
        guard.restore_value()
        why = (
            f"the function assigns a symbolic value to '{guard.source.display_name}', but such a "
            "value exists only in a run of the program"
        )
        raise TraceError(
            append_user_line(
                f"{why}; return it, or assign it to an attribute of the layer or object that has "
                f"this method"
            )
        )

    def set_replayed_side_effects_and_checked_version(self, effects: list[SideEffect]) -> None:
        """Store the side effects that each call performs in Python, because no op of the program
        performs them.
        """
        self._side_effects = effects
        self._last_checked_version = layers.version_counter[0]

    def _guard_absent_instance_attributes(self) -> None:
        """For each class attribute that the function reads from a layer, add a guard that the layer
        itself has no attribute of this name.
        """
        for layer in [v for v in self._watched_objects.values() if isinstance(v, Layer)]:
            for key in self._attribute_names_read.difference(vars(layer)):
                if (id(type(layer)), key) in self._guard_by_source:
                    source = OwnAttributeSource(f"{type(layer).__name__}.{key}", layer, key)
                    self._add_guard_if_new(source, MISSING, is_versioned=True)

    def _iter_guards_of_capture_added_attributes(self) -> Iterator[StateGuard]:
        """Yield, for each attribute that the capture added to a watched object, a guard that the
        attribute does not exist.
        """
        for value in self._watched_objects.values():
            if isinstance(value, ModuleType | type):
                continue
            for key in list(vars(value)):
                if (id(value), key) not in self._guard_by_source and key not in IGNORED_ATTRIBUTES:
                    source = OwnAttributeSource(f"{type(value).__name__}.{key}", value, key)
                    yield StateGuard(source, IdentitySnapshot(MISSING))

    def _may_functions_have_read_source(self, guard: StateGuard) -> bool:
        """Whether the captured functions may have read the source of a guard. Only `hasattr`,
        `getattr` and similar functions can read that an attribute is missing.
        """
        source = guard.source
        if source.guard_kind == "name" or source.key in self._string_constants:
            return True
        if source.is_recorded_read and guard.was_read:
            return True
        if guard.expected.value is MISSING:
            return False
        return source.key in self._attribute_names_read or (
            self._has_class_patterns
            and source.key in getattr(type(source.holder), "__match_args__", ())
        )

    def _is_container_read_by_user_code_only(self, guard: StateGuard) -> bool:
        """Whether a container that converted code did not read needs no guard, because only user
        code can read it. Only user code reads an attribute of a layer if all classes of the layer
        are user classes and the capture converted the `forward` of one of them.
        """
        if (
            not is_container(guard.expected.value)
            or guard.source.key in LAYER_REGISTRIES
            or self._attribute_names_read & REFLECTION_NAMES
        ):
            return False
        kinds = [k for k in type(guard.source.holder).__mro__ if k not in (Layer, object)]
        codes = (
            getattr(vars(kind).get("forward"), "__code__", None)
            for kind in kinds
            if "forward" in vars(kind)
        )
        modules = [sys.modules.get(kind.__module__) for kind in kinds]
        return all(m is not None and is_user_module(m) for m in modules) and any(
            code in self._user_codes for code in codes
        )

    def _replay_value_or_limit_validity(self, guard: StateGuard, is_read: bool) -> None:
        """Decide what happens to a source that the captured function changed: either each run
        assigns the new value again, or the program becomes valid for one call only.
        """
        source, now = guard.source, guard.source.read()
        if now is guard.expected.value and isinstance(now, list | dict):
            if any(map(is_symbolic_value, iter_value_and_items(now))):
                self._restore_and_report_leaked_values(guard)
            else:
                self._limit_validity_to_one_call(source)
        elif source.key in LAYER_REGISTRIES:
            self._limit_validity_to_one_call(source)
        elif consists_of_constants(now) and now is not MISSING:
            self._replayed_assignments.append((source, copy_nested_constants(now)))
        elif is_read:
            self._limit_validity_to_one_call(source)
        if is_read:
            self._add_to_selected_guards(guard)

    def _limit_validity_to_one_call(self, source: Source) -> None:
        self._invalidating_source = self._invalidating_source or source.display_name

    @staticmethod
    def _restore_and_report_leaked_values(guard: StateGuard) -> None:
        """Restore a list or dict in which the function stored symbolic values. Warn if the list or
        dict is an attribute of a layer, which is probably a cache; otherwise raise TraceError.
        """
        restore_container_items(guard.expected)
        label = guard.source.display_name
        if isinstance(guard.source.holder, Layer):
            warn(
                f"the values that forward stored in '{label}' were removed from it; each run "
                "computes them again"
            )
            return
        why = f"'{label}' was created outside of the function, which stores symbolic values in it"
        raise TraceError(append_user_line(f"{why}; return them instead"))

    def _add_to_selected_guards(self, guard: StateGuard) -> None:
        guard.expected = with_iterators_and_rngs_by_identity(guard.expected)
        if guard.is_checked_by_version and not any(
            iter_identity_and_state_snapshots(guard.expected)
        ):
            holder = guard.source.holder
            self._versioned_guards.setdefault(id(holder), (holder, []))[1].append(guard)
        elif not self._name_guards.add(guard):
            self._always_checked_guards.append(guard)

    def _iter_selected_guards(self) -> Iterator[StateGuard]:
        for _, guards in self._versioned_guards.values():
            yield from guards
        yield from self._name_guards.state_guards
        yield from self._always_checked_guards

    # -- at each call
    # -------------------------------------------------------------------------------------------

    def are_satisfied(self) -> bool:
        """Whether all guards hold, so that the program is valid for a call now."""
        if not self._name_guards.are_satisfied():
            return False
        for guard in self._always_checked_guards:
            if not guard.is_satisfied():
                return False
        if self._invalidating_source:
            return False
        for effect in self._side_effects:
            if not effect.is_current_value_compatible():
                return False
        version = layers.version_counter[0]
        if self._last_checked_version != version:
            for layer, guards in self._versioned_guards.values():
                if layers.version_of_last_own_mutation(
                    layer
                ) > self._last_checked_version and not all(
                    guard.is_satisfied() for guard in guards
                ):
                    return False
            self._last_checked_version = version
        return True

    @property
    def replays_assignments(self) -> bool:
        """Whether the function assigns Python constants, which each run assigns again."""
        return bool(self._replayed_assignments)

    def replay_assignments(self) -> None:
        """Assign again the Python constants that the function assigns."""
        for source, value in self._replayed_assignments:
            source.write(copy_nested_constants(value))

    def label_of_broken_guard(self) -> str:
        """Return the name of a source whose guard does not hold; empty if all guards hold."""
        labels = (
            guard.source.display_name
            for guard in self._iter_selected_guards()
            if not guard.is_satisfied()
        )
        return (
            self._invalidating_source
            or next(labels, "")
            or next(
                (e.label for e in self._side_effects if not e.is_current_value_compatible()), ""
            )
        )

    def to_user_guards(self) -> list[Guard]:
        """Return the guards as `Guard` objects, which users see in `guards`."""
        unstable = [
            Guard("state", label, 0, "differs at each call", "read by Python", "", "")
            for label in self.unstable_reads
        ]
        return unstable + [
            Guard(
                guard.source.guard_kind,
                guard.source.display_name,
                0,
                repr(guard.expected.value),
                "read by Python",
                "",
                "",
            )
            for guard in self._iter_selected_guards()
            if isinstance(guard.expected.value, (*PLAIN_TYPES, list, tuple, dict))
            and guard.source.key not in LAYER_REGISTRIES
        ]


def _iter_code_objects(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of a function and of the functions defined in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _iter_code_objects(constant)


def _definition_key(code: CodeType) -> tuple[str, int, str]:
    return code.co_filename, code.co_firstlineno, code.co_name


def _iter_names_of_attributes_read(code: CodeType) -> Iterable[str]:
    """Yield the names of the attributes that a function reads, except those that positional class
    patterns of `match` read.
    """
    constant = None
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR"):
            yield instruction.argval
        elif instruction.opname == "MATCH_CLASS":
            yield from constant or ()  # the names of attributes in keyword patterns of `match`
        constant = instruction.argval if instruction.opname == "LOAD_CONST" else None


def _has_class_patterns(code: CodeType) -> bool:
    return any(i.opname == "MATCH_CLASS" for i in dis.get_instructions(code))
