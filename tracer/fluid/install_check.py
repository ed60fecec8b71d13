"""Check of the installation: `fluid.install_check.run_check`."""

from __future__ import annotations

import numpy as np

from .dygraph.base import guard, to_variable
from .dygraph.dense_embedding_and_gru_unit import Linear

__all__ = ["run_check"]


def run_check() -> None:
    """Train a layer for one step and print that it works."""
    with guard():
        layer = Linear(2, 1)
        out = layer(to_variable(np.ones([3, 2], np.float32)))
        out.backward()
        if layer.weight.gradient() is None:
            raise RuntimeError("install_check: the weight of a layer has no gradient")
    print("Your Paddle Fluid works well on SINGLE GPU or CPU.")
    print(
        "Your Paddle Fluid is installed successfully! Let's start deep Learning with Paddle "
        "Fluid now"
    )
