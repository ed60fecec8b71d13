"""Find NaN, infinity and overflow, and compare the dumps of two runs (paddle.amp.debugging)."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from typing import Any

import numpy as np

from ..core import cuda, numerics_check, rng
from ..core.errors import OarlockError, OperandError, append_user_line
from ..core.flags import set_flags
from ..core.mode import Mode, WrapperMode, find_mode_of_class, mode_without_wrappers_of_class, state
from ..core.numerics_check import array_statistics, is_enabled, set_enabled_in_thread
from ..core.op import Op
from ..core.tensor import Tensor
from .accuracy_compare import compare_accuracy
from .mode import tensors_in_op_args

__all__ = [
    "DebugMode",
    "TensorCheckerConfig",
    "check_layer_numerics",
    "check_numerics",
    "collect_operator_stats",
    "compare_accuracy",
    "disable_operator_stats_collection",
    "disable_tensor_checker",
    "enable_operator_stats_collection",
    "enable_tensor_checker",
]


class DebugMode(Enum):
    """What the numerics checks do with a tensor.

    - CHECK_NAN_INF_AND_ABORT: raise OarlockError if it contains NaN or infinity.
    - CHECK_NAN_INF: print its statistics if it contains NaN or infinity, and go on.
    - CHECK_ALL_FOR_OVERFLOW: print them also if it is float32 and exceeds the range of float16.
    - CHECK_ALL: print the statistics of every floating tensor.
    """

    CHECK_NAN_INF_AND_ABORT = numerics_check.ABORT
    CHECK_NAN_INF = numerics_check.REPORT_NONFINITE
    CHECK_ALL_FOR_OVERFLOW = numerics_check.REPORT_OVERFLOW
    CHECK_ALL = numerics_check.REPORT_ALL


def check_numerics(
    tensor: Tensor,
    op_type: str,
    var_name: str,
    debug_mode: DebugMode = DebugMode.CHECK_NAN_INF_AND_ABORT,
) -> tuple[Tensor, Tensor]:
    """Count NaNs, infinities and zeros in `tensor`, and compute its max, min and mean.

    x [*] -> int64 [3], float32 [3]

    op_type, var_name: producer of the tensor, for the error message
    """
    counts, values = array_statistics(tensor.numpy())
    if (counts[0] or counts[1]) and debug_mode is DebugMode.CHECK_NAN_INF_AND_ABORT:
        counts_text = f"{counts[0]} NaNs, {counts[1]} infinities, {counts[2]} zeros"
        raise OarlockError(
            append_user_line(f"{op_type}: {counts_text} in {var_name} (X={tensor.meta})")
        )
    return Tensor(cuda.to_default_device(np.array(counts, np.int64))), Tensor(
        cuda.to_default_device(np.array(values, np.float32))
    )


COLUMNS = ("float16", "bfloat16", "float32")  # the fourth column counts all other dtypes


class OpDtypeCounter(WrapperMode):
    """Mode that counts the executed ops by op type and by the dtype of their first input.

    counts: by op type, one number for each of COLUMNS and one for other dtypes
    """

    def __init__(self, inner: Mode, counts: dict[str, list[int]]) -> None:
        super().__init__(inner)
        self.counts = counts

    def with_inner_mode(self, inner: Mode) -> OpDtypeCounter:
        """Return a counter with another inner mode that updates the same counts."""
        return OpDtypeCounter(inner, self.counts)

    def run(self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Count the call of the op, then run the op in the inner mode."""
        tensors = tensors_in_op_args(args)
        name = tensors[0].dtype.name if tensors else ""
        self.counts.setdefault(op.type, [0] * 4)[COLUMNS.index(name) if name in COLUMNS else 3] += 1
        return super().run(op, args, attrs)


def _format_counts(counts: dict[str, list[int]]) -> str:
    """Format the numbers of calls by op type and dtype as the table that Paddle prints."""
    headers = [
        f"{name:-^17}" for name in (" FP16 Calls ", " BF16 Calls ", " FP32 Calls", " Other Calls ")
    ]
    lines = [f"<{' op list ':-^120}>", " | ".join([f"<{' Op Name ':-^40}", *headers]) + ">"]
    lines += [
        "|  ".join([f"  {op:<40}", *(f"{n:<17}" for n in counts[op])]) for op in sorted(counts)
    ]
    return "\n".join([*lines, f"<{f' op count: {len(counts)} ':-^120}>\n"])


def enable_operator_stats_collection() -> None:
    """Start counting the ops of this thread by dtype."""
    state.mode = OpDtypeCounter(mode_without_wrappers_of_class(state.mode, OpDtypeCounter), {})


def disable_operator_stats_collection() -> None:
    """Stop counting ops and print the counts."""
    mode = find_mode_of_class(state.mode, OpDtypeCounter)
    if mode is not None:
        state.mode = mode_without_wrappers_of_class(state.mode, OpDtypeCounter)
        print(_format_counts(mode.counts))


@contextmanager
def collect_operator_stats() -> Iterator[None]:
    """Context manager that counts the ops of its body by dtype and prints the counts."""
    enable_operator_stats_collection()
    try:
        yield
    finally:
        disable_operator_stats_collection()


