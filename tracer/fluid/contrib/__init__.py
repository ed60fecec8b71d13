"""What was on its way into Paddle 1.x: fluid.contrib."""

from . import layers

__all__ = ["layers"]
