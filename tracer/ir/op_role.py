"""What an op of a program is for: the forward or the backward pass, or an optimizer."""

from __future__ import annotations

from enum import IntFlag


class Role(IntFlag):
    """What an op is for; the number that Paddle's attribute `op_role` has."""

    FORWARD = 0
    BACKWARD = 1
    OPTIMIZE = 2
    LR_SCHEDULE = 16
    LOSS = 256
