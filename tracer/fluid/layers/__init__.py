"""Layers as functions, in programs and in dygraph mode alike: fluid.layers."""

from . import (
    beams,
    cells,
    clicks,
    control_flow,
    conv,
    decode,
    decode_helpers,
    dense,
    detection,
    distributions,
    elementwise,
    inputs,
    learning_rate,
    logic,
    losses,
    many_classes,
    metrics,
    norms,
    pick,
    pictures,
    proposals,
    randoms,
    readers,
    reduce,
    regions,
    sequence,
    shapes,
    tensors,
    text,
    unary,
    units,
)
from .asked import asking as _asking
from .beams import *
from .cells import *
from .clicks import *
from .control_flow import *
from .conv import *
from .decode import *
from .decode_helpers import *
from .dense import *
from .detection import *
from .distributions import *
from .elementwise import *
from .inputs import *
from .learning_rate import *
from .logic import *
from .losses import *
from .many_classes import *
from .metrics import *
from .norms import *
from .pick import *
from .pictures import *
from .proposals import *
from .randoms import *
from .readers import *
from .reduce import *
from .regions import *
from .sequence import *
from .shapes import *
from .tensors import *
from .text import *
from .unary import *
from .units import *

_FAMILIES = (
    beams,
    cells,
    clicks,
    control_flow,
    conv,
    decode,
    decode_helpers,
    dense,
    detection,
    distributions,
    elementwise,
    inputs,
    learning_rate,
    logic,
    losses,
    many_classes,
    metrics,
    norms,
    pick,
    pictures,
    proposals,
    randoms,
    readers,
    reduce,
    regions,
    sequence,
    shapes,
    tensors,
    text,
    unary,
    units,
)
__all__ = [name for family in _FAMILIES for name in family.__all__]
globals().update(
    {name: _asking(globals()[name], name) for name in __all__ if callable(globals()[name])}
)
