"""Optimizers."""

from . import adam, adaptive, lbfgs, lr, sgd
from .adam import *
from .adaptive import *
from .lbfgs import *
from .optimizer import Optimizer
from .sgd import *

__all__ = ["Optimizer", *adam.__all__, *adaptive.__all__, *lbfgs.__all__, *sgd.__all__]
