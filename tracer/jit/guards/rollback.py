"""Roll back the Python state that a failed capture changed. After the rollback, the function runs
as Python, so that each side effect happens once.
"""

from __future__ import annotations

import collections
import io
import random
from array import array
from collections.abc import Callable
from contextlib import suppress
from types import ModuleType
from typing import Any

import numpy as np

from ...capture.variable import Variable
from ...core import rng, unique_name
from ...core.tensor import Tensor
from ...nn.layer import Layer
from .source import LAYER_REGISTRIES
from .user_code import is_non_oarlock_object_with_attributes


class StateRollback:
    """An undo log of Python state. The log covers random generators, generated names, and each
    object that converted code mutates.

    Converted code calls `save_before_mutation` before it mutates an object or calls one of its
    methods. The first call for an object saves a shallow copy. The text of `print` calls is held
    back until `print_deferred`.
    """

    # description of a side effect of the capture that cannot be undone; empty if there is none
    irreversible_effect = ""

    def __init__(self) -> None:
        self._undo_steps: list[Callable[[], object]] = []
        # by id: a mutated object of which a copy was saved; the reference keeps its id from reuse
        self._saved_objects: dict[int, Any] = {}
        self._deferred_prints: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
        # by id: a tensor and its stop_gradient before the capture
        self.saved_stop_gradient: dict[int, tuple[Tensor, bool]] = {}
        generator = rng.generator()
        self._save_numpy_generator(generator)
        self.save_before_mutation(random._inst)
        self.save_before_mutation(np.random.mtrand._rand)
        counts = unique_name.current_name_counts()
        before = dict(counts)
        self._undo_steps.append(lambda: _replace_dict_items(counts, before))

    def save_before_mutation(self, value: Any) -> None:
        """Save a shallow copy of `value` before it is mutated, unless it is already saved."""
        if (
            value is None
            or id(value) in self._saved_objects
            or isinstance(value, ModuleType | type)
        ):
            return
        saver = next((saver for kinds, saver in SAVER_BY_TYPE if isinstance(value, kinds)), None)
        if saver is None and not is_non_oarlock_object_with_attributes(value):
            return
        self._saved_objects[id(value)] = value
        if saver is not None:
            saver(self, value)
        if is_non_oarlock_object_with_attributes(value):
            self._save_dict(vars(value))

    def defer_print(self, values: tuple[Any, ...], options: dict[str, Any]) -> None:
        """Hold back a `print` of Python values until `print_deferred` is called, so that a failed
        capture prints nothing.
        """
        self._deferred_prints.append((values, options))

    def print_deferred(self) -> None:
        """Print the text that was held back, after a successful capture."""
        for values, options in self._deferred_prints:
            print(*values, **options)

    def restore_all(self) -> None:
        """Restore every saved object."""
        for step in reversed(self._undo_steps):
            with suppress(ValueError, OSError):  # a closed file
                step()
        for tensor, before in self.saved_stop_gradient.values():
            tensor.stop_gradient = before

    # -- shallow copies by type
    # ------------------------------------------------------------------------------

    def _save_list(self, value: Any) -> None:
        before = list(list.__iter__(value)) if isinstance(value, list) else list(value)

        def undo() -> None:
            value[:] = before

        self._undo_steps.append(undo)

    def _save_dict(self, value: dict[Any, Any]) -> None:
        before = dict(dict.items(value))
        self._undo_steps.append(lambda: _replace_dict_items(value, before))

    def _save_set_or_deque(self, value: Any) -> None:
        before = list(value)

        def undo() -> None:
            value.clear()
            value.update(before) if isinstance(value, set) else value.extend(before)

        self._undo_steps.append(undo)

    def _save_array(self, value: Any) -> None:
        before = value.copy()

        def undo() -> None:
            if value.shape == before.shape and value.flags.writeable:
                value[...] = before

        self._undo_steps.append(undo)

    def _save_layer(self, layer: Layer) -> None:
        self._save_dict(vars(layer))
        for name in LAYER_REGISTRIES:
            table = vars(layer)[name]
            self._save_dict(table) if isinstance(table, dict) else self._save_list(table)

    def _save_tensor_stop_gradient(self, tensor: Tensor) -> None:
        if not isinstance(tensor, Variable):
            self.saved_stop_gradient[id(tensor)] = tensor, tensor.stop_gradient

    def _save_python_random_state(self, value: random.Random) -> None:
        with suppress(NotImplementedError):  # a SystemRandom has no state to save
            state = value.getstate()
            self._undo_steps.append(lambda: value.setstate(state))

    def _save_legacy_numpy_generator(self, value: np.random.RandomState) -> None:
        state = value.get_state()
        self._undo_steps.append(lambda: value.set_state(state))

    def _save_numpy_generator(self, value: np.random.Generator) -> None:
        state = value.bit_generator.state

        def undo() -> None:
            value.bit_generator.state = state

        self._undo_steps.append(undo)

    def _save_file_position(self, value: Any) -> None:
        with suppress(ValueError, OSError):
            if value.seekable():
                position = value.tell()
                self._undo_steps.append(lambda: value.seek(position))


def _replace_dict_items(table: dict[Any, Any], before: dict[Any, Any]) -> None:
    dict.clear(table)
    dict.update(table, before)


SAVER_BY_TYPE: list[tuple[Any, Callable[[StateRollback, Any], None]]] = [
    (Layer, StateRollback._save_layer),
    (Tensor, StateRollback._save_tensor_stop_gradient),
    (dict, StateRollback._save_dict),
    ((list, bytearray, array), StateRollback._save_list),
    ((set, collections.deque), StateRollback._save_set_or_deque),
    (np.ndarray, StateRollback._save_array),
    (random.Random, StateRollback._save_python_random_state),
    (np.random.RandomState, StateRollback._save_legacy_numpy_generator),
    (np.random.Generator, StateRollback._save_numpy_generator),
    (io.IOBase, StateRollback._save_file_position),
]
