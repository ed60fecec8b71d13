"""Replacing sublayers by structured name."""

from __future__ import annotations

from ...core.errors import OpError, append_user_line
from ...nn.layer import Layer


def require_parent_and_name_of_sublayer(model: Layer, path: str) -> tuple[Layer, str]:
    """Return the layer that holds the sublayer `path`, such as "features.0", and its name there."""
    layers = dict(model.named_sublayers(include_self=True))
    parent, _, name = path.rpartition(".")
    if not path or parent not in layers or layers[parent]._sub_layers.get(name) is None:
        raise OpError(
            append_user_line(f"quantization: {type(model).__name__} has no sublayer {path!r}")
        )
    return layers[parent], name


def replace_sublayer(model: Layer, path: str, replacement: Layer) -> None:
    """Replace the sublayer with the structured name `path`."""
    parent, name = require_parent_and_name_of_sublayer(model, path)
    setattr(parent, name, replacement)


def is_leaf_layer(layer: Layer) -> bool:
    """Whether a layer has no sublayers."""
    return next(layer.children(), None) is None


def is_skipped(layer: Layer) -> bool:
    """Whether the user excluded a layer with `layer.skip_quant = True`."""
    return getattr(layer, "skip_quant", False) is True
