"""Switches of Paddle that old code sets: those that cannot change a result here are kept, all others are refused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .errors import OpError, with_user_line

_held: dict[str, Any] = {
    "FLAGS_allocator_strategy": "auto_growth",
    "FLAGS_cudnn_deterministic": False,
    "FLAGS_cudnn_exhaustive_search": False,
    "FLAGS_eager_delete_tensor_gb": 0.0,
    "FLAGS_embedding_deterministic": 0,
    "FLAGS_fraction_of_gpu_memory_to_use": 0.92,
    "FLAGS_use_mkldnn": False,
}


def _known(names: Iterable[Any]) -> list[str]:
    """The names.   Raises OpError for those that are not known, all at once."""
    found = list(names)
    unknown = [name for name in found if name not in _held]
    if unknown:
        raise OpError(with_user_line(f"flags: {unknown} would change nothing here; these are kept: {sorted(_held)}"))
    return found


def get_flags(flags: Any) -> dict[str, Any]:
    """The values of one flag or several, by name.   Raises OpError for a flag that is not known."""
    return {name: _held[name] for name in _known([flags] if isinstance(flags, str) else flags)}


def set_flags(flags: dict[str, Any]) -> None:
    """Keep values for flags.   Raises OpError for a flag that is not known, and then keeps none."""
    if not isinstance(flags, dict):
        raise OpError(with_user_line(f"set_flags: wants a dict, got {type(flags).__name__}"))
    _known(flags)
    _held.update(flags)
