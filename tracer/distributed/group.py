"""Groups of ranks, as programs name them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.communicator import Communicator, world
from ..core.errors import OpError, with_user_line


class Group:
    """Some ranks of the world.

    rank: of this process among them, -1 where it is not; id: Paddle's `ring_id`
    """

    def __init__(self, id: int, ranks: Sequence[int], communicator: Communicator | None) -> None:
        self.id, self.ranks, self.communicator = id, list(ranks), communicator
        self.rank = -1 if communicator is None else communicator.rank
        self.nranks = self.world_size = len(self.ranks)

    @property
    def name(self) -> str:
        """What Paddle calls it."""
        return f"_default_pg{self.id}"

    @property
    def process_ids(self) -> list[int]:
        """The ranks."""
        return self.ranks

    def is_member(self) -> bool:
        """Whether this process is in it."""
        return self.rank >= 0

    def get_group_rank(self, rank: int) -> int:
        """The number in this group of rank `rank` of the world, -1 where it is not in it."""
        return self.ranks.index(rank) if rank in self.ranks else -1

    def __repr__(self) -> str:
        return (
            f"rank: {self.rank}, nranks: {self.nranks}, id: {self.id}, ranks: "
            f"{', '.join(map(str, self.ranks))}; name: {self.name}"
        )


_made: dict[int, Group] = {}


def group_of(id: int = 0) -> Group:
    """The group of that number; 0 is everybody.   Raises OpError where there is none."""
    if id == 0:
        everybody = world.everybody
        return Group(0, everybody.ranks, everybody)
    if id not in _made:
        raise OpError(with_user_line(f"get_group: there is no group {id}"))
    return _made[id]


def new_group(
    ranks: Sequence[int] | None = None, backend: str | None = None, timeout: Any = None
) -> Group:
    """Make a group of some ranks, of all for None.

    All ranks of the world call it, also those that are not in it.
    """
    everybody = world.everybody
    chosen = sorted(set(range(everybody.size) if ranks is None else map(int, ranks)))
    if not chosen or not 0 <= chosen[0] <= chosen[-1] < everybody.size:
        raise OpError(
            with_user_line(
                f"new_group: ranks={chosen} are not all among the {everybody.size} of the world"
            )
        )
    number = max([0, *_made]) + 1
    made = _made[number] = Group(number, chosen, everybody.split(chosen))
    if made.communicator is not None:
        world.groups[number] = made.communicator
    return made


def chosen(group: Any) -> Group:
    """The group that is meant: None is everybody."""
    return group_of(0) if group is None else group


def member(what: str, group: Group, rank: int) -> int:
    """The number in `group` of rank `rank` of the world.   Raises OpError where it is not in it."""
    found = group.get_group_rank(rank)
    if found < 0:
        raise OpError(
            with_user_line(f"{what}: rank {rank} is not in the group of ranks {group.ranks}")
        )
    return found
