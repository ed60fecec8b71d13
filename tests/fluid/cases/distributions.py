"""Distributions."""

import numpy as np

from .common import numbers, static

X = {
    "x": numbers(3),
    "low": numbers(3, seed=8, low=0.1),
    "high": numbers(3, seed=9, low=1.1, high=2.0),
    "logits": numbers(2, 4),
}


def case_uniform(fluid):
    def build(v):
        of_variables, of_numbers = (
            fluid.layers.Uniform(v["low"], v["high"]),
            fluid.layers.Uniform(0.5, 2.0),
        )
        value = fluid.layers.fill_constant([3], "float32", 1.05)
        return [of_variables.entropy(), of_variables.log_prob(value), of_numbers.entropy()]

    return static(fluid, build, X)


def case_normal(fluid):
    def build(v):
        one, other, plain = (
            fluid.layers.Normal(v["x"], v["low"]),
            fluid.layers.Normal(v["low"], v["high"]),
            fluid.layers.Normal(0.0, 2.0),
        )
        return [one.entropy(), one.log_prob(v["high"]), one.kl_divergence(other), plain.entropy()]

    return static(fluid, build, X)


def case_categorical(fluid):
    def build(v):
        one, other = (
            fluid.layers.Categorical(v["logits"]),
            fluid.layers.Categorical(v["logits"] * 2.0),
        )
        return [one.entropy(), one.kl_divergence(other)]

    return static(fluid, build, X)


def case_multivariate(fluid):
    feed = {"a": np.array([0.3, 0.5], "float32"), "b": np.array([0.2, 0.4], "float32")}
    feed.update(s=np.diag(feed["a"] + 0.1), t=np.diag(feed["b"] + 0.1))

    def build(v):
        one = fluid.layers.MultivariateNormalDiag(v["a"], v["s"])
        return [
            one.entropy(),
            one.kl_divergence(fluid.layers.MultivariateNormalDiag(v["b"], v["t"])),
        ]

    return static(fluid, build, feed)


def case_shapes_of_samples(fluid):
    def build(v):
        drawn = [
            fluid.layers.Uniform(0.5, 2.0).sample([2, 3]),
            fluid.layers.Normal([0.0, 1.0], [1.0, 2.0]).sample([2]),
        ]
        return [fluid.layers.shape(d) for d in drawn]

    return static(fluid, build, X)
