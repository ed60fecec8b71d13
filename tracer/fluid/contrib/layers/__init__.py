"""Layers that few models have: fluid.contrib.layers."""

from . import nms, nn
from .nms import *
from .nn import *

__all__ = [*nms.__all__, *nn.__all__]
