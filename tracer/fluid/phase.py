"""Whether functions of fluid.layers train in dygraph mode: Paddle 1.x keeps that for all at once;
the last `train` or `eval` of a Layer set it.
"""

from __future__ import annotations


class Phase:
    """What holds now."""

    training = True


PHASE = Phase()
