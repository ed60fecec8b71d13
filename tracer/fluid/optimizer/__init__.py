"""Optimizers of Paddle 1.x: fluid.optimizer."""

from typing import Any

from ...static import ExponentialMovingAverage
from ..deprecated import instead
from . import older, steps, wrappers
from .average import ModelAverage
from .older import *
from .steps import *
from .wrappers import *

_TODAY = {name: name.removesuffix("Optimizer") for name in steps.__all__}
for _name, _today in _TODAY.items():
    instead(f"fluid.optimizer.{_name}", f"paddle.optimizer.{_today}")(globals()[_name])

SGD, Momentum, Adagrad, Adam, Adamax = SGDOptimizer, MomentumOptimizer, AdagradOptimizer, AdamOptimizer, AdamaxOptimizer
Dpsgd, DecayedAdagrad, Ftrl = DpsgdOptimizer, DecayedAdagradOptimizer, FtrlOptimizer
Adadelta, LarsMomentum = AdadeltaOptimizer, LarsMomentumOptimizer
RMSProp: Any = RMSPropOptimizer
Lamb: Any = LambOptimizer

__all__ = [
    *older.__all__, *steps.__all__, *wrappers.__all__, "SGD", "Adadelta", "Adagrad", "Adam", "Adamax", "DecayedAdagrad", "Dpsgd",
    "ExponentialMovingAverage", "Ftrl", "Lamb", "LarsMomentum", "ModelAverage", "Momentum", "RMSProp",
]  # fmt: skip
