"""Running at once, in the names of Paddle 1.x: fluid.dygraph."""

from .base import guard, to_variable

__all__ = ["guard", "to_variable"]
