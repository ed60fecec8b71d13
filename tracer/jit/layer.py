"""A saved model as Paddle's C++ layer has it: every method that was saved, with a flat list of
results.
"""

from __future__ import annotations

import functools
from typing import Any

from ..core import pytree
from ..core.tensor import Tensor
from ..loader.translated_layer import load

__all__ = ["Layer"]


class Layer:
    """Empty until `load` gives it the methods of a model."""

    def load(self, load_path: str, place: Any) -> None:
        """Take the methods of the model at `load_path`, each of which gives a list of tensors.

        Raises ValueError, FileError.
        """
        model = load(load_path)
        for name in model.methods():
            called = model if name == "forward" else getattr(model, name)
            setattr(self, name, functools.partial(_flat, called))


def _flat(function: Any, *args: Any) -> list[Tensor]:
    return [leaf for leaf in pytree.flatten(function(*args))[0] if isinstance(leaf, Tensor)]
