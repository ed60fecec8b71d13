"""Optimizers."""

from . import lr
from .adam import Adam, AdamW
from .optimizer import Optimizer
from .sgd import SGD, Momentum

__all__ = ["SGD", "Adam", "AdamW", "Momentum", "Optimizer", "lr"]
