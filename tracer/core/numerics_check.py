"""Check the outputs of ops for NaN and infinity while `FLAGS_check_nan_inf` is set."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import cuda
from .dtype import compute_dtype, is_inexact
from .errors import NumericsError, append_user_line
from .mode import Mode, WrapperMode, find_mode_of_class, mode_without_wrappers_of_class, state
from .op import Op
from .tensor import Tensor

LEVELS = range(4)
ABORT, REPORT_NONFINITE, REPORT_OVERFLOW, REPORT_ALL = LEVELS
FLOAT16_MAX = 65504.0
_SHORT_DTYPE_NAMES = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64"}


@dataclass
class NumericsCheckSettings:
    """Which outputs are checked for NaN and infinity, and what happens then: the values of
    FLAGS_check_nan_inf_level and of Paddle's TensorCheckerConfig.

    Attributes
    ----------
    level : int
        0: raise an error for NaN or infinity. 1: report such tensors and continue. 2: also report
        float32 tensors with values outside of the range of float16. 3: report every floating
        tensor.
    output_dir : str
        Folder of the log file `worker_cpu` or `worker_gpu.0`; "" to print the reports.
    checked_ops, skipped_ops : frozenset of str
        Op types to check (empty: all), and op types to exclude.
    """

    level: int = ABORT
    output_dir: str = ""
    checked_ops: frozenset[str] = field(default_factory=frozenset)
    skipped_ops: frozenset[str] = field(default_factory=frozenset)

    def selects(self, op: str) -> bool:
        """Whether the outputs of ops of this type are checked for NaN and infinity."""
        return op not in self.skipped_ops and (not self.checked_ops or op in self.checked_ops)


settings = NumericsCheckSettings()


class NumericsCheckMode(WrapperMode):
    """A mode that checks the outputs of every executed op according to `settings`."""

    def with_inner_mode(self, inner: Mode) -> NumericsCheckMode:
        """Return the same check around another mode."""
        return NumericsCheckMode(inner)

    def run(self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Run the op, then check its outputs for NaN and infinity."""
        outputs = super().run(op, args, attrs)
        if self.allows_bare_arrays:
            for tensor in _iter_tensors(outputs):
                check_or_report_op_output(op.type, "its result", tensor.array)
        return outputs


def _iter_tensors(value: Any) -> Iterator[Tensor]:
    for item in value if isinstance(value, list | tuple) else [value]:
        if isinstance(item, list | tuple):
            yield from _iter_tensors(item)
        elif isinstance(item, Tensor):
            yield item


def array_statistics(x: Any) -> tuple[list[int], list[float]]:
    """Return the numbers of NaNs, infinities and zeros of an array, and its max, min and mean.

    The max and min ignore NaN. All three are 0 for an empty array.
    """
    x = np.asarray(cuda.to_host(x))
    x = x.astype(compute_dtype(x.dtype), copy=False)
    with np.errstate(all="ignore"):
        counts = [int(test.sum()) for test in (np.isnan(x), np.isinf(x), x == 0)]
        numbers = x[~np.isnan(x)]
        extremes = [float(numbers.max()), float(numbers.min())] if numbers.size else [0.0, 0.0]
        return counts, [*extremes, float(x.mean()) if x.size else 0.0]


def check_or_report_op_output(op: str, name: str, array: Any) -> None:
    """Check one output of an op for NaN and infinity, if the settings select the op. `name` is the
    name of the output in messages.

    Raises NumericsError for NaN or infinity at level 0. At other levels, prints or logs the
    statistics of the tensors that the level selects.
    """
    if not is_inexact(array.dtype) or not settings.selects(op):
        return
    if settings.level < REPORT_OVERFLOW:
        host = np.asarray(cuda.to_host(array))
        if np.isfinite(host.astype(compute_dtype(array.dtype), copy=False)).all():
            return
    counts, values = array_statistics(array)
    is_nonfinite = bool(counts[0] or counts[1])
    if is_nonfinite and settings.level == ABORT:
        shape = f"{array.dtype.name}[{','.join(map(str, array.shape))}]"
        num_nan, num_inf, num_zero = counts
        raise NumericsError(
            append_user_line(
                f"{op}: There are NAN or INF (num_nan={num_nan}, num_inf={num_inf}, "
                f"num_zero={num_zero}) in {name} ({shape})"
            )
        )
    overflows = array.dtype.name == "float32" and max(values[0], -values[1]) > FLOAT16_MAX
    if is_nonfinite or settings.level >= REPORT_ALL or overflows:
        _print_or_log_tensor_statistics(op, array, counts, values)


def _print_or_log_tensor_statistics(
    op: str, array: Any, counts: list[int], values: list[float]
) -> None:
    """Print or log a tensor in the format of Paddle's logs, which `compare_accuracy` reads."""
    num_nan, num_inf, num_zero = counts
    index = cuda.gpu_index_of(array)
    device = "cpu" if index is None else f"gpu:{index}"
    dtype = _SHORT_DTYPE_NAMES.get(array.dtype.name, array.dtype.name)
    has_error = num_nan or num_inf
    error = " [ERROR]" if has_error else ""
    nonfinite = f"num_nan={num_nan}, num_inf={num_inf}, " if has_error else ""
    largest, smallest, mean = values
    line = (
        f"[PRECISION]{error} in [device={device}, op={op}, tensor=, dtype={dtype}], "
        f"numel={array.size}, {nonfinite}num_zero={num_zero}, "
        f"max={largest:e}, min={smallest:e}, mean={mean:e}"
    )
    if not settings.output_dir:
        print(line)
        return
    os.makedirs(settings.output_dir, exist_ok=True)
    name = "worker_cpu" if index is None else "worker_gpu.0"
    with open(os.path.join(settings.output_dir, name), "a", encoding="utf-8") as log:
        log.write(line + "\n")


def is_enabled() -> bool:
    """Whether this thread checks the outputs of ops for NaN and infinity."""
    return find_mode_of_class(state.mode, NumericsCheckMode) is not None


def set_enabled_in_thread(enabled: bool) -> None:
    """Turn the check for NaN and infinity on or off for the ops of this thread."""
    plain = mode_without_wrappers_of_class(state.mode, NumericsCheckMode)
    state.mode = NumericsCheckMode(plain) if enabled else plain
