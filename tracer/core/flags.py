"""Paddle's global flags.

FLAGS_check_nan_inf and FLAGS_check_nan_inf_level have an effect. Flags that cannot change a result
are stored without effect; all other flags are rejected.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from . import numerics_check
from .errors import OpError, append_user_line

_flags: dict[str, Any] = {  # Paddle's defaults
    "FLAGS_allocator_strategy": "auto_growth",
    "FLAGS_benchmark": False,
    "FLAGS_check_nan_inf": False,
    "FLAGS_check_nan_inf_level": numerics_check.ABORT,
    "FLAGS_conv_workspace_size_limit": 512,
    "FLAGS_cpu_deterministic": False,
    "FLAGS_cudnn_batchnorm_spatial_persistent": False,
    "FLAGS_cudnn_deterministic": False,
    "FLAGS_cudnn_exhaustive_search": False,
    "FLAGS_eager_delete_scope": True,
    "FLAGS_eager_delete_tensor_gb": 0.0,
    "FLAGS_embedding_deterministic": 0,
    "FLAGS_fast_eager_deletion_mode": True,
    "FLAGS_fraction_of_cpu_memory_to_use": 1.0,
    "FLAGS_fraction_of_gpu_memory_to_use": 0.92,
    "FLAGS_initial_cpu_memory_in_mb": 500,
    "FLAGS_initial_gpu_memory_in_mb": 0,
    "FLAGS_inner_op_parallelism": 0,
    "FLAGS_max_inplace_grad_add": 0,
    "FLAGS_memory_fraction_of_eager_deletion": 1.0,
    "FLAGS_paddle_num_threads": 1,
    "FLAGS_reallocate_gpu_memory_in_mb": 0,
    "FLAGS_sort_sum_gradient": False,
    "FLAGS_sync_nccl_allreduce": True,
    "FLAGS_use_autotune": False,
    "FLAGS_use_mkldnn": False,
    "FLAGS_use_pinned_memory": True,
    "FLAGS_use_system_allocator": False,
}


def _require_known_flag_names(names: Iterable[Any]) -> list[str]:
    """Return the names of flags as a list. Raises an OpError that lists all unknown flags."""
    found = list(names)
    unknown = [name for name in found if name not in _flags]
    if unknown:
        raise OpError(
            append_user_line(
                f"flags: unknown flags {unknown}; the supported flags are {sorted(_flags)}"
            )
        )
    return found


def get_flags(flags: str | Sequence[str]) -> dict[str, Any]:
    """Return the values of global flags.

    Parameters
    ----------
    flags : str or list of str
        Names, such as "FLAGS_check_nan_inf".

    Returns
    -------
    dict of str to value

    Raises
    ------
    OpError
        If a flag is unknown; the message lists the known ones.

    Examples
    --------
    >>> paddle.get_flags("FLAGS_check_nan_inf")
    {'FLAGS_check_nan_inf': False}
    """
    return {
        name: _flags[name]
        for name in _require_known_flag_names([flags] if isinstance(flags, str) else flags)
    }


def set_flags(flags: dict[str, Any]) -> None:
    """Set global flags.

    Parameters
    ----------
    flags : dict of str to value
        "FLAGS_check_nan_inf" (bool): check the results of all ops for NaN and infinity.
        "FLAGS_check_nan_inf_level" (0 to 3): 0 raises an error for NaN or infinity; 1 reports such
        tensors and continues; 2 also reports float32 tensors with values outside of the range of
        float16; 3 reports every floating-point tensor.
        Other flags of Paddle that cannot change a result are stored and have no effect.

    Raises
    ------
    OpError
        If `flags` is not a dict, or a flag is unknown or has an invalid value. No flag is set then.

    Examples
    --------
    >>> paddle.set_flags({"FLAGS_cudnn_deterministic": True})
    >>> paddle.get_flags(["FLAGS_cudnn_deterministic"])
    {'FLAGS_cudnn_deterministic': True}
    """
    if not isinstance(flags, dict):
        raise OpError(append_user_line(f"set_flags: expected a dict, got {type(flags).__name__}"))
    _require_known_flag_names(flags)
    level = flags.get("FLAGS_check_nan_inf_level", numerics_check.ABORT)
    if level not in numerics_check.LEVELS:
        raise OpError(
            append_user_line(f"set_flags: FLAGS_check_nan_inf_level is {level}, not 0 to 3")
        )
    _flags.update(flags)
    if "FLAGS_check_nan_inf_level" in flags:
        numerics_check.settings.level = int(level)
    if "FLAGS_check_nan_inf" in flags:
        numerics_check.set_enabled_in_thread(bool(flags["FLAGS_check_nan_inf"]))


class FlagsMapping:
    """A mapping from the names of flags to their values, with the methods of Paddle's C++
    object.
    """

    def __getitem__(self, name: str) -> Any:
        """Return the value of a flag. Raises OpError for an unknown flag."""
        return get_flags(name)[name]

    def __setitem__(self, name: str, value: Any) -> None:
        """Set a flag. Raises OpError for an unknown flag."""
        set_flags({name: value})

    def __contains__(self, name: object) -> bool:
        return name in _flags

    def keys(self) -> list[str]:
        """Return the names of all flags."""
        return list(_flags)
