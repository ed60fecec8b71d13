"""Saving a network in evaluation mode."""

from __future__ import annotations

from typing import Any

from ...jit import save
from ...nn.layer import Layer


def save_in_eval_mode(model: Layer, path: str, input_spec: Any, config: dict[str, Any]) -> None:
    """Call `jit.save` with all layers in evaluation mode, and restore their modes."""
    modes = [(layer, layer.training) for layer in model.sublayers(include_self=True)]
    model.eval()
    try:
        save(model, path, input_spec=input_spec, **config)
    finally:
        for layer, mode in modes:
            layer.training = mode
