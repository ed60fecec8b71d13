"""Optimizers of Paddle 1.x: `fluid.optimizer`."""

from ...static import ExponentialMovingAverage
from ..deprecated import warn_deprecated_on_first_use
from . import also_in_paddle2, paddle1_only, unsupported, wrappers
from .also_in_paddle2 import *
from .base import Paddle1Optimizer as Optimizer
from .model_average import ModelAverage
from .paddle1_only import *
from .unsupported import *
from .wrappers import *

for _name in also_in_paddle2.__all__:
    warn_deprecated_on_first_use(
        f"fluid.optimizer.{_name}", f"paddle.optimizer.{_name.removesuffix('Optimizer')}"
    )(getattr(also_in_paddle2, _name))

# Short names: SGD for SGDOptimizer and so on.
_SHORT_NAMES = {
    name.removesuffix("Optimizer"): getattr(of, name)
    for of in (paddle1_only, also_in_paddle2)
    for name in of.__all__
}
globals().update(_SHORT_NAMES)

__all__ = [
    *paddle1_only.__all__,
    *unsupported.__all__,
    *also_in_paddle2.__all__,
    *wrappers.__all__,
    *_SHORT_NAMES,
    "ExponentialMovingAverage",
    "ModelAverage",
]
