"""How gradients are added up: fluid.dygraph.BackwardStrategy."""

from __future__ import annotations


class BackwardStrategy:
    """sort_sum_gradient: whether gradients are added in the order of the ops, which is always so
    here.
    """

    def __init__(self) -> None:
        self.sort_sum_gradient = False
