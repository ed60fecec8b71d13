"""Plain Python values. Two plain values are interchangeable if a program may use one in place of
the other.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable
from typing import Any

import numpy as np

PLAIN_TYPES = (bool, int, float, complex, str, bytes, type(None), np.generic, np.dtype)
# 0.0 and -0.0 are equal but not interchangeable, and NaN is not equal to itself
_COMPARED_BY_REPR = (np.inexact, np.datetime64, np.timedelta64)


def exact_comparison_key_within_type(value: Any) -> Hashable:
    """A key that is equal for two values of the same type that are interchangeable in a program:
    0.0 and -0.0 differ, all NaN are equal.

    value: hashable. The key includes the types of set members and of compared dataclass fields.
    """
    if isinstance(value, float):
        return float.__repr__(value)
    if isinstance(value, complex):
        return complex.__repr__(value)
    if isinstance(value, _COMPARED_BY_REPR):
        return repr(value)
    if isinstance(value, frozenset):
        return frozenset((type(v), exact_comparison_key_within_type(v)) for v in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = (getattr(value, f.name) for f in dataclasses.fields(value) if f.compare)
        return value, tuple(
            (type(v), exact_comparison_key_within_type(v))
            for v in fields
            if isinstance(v, (*PLAIN_TYPES, frozenset))
        )
    found: Hashable = value
    return found


def are_interchangeable(a: Any, b: Any) -> bool:
    """Whether two values are the same object, or interchangeable plain values of one type."""
    return a is b or (
        type(a) is type(b)
        and isinstance(a, PLAIN_TYPES)
        and exact_comparison_key_within_type(a) == exact_comparison_key_within_type(b)
    )


def is_plain_or_tuple_of_plain(value: Any) -> bool:
    """Whether a value is immutable: a plain value, or a tuple of values that are immutable in this
    sense.
    """
    return (
        all(map(is_plain_or_tuple_of_plain, value))
        if type(value) is tuple
        else isinstance(value, PLAIN_TYPES)
    )
