"""match_matrix_tensor, top-k pooling, variable-size convolutions, tree convolutions."""

import numpy as np

from .common import numbers, static
from .sequence import run

PAIRS = {"x": numbers(6, 3), "y": numbers(7, 3, seed=8)}
SIZES = {"x": [[2, 1, 3]], "y": [[3, 2, 2]]}


def case_products(fluid):
    def build(v):
        found, kept = fluid.contrib.layers.match_matrix_tensor(v["x"], v["y"], 2, act="tanh")
        return [found, kept]

    found = run(fluid, build, PAIRS, SIZES, ("x", "y"))
    return {k: v for k, v in found.items() if not k.startswith("1.")}


def case_largest(fluid):
    def build(v):
        layers = fluid.contrib.layers
        table, _ = layers.match_matrix_tensor(v["x"], v["y"], 2)
        return layers.sequence_topk_avg_pooling(table, v["x"], v["y"], [1, 3], 2)

    return run(fluid, build, PAIRS, SIZES, ("x", "y"))


def conv(fluid, size, stride):
    def build(v):
        layers = fluid.contrib.layers
        table, _ = layers.match_matrix_tensor(v["x"], v["y"], 2)
        return layers.var_conv_2d(table, v["x"], v["y"], 2, 3, size, stride, act="relu")

    return run(fluid, build, PAIRS, SIZES, ("x", "y"))


def case_conv(fluid):
    return conv(fluid, 3, 1)


def case_conv_with_steps(fluid):
    return conv(fluid, [2, 3], [1, 2])


# Trees with a node for each row of features: real Paddle 1.8.5 does not write what it gives for the
# other rows.
EDGES = np.array(
    [
        [[1, 2], [1, 3], [2, 4], [2, 5], [3, 6], [0, 0]],
        [[1, 2], [2, 3], [3, 4], [4, 5], [3, 6], [0, 0]],
    ],
    "int32",
)
TREE = {"x": numbers(2, 6, 3), "e": EDGES}


def tree(fluid, depth, bias):
    def build(v):
        return fluid.contrib.layers.tree_conv(v["x"], v["e"], 4, 2, depth, bias_attr=bias)

    return static(fluid, build, TREE)


def case_tree(fluid):
    return tree(fluid, 2, False)


def case_deep_tree(fluid):
    return tree(fluid, 3, None)


def layer(fluid, features, size, count):
    with fluid.dygraph.guard(fluid.CPUPlace()):
        made = fluid.dygraph.TreeConv(features, size, num_filters=count, max_depth=3, act="tanh")
        made.weight.set_value(numbers(features, 3, size, count, seed=9))
        x = fluid.dygraph.to_variable(TREE["x"][:, :, :features])
        x.stop_gradient = False
        found = made(x, fluid.dygraph.to_variable(EDGES))
        fluid.layers.reduce_sum(found).backward()
        return [
            found.numpy(),
            made.weight.gradient(),
            np.array(len(made.parameters())),
            x.gradient(),
        ]


def case_tree_layer(fluid):
    """Not the gradient of the features: real Paddle 1.8.5 takes the filters for it in another order
    than for the result.
    """
    return layer(fluid, 3, 4, 2)[:3]


def case_tree_layer_of_one_number(fluid):
    return layer(fluid, 1, 1, 1)
