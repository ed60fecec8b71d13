"""Layers as functions, in programs and in dygraph mode alike: fluid.layers."""

from . import (
    conv,
    dense,
    elementwise,
    inputs,
    learning_rate,
    logic,
    losses,
    metrics,
    norms,
    pick,
    pictures,
    randoms,
    reduce,
    sequence,
    shapes,
    tensors,
    unary,
)
from .conv import *
from .dense import *
from .elementwise import *
from .inputs import *
from .learning_rate import *
from .logic import *
from .losses import *
from .metrics import *
from .norms import *
from .pick import *
from .pictures import *
from .randoms import *
from .reduce import *
from .sequence import *
from .shapes import *
from .tensors import *
from .unary import *

_FAMILIES = (
    conv, dense, elementwise, inputs, learning_rate, logic, losses, metrics, norms, pick, pictures, randoms, reduce, sequence, shapes, tensors,
    unary,
)  # fmt: skip
__all__ = [name for family in _FAMILIES for name in family.__all__]  # noqa: PLE0604 - gathered from the families
