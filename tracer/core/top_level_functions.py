"""Small functions of Paddle's top-level namespace."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .errors import OpError, append_user_line


def disable_signal_handler() -> None:
    """No-op: Oarlock installs no signal handlers."""


def batch(
    reader: Callable[[], Any], batch_size: int, drop_last: bool = False
) -> Callable[[], Iterator[list[Any]]]:
    """Group the items of `reader` in lists of batch_size; drop_last drops an incomplete last list.

    Raises OpError if batch_size < 1.
    """
    if batch_size < 1:
        raise OpError(append_user_line(f"batch: batch_size={batch_size} is less than 1"))

    def batches() -> Iterator[list[Any]]:
        rows: list[Any] = []
        for row in reader():
            rows.append(row)
            if len(rows) == batch_size:
                yield rows
                rows = []
        if rows and not drop_last:
            yield rows

    return batches


def get_cuda_rng_state() -> list[Any]:
    """Return the states of the random generators of GPUs: an empty list, because GPUs share the
    generator of the process.
    """
    return []


def set_cuda_rng_state(state_list: list[Any]) -> None:
    """Accept the empty list that get_cuda_rng_state returned, without effect. Raise OpError for a
    list that is not empty.
    """
    if state_list:
        raise OpError(
            append_user_line(f"set_cuda_rng_state: {len(state_list)} states, and no GPU that draws")
        )
