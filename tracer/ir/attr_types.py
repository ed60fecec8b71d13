"""The valid values of each attribute type."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from .program import Attr, AttrType

_SURROGATE_PATTERN = re.compile("[\ud800-\udfff]")
_FLOAT32_MAX = 3.4028234663852886e38


def _make_int_check(bits: int) -> Callable[[Any], bool]:
    def fits(value: Any) -> bool:
        return type(value) is int and -(1 << bits - 1) <= value < 1 << bits - 1

    return fits


def _is_bool(value: Any) -> bool:
    return type(value) is bool


def _is_valid_unicode(value: Any) -> bool:
    return isinstance(value, str) and _SURROGATE_PATTERN.search(value) is None


def _fits_double(value: Any) -> bool:
    return isinstance(value, float) or _make_int_check(54)(value)


def _fits_float32(value: Any) -> bool:
    return _fits_double(value) and (not math.isfinite(value) or abs(value) <= _FLOAT32_MAX)


def _is_block_index(value: Any) -> bool:
    return _make_int_check(32)(value) and value >= 0


def _is_paddle_scalar(value: Any) -> bool:
    return type(value) in (bool, float, complex) or _make_int_check(64)(value)


# attribute type -> whether the value is a list, a description of an element for messages, a
# function that checks an element
ATTR_RULES: dict[AttrType, tuple[bool, str, Callable[[Any], bool]]] = {
    AttrType.INT: (False, "an int of 32 bits", _make_int_check(32)),
    AttrType.FLOAT: (False, "a float of 32 bits", _fits_float32),
    AttrType.STRING: (False, "a str", _is_valid_unicode),
    AttrType.INTS: (True, "ints of 32 bits", _make_int_check(32)),
    AttrType.FLOATS: (True, "floats of 32 bits", _fits_float32),
    AttrType.STRINGS: (True, "str", _is_valid_unicode),
    AttrType.BOOLEAN: (False, "a bool", _is_bool),
    AttrType.BOOLEANS: (True, "bool", _is_bool),
    AttrType.BLOCK: (False, "the index of a block", _is_block_index),
    AttrType.LONG: (False, "an int of 64 bits", _make_int_check(64)),
    AttrType.BLOCKS: (True, "indices of blocks", _is_block_index),
    AttrType.LONGS: (True, "ints of 64 bits", _make_int_check(64)),
    AttrType.FLOAT64S: (True, "floats", _fits_double),
    AttrType.VAR: (False, "the name of a variable", _is_valid_unicode),
    AttrType.VARS: (True, "names of variables", _is_valid_unicode),
    AttrType.FLOAT64: (False, "a float", _fits_double),
    AttrType.SCALAR: (False, "a bool, an int of 64 bits, a float or a complex", _is_paddle_scalar),
    AttrType.SCALARS: (True, "bool, ints of 64 bits, floats or complex", _is_paddle_scalar),
}
LIST_ATTR_TYPES = frozenset(kind for kind, (is_list, _, _) in ATTR_RULES.items() if is_list)
# Types of attributes that refer to blocks or variables of the program.
REFERENCE_ATTR_TYPES = (AttrType.BLOCK, AttrType.BLOCKS, AttrType.VAR, AttrType.VARS)


def attr_problem(attr: Attr) -> str | None:
    """A message that says why the value of an attribute does not fit its type; None if the value
    fits.
    """
    is_list, what, fits = ATTR_RULES[attr.type]
    if not is_list:
        return None if fits(attr.value) else f"{attr.type.name} is {what}, not {attr.value!r:.80}"
    if not isinstance(attr.value, (list, tuple)):
        return f"{attr.type.name} is a list, not {attr.value!r:.80}"
    if set(map(type, attr.value)) == {int} and fits(min(attr.value)) and fits(max(attr.value)):
        # the valid ints are a range, so checking the smallest and the largest is enough
        return None
    odd = [value for value in attr.value if not fits(value)]
    return f"{attr.type.name} holds {what}, not {odd[0]!r:.80}" if odd else None


def referenced_block_indices(attr: Attr) -> list[int]:
    """The indices of the blocks that an attribute refers to."""
    if attr.type == AttrType.BLOCK:
        return [attr.value]
    return list(attr.value) if attr.type == AttrType.BLOCKS else []


def referenced_var_names(attr: Attr) -> list[str]:
    """The names of the variables that an attribute refers to."""
    if attr.type == AttrType.VAR:
        return [attr.value]
    return list(attr.value) if attr.type == AttrType.VARS else []
