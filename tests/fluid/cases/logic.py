"""Comparisons and logical operations."""

import numpy as np

from .common import integers, numbers, static

OPS = ("equal", "greater_equal", "greater_than", "less_equal", "less_than", "not_equal")
PAIR = {"x": integers(3, 4, below=3), "y": integers(3, 4, below=3, seed=8)}


def case_comparisons(fluid):
    return static(fluid, lambda v: [getattr(fluid.layers, o)(v["x"], v["y"]) for o in OPS], PAIR)


def case_into_a_variable(fluid):
    def build(v):
        kept = fluid.layers.less_than(v["x"], v["y"])
        fluid.layers.equal(v["x"], v["y"], cond=kept)
        return kept

    return static(fluid, build, PAIR)


def case_connectives(fluid):
    def build(v):
        a, b = fluid.layers.less_than(v["x"], v["y"]), fluid.layers.equal(v["x"], v["y"])
        both = [getattr(fluid.layers, "logical_" + o)(a, b) for o in ("and", "or", "xor")]
        return [*both, fluid.layers.logical_not(a)]

    return static(fluid, build, PAIR)


def case_whether(fluid):
    layers = fluid.layers
    feed = {
        "x": numbers(2, 3),
        "y": np.array([1, np.inf, 2], "float32"),
        "z": np.array([1, np.nan, 2], "float32"),
    }
    return static(
        fluid,
        lambda v: [
            f(v[n]) for n in "xyz" for f in (layers.has_inf, layers.has_nan, layers.isfinite)
        ],
        feed,
    )


def case_is_empty(fluid):
    return static(fluid, lambda v: fluid.layers.is_empty(v["x"]), {"x": numbers(2, 3)})
