"""What was not quite ready in Paddle 1.x: fluid.contrib."""

from . import decay, mixed_precision
from .decay import *

__all__ = [*decay.__all__, "mixed_precision"]
