"""How large one result of an op may be.

A file of a few hundred bytes can ask for a result that no machine holds, and the system may grant it until the process is killed.
So an op whose attributes set the size of its result computes that size first, from its meta rule. For all others - broadcasts,
products, shapes that are given as tensors - the limit is where NumPy allocates: `_tape` sets a handler of its own (NEP 49) that
hands out no larger array while a kernel is at work in the thread. Other code in the process allocates as it likes.
"""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from ._tape import take_refused
from .errors import MemoryLimitError, OpError

VARIABLE = "OARLOCK_MAX_RESULT_BYTES"
DEFAULT = 8 << 30
MAX_WINDOW = 1 << 20  # of a kernel or a padding, along one axis
SMALL = 1 << 10  # results of attributes with smaller products are not estimated

# Attributes that set sizes of results.  An op with one of them is bounded, unless it is one of UNBOUNDED.
SIZE_ATTRS = frozenset((
    "shape", "target_shape", "output_shape", "output_size", "output_sizes", "out_size", "expand_times", "repeat_times", "Repeats",
    "ksize", "paddings", "pooled_height", "pooled_width", "out_d", "out_h", "out_w", "scale", "num_rows", "num_columns", "n",
    "rows", "cols", "row", "col", "depth", "maxlen", "padded_length", "minlength", "bins", "transformed_height",
    "transformed_width", "num_samples", "last_dim_size", "contextLength", "win_size", "num", "output_dim", "max_depth",
    "resolution", "frame_length", "new_dim", "num_hash",
))  # fmt: skip
_LISTS = (list, tuple)
_SIZE_TYPES = ("INT", "LONG", "INTS", "LONGS", "FLOATS")
# Their results have as many elements as their operands.
UNBOUNDED = frozenset({"reshape", "reshape2", "sum_to", "assign_value", "view", "lrn", "matrix_power", "polygamma"})


class OpDefinition(Protocol):
    """What the limits ask of an op, `core.op.Op`: its type, its attributes and its shape inference."""

    @property
    def type(self) -> str:
        """Paddle's op type."""

    @property
    def attrs(self) -> Mapping[str, Any]:
        """The attributes by name."""

    def infer(self, metas: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """The Metas of the results."""


def max_result_bytes() -> int:
    """The limit: OARLOCK_MAX_RESULT_BYTES, or 8 GiB."""
    text = os.environ.get(VARIABLE, "")
    return int(text) if text.isascii() and text.isdigit() and 0 < int(text[:30]) < 1 << 63 else DEFAULT


def check_result(shape: Sequence[int], itemsize: int, what: str = "its result") -> None:
    """Raise MemoryLimitError for an array of more bytes than the limit; the caller adds op and operands.   shape: -1 where unknown"""
    if any(d < 0 for d in shape):
        return
    needed, limit = math.prod(shape) * itemsize, max_result_bytes()
    if needed > limit:
        sizes = ",".join(map(str, shape))
        raise MemoryLimitError(
            f"{what} [{sizes}] takes {_size(needed)}, more than the {_size(limit)} that {VARIABLE} allows"
        )


def _size(count: int) -> str:
    return f"{count / (1 << 30):,.1f} GiB" if count >= 1 << 30 else f"{count / (1 << 20):,.1f} MiB"


def _is_large(value: Any) -> bool:
    """Whether an attribute may ask for much.   It is called for each op with such attributes, so it only multiplies."""
    if isinstance(value, _LISTS):
        return bool(value) and (max(value) > SMALL or abs(math.prod(value)) > SMALL)
    return bool(value > SMALL)


def bounded(op: OpDefinition, kernel: Callable[..., Any], meta: type[Any]) -> Callable[..., Any]:
    """`kernel`, which first estimates the size of its results where an attribute asks for much.   meta: core.op.Meta"""
    names = tuple(n for n, spec in op.attrs.items() if n in SIZE_ATTRS and spec.type in _SIZE_TYPES)
    if not names or op.type in UNBOUNDED or op.type.endswith("_grad"):
        return kernel

    @functools.wraps(kernel)
    def run(*args: Any, **attrs: Any) -> Any:
        for name in names:
            if name in attrs and _is_large(attrs[name]):
                check_results(op, args, attrs, meta)
                break
        return kernel(*args, **attrs)

    return run


def check_results(op: OpDefinition, args: tuple[Any, ...], attrs: dict[str, Any], meta: type[Any]) -> None:
    """Raise MemoryLimitError if a result of an op, as its meta rule infers it, takes more bytes than the limit."""
    try:
        results = op.infer(tuple(_metas(arg, meta) for arg in args), attrs)
    except (OpError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
        return  # the kernel says what is wrong
    for result in _flat(results):
        check_result(result.shape, result.dtype.itemsize)


def _metas(arg: Any, meta: type[Any]) -> Any:
    """The Meta of an array, None for None, a list of them for a list."""
    if isinstance(arg, list | tuple):
        return [_metas(a, meta) for a in arg]
    return None if arg is None else meta(tuple(arg.shape), arg.dtype)


def _flat(metas: Any) -> list[Any]:
    if hasattr(metas, "dtype"):
        return [metas]
    return [m for item in metas for m in _flat(item)] if isinstance(metas, list | tuple) else []


def out_of_memory(op: OpDefinition, metas: tuple[Any, ...], attrs: dict[str, Any]) -> MemoryLimitError:
    """The error for an op whose kernel got no memory, or not as much as it asked for, with the size of its results where they are known."""
    try:
        results = _flat(op.infer(metas, attrs))
    except Exception:  # an estimate for a message: whatever the rule stumbles over
        results = []
    return MemoryLimitError(memory_problem([m for m in results if min(m.shape, default=0) >= 0]))


def memory_problem(results: Sequence[Any]) -> str:
    """Why the last kernel of this thread got no memory: the limit, or the system.   results: their Metas, where they are known"""
    refused, limit = take_refused(), max_result_bytes()
    sizes = [(m, math.prod(m.shape) * m.dtype.itemsize) for m in results]
    if refused:
        large = [f"its result {m} takes {_size(count)}" for m, count in sizes if count > limit]
        what = large[0] if large else f"an array that it works on takes {_size(refused)}"
        return f"{what}, more than the {_size(limit)} that {VARIABLE} allows"
    known = ", ".join(f"{m} of {_size(count)}" for m, count in sizes)
    return f"there is not enough memory{f' for its result {known}' if known else ''}"
