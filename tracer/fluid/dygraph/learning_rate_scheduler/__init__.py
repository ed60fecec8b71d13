"""Learning rates under the name of the module that they were in:
fluid.dygraph.learning_rate_scheduler.
"""

from .. import lr
from ..lr import *
from ..lr import LearningRateDecay

__all__ = [*lr.__all__, "LearningRateDecay"]
