"""Optimizers."""

from ..core.lazy_import import make_lazy_getattr as _make_lazy_getattr
from . import adam, adaptive, lbfgs, lr, sgd
from .adam import *
from .adaptive import *
from .lbfgs import *
from .optimizer import Optimizer
from .sgd import *

__getattr__ = _make_lazy_getattr(globals(), {})  # for its error messages

__all__ = ["Optimizer", *adam.__all__, *adaptive.__all__, *lbfgs.__all__, *sgd.__all__]
