"""Map the saved state of an optimizer to a network whose parameters have other names."""

from __future__ import annotations

from typing import Any

from .. import nn
from ..framework.io import NAME_TABLE_KEY


def optimizer_state_with_current_parameter_names(
    optimizer: dict[str, Any], values: dict[str, Any], network: nn.Layer
) -> dict[str, Any]:
    """Return the saved state of an optimizer with the saved parameter names replaced by those of
    the network.

    `linear_0.w_0_moment1_0` belongs to the parameter `linear_0.w_0`. The table of names that was
    saved with the values maps it to a structured name.
    """
    saved_names = values.get(NAME_TABLE_KEY, {})
    new_names = {
        saved_names[key]: tensor.name
        for key, tensor in network.state_dict().items()
        if key in saved_names
    }
    names_by_length = sorted(new_names, key=len, reverse=True)
    result = {}
    for key, value in optimizer.items():
        owner = next((name for name in names_by_length if key.startswith(f"{name}_")), None)
        result[key if owner is None else new_names[owner] + key[len(owner) :]] = value
    return result
