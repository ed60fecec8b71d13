"""Optimizers of Paddle 1.x: fluid.optimizer."""

from ...static import ExponentialMovingAverage
from ..deprecated import instead
from . import older, refused, steps, wrappers
from .average import ModelAverage
from .base import Old as Optimizer
from .older import *
from .refused import *
from .steps import *
from .wrappers import *

for _name in steps.__all__:
    instead(f"fluid.optimizer.{_name}", f"paddle.optimizer.{_name.removesuffix('Optimizer')}")(
        getattr(steps, _name)
    )

# SGD for SGDOptimizer and so on.
_SHORT = {
    name.removesuffix("Optimizer"): getattr(of, name)
    for of in (older, steps)
    for name in of.__all__
}
globals().update(_SHORT)

__all__ = [
    *older.__all__,
    *refused.__all__,
    *steps.__all__,
    *wrappers.__all__,
    *_SHORT,
    "ExponentialMovingAverage",
    "ModelAverage",
]
