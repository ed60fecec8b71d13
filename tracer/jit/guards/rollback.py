"""Roll back the side effects of a failed recording, so that the function can run as Python and each
side effect happens once.
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
from .snapshots import has_attributes
from .source import LISTED


class Rollback:
    """Snapshots of Python state before a recording: random generators, generated names, and each
    object that converted code mutates.

    Converted code calls `note` before it mutates an object or calls one of its methods; the first
    call saves a shallow copy. Printed text is deferred until `commit`.
    """

    irreversible = ""  # description of a side effect that cannot be undone

    def __init__(self) -> None:
        self._undo: list[Callable[[], object]] = []
        self._noted: dict[int, Any] = {}  # by id; holds a reference, so that the id is not reused
        self._printed: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
        # by id: a tensor and its previous stop_gradient
        self.flags: dict[int, tuple[Tensor, bool]] = {}
        generator = rng.generator()
        self._save_generator(generator)
        self.note(random._inst)
        self.note(np.random.mtrand._rand)
        counts = unique_name.counts()
        before = dict(counts)
        self._undo.append(lambda: _refill(counts, before))

    def note(self, value: Any) -> None:
        """Save a shallow copy of `value` before it is mutated, unless one is saved already."""
        if value is None or id(value) in self._noted or isinstance(value, ModuleType | type):
            return
        keep = next((keep for kinds, keep in SNAPSHOTS if isinstance(value, kinds)), None)
        if keep is None and not has_attributes(value):
            return
        self._noted[id(value)] = value
        if keep is not None:
            keep(self, value)
        if has_attributes(value):
            self._save_table(vars(value))

    def defer_print(self, values: tuple[Any, ...], options: dict[str, Any]) -> None:
        """Defer a `print` of Python values until `commit`."""
        self._printed.append((values, options))

    def commit(self) -> None:
        """The recording succeeded: print the deferred text."""
        for values, options in self._printed:
            print(*values, **options)

    def undo(self) -> None:
        """Restore every saved object."""
        for step in reversed(self._undo):
            with suppress(ValueError, OSError):  # a closed file
                step()
        for tensor, before in self.flags.values():
            tensor.stop_gradient = before

    # -- snapshots by type
    # ------------------------------------------------------------------------------

    def _save_list(self, value: Any) -> None:
        before = list(list.__iter__(value)) if isinstance(value, list) else list(value)

        def undo() -> None:
            value[:] = before

        self._undo.append(undo)

    def _save_table(self, value: dict[Any, Any]) -> None:
        before = dict(dict.items(value))
        self._undo.append(lambda: _refill(value, before))

    def _save_set(self, value: Any) -> None:
        before = list(value)

        def undo() -> None:
            value.clear()
            value.update(before) if isinstance(value, set) else value.extend(before)

        self._undo.append(undo)

    def _save_array(self, value: Any) -> None:
        before = value.copy()

        def undo() -> None:
            if value.shape == before.shape and value.flags.writeable:
                value[...] = before

        self._undo.append(undo)

    def _save_layer(self, layer: Layer) -> None:
        self._save_table(vars(layer))
        for name in LISTED:
            held = vars(layer)[name]
            self._save_table(held) if isinstance(held, dict) else self._save_list(held)

    def _save_tensor(self, tensor: Tensor) -> None:
        if not isinstance(tensor, Variable):
            self.flags[id(tensor)] = tensor, tensor.stop_gradient

    def _save_random(self, value: random.Random) -> None:
        with suppress(NotImplementedError):  # SystemRandom has no state
            state = value.getstate()
            self._undo.append(lambda: value.setstate(state))

    def _save_random_state(self, value: np.random.RandomState) -> None:
        state = value.get_state()
        self._undo.append(lambda: value.set_state(state))

    def _save_generator(self, value: np.random.Generator) -> None:
        state = value.bit_generator.state

        def undo() -> None:
            value.bit_generator.state = state

        self._undo.append(undo)

    def _save_file(self, value: Any) -> None:
        with suppress(ValueError, OSError):
            if value.seekable():
                at = value.tell()
                self._undo.append(lambda: value.seek(at))


def _refill(table: dict[Any, Any], before: dict[Any, Any]) -> None:
    dict.clear(table)
    dict.update(table, before)


SNAPSHOTS: list[tuple[Any, Callable[[Rollback, Any], None]]] = [
    (Layer, Rollback._save_layer),
    (Tensor, Rollback._save_tensor),
    (dict, Rollback._save_table),
    ((list, bytearray, array), Rollback._save_list),
    ((set, collections.deque), Rollback._save_set),
    (np.ndarray, Rollback._save_array),
    (random.Random, Rollback._save_random),
    (np.random.RandomState, Rollback._save_random_state),
    (np.random.Generator, Rollback._save_generator),
    (io.IOBase, Rollback._save_file),
]
