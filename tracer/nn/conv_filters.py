"""Checks and initial values of convolution filters, for layers and for functions of programs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..core.errors import OpError, append_user_line
from .initializer import Normal


def require_valid_groups(op: str, groups: Any, **channels: int) -> int:
    """Return `groups`, or 1 if it is None. Raises OpError unless `groups` divides all numbers of
    channels.

    channels: by the name of the user's argument.
    """
    count = 1 if groups is None else int(groups)
    indivisible = {name: n for name, n in channels.items() if count <= 0 or n % count}
    if indivisible:
        channel_text = " and ".join(f"{name}={n}" for name, n in indivisible.items())
        raise OpError(append_user_line(f"{op}: groups={groups} does not divide {channel_text}"))
    return count


def he_normal_initializer(in_channels: int, kernel_size: Sequence[int]) -> Normal:
    """Paddle's default initializer of convolution filters: Normal(0, sqrt(2 / fan_in)) with
    fan_in = in_channels * prod(kernel_size) (He et al. 2015).
    """
    return Normal(0.0, math.sqrt(2.0 / (in_channels * math.prod(kernel_size))))
