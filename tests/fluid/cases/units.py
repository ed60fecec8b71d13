"""Single steps of recurrent networks, and conditional random fields."""

import numpy as np

from .common import integers, numbers, static
from .sequence import run


def case_gru_unit(fluid):
    feed = {"x": numbers(3, 12), "h": numbers(3, 4, seed=8)}
    return static(
        fluid,
        lambda v: list(fluid.layers.gru_unit(v["x"], v["h"], 12)),
        feed,
        gradients_of=("x", "h"),
    )


def case_gru_unit_of_the_origin(fluid):
    feed = {"x": numbers(3, 6), "h": numbers(3, 2, seed=8)}

    def build(v):
        return list(fluid.layers.gru_unit(v["x"], v["h"], 6, origin_mode=True))

    return static(fluid, build, feed, gradients_of=("x", "h"))


def case_lstm_unit(fluid):
    feed = {"x": numbers(3, 5), "h": numbers(3, 4, seed=8), "c": numbers(3, 4, seed=9)}

    def build(v):
        return list(fluid.layers.lstm_unit(v["x"], v["h"], v["c"], forget_bias=0.5))

    return static(fluid, build, feed)


LABELS = {"x": numbers(8, 4), "y": integers(8, 1, below=4)}


def case_crf(fluid):
    def build(v):
        return fluid.layers.linear_chain_crf(
            v["x"], v["y"], param_attr=fluid.ParamAttr(name="crfw")
        )

    return run(fluid, build, LABELS, gradients_of=("x",))


def case_best_labels(fluid):
    def build(v):
        layers = fluid.layers
        cost = layers.linear_chain_crf(v["x"], v["y"], param_attr=fluid.ParamAttr(name="crfw"))
        attr = fluid.ParamAttr(name="crfw")
        return [
            cost,
            layers.crf_decoding(v["x"], attr),
            layers.crf_decoding(v["x"], attr, label=v["y"]),
        ]

    return run(fluid, build, LABELS)


def case_padded_crf(fluid):
    feed = {"x": numbers(3, 4, 5), "y": integers(3, 4, 1, below=5), "n": np.array([[3], [1], [4]])}

    def build(v):
        attr = fluid.ParamAttr(name="crfw")
        cost = fluid.layers.linear_chain_crf(v["x"], v["y"], attr, v["n"])
        return [cost, fluid.layers.crf_decoding(v["x"], attr, length=v["n"])]

    return static(fluid, build, feed, gradients_of=("x",))
