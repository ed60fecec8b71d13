"""Layers under the name of the module that they were in: fluid.dygraph.nn."""

from ....nn import Flatten
from .. import conv, dense, loss, norm, sampled, tree
from ..conv import *
from ..dense import *
from ..loss import *
from ..norm import *
from ..sampled import *
from ..tree import *

__all__ = [
    *conv.__all__,
    *dense.__all__,
    *loss.__all__,
    *norm.__all__,
    *sampled.__all__,
    *tree.__all__,
]
