"""Eager mode with the names of Paddle 1.x: `fluid.dygraph`."""

from . import (
    base,
    checkpoint,
    container,
    jit,
    learning_rate_scheduler,
    lr,
    nn,
    parallel,
    replacements,
)
from .base import *
from .checkpoint import *
from .container import *
from .jit import *
from .layers import Layer
from .lr import *
from .nn import *
from .parallel import *

replacements.deprecate_replaced_classes(globals())

__all__ = [
    *base.__all__,
    *checkpoint.__all__,
    *container.__all__,
    *jit.__all__,
    *lr.__all__,
    *nn.__all__,
    *parallel.__all__,
    "Layer",
]
