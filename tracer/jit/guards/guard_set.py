"""The guards of one captured program: all Python state that it read besides its arguments, and that
may differ at the next call.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ...capture.variable import Variable
from ...core.errors import TraceError, is_library_file, warn, with_user_line
from ...core.tensor import Tensor
from ...ir.input_spec import InputSpec
from ...ir.plain_values import PLAIN_TYPES, is_immutable
from ...ir.program import Guard
from ...nn import layer as layers
from ...nn.layer import Layer
from .bytecode import globals_written
from .guard import NameGuards, StateGuard
from .reads import ReadTracker
from .side_effects import SideEffect, is_program_value, namespace_id
from .snapshots import (
    MISSING,
    Snapshot,
    copy_constant,
    ignore_elements,
    ignore_state,
    is_constant,
    is_container,
    iter_items,
    iter_states,
    random_states,
    restore_items,
    take_state_snapshot,
)
from .source import (
    LAYER_TABLES,
    ArgumentSource,
    AttrSource,
    LayerTableSource,
    Source,
    name_source,
    read_cell,
)
from .user_code import PACKAGE, is_user_module, is_user_object

# Functions that can read any attribute.
REFLECTION = {
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
# Attributes that Oarlock and Python set themselves.
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
    """The guards of a captured program. `hold` returns whether the program is valid for a call.

    The set is created before the capture. The capture calls `add_function` before it calls a user
    function; `finish` selects the guards. If the capture changes state to a constant, each run
    assigns the constant again (`replay`); if it changes state to another value, the program is
    valid for one call only. Layers count assignments to their attributes, so that few values are
    compared if a layer did not change.
    """

    def __init__(self, owner: Any) -> None:
        self._guards: dict[tuple[int, str], StateGuard] = {}
        self._watched: dict[int, Any] = {}  # objects whose attributes all have guards, by id
        # The user functions, by code, cells and module.
        self._functions: dict[Any, FunctionType] = {}
        self._existing_functions: set[int] = set()  # ids of functions from before the capture
        self._codes: set[CodeType] = set()
        self._inner_functions: set[tuple[str, int, str]] = set()  # by their definition
        self._arguments: list[dict[str, Any]] = []  # keeps the holders of ArgumentSource alive
        self._names_read: set[str] = set()
        self._strings: set[str] = set()  # names that `getattr` and `hasattr` may read
        self._side_effects: list[SideEffect] = []
        self._replayed: list[tuple[Source, Any]] = []
        self._invalid_because = ""  # a source that makes the program valid for one call only
        # Descriptions of values that differ at each call: the program is used once.
        self.unstable: dict[str, None] = {}
        # Random generators that changed, perhaps in another thread.
        self.suspected_unstable: set[str] = set()
        self.reads = ReadTracker(self._guards, self._watched, self._watch, self._mark_unstable)
        self._random_states = random_states()
        self._always_checked: list[StateGuard] = []
        self._name_guards = NameGuards()
        # The versioned guards, by id of their layer.
        self._versioned: dict[int, tuple[Layer, list[StateGuard]]] = {}
        if owner is not None:
            self._watch(owner, is_owner=True)
            self.reads.add_existing(owner)
        self._checked_version = -1

    # -- before and during the capture
    # ------------------------------------------------------------------------

    def add_function(self, function: FunctionType) -> None:
        """Add guards for the names that a user function reads, before it is called."""
        code, cells = function.__code__, function.__closure__ or ()
        key = code, tuple(map(id, cells)), id(function.__globals__)
        if key in self._functions:
            return
        self._functions[key] = function
        codes = list(_iter_codes(code))
        if code not in self._codes:
            self._codes.add(code)
            self._inner_functions.update(map(_definition, codes[1:]))
            self._strings.update(t for c in codes for t in c.co_consts if isinstance(t, str))
            self._names_read.update(name for c in codes for name in _attributes_read(c))
        if _definition(code) not in self._inner_functions or (
            id(function) in self._existing_functions
        ):
            for name, cell in zip(code.co_freevars, cells, strict=True):
                self._add_name(cell, name, read_cell(cell))
            for value in (
                *(function.__defaults__ or ()),
                *(function.__kwdefaults__ or {}).values(),
            ):
                self.add_argument(f"a default of {code.co_name}", value)
        self.reads.add_globals(function.__globals__)
        for name in globals_written(code):
            self.reads.record_global_write(function.__globals__, name)
        for name in dict.fromkeys(n for c in codes for n in c.co_names):
            if name in function.__globals__:
                self._add_name(function.__globals__, name, function.__globals__[name])

    def add_argument(self, name: str, argument: Any) -> None:
        """Add guards for the contents of an argument that is not a tensor. The identity of the
        argument is in the cache key, so it needs no guard.
        """
        if not isinstance(argument, (Tensor, np.ndarray, InputSpec, *PLAIN_TYPES)):
            holder = {name: argument}
            self._arguments.append(holder)
            if isinstance(argument, ModuleType):
                self._add_name(holder, name, argument)
            else:
                self._add_named(ArgumentSource(name, holder, name), argument)

    def _add_name(self, holder: Any, name: str, value: Any) -> None:
        if isinstance(value, ModuleType):
            if is_user_module(value):
                self._watch(value)
            return
        self._add_named(name_source(name, holder, name), value)

    def _add_named(self, source: Source, value: Any) -> None:
        if self._add_guard(source, value):
            for found in iter_items(value):
                self._watch(found)

    def _watch(self, value: Any, is_owner: bool = False) -> None:
        """Add guards for all attributes of a layer and its sublayers, or of another object."""
        if id(value) in self._watched:
            return
        if isinstance(value, Layer):
            for layer in value.sublayers(include_self=True):
                self._watch_layer(layer)
        elif (is_owner and hasattr(value, "__dict__")) or is_user_object(value):
            self._watched[id(value)] = value
            owner = value.__name__ if isinstance(value, ModuleType | type) else type(value).__name__
            for key, found in list(vars(value).items()):
                if key not in IGNORED_ATTRIBUTES and not (
                    isinstance(value, ModuleType) and not isinstance(found, PLAIN_TYPES)
                ):
                    self._add_guard(AttrSource(f"{owner}.{key}", value, key), found)
                    if isinstance(found, Layer):
                        self._watch(found)

    def _watch_layer(self, layer: Layer) -> None:
        if id(layer) in self._watched:
            return
        self._watched[id(layer)] = layer
        for hook in (*layer._forward_pre_hooks.values(), *layer._forward_post_hooks.values()):
            if isinstance(hook, FunctionType) and not is_library_file(hook.__code__.co_filename):
                self.add_function(hook)
        self._watch_classes(type(layer))
        is_library_layer = type(layer).__module__.startswith(PACKAGE)
        for key, found in list(vars(layer).items()):
            if key in IGNORED_ATTRIBUTES:
                continue
            label = f"{type(layer).__name__}.{key}"
            if key in LAYER_TABLES:
                source = LayerTableSource(label, layer, key)
                self._add_guard(source, list(found), is_versioned=True)
                continue
            # The layer does not notice changes of a mutable container.
            is_versioned = is_library_layer or not is_container(found) or is_immutable(found)
            self._add_guard(AttrSource(label, layer, key), found, is_versioned)
            if not is_versioned:
                for item in iter_items(found):
                    if isinstance(item, Layer):
                        self._watch(item)

    def _watch_classes(self, layer_class: type) -> None:
        for kind in layer_class.__mro__:
            is_library_class = kind.__module__.startswith((PACKAGE, "builtins"))
            if id(kind) not in self._watched and not is_library_class:
                self._watch_class(kind)

    def _watch_class(self, kind: type) -> None:
        self._watched[id(kind)] = kind
        for key, found in list(vars(kind).items()):
            if (
                key not in IGNORED_ATTRIBUTES
                and isinstance(found, (*PLAIN_TYPES, FunctionType))
                and not key.startswith("__")
            ):
                self._add_guard(AttrSource(f"{kind.__name__}.{key}", kind, key), found)

    def _add_guard(self, source: Source, value: Any, is_versioned: bool = False) -> bool:
        """Add a guard unless there is one; return whether it is new."""
        key = id(source.holder), source.key
        if key in self._guards:
            return False
        self._existing_functions.update(
            id(v) for v in iter_items(value) if isinstance(v, FunctionType)
        )
        expected = take_state_snapshot(value)
        is_versioned = is_versioned and not isinstance(value, np.ndarray)
        self._guards[key] = StateGuard(source, expected, is_versioned)
        self.reads.add_existing(value, expected)
        return True

    def _mark_unstable(self, description: str) -> None:
        """Record that code reads a value that differs at each call."""
        self.unstable[description] = None

    @property
    def first_unstable(self) -> str:
        """The description of the first value that differs at each call; empty if there is none."""
        return next(iter(self.unstable), "")

    # -- after the capture
    # --------------------------------------------------------------------------

    def finish(self, effects: list[SideEffect]) -> None:
        """Select the guards when the capture is finished.

        effects: the side effects, which each call repeats.

        Raises TraceError if values of the program were stored in a list or dict of the user.
        """
        self._side_effects = effects
        assigned = {(namespace_id(e.owner), e.key) for e in effects}
        self.find_unstable()
        self._guard_class_attributes()
        for guard in [*self._guards.values(), *self._added_attributes()]:
            source = guard.source
            if (namespace_id(source.holder), source.key) in assigned:
                continue
            guard.expected = ignore_elements(guard.expected, assigned)
            self._reject_program_values(guard)
            is_read = self._is_read(guard)
            if not guard.holds():
                self._handle_change(guard, is_read)
            elif is_read or (
                isinstance(source.holder, Layer) and not self._is_private_container(guard)
            ):
                self._keep(guard)
        self._invalid_because = (
            self._invalid_because or self.first_unstable or next(iter(self.suspected_unstable), "")
        )
        self._guards, self._watched, self._functions = {}, {}, {}
        self.reads.clear()
        self._checked_version = layers.version_counter[0]

    def find_unstable(self) -> None:
        """Find the random generators, iterators and deques whose state changed."""
        changed = {name for name, state in self._random_states if not state.matches(state.value)}
        self.suspected_unstable |= changed - self.reads.random_sources
        labels = sorted(changed & self.reads.random_sources)
        labels += [
            guard.source.label
            for guard in self._guards.values()
            if not all(state.matches(state.value) for state in iter_states(guard.expected))
        ]
        self.unstable.update(dict.fromkeys(labels))
        self._random_states = []

    def confirm_unstable(self, previous: GuardSet) -> None:
        """Treat a random generator as unstable only if it also changed during the previous capture.
        A single change may come from another thread.
        """
        self.unstable.update(dict.fromkeys(self.suspected_unstable & previous.suspected_unstable))

    def initial_values(self) -> Iterator[tuple[Any, Any, Any]]:
        """Yield holder, key and the value before the capture of each source."""
        return (
            (guard.source.holder, guard.source.key, guard.expected.value)
            for guard in self._guards.values()
            if guard.source.key not in LAYER_TABLES
        )

    def temporary_changes(self) -> list[StateGuard]:
        """Return the guards whose value the capture changed to data of one call, so that the caller
        can restore them instead of calling `finish`.
        """
        guards = [*self._guards.values(), *self._added_attributes()]
        return [guard for guard in guards if not guard.holds() and guard.is_temporary()]

    def _reject_program_values(self, guard: StateGuard) -> None:
        """Raise TraceError if a name, or a deque, now holds a value of the program."""
        source = guard.source
        is_permanent = (
            source.kind == "name"
            or source.is_traced
            or isinstance(source.holder, ModuleType | type)
        )
        if is_permanent and isinstance(source.read(), Variable):
            self._reject_name(guard)
        for state in iter_states(guard.expected):
            if any(map(is_program_value, state.items())):
                state.restore()
                self._reject_name(guard)

    @staticmethod
    def _reject_name(guard: StateGuard) -> None:
        guard.restore()
        why = f"'{guard.source.label}' becomes a value of the program, which exists only in a run"
        raise TraceError(
            with_user_line(
                f"{why}; return it, or assign it to an attribute of the layer or object that has "
                f"this method"
            )
        )

    def set_side_effects(self, effects: list[SideEffect]) -> None:
        """Set the side effects to those that the program does not perform itself."""
        self._side_effects = effects
        self._checked_version = layers.version_counter[0]

    def _guard_class_attributes(self) -> None:
        """Guard class attributes that the function uses: no instance attribute of the same name may
        appear.
        """
        for layer in [v for v in self._watched.values() if isinstance(v, Layer)]:
            for key in self._names_read.difference(vars(layer)):
                if (id(type(layer)), key) in self._guards:
                    source = AttrSource(f"{type(layer).__name__}.{key}", layer, key)
                    self._add_guard(source, MISSING, is_versioned=True)

    def _added_attributes(self) -> Iterator[StateGuard]:
        """Yield a guard for each attribute that the capture added to a watched object."""
        for value in self._watched.values():
            if isinstance(value, ModuleType | type):
                continue
            for key in list(vars(value)):
                if (id(value), key) not in self._guards and key not in IGNORED_ATTRIBUTES:
                    source = AttrSource(f"{type(value).__name__}.{key}", value, key)
                    yield StateGuard(source, Snapshot(MISSING))

    def _is_read(self, guard: StateGuard) -> bool:
        """Whether the functions may have read the source. Only `hasattr`, `getattr` and similar
        functions can read that an attribute is missing.
        """
        source = guard.source
        if source.kind == "name" or source.key in self._strings:
            return True
        if source.is_traced and guard.is_read:
            return True
        return source.key in self._names_read and guard.expected.value is not MISSING

    def _is_private_container(self, guard: StateGuard) -> bool:
        """Whether an unread container of a layer needs no guard, because only user code can read
        it: all classes of the layer are user classes, and the capture converted the `forward` of
        one of them.
        """
        if (
            not is_container(guard.expected.value)
            or guard.source.key in LAYER_TABLES
            or self._names_read & REFLECTION
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
            code in self._codes for code in codes
        )

    def _handle_change(self, guard: StateGuard, is_read: bool) -> None:
        """Select what happens to a value that the capture changed: it is assigned again after each
        run, or the program becomes valid for one call only.
        """
        source, now = guard.source, guard.source.read()
        if now is guard.expected.value and isinstance(now, list | dict):
            if any(map(is_program_value, iter_items(now))):
                self._reject_leak(guard)
            else:
                self._invalidate(source)
        elif source.key in LAYER_TABLES:
            self._invalidate(source)
        elif is_constant(now) and now is not MISSING:
            self._replayed.append((source, copy_constant(now)))
        elif is_read:
            self._invalidate(source)
        if is_read:
            self._keep(guard)

    def _invalidate(self, source: Source) -> None:
        self._invalid_because = self._invalid_because or source.label

    @staticmethod
    def _reject_leak(guard: StateGuard) -> None:
        """Restore a list or dict in which the function stored values of the program. For an
        attribute of a layer, which is probably a cache, warn; for other holders, raise TraceError.
        """
        restore_items(guard.expected)
        label = guard.source.label
        if isinstance(guard.source.holder, Layer):
            warn(
                f"'{label}' holds none of the values that forward stored there; each run computes "
                f"them again"
            )
            return
        why = f"'{label}' was created outside of the function and was given values of the program"
        raise TraceError(with_user_line(f"{why}; return them instead"))

    def _keep(self, guard: StateGuard) -> None:
        guard.expected = ignore_state(guard.expected)
        if guard.is_versioned and not any(iter_states(guard.expected)):
            holder = guard.source.holder
            self._versioned.setdefault(id(holder), (holder, []))[1].append(guard)
        elif not self._name_guards.add(guard):
            self._always_checked.append(guard)

    def _iter_kept(self) -> Iterator[StateGuard]:
        for _, guards in self._versioned.values():
            yield from guards
        yield from self._name_guards.guards
        yield from self._always_checked

    # -- at each call
    # -------------------------------------------------------------------------------------------

    def hold(self) -> bool:
        """Whether all guards hold, so that the program is valid for a call now."""
        if not self._name_guards.hold():
            return False
        for guard in self._always_checked:
            if not guard.holds():
                return False
        if self._invalid_because or not all(e.is_applicable() for e in self._side_effects):
            return False
        version = layers.version_counter[0]
        if self._checked_version != version:
            for layer, guards in self._versioned.values():
                if layers.layer_version(layer) > self._checked_version and not all(
                    guard.holds() for guard in guards
                ):
                    return False
            self._checked_version = version
        return True

    def replay(self) -> None:
        """Assign again the Python constants that the function assigns."""
        for source, value in self._replayed:
            source.write(copy_constant(value))

    def find_broken(self) -> str:
        """Return the label of a guard that does not hold; empty if all hold."""
        broken = (guard.source.label for guard in self._iter_kept() if not guard.holds())
        return (
            self._invalid_because
            or next(broken, "")
            or next((e.label for e in self._side_effects if not e.is_applicable()), "")
        )

    def to_guards(self) -> list[Guard]:
        """Return the guards as `Guard` objects, which users see in `assumptions`."""
        unstable = [
            Guard("state", label, 0, "differs at each call", "read by Python", "", "")
            for label in self.unstable
        ]
        return unstable + [
            Guard(
                guard.source.kind,
                guard.source.label,
                0,
                repr(guard.expected.value),
                "read by Python",
                "",
                "",
            )
            for guard in self._iter_kept()
            if isinstance(guard.expected.value, (*PLAIN_TYPES, list, tuple, dict))
            and guard.source.key not in LAYER_TABLES
        ]


def _iter_codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of a function and of the functions defined in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _iter_codes(constant)


def _definition(code: CodeType) -> tuple[str, int, str]:
    return code.co_filename, code.co_firstlineno, code.co_name


def _attributes_read(code: CodeType) -> Iterable[str]:
    """Yield the names of the attributes that a function reads."""
    yield from (
        i.argval for i in dis.get_instructions(code) if i.opname in ("LOAD_ATTR", "LOAD_METHOD")
    )
