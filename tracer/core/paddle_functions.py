"""Small functions that code written for Paddle calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .errors import OpError, with_user_line


def disable_signal_handler() -> None:
    """Nothing: Oarlock handles no signals."""


def batch(
    reader: Callable[[], Any], batch_size: int, drop_last: bool = False
) -> Callable[[], Iterator[list[Any]]]:
    """A reader of lists of batch_size of what `reader` gives; the last may be shorter unless
    drop_last.
    """
    if batch_size < 1:
        raise OpError(with_user_line(f"batch: batch_size={batch_size} is less than 1"))

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
    """The states of the random numbers of GPUs: none."""
    return []


def set_cuda_rng_state(state_list: list[Any]) -> None:
    """Take back what get_cuda_rng_state gave.   Raises OpError for the state of a GPU."""
    if state_list:
        raise OpError(
            with_user_line(f"set_cuda_rng_state: {len(state_list)} states, and no GPU that draws")
        )
