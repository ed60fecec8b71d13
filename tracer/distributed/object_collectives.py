"""Collectives of Python objects.

Objects are pickled. Only data of the ranks of the same job are unpickled, never files.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.errors import OpError, append_user_line
from .group import Group, group_or_world_group, require_rank_in_group


def _pickle_to_uint8_array(obj: Any) -> Any:
    return np.frombuffer(pickle.dumps(obj), dtype=np.uint8).copy()


def _gather_uint8_arrays(group: Group, data: Any) -> list[Any]:
    """Gather byte arrays of different lengths from all ranks."""
    assert group.communicator is not None
    sizes = np.empty((group.nranks, 1), dtype=np.int64)
    group.communicator.all_gather(np.array([data.size], dtype=np.int64), sizes).wait()
    padded = np.zeros(int(sizes.max()), dtype=np.uint8)
    padded[: data.size] = data
    gathered = np.empty((group.nranks, padded.size), dtype=np.uint8)
    group.communicator.all_gather(padded, gathered).wait()
    return [row[: int(size)] for row, size in zip(gathered, sizes[:, 0], strict=True)]


def gather_objects(group: Group, obj: Any) -> list[Any]:
    """Gather one object from each rank of the group and return the list. The calling process must
    be a member of the group.
    """
    return [
        pickle.loads(data.tobytes())
        for data in _gather_uint8_arrays(group, _pickle_to_uint8_array(obj))
    ]


def all_gather_object(object_list: list[Any], obj: object, group: Group | None = None) -> None:
    """Gather one Python object from each rank into a list on every rank.

    Parameters
    ----------
    object_list : list
        Changed in place: its content is replaced by the objects, in the order of the ranks.
    obj : object
        Anything that can be pickled.
    group : Group, optional
        Default: the group of all ranks. A rank that is not in the group does nothing.

    Examples
    --------
    >>> objects = []
    >>> paddle.distributed.all_gather_object(objects, {"loss": 0.5})
    >>> objects
    [{'loss': 0.5}]
    """
    group = group_or_world_group(group)
    if group.rank >= 0:
        object_list[:] = gather_objects(group, obj)


def broadcast_object_list(object_list: list[Any], src: int, group: Group | None = None) -> None:
    """Copy a list of Python objects of rank `src` to all ranks.

    Parameters
    ----------
    object_list : list
        Objects that can be pickled. On the other ranks its content is replaced, and its length may
        differ.
    src : int
        Global rank of the sender, a member of the group.
    group : Group, optional
        Default: the group of all ranks. A rank that is not in the group does nothing.

    Raises
    ------
    OpError
        If `src` is not in the group.

    Examples
    --------
    >>> objects = [{"epoch": 3}, "best"]
    >>> paddle.distributed.broadcast_object_list(objects, src=0)
    >>> objects
    [{'epoch': 3}, 'best']
    """
    group = group_or_world_group(group)
    if group.rank < 0:
        return
    root = require_rank_in_group("broadcast_object_list", group, src)
    data = (
        _pickle_to_uint8_array(list(object_list)) if group.rank == root else np.empty(0, np.uint8)
    )
    object_list[:] = pickle.loads(_gather_uint8_arrays(group, data)[root].tobytes())


def scatter_object_list(
    out_object_list: list[Any],
    in_object_list: Sequence[Any] | None = None,
    src: int = 0,
    group: Group | None = None,
) -> None:
    """Send element i of a list of Python objects of rank `src` to rank i.

    Parameters
    ----------
    out_object_list : list
        Changed in place: its content is replaced by the one object that this rank receives.
    in_object_list : sequence, optional
        One object per rank, which can be pickled. Used on rank `src` only.
    src : int, default 0
        Global rank of the sender, a member of the group.
    group : Group, optional
        Default: the group of all ranks. A rank that is not in the group does nothing.

    Raises
    ------
    OpError
        If `src` is not in the group, or its list does not have one object per rank.

    Examples
    --------
    >>> received = []
    >>> paddle.distributed.scatter_object_list(received, [{"part": 0}], src=0)
    >>> received
    [{'part': 0}]
    """
    group = group_or_world_group(group)
    if group.rank < 0:
        return
    root = require_rank_in_group("scatter_object_list", group, src)
    if group.rank == root and len(in_object_list or ()) != group.nranks:
        raise OpError(
            append_user_line(
                f"scatter_object_list: in_object_list must have {group.nranks} objects, one per "
                f"rank, not {len(in_object_list or ())}"
            )
        )
    objects: list[Any] = [list(in_object_list or ())]
    broadcast_object_list(objects, src, group)
    out_object_list[:] = [objects[0][group.rank]]
