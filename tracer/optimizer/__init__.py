"""Optimizers."""

from . import lr
from .adam import *
from .adaptive import *
from .lbfgs import *
from .optimizer import Optimizer
from .sgd import *
