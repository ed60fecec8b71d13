"""The internal state of Python objects that change without an assignment: iterators, deques, sets,
arrays and random generators.
"""

from __future__ import annotations

import collections
import random
import warnings
from array import array
from collections.abc import Callable, Iterator
from types import GeneratorType, ModuleType
from typing import Any

import numpy as np

from ...ir.plain_values import PLAIN_TYPES, are_interchangeable
from .user_code import is_non_oarlock_object_with_attributes

# larger containers are compared by identity and length, because comparing their items is slow
MAX_ITEMS = 1000
MAX_DEPTH = 3  # how many levels of nested iterators, containers and objects are read
MAX_ARRAY_BYTES = 1 << 24  # of larger arrays, only the shape is compared


def read_internal_state_or_none(value: Any, ignored: tuple[str, ...] = ()) -> Any:
    """Return the internal state of an object as nested tuples; None for an object without such
    state.

    ignored: names of attributes of a user object that are left out.
    """
    for kinds, reader in STATE_READER_BY_TYPE:
        if isinstance(value, kinds):
            return reader(value)
    if hasattr(value, "__next__") and not hasattr(value, "__dict__"):
        return _read_iterator_state(value)
    if is_non_oarlock_object_with_attributes(value) and not isinstance(value, type | ModuleType):
        attributes = {k: v for k, v in vars(value).items() if k not in ignored}
        return (
            "attributes",
            tuple(attributes),
            tuple(attributes.values()),
            _read_list_or_dict_items(value),
        )
    return None


def are_states_equal(a: Any, b: Any) -> bool:
    """Whether two internal states are equal. Constants in the states are compared by value, other
    objects by identity.
    """
    if type(a) is tuple and type(b) is tuple:
        return len(a) == len(b) and all(map(are_states_equal, a, b))
    return a is b or (
        isinstance(a, PLAIN_TYPES) and isinstance(b, PLAIN_TYPES) and are_interchangeable(a, b)
    )


def iter_source_iterators(value: Any, depth: int = MAX_DEPTH) -> Iterator[Any]:
    """Yield the iterators that an iterator reads from, such as those of `zip` and `map`."""
    if hasattr(value, "__dict__") or isinstance(value, GeneratorType):
        return
    state = _find_pickle_state(value)
    todo = [] if state is None else [state]
    while todo:
        part = todo.pop()
        if isinstance(part, tuple):
            todo += part
        elif hasattr(part, "__next__"):
            yield part
            if depth:
                yield from iter_source_iterators(part, depth - 1)


def _read_list_or_dict_items(value: Any) -> Any:
    """Return the items of an object whose class inherits from list, or the keys and values if it
    inherits from dict; () for other objects.
    """
    if isinstance(value, dict):
        return tuple(dict.keys(value)), tuple(dict.values(value))
    return tuple(list.__iter__(value)) if isinstance(value, list) else ()


def _read_ndarray_state(value: Any) -> Any:
    if value.dtype == object:
        return tuple(value.flat), value.shape
    return (value.tobytes() if value.nbytes <= MAX_ARRAY_BYTES else None), value.shape


def _read_generator_frame_state(value: Any) -> Any:
    frame = value.gi_frame
    return None if frame is None else (frame.f_lasti, *frame.f_locals.values())


def _read_iterator_state(value: Any, depth: int = MAX_DEPTH) -> Any:
    state = _find_pickle_state(value)
    return None if state is None else _freeze_state_with_nested_iterators(state, depth)


def _find_pickle_state(value: Any) -> Any:
    """Return the state with which `pickle` would save an iterator; None if the iterator cannot be
    pickled.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return value.__reduce__()
    except TypeError:
        return None


def _freeze_state_with_nested_iterators(state: Any, depth: int) -> Any:
    if isinstance(state, tuple):
        return tuple(_freeze_state_with_nested_iterators(part, depth) for part in state)
    if hasattr(state, "__next__") and depth:
        is_generator = isinstance(state, GeneratorType)
        return (
            read_internal_state_or_none(state)
            if is_generator
            else _read_iterator_state(state, depth - 1)
        )
    return tuple(state) if type(state) is list else state


STATE_READER_BY_TYPE: list[tuple[Any, Callable[[Any], Any]]] = [
    (np.ndarray, _read_ndarray_state),
    ((bytearray, array), bytes),
    ((set, collections.deque), tuple),
    (GeneratorType, _read_generator_frame_state),
    (np.random.RandomState, lambda value: (value.get_state()[1].tobytes(), value.get_state()[2:])),
    (np.random.Generator, lambda value: repr(value.bit_generator.state)),
    (random.SystemRandom, lambda _: None),
    (random.Random, lambda value: repr(value.getstate())),
]  # fmt: skip
