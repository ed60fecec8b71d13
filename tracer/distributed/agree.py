"""Before ranks exchange anything: whether all of them mean the same.

Else numbers would be wrong without a word.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from ..core.communicator import MAX
from ..core.errors import OpError, with_user_line
from .group import Group
from .objects import gathered_objects


def check_agreed(group: Group, what: str, said: Any) -> None:
    """Raise OpError, on all ranks, where one of them calls another collective or has a tensor of
    another shape or dtype.
    """
    communicator = group.communicator
    if communicator is None or communicator.size == 1:
        return
    text = f"{what}({said})"
    digest = zlib.crc32(text.encode())
    ends = np.array([digest, -digest], dtype=np.int64)
    communicator.all_reduce(ends, MAX).wait()
    if ends[0] != -ends[1]:
        everybody = gathered_objects(group, text)
        told = "; ".join(
            f"rank {rank}: {theirs}" for rank, theirs in zip(group.ranks, everybody, strict=True)
        )
        raise OpError(with_user_line(f"distributed.{what}: ranks do not agree ({told})"))
