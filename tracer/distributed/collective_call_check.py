"""Check in each collective call that all ranks call the same collective with the same arguments.

Without the check, different calls would return wrong values silently.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from ..core.communicator import MAX
from ..core.errors import OpError, append_user_line
from .group import Group
from .object_collectives import gather_objects


def check_same_collective_call(group: Group, name: str, arguments: Any) -> None:
    """Raise OpError on all ranks if they call different collectives or pass different shapes,
    dtypes or arguments.
    """
    communicator = group.communicator
    if communicator is None or communicator.size == 1:
        return
    text = f"{name}({arguments})"
    digest = zlib.crc32(text.encode())
    # reduced to the maximum over all ranks, and the negated minimum
    extrema = np.array([digest, -digest], dtype=np.int64)
    communicator.all_reduce(extrema, MAX).wait()
    if extrema[0] != -extrema[1]:
        calls = "; ".join(
            f"rank {rank}: {call}"
            for rank, call in zip(group.ranks, gather_objects(group, text), strict=True)
        )
        raise OpError(append_user_line(f"distributed.{name}: the calls of ranks differ ({calls})"))