class TensorCheckerConfig:
    """Settings of `enable_tensor_checker`.

    With ``enable=True`` the generators of Paddle, NumPy and Python are seeded, so that the dumps of
    two runs can be compared: with the seed last given to `paddle.seed`, else with 123.

    Parameters
    ----------
    enable : bool
        Whether `enable_tensor_checker` turns the check on.
    debug_mode : DebugMode, default CHECK_NAN_INF_AND_ABORT
    output_dir : str, optional
        Folder for the reports, appended to its file `worker_cpu` or `worker_gpu.0`. Without it they
        are printed.
    checked_op_list, skipped_op_list : list or tuple of str, optional
        Op types to check (default: all), and op types to leave out. Gradient ops are named
        `<op>_grad`.
    debug_step : (int, int), optional
        First step to check, and the step after the last one. Each call of `enable_tensor_checker`
        counts as a step; outside of the range it turns the check off.
    stack_height_limit : int, default 1
        Accepted for compatibility. Errors always name the user's line.

    Raises
    ------
    ValueError
        If an op list or `debug_step` is not a list or tuple, or `stack_height_limit` not an int.
    OarlockError
        If `debug_step` is not two ascending integers.

    Examples
    --------
    >>> debugging = paddle.amp.debugging
    >>> config = debugging.TensorCheckerConfig(True, debugging.DebugMode.CHECK_NAN_INF)
    >>> debugging.enable_tensor_checker(config)
    >>> _ = paddle.log(paddle.to_tensor([1.0, 0.0]))  # doctest: +ELLIPSIS
    [PRECISION] [ERROR] in [device=cpu, op=log, ...], numel=2, num_nan=0, num_inf=1, num_zero=1...
    >>> debugging.disable_tensor_checker()
    """

    current_step_id = 0

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
        for name, value in (
            ("checked_op_list", checked_op_list),
            ("skipped_op_list", skipped_op_list),
            ("debug_step", debug_step),
        ):
            if value is not None and not isinstance(value, list | tuple):
                raise ValueError(append_user_line(f"{name} must be list or tuple"))
        if not isinstance(debug_mode, DebugMode):
            raise ValueError(
                append_user_line(f"debug_mode must be a DebugMode, got {debug_mode!r}")
            )
        if not isinstance(stack_height_limit, int):
            raise ValueError(append_user_line("stack_height_limit must be int"))
        self.start_step, self.end_step = _parse_step_range(debug_step)
        self.enable, self.debug_mode, self.output_dir = enable, debug_mode, output_dir
        self.checked_op_list, self.skipped_op_list = checked_op_list, skipped_op_list
        self.debug_step, self.stack_height_limit = debug_step, stack_height_limit
        if enable:
            _seed_generators_with_last_seed()

    def count_step_and_get_is_checked(self) -> bool:
        """Count one training step; return whether the outputs of ops are checked in this step."""
        if not self.enable:
            return False
        if self.start_step is None or self.end_step is None:
            return True
        step = TensorCheckerConfig.current_step_id
        TensorCheckerConfig.current_step_id += 1
        return self.start_step <= step < self.end_step

    def start_check_nan_inf(self) -> None:
        """Turn on the check for NaN and infinity with the settings of this config."""
        settings = numerics_check.settings
        settings.output_dir = self.output_dir or ""
        settings.checked_ops = frozenset(self.checked_op_list or ())
        settings.skipped_ops = frozenset(self.skipped_op_list or ())
        level = self.debug_mode.value
        set_flags({"FLAGS_check_nan_inf": True, "FLAGS_check_nan_inf_level": level})

    def stop_check_nan_inf(self) -> None:
        """Turn the check off."""
        disable_tensor_checker()


def _parse_step_range(debug_step: Sequence[int] | None) -> tuple[int | None, int | None]:
    if debug_step is None:
        return None, None
    steps = list(debug_step)
    if len(steps) != 2 or not all(isinstance(s, int) for s in steps) or steps[0] >= steps[1]:
        raise OarlockError(
            append_user_line(
                f"TensorCheckerConfig: debug_step is {debug_step}, not two ascending integers"
            )
        )
    return max(steps[0], 0), steps[1]


def _seed_generators_with_last_seed() -> None:
    """Seed the generators of Paddle, NumPy and Python with the last seed that was passed to
    `paddle.seed`. The seed is 123 if `paddle.seed` was not called or NumPy does not accept its
    seed.
    """
    seed = 123 if rng.last_seed is None else int(rng.last_seed)
    if not 0 <= seed < 2**32:  # the seeds that NumPy accepts
        seed = 123
    rng.seed(seed)
    np.random.seed(seed)
    random.seed(seed)


def enable_tensor_checker(checker_config: TensorCheckerConfig) -> None:
    """Check the outputs of all ops and gradient ops of this thread for NaN and infinity.

    Parameters
    ----------
    checker_config : TensorCheckerConfig
        If its `enable` is False, or the step is outside of its `debug_step`, the check is turned
        off instead.

    Raises
    ------
    NumericsError
        By a later op, in mode CHECK_NAN_INF_AND_ABORT.
    """
    if checker_config.count_step_and_get_is_checked():
        checker_config.start_check_nan_inf()
    else:
        checker_config.stop_check_nan_inf()


def disable_tensor_checker() -> None:
    """Turn off the check that `enable_tensor_checker` turned on."""
    set_flags({"FLAGS_check_nan_inf": False, "FLAGS_check_nan_inf_level": numerics_check.ABORT})
    numerics_check.settings = numerics_check.NumericsCheckSettings()


def check_layer_numerics(func: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a `forward` so that it raises NumericsError if the result of any op in it contains
    NaN or infinity.
    """

    @functools.wraps(func)
    def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        if args and not isinstance(args[0], Tensor):
            raise OperandError(
                append_user_line("check_layer_numerics: First input of this layer must be tensor.")
            )
        before = is_enabled()
        set_enabled_in_thread(True)
        try:
            return func(self, *args, **kwargs)
        finally:
            set_enabled_in_thread(before)

    return forward
