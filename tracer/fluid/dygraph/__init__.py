"""Running at once, in the names of Paddle 1.x: fluid.dygraph."""

from . import base, checkpoint, container, jit, lr, nn, parallel
from .base import *
from .checkpoint import *
from .container import *
from .jit import *
from .layers import Layer
from .lr import *
from .nn import *
from .parallel import *

from . import learning_rate_scheduler  # isort: skip

__all__ = [
    *base.__all__, *checkpoint.__all__, *container.__all__, *jit.__all__, *lr.__all__, *nn.__all__, *parallel.__all__, "Layer",
]  # fmt: skip
