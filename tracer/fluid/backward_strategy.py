"""BackwardStrategy: `fluid.dygraph.BackwardStrategy`."""

from __future__ import annotations


class BackwardStrategy:
    """BackwardStrategy: options of a backward pass, which have no effect.

    sort_sum_gradient: has no effect; gradients are always accumulated in the order of the ops
    """

    def __init__(self) -> None:
        self.sort_sum_gradient = False
