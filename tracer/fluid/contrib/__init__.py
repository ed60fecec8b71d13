"""Contributed features of Paddle 1.x: `fluid.contrib`."""

from . import decay, decoder, layers, mixed_precision, reader, statistics
from .decay import *
from .decoder import *
from .layers import *
from .reader import *
from .statistics import *

__all__ = [
    *decay.__all__,
    *decoder.__all__,
    *layers.__all__,
    *reader.__all__,
    *statistics.__all__,
    "decoder",
    "layers",
    "mixed_precision",
    "reader",
]
