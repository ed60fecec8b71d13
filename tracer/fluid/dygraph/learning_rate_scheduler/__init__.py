"""Alias module of the learning-rate schedulers: `fluid.dygraph.learning_rate_scheduler`."""

from .. import lr
from ..lr import *
from ..lr import LearningRateDecay

__all__ = [*lr.__all__, "LearningRateDecay"]
