"""Looking for numbers that went wrong."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from typing import Any

import numpy as np

from ..core import cuda
from ..core.errors import OarlockError, OperandError, with_user_line
from ..core.flags import set_flags
from ..core.mode import Mode, WrapperMode, find_mode, remove_wrapper, state
from ..core.numerics_check import is_enabled, set_enabled
from ..core.op import Op
from ..core.tensor import Tensor
from ..ops.check_numerics import statistics
from .mode import tensors_of

__all__ = [
    "DebugMode",
    "TensorCheckerConfig",
    "check_layer_numerics",
    "check_numerics",
    "collect_operator_stats",
    "disable_operator_stats_collection",
    "disable_tensor_checker",
    "enable_operator_stats_collection",
    "enable_tensor_checker",
]


class DebugMode(Enum):
    """What check_numerics does; the first raises OarlockError where it finds a NaN or an
    infinity.
    """

    CHECK_NAN_INF_AND_ABORT = 0
    CHECK_NAN_INF = 1
    CHECK_ALL_FOR_OVERFLOW = 2
    CHECK_ALL = 3


def check_numerics(
    tensor: Tensor,
    op_type: str,
    var_name: str,
    debug_mode: DebugMode = DebugMode.CHECK_NAN_INF_AND_ABORT,
) -> tuple[Tensor, Tensor]:
    """How many NaNs, infinities and zeros `tensor` has, and its max, min and mean.

    x [*] -> int64 [3], float32 [3]

    op_type, var_name: who made it, for the error.
    """
    counts, values = statistics(tensor.numpy())
    if (counts[0] or counts[1]) and debug_mode is DebugMode.CHECK_NAN_INF_AND_ABORT:
        found = f"{counts[0]} NaNs, {counts[1]} infinities, {counts[2]} zeros"
        raise OarlockError(with_user_line(f"{op_type}: {found} in {var_name} (X={tensor.meta})"))
    return Tensor(cuda.to_default_device(np.array(counts, np.int64))), Tensor(
        cuda.to_default_device(np.array(values, np.float32))
    )


COLUMNS = ("float16", "bfloat16", "float32")  # and all others


class Stats(WrapperMode):
    """Counts the ops that run, by the dtype of their first operand.

    counts: by op type, one number for each of COLUMNS and the rest
    """

    def __init__(self, inner: Mode, counts: dict[str, list[int]]) -> None:
        super().__init__(inner)
        self.counts = counts

    def with_inner(self, inner: Mode) -> Stats:
        """See Over.over."""
        return Stats(inner, self.counts)

    def run(self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """See Mode.run."""
        given = tensors_of(args)
        name = given[0].dtype.name if given else ""
        self.counts.setdefault(op.type, [0] * 4)[COLUMNS.index(name) if name in COLUMNS else 3] += 1
        return super().run(op, args, attrs)


def _table(counts: dict[str, list[int]]) -> str:
    """The counts as Paddle prints them."""
    heads = [
        f"{name:-^17}" for name in (" FP16 Calls ", " BF16 Calls ", " FP32 Calls", " Other Calls ")
    ]
    lines = [f"<{' op list ':-^120}>", " | ".join([f"<{' Op Name ':-^40}", *heads]) + ">"]
    lines += [
        "|  ".join([f"  {op:<40}", *(f"{n:<17}" for n in counts[op])]) for op in sorted(counts)
    ]
    return "\n".join([*lines, f"<{f' op count: {len(counts)} ':-^120}>\n"])


def enable_operator_stats_collection() -> None:
    """Count from now on the ops that run in this thread, by dtype; see
    disable_operator_stats_collection.
    """
    state.mode = Stats(remove_wrapper(state.mode, Stats), {})


def disable_operator_stats_collection() -> None:
    """Stop counting, and print the counts."""
    found = find_mode(state.mode, Stats)
    if found is not None:
        state.mode = remove_wrapper(state.mode, Stats)
        print(_table(found.counts))


@contextmanager
def collect_operator_stats() -> Iterator[None]:
    """Count the ops that the body runs, by dtype, and print the counts."""
    enable_operator_stats_collection()
    try:
        yield
    finally:
        disable_operator_stats_collection()


class TensorCheckerConfig:
    """Settings of `enable_tensor_checker`.

    Parameters
    ----------
    enable : bool
        Whether results are checked.
    debug_mode : DebugMode, default CHECK_NAN_INF_AND_ABORT
        Only this mode is supported: the first NaN or infinity raises an error that names the op.
    output_dir, checked_op_list, skipped_op_list, debug_step, stack_height_limit : optional
        Accepted for Paddle's sake; only their defaults are supported, except `stack_height_limit`,
        which has no effect.
    """

    def __init__(
        self,
        enable: bool,
        debug_mode: DebugMode = DebugMode.CHECK_NAN_INF_AND_ABORT,
        output_dir: str | None = None,
        checked_op_list: Sequence[str] | None = None,
        skipped_op_list: Sequence[str] | None = None,
        debug_step: Sequence[int] | None = None,
        stack_height_limit: int = 1,
    ) -> None:
        given = {
            "output_dir": output_dir,
            "checked_op_list": checked_op_list,
            "skipped_op_list": skipped_op_list,
            "debug_step": debug_step,
        }
        wrong = [name for name, value in given.items() if value]
        if enable and (wrong or debug_mode is not DebugMode.CHECK_NAN_INF_AND_ABORT):
            what = wrong or [f"debug_mode={debug_mode}"]
            raise OarlockError(
                with_user_line(
                    f"TensorCheckerConfig: {what} is not supported; all results are checked"
                )
            )
        self.enable, self.debug_mode, self.stack_height_limit = (
            enable,
            debug_mode,
            stack_height_limit,
        )


def enable_tensor_checker(checker_config: TensorCheckerConfig) -> None:
    """Turn on the check: any op or gradient whose result contains NaN or infinity raises
    NumericsError.
    """
    if checker_config.enable:
        set_flags({"FLAGS_check_nan_inf": True})


def disable_tensor_checker() -> None:
    """Turn off the check that `enable_tensor_checker` turned on."""
    set_flags({"FLAGS_check_nan_inf": False})


def check_layer_numerics(func: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a `forward` so that any of its ops raises NumericsError if the result contains NaN
    or infinity.
    """

    @functools.wraps(func)
    def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        if args and not isinstance(args[0], Tensor):
            raise OperandError(
                with_user_line("check_layer_numerics: First input of this layer must be tensor.")
            )
        before = is_enabled()
        set_enabled(True)
        try:
            return func(self, *args, **kwargs)
        finally:
            set_enabled(before)

    return forward
