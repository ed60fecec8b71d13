"""What was on its way into Paddle 1.x: fluid.contrib."""

from . import decay, layers, mixed_precision
from .decay import *
from .layers import *

__all__ = [*decay.__all__, *layers.__all__, "layers", "mixed_precision"]
