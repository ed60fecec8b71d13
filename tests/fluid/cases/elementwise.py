"""Binary operations, with the argument `axis`."""

from .common import eager, numbers, static

OPS = ("add", "sub", "mul", "div", "max", "min")


def case_plain(fluid):
    feed = {"x": numbers(2, 3), "y": numbers(2, 3, seed=8, low=0.5, high=2.0)}
    return static(
        fluid,
        lambda v: [getattr(fluid.layers, "elementwise_" + o)(v["x"], v["y"]) for o in OPS],
        feed,
    )


def case_axis(fluid):
    feed = {"x": numbers(2, 3, 4), "y": numbers(3, seed=8, low=0.5, high=2.0)}
    return static(
        fluid,
        lambda v: [getattr(fluid.layers, "elementwise_" + o)(v["x"], v["y"], axis=1) for o in OPS],
        feed,
    )


def case_act(fluid):
    feed = {"x": numbers(2, 3), "y": numbers(2, 3, seed=8)}
    return static(
        fluid,
        lambda v: fluid.layers.elementwise_add(v["x"], v["y"], act="relu"),
        feed,
        gradients_of=("x", "y"),
    )


def case_eager(fluid):
    return eager(
        fluid,
        lambda x, y: fluid.layers.elementwise_mul(x, y, axis=0),
        numbers(2, 3),
        numbers(2, seed=8),
    )
