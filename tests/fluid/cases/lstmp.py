"""LSTMs with projected states."""

from .common import numbers
from .sequence import run

X = {"x": numbers(8, 16)}


def case_plain(fluid):
    return run(
        fluid, lambda v: list(fluid.layers.dynamic_lstmp(v["x"], 16, 3)), X, gradients_of=("x",)
    )


def case_backwards_without_peepholes(fluid):
    def build(v):
        return list(
            fluid.layers.dynamic_lstmp(
                v["x"],
                16,
                3,
                use_peepholes=False,
                is_reverse=True,
                proj_activation="identity",
                candidate_activation="relu",
            )
        )

    return run(fluid, build, X, gradients_of=("x",))


def case_clipped(fluid):
    def build(v):
        return list(fluid.layers.dynamic_lstmp(v["x"], 16, 3, cell_clip=0.2, proj_clip=0.05))

    return run(fluid, build, X, gradients_of=("x",))


def case_with_a_start(fluid):
    feed = dict(X, h=numbers(3, 3, seed=8), c=numbers(3, 4, seed=9))

    def build(v):
        return list(fluid.layers.dynamic_lstmp(v["x"], 16, 3, h_0=v["h"], c_0=v["c"]))

    return run(fluid, build, feed, {"h": [], "c": []}, ("x", "h", "c"))
