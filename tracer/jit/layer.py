"""A saved model with the interface of Paddle's C++ class `jit::Layer`: every saved method returns a
flat list of tensors. `loader/translated_layer.py` contains the layer that `jit.load` returns.
"""

from __future__ import annotations

import functools
from typing import Any

from ..core import pytree
from ..core.tensor import Tensor
from ..loader.translated_layer import load

__all__ = ["Layer"]


class Layer:
    """A saved model in memory. The object has no methods until `load` is called."""

    def load(self, load_path: str, place: Any) -> None:
        """Load the methods of the model at `load_path`.

        Raises ValueError if `load_path` is not a path, and FileError for a malformed file.
        """
        model = load(load_path)
        for name in model.methods():
            method = model if name == "forward" else getattr(model, name)
            setattr(self, name, functools.partial(_call_and_list_tensors, method))


def _call_and_list_tensors(function: Any, *args: Any) -> list[Tensor]:
    return [leaf for leaf in pytree.flatten(function(*args))[0] if isinstance(leaf, Tensor)]
