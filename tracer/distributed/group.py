"""Groups of ranks."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from ..core.communicator import Communicator, SingleProcessCommunicator, process_groups
from ..core.errors import OpError, append_user_line


class Group:
    """A group of ranks, which call collectives together.

    `new_group` creates groups; programs do not call this class.

    Parameters
    ----------
    id : int
        Number of the group, Paddle's `ring_id`; 0 is the group of all ranks.
    ranks : sequence of int
        Global ranks of the members, in ascending order.
    communicator : Communicator or None
        Exchanges the arrays; None if this process is not a member.

    Attributes
    ----------
    rank : int
        Rank of this process in the group; -1 if it is not a member.
    nranks, world_size : int
        Number of members.

    Examples
    --------
    >>> group = paddle.distributed.get_group()
    >>> group.id, group.rank, group.nranks
    (0, 0, 1)
    """

    def __init__(self, id: int, ranks: Sequence[int], communicator: Communicator | None) -> None:
        self.id, self.ranks = id, list(ranks)
        self.communicator: Any = communicator  # None in ranks outside of the group
        self.rank = -1 if communicator is None else communicator.rank
        self.nranks = self.world_size = len(self.ranks)

    @property
    def name(self) -> str:
        """Paddle's name of the group, a str.

        Examples
        --------
        >>> paddle.distributed.get_group().name
        '_default_pg0'
        """
        return f"_default_pg{self.id}"

    @property
    def process_ids(self) -> list[int]:
        """The global ranks of the members, a list of int.

        Examples
        --------
        >>> paddle.distributed.get_group().process_ids
        [0]
        """
        return self.ranks

    def is_member(self) -> bool:
        """Return whether this process is in the group.

        Returns
        -------
        bool

        Examples
        --------
        >>> paddle.distributed.get_group().is_member()
        True
        """
        return self.rank >= 0

    def get_group_rank(self, rank: int) -> int:
        """Return the rank in the group of a global rank.

        Parameters
        ----------
        rank : int
            A global rank.

        Returns
        -------
        int
            -1 if the global rank is not a member.

        Examples
        --------
        >>> group = paddle.distributed.get_group()
        >>> group.get_group_rank(0), group.get_group_rank(5)
        (0, -1)
        """
        return self.ranks.index(rank) if rank in self.ranks else -1

    def __repr__(self) -> str:
        return (
            f"rank: {self.rank}, nranks: {self.nranks}, id: {self.id}, ranks: "
            f"{', '.join(map(str, self.ranks))}; name: {self.name}"
        )


_groups: dict[int, Group] = {}  # those of `new_group` by their ids, which are never reused
_new_ids = itertools.count(1)


def get_group(id: int = 0) -> Group:
    """Return the group with a given number.

    Parameters
    ----------
    id : int, default 0
        Attribute `id` of the group; 0 is the group of all ranks.

    Returns
    -------
    Group

    Raises
    ------
    OpError
        If there is no such group.

    Examples
    --------
    >>> paddle.distributed.get_group().ranks
    [0]
    """
    if id == 0:
        return Group(
            0, process_groups.global_communicator.ranks, process_groups.global_communicator
        )
    if id not in _groups:
        raise OpError(append_user_line(f"get_group: there is no group {id}"))
    return _groups[id]


def new_group(
    ranks: Sequence[int] | None = None, backend: str | None = None, timeout: object = None
) -> Group:
    """Create a group of some ranks.

    All ranks must call `new_group` with the same ranks and in the same order, also the ranks that
    are not in the group.

    Parameters
    ----------
    ranks : sequence of int, optional
        Global ranks of the members, in any order; duplicates count once. Default: all ranks.
    backend : str, optional
        Not used; the device of a tensor determines the backend.
    timeout : timedelta, optional
        Not used; the environment variable OARLOCK_DISTRIBUTED_TIMEOUT sets it, in seconds.

    Returns
    -------
    Group

    Raises
    ------
    OpError
        If `ranks` is empty or a rank does not exist.

    Examples
    --------
    >>> group = paddle.distributed.new_group([0])
    >>> group.rank, group.nranks
    (0, 1)
    """
    world = process_groups.global_communicator
    members = sorted(set(range(world.size) if ranks is None else map(int, ranks)))
    if not members or not 0 <= members[0] <= members[-1] < world.size:
        raise OpError(
            append_user_line(
                f"new_group: ranks={members} must be in [0, {world.size}) and not empty"
            )
        )
    id = next(_new_ids)
    group = _groups[id] = Group(id, members, world.split(members))
    if group.communicator is not None:
        process_groups.groups[id] = group.communicator
    return group


def remove_group(id: int) -> None:
    """Remove a group that `new_group` created."""
    _groups.pop(id, None)
    process_groups.groups.pop(id, None)


def remove_all_groups() -> None:
    """Remove all groups, so that this process becomes a group of one rank."""
    _groups.clear()
    process_groups.groups.clear()
    process_groups.groups[0] = SingleProcessCommunicator()
    process_groups.is_initialized = False


def group_or_world_group(group: Any) -> Group:
    """Return `group`, or the group of all ranks for None."""
    return get_group(0) if group is None else group


def require_rank_in_group(name: str, group: Group, rank: int) -> int:
    """Return the rank in `group` of a global rank. Raises OpError if the global rank is not a
    member of the group.
    """
    group_rank = group.get_group_rank(rank)
    if group_rank < 0:
        raise OpError(
            append_user_line(f"{name}: rank {rank} is not in the group of ranks {group.ranks}")
        )
    return group_rank
