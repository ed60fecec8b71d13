"""Groups of ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.communicator import Communicator, process_groups
from ..core.errors import OpError, append_user_line


class Group:
    """A group of global ranks.

    rank: the rank of this process in the group, -1 if it is not a member.
    id: Paddle's `ring_id`.
    """

    def __init__(self, id: int, ranks: Sequence[int], communicator: Communicator | None) -> None:
        self.id, self.ranks, self.communicator = id, list(ranks), communicator
        self.rank = -1 if communicator is None else communicator.rank
        self.nranks = self.world_size = len(self.ranks)

    @property
    def name(self) -> str:
        """Paddle's name of the group."""
        return f"_default_pg{self.id}"

    @property
    def process_ids(self) -> list[int]:
        """The global ranks of the group."""
        return self.ranks

    def is_member(self) -> bool:
        """Whether this process is in the group."""
        return self.rank >= 0

    def get_group_rank(self, rank: int) -> int:
        """Return the rank in the group of a global rank; -1 if the global rank is not a member."""
        return self.ranks.index(rank) if rank in self.ranks else -1

    def __repr__(self) -> str:
        return (
            f"rank: {self.rank}, nranks: {self.nranks}, id: {self.id}, ranks: "
            f"{', '.join(map(str, self.ranks))}; name: {self.name}"
        )


_groups: dict[int, Group] = {}


def get_group(id: int = 0) -> Group:
    """Return the group with this id; the id 0 is the group of all ranks. Raises OpError for an
    unknown group id.
    """
    if id == 0:
        return Group(
            0, process_groups.global_communicator.ranks, process_groups.global_communicator
        )
    if id not in _groups:
        raise OpError(append_user_line(f"get_group: there is no group {id}"))
    return _groups[id]


def new_group(
    ranks: Sequence[int] | None = None, backend: str | None = None, timeout: Any = None
) -> Group:
    """Create a group of some ranks; None stands for all ranks. All ranks must call `new_group`,
    also those that are not in the group.
    """
    everybody = process_groups.global_communicator
    members = sorted(set(range(everybody.size) if ranks is None else map(int, ranks)))
    if not members or not 0 <= members[0] <= members[-1] < everybody.size:
        raise OpError(
            append_user_line(
                f"new_group: ranks={members} must be in [0, {everybody.size}) and not empty"
            )
        )
    id = max([0, *_groups]) + 1
    group = _groups[id] = Group(id, members, everybody.split(members))
    if group.communicator is not None:
        process_groups.groups[id] = group.communicator
    return group


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
