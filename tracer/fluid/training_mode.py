"""The training mode of functions of fluid.layers in dygraph mode. Paddle 1.x has one global mode,
which the last `train` or `eval` of a Layer sets.
"""

from __future__ import annotations


class GlobalTrainingFlag:
    """The flag of the process that states whether functions of fluid.layers run in training
    mode.
    """

    training = True


TRAINING_MODE = GlobalTrainingFlag()
