"""Small functions of Paddle's top-level namespace."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .errors import OpError, append_user_line


def disable_signal_handler() -> None:
    """Do nothing: Oarlock installs no signal handlers.

    Examples
    --------
    >>> paddle.disable_signal_handler()
    """


def batch(
    reader: Callable[[], Any], batch_size: int, drop_last: bool = False
) -> Callable[[], Iterator[list[Any]]]:
    """Group the items of a reader in lists.

    Parameters
    ----------
    reader : function
        Called without arguments; returns an iterable of items.
    batch_size : int
        Number of items in a list, at least 1.
    drop_last : bool, default False
        Whether a last list with fewer items is dropped.

    Returns
    -------
    function
        A reader of lists.

    Raises
    ------
    OpError
        If batch_size < 1.

    Examples
    --------
    >>> reader = paddle.batch(lambda: iter(range(5)), batch_size=2)
    >>> list(reader())
    [[0, 1], [2, 3], [4]]
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
    """Return the states of the random generators of GPUs: an empty list.

    GPUs share the generator of the process, whose state `paddle.get_rng_state` returns.

    Returns
    -------
    list

    Examples
    --------
    >>> paddle.get_cuda_rng_state()
    []
    """
    return []


def set_cuda_rng_state(state_list: list[Any]) -> None:
    """Accept the states that `get_cuda_rng_state` returned, without effect.

    Parameters
    ----------
    state_list : list
        Empty, because GPUs have no generators of their own.

    Raises
    ------
    OpError
        If the list is not empty.

    Examples
    --------
    >>> paddle.set_cuda_rng_state(paddle.get_cuda_rng_state())
    """
    if state_list:
        raise OpError(
            append_user_line(f"set_cuda_rng_state: {len(state_list)} states, and no GPU that draws")
        )
