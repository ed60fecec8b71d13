"""What ranks exchange that is no Tensor.

Objects travel pickled, between processes of one program; nothing of that is read from files.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.errors import OpError, with_user_line
from .group import Group, chosen, member


def _packed(thing: Any) -> Any:
    return np.frombuffer(pickle.dumps(thing), dtype=np.uint8).copy()


def _gathered(group: Group, data: Any) -> list[Any]:
    """The bytes of all ranks, which may differ in number."""
    assert group.communicator is not None
    sizes = np.empty((group.nranks, 1), dtype=np.int64)
    group.communicator.all_gather(np.array([data.size], dtype=np.int64), sizes).wait()
    padded = np.zeros(int(sizes.max()), dtype=np.uint8)
    padded[: data.size] = data
    into = np.empty((group.nranks, padded.size), dtype=np.uint8)
    group.communicator.all_gather(padded, into).wait()
    return [row[: int(size)] for row, size in zip(into, sizes[:, 0], strict=True)]


def gathered_objects(group: Group, thing: Any) -> list[Any]:
    """The objects of all ranks of a group that this process is in."""
    return [pickle.loads(data.tobytes()) for data in _gathered(group, _packed(thing))]


def all_gather_object(object_list: list[Any], obj: Any, group: Any = None) -> None:
    """Put the objects of all ranks into `object_list`, in place of what it held.

    They have to be picklable.
    """
    group = chosen(group)
    if group.rank >= 0:
        object_list[:] = gathered_objects(group, obj)


def broadcast_object_list(object_list: list[Any], src: int, group: Any = None) -> None:
    """Make `object_list` that of rank `src`."""
    group = chosen(group)
    if group.rank < 0:
        return
    root = member("broadcast_object_list", group, src)
    data = _packed(list(object_list)) if group.rank == root else np.empty(0, np.uint8)
    object_list[:] = pickle.loads(_gathered(group, data)[root].tobytes())


def scatter_object_list(
    out_object_list: list[Any],
    in_object_list: Sequence[Any] | None = None,
    src: int = 0,
    group: Any = None,
) -> None:
    """Make `out_object_list` the one object that rank `src` has for this rank in its
    `in_object_list`.
    """
    group = chosen(group)
    if group.rank < 0:
        return
    root = member("scatter_object_list", group, src)
    if group.rank == root and len(in_object_list or ()) != group.nranks:
        raise OpError(
            with_user_line(
                f"scatter_object_list: {len(in_object_list or ())} objects for {group.nranks} ranks"
            )
        )
    everything: list[Any] = [list(in_object_list or ())]
    broadcast_object_list(everything, src, group)
    out_object_list[:] = [everything[0][group.rank]]
