"""Op roles: forward pass, backward pass or optimizer."""

from __future__ import annotations

from enum import IntFlag


class OpRole(IntFlag):
    """The values of Paddle's attribute `op_role`."""

    FORWARD = 0
    BACKWARD = 1
    OPTIMIZE = 2
    LR_SCHEDULE = 16
    LOSS = 256
