"""BackwardStrategy: `fluid.dygraph.BackwardStrategy`."""

from __future__ import annotations


class BackwardStrategy:
    """Options of a backward pass.

    sort_sum_gradient: has no effect; gradients are always accumulated in the order of the ops
    """

    def __init__(self) -> None:
        self.sort_sum_gradient = False
