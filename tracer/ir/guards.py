"""Check the guards of a recorded program at run time. `runtime/guards.cpp` has the same
checks in C++.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core import cuda
from ..core.errors import GuardError, append_user_line
from .program import Guard

# Tolerance for floats, because engines round differently: relative to the expected value, but
# absolute if the expected value is between -1 and 1.
RELATIVE_TOLERANCE = 1e-5
# A guard made from an `assert` has this prefix and the message of the assert as its `reader`.
ASSERT_READER_PREFIX = "assert: "
MAX_SAVED_ELEMENTS = 64  # a guard saves an array with more elements as a digest


def format_expected_value(array: Any) -> str:
    """Format an array as the text that a guard saves: a scalar, a flat list of at most
    MAX_SAVED_ELEMENTS numbers, or a digest.
    """
    flat = np.asarray(cuda.to_host(array))
    if flat.size == 1:
        return repr(flat.item())
    if flat.size <= MAX_SAVED_ELEMENTS and flat.dtype.kind in "fiub":
        return repr(flat.reshape(-1).tolist())
    return f"fnv1a64:{fnv1a64(np.ascontiguousarray(flat).tobytes()):016x}"


def fnv1a64(data: bytes) -> int:
    """Return the 64-bit FNV-1a hash of `data`."""
    digest = 0xCBF29CE484222325
    for byte in data:
        digest = ((digest ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return digest


def check_guard(guard: Guard, array: Any, shape: Sequence[int], model: str) -> None:
    """Raise GuardError unless an array, or its shape, satisfies a guard.

    model: the name of the model for the message.
    """
    if guard.kind == "dim":
        found, holds = _actual_dim_text_and_is_match(guard, shape)
    elif guard.kind == "rank":
        found, holds = str(len(shape)), str(len(shape)) == guard.expected
    else:
        found, holds = _actual_value_text_and_is_match(guard.expected, np.asarray(array))
    if not holds:
        raise GuardError(append_user_line(violation_message(guard, found, model)))


def violation_message(guard: Guard, found: str, model: str) -> str:
    """Return the error message for a violated guard."""
    if guard.reader.startswith(ASSERT_READER_PREFIX):
        return f"{model}: {guard.reader}{_user_line_suffix(guard)}"
    subject = {"dim": f"{guard.var}.shape[{guard.axis}]", "rank": f"the rank of {guard.var}"}.get(
        guard.kind, guard.var
    )
    reader = guard.reader or "?"
    return (
        f"{model}: {subject} is {found}, the trace assumed {guard.expected} (read by "
        f"{reader}){_user_line_suffix(guard)}"
    )


def _user_line_suffix(guard: Guard) -> str:
    """Return the end of an error message: the user's line that read the guarded value."""
    text = f": {guard.text}" if guard.text else ""
    return f"\n  at {guard.where}{text}" if guard.where else ""


def _actual_dim_text_and_is_match(guard: Guard, shape: Sequence[int]) -> tuple[str, bool]:
    if guard.axis >= len(shape):
        return f"not there, the rank is {len(shape)}", False
    return str(shape[guard.axis]), str(shape[guard.axis]) == guard.expected


def _actual_value_text_and_is_match(expected: str, array: Any) -> tuple[str, bool]:
    if expected.startswith("fnv1a64:"):
        found = f"fnv1a64:{fnv1a64(np.ascontiguousarray(array).tobytes()):016x}"
        return found, found == expected
    if expected.startswith("["):
        wanted = expected[1:-1].split(", ") if len(expected) > 2 else []
        values = array.reshape(-1).tolist()
        if len(values) != len(wanted):
            return f"{len(values)} values", False
        wrong = [
            i
            for i, (v, w) in enumerate(zip(values, wanted, strict=True))
            if not _matches_expected_text(v, w)
        ]
        return (f"[..., {values[wrong[0]]:.9g}, ...] at {wrong[0]}" if wrong else ""), not wrong
    if array.size != 1:
        return f"{array.size} values", False
    value = array.item()
    return (f"{value:.9g}" if isinstance(value, float) else repr(value)), _matches_expected_text(
        value, expected
    )


def _matches_expected_text(found: Any, expected: str) -> bool:
    try:
        return _matches_expected_text_raising_if_unparsable(found, expected)
    except (ValueError, OverflowError):  # the expected value in a damaged file may be any text
        return False


def _matches_expected_text_raising_if_unparsable(found: Any, expected: str) -> bool:
    if expected in ("True", "False"):
        return bool(found) == (expected == "True")
    if not isinstance(found, int | float):
        return repr(found) == expected
    if not isinstance(found, float):
        return str(int(found)) == expected or float(found) == float(expected)
    wanted = float(expected)
    if not math.isfinite(wanted):
        return math.isnan(found) if math.isnan(wanted) else found == wanted
    if expected.lstrip("-").isdigit():
        return math.isfinite(found) and math.trunc(found) == wanted
    return abs(found - wanted) <= RELATIVE_TOLERANCE * max(1.0, abs(wanted))
