"""Limit the number of bytes of one result of an op.

A file of a few hundred bytes can request a result larger than memory, and the system may kill the
process after it has granted the allocation. If attributes determine the size of a result, shape
inference computes the size before the kernel runs. For all other ops (broadcasts, matrix products,
shapes given as tensors), `_tape` installs a NumPy allocation handler (NEP 49). It rejects arrays
above the limit while a kernel runs in the thread. Allocations outside of kernels are not limited.
"""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from ._tape import take_rejected_size
from .errors import MemoryLimitError, OpError, append_user_line

LIMIT_VARIABLE = "OARLOCK_MAX_RESULT_BYTES"
DEFAULT_MAX_BYTES = 8 << 30
MAX_WINDOW = 1 << 20  # largest kernel size or padding along one axis
MAX_UNCHECKED_SIZE = 1 << 10  # a size attribute whose product is at most this is not checked

# Attributes that determine the sizes of the results of an op. The result sizes of ops with such an
# attribute are checked, unless the op is in UNCHECKED_OPS.
SIZE_ATTRS = frozenset(
    (
        "shape",
        "target_shape",
        "output_shape",
        "output_size",
        "output_sizes",
        "out_size",
        "expand_times",
        "repeat_times",
        "Repeats",
        "ksize",
        "paddings",
        "pooled_height",
        "pooled_width",
        "out_d",
        "out_h",
        "out_w",
        "scale",
        "num_rows",
        "num_columns",
        "n",
        "rows",
        "cols",
        "row",
        "col",
        "depth",
        "maxlen",
        "padded_length",
        "minlength",
        "bins",
        "transformed_height",
        "transformed_width",
        "num_samples",
        "last_dim_size",
        "contextLength",
        "win_size",
        "num",
        "output_dim",
        "max_depth",
        "resolution",
        "frame_length",
        "new_dim",
        "num_hash",
    )
)
_SEQUENCE_TYPES = (list, tuple)
_SIZE_TYPES = ("INT", "LONG", "INTS", "LONGS", "FLOATS")
# Ops whose result sizes are not checked, because their results have as many elements as their
# inputs.
UNCHECKED_OPS = frozenset(
    {"reshape", "reshape2", "sum_to", "assign_value", "view", "lrn", "matrix_power", "polygamma"}
)


