"""The state of an optimizer for a network whose parameters have other names than when it
was saved.
"""

from __future__ import annotations

from typing import Any

from .. import nn
from ..framework.io import NAME_TABLE


def renamed(optimizer: dict[str, Any], values: dict[str, Any], network: nn.Layer) -> dict[str, Any]:
    """The state with today's names in place of those in the files.

    `linear_0.w_0_moment1_0` belongs to the parameter `linear_0.w_0`; which one that is in the
    network stands in the table of names that the values were saved with.
    """
    old = values.get(NAME_TABLE, {})
    new = {old[key]: tensor.name for key, tensor in network.state_dict().items() if key in old}
    longest = sorted(new, key=len, reverse=True)
    found = {}
    for key, value in optimizer.items():
        owner = next((name for name in longest if key.startswith(f"{name}_")), None)
        found[key if owner is None else new[owner] + key[len(owner) :]] = value
    return found
