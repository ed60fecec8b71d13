"""Paddle's global flags. FLAGS_check_nan_inf takes effect; flags that cannot change a result are
stored; all others are rejected.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .errors import OpError, with_user_line
from .numerics_check import set_enabled

_flags: dict[str, Any] = {  # of memory, speed and the order of sums, as Paddle sets them
    "FLAGS_allocator_strategy": "auto_growth",
    "FLAGS_benchmark": False,
    "FLAGS_check_nan_inf": False,  # the only flag with an effect
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


def _check_names(names: Iterable[Any]) -> list[str]:
    """The names.   Raises OpError for those that are not known, all at once."""
    found = list(names)
    unknown = [name for name in found if name not in _flags]
    if unknown:
        raise OpError(
            with_user_line(
                f"flags: {unknown} would change nothing here; these are kept: {sorted(_flags)}"
            )
        )
    return found


def get_flags(flags: Any) -> dict[str, Any]:
    """The values of one flag or several, by name.   Raises OpError for a flag that is not known."""
    return {
        name: _flags[name] for name in _check_names([flags] if isinstance(flags, str) else flags)
    }


def set_flags(flags: dict[str, Any]) -> None:
    """Keep values for flags.   Raises OpError for a flag that is not known, and then keeps none."""
    if not isinstance(flags, dict):
        raise OpError(with_user_line(f"set_flags: wants a dict, got {type(flags).__name__}"))
    _check_names(flags)
    _flags.update(flags)
    if "FLAGS_check_nan_inf" in flags:
        set_enabled(bool(flags["FLAGS_check_nan_inf"]))


class Flags:
    """The flags as a mapping by name, which is how Paddle's C++ part gives them."""

    def __getitem__(self, name: str) -> Any:
        """The value of a flag.   Raises OpError for one that is not known."""
        return get_flags(name)[name]

    def __setitem__(self, name: str, value: Any) -> None:
        """Keep a value for a flag.   Raises OpError for one that is not known."""
        set_flags({name: value})

    def __contains__(self, name: object) -> bool:
        return name in _flags

    def keys(self) -> list[str]:
        """The names of all flags."""
        return list(_flags)