class OpProtocol(Protocol):
    """The part of `core.op.Op` that this module uses: type, attributes and shape inference."""

    @property
    def type(self) -> str:
        """Paddle's op type."""

    @property
    def attrs(self) -> Mapping[str, Any]:
        """The attributes by name."""

    def infer(self, metas: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Return the Metas of the results, by shape inference."""


def max_result_bytes() -> int:
    """Return the largest allowed number of bytes of one result: the value of
    OARLOCK_MAX_RESULT_BYTES, or 8 GiB.
    """
    text = os.environ.get(LIMIT_VARIABLE, "")
    return (
        int(text)
        if text.isascii() and text.isdigit() and 0 < int(text[:30]) < 1 << 63
        else DEFAULT_MAX_BYTES
    )


def check_result_size(shape: Sequence[int], itemsize: int, what: str = "its result") -> None:
    """Raise MemoryLimitError if an array of this shape would exceed the limit of bytes for one
    result. The caller of a kernel adds the op and its inputs to the message of the error.

    shape: -1 for unknown sizes.
    """
    if any(d < 0 for d in shape):
        return
    needed, limit = math.prod(shape) * itemsize, max_result_bytes()
    if needed > limit:
        sizes = ",".join(map(str, shape))
        raise MemoryLimitError(
            f"{what} [{sizes}] takes {_format_bytes(needed)}, more than the "
            f"{_format_bytes(limit)} that {LIMIT_VARIABLE} allows"
        )


def copy_array_checking_memory(array: Any, reason: str) -> Any:
    """Return a NumPy copy of an array. The array may be a view of a much smaller one, such as a
    broadcast scalar, so the size of the copy is checked.

    reason: begins the message of the MemoryLimitError that is raised if memory is missing
    """
    try:
        return np.array(array)
    except MemoryError:
        sizes = ",".join(map(str, array.shape))
        why = (
            f"there is not enough memory for a copy of {array.dtype}[{sizes}], which takes "
            f"{_format_bytes(array.nbytes)}"
        )
        raise MemoryLimitError(append_user_line(f"{reason}: {why}")) from None


def _format_bytes(count: int) -> str:
    return f"{count / (1 << 30):,.1f} GiB" if count >= 1 << 30 else f"{count / (1 << 20):,.1f} MiB"


def _is_large_size_attr_value(value: Any) -> bool:
    """Whether the value of a size attribute is so large that the size of the results must be
    computed and checked. The test must be cheap, because every call of an op with size attributes
    makes it.
    """
    if isinstance(value, _SEQUENCE_TYPES):
        return bool(value) and (
            max(value) > MAX_UNCHECKED_SIZE or abs(math.prod(value)) > MAX_UNCHECKED_SIZE
        )
    return bool(value > MAX_UNCHECKED_SIZE)


def with_size_check(
    op: OpProtocol, kernel: Callable[..., Any], meta: type[Any]
) -> Callable[..., Any]:
    """Wrap `kernel` so that it first checks the size of its results, if an attribute that
    determines this size is large.

    meta: core.op.Meta
    """
    names = tuple(n for n, spec in op.attrs.items() if n in SIZE_ATTRS and spec.type in _SIZE_TYPES)
    if not names or op.type in UNCHECKED_OPS or op.type.endswith("_grad"):
        return kernel

    @functools.wraps(kernel)
    def run(*args: Any, **attrs: Any) -> Any:
        for name in names:
            if name in attrs and _is_large_size_attr_value(attrs[name]):
                check_inferred_result_sizes(op, args, attrs, meta)
                break
        return kernel(*args, **attrs)

    return run


def check_inferred_result_sizes(
    op: OpProtocol, args: tuple[Any, ...], attrs: dict[str, Any], meta: type[Any]
) -> None:
    """Raise MemoryLimitError if shape inference finds a result that exceeds the limit, or OpError
    if it rejects the inputs.
    """
    try:
        results = op.infer(tuple(metas_of_arrays(arg, meta) for arg in args), attrs)
    except OpError:  # also a ValueError
        raise
    except (TypeError, ValueError, IndexError, AttributeError, OverflowError):
        return  # the kernel reports the error
    for result in _flatten_metas(results):
        check_result_size(result.shape, result.dtype.itemsize)


def metas_of_arrays(arg: Any, meta: type[Any]) -> Any:
    """Return the Meta of an array, None for None, and a list of Metas for a list."""
    if isinstance(arg, list | tuple):
        return [metas_of_arrays(a, meta) for a in arg]
    return None if arg is None else meta(tuple(arg.shape), arg.dtype)


def _flatten_metas(metas: Any) -> list[Any]:
    if hasattr(metas, "dtype"):
        return [metas]
    return (
        [m for item in metas for m in _flatten_metas(item)]
        if isinstance(metas, list | tuple)
        else []
    )


def out_of_memory_error(
    op: OpProtocol, metas: tuple[Any, ...], attrs: dict[str, Any]
) -> MemoryLimitError:
    """Return the error for an op whose kernel failed to allocate memory. The message contains the
    sizes of the results, if shape inference can compute them.
    """
    try:
        results = _flatten_metas(op.infer(metas, attrs))
    except Exception:  # the sizes are only for the message
        results = []
    return MemoryLimitError(
        out_of_memory_message([m for m in results if min(m.shape, default=0) >= 0])
    )


def out_of_memory_message(results: Sequence[Any]) -> str:
    """Return a message that tells why the last allocation of a kernel in this thread failed: the
    array exceeded the limit, or the system had too little memory.

    results: their Metas, if known
    """
    rejected, limit = take_rejected_size(), max_result_bytes()
    sizes = [(m, math.prod(m.shape) * m.dtype.itemsize) for m in results]
    if rejected:
        large = [
            f"its result {m} takes {_format_bytes(count)}" for m, count in sizes if count > limit
        ]
        what = large[0] if large else f"one of its temporary arrays takes {_format_bytes(rejected)}"
        return f"{what}, more than the {_format_bytes(limit)} that {LIMIT_VARIABLE} allows"
    known = ", ".join(f"{m} of {_format_bytes(count)}" for m, count in sizes)
    return f"there is not enough memory{f' for its result {known}' if known else ''}"
