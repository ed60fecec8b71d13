"""Collect and set the state dicts of layers."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.tensor import Tensor


def add_parameters_and_buffers_to_state(
    layer: Any,
    state: dict[str, Tensor],
    sublayers: bool,
    prefix: str,
    non_persistable: bool,
    use_hook: bool,
) -> None:
    """Add the parameters and buffers of a layer and its sublayers to `state`.

    non_persistable: whether to include buffers that are not persistable
    """
    state.update({prefix + n: p for n, p in layer._parameters.items() if p is not None})
    excluded = () if non_persistable else layer._non_persistable
    state.update(
        {prefix + n: b for n, b in layer._buffers.items() if b is not None and n not in excluded}
    )
    for name, sublayer in layer.named_children() if sublayers else ():
        state.update(
            sublayer._state_dict_impl(state, True, f"{prefix}{name}.", non_persistable, use_hook)
        )


def assign_matching_state_dict_values(
    tensors: dict[str, Tensor], state_dict: Mapping[str, Any], use_structured_name: bool
) -> tuple[list[str], list[str]]:
    """Set the tensors for which a state dict has a value of the same shape; return the missing and
    the unexpected names.
    """
    missing, used = [], set()
    for structured_name, tensor in tensors.items():
        name = structured_name if use_structured_name else tensor.name
        mismatch = _find_mismatch_message(name, tensor, state_dict.get(name))
        if mismatch is None:
            tensor.set_value(state_dict[name])
            used.add(name)
        else:
            missing.append(name)
            warnings.warn(f"Skip loading for {structured_name}. {mismatch}", stacklevel=3)
    return missing, [name for name in state_dict if name not in used]


def _find_mismatch_message(name: str, tensor: Tensor, value: Any) -> str | None:
    """Return why a value of a state dict cannot be assigned to a tensor; None if it can."""
    if value is None:
        return f"{name} is not found in the provided dict."
    shape = list(value.shape if hasattr(value, "shape") else np.shape(value))
    if shape != list(tensor.shape):
        return f"{name} receives a shape {shape}, but the expected shape is {list(tensor.shape)}."
    return None
