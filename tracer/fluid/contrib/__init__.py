"""What was on its way into Paddle 1.x: fluid.contrib."""

from . import decay, decoder, layers, mixed_precision
from .decay import *
from .decoder import *
from .layers import *

__all__ = [*decay.__all__, *decoder.__all__, *layers.__all__, "decoder", "layers", "mixed_precision"]
