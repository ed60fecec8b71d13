"""Layers of LoD sequences."""

import numpy as np

from .common import fill_parameters, fresh_programs, integers, numbers

LENGTHS = [[3, 1, 4]]
POOLS = ("average", "sum", "sqrt", "max", "last", "first")


def run(fluid, build, feed, lengths=None, gradients_of=()):
    """Return the results of `build`: each as an array, followed by its LoD lengths if it has any.

    feed: arrays; lengths: by name.
    """
    lengths = lengths or {}
    with fresh_programs(fluid) as (main, startup):
        inputs, given = {}, {}
        for name, array in feed.items():
            levels = lengths.get(name, LENGTHS)
            inputs[name] = fluid.data(
                name, [None] + list(array.shape[1:]), str(array.dtype), len(levels)
            )
            inputs[name].stop_gradient = name not in gradients_of
            given[name] = (
                fluid.create_lod_tensor(array, levels, fluid.CPUPlace()) if levels else array
            )
        found = build(inputs)
        found = list(found) if isinstance(found, (list, tuple)) else [found]
        if gradients_of:
            loss = fluid.layers.reduce_sum(fluid.layers.elementwise_mul(found[0], found[0]))
            found += fluid.gradients(
                loss, [inputs[n] for n in gradients_of] + main.all_parameters()
            )
        executor = fluid.Executor(fluid.CPUPlace())
        executor.run(startup)
        fill_parameters(fluid, main)
        made = executor.run(main, feed=given, fetch_list=found, return_numpy=False)
    kept = {}
    for i, tensor in enumerate(made):
        kept[str(i)] = np.array(tensor)
        levels = (
            tensor.recursive_sequence_lengths()
            if hasattr(tensor, "recursive_sequence_lengths")
            else []
        )
        for k, level in enumerate([] if i and gradients_of else levels):
            kept[f"{i}.lengths{k}"] = np.array(level)
    return kept


X = {"x": numbers(8, 3)}


def case_pool(fluid):
    return run(fluid, lambda v: [fluid.layers.sequence_pool(v["x"], p) for p in POOLS], X)


def case_pool_gradients(fluid):
    def build(v):
        return fluid.layers.concat([fluid.layers.sequence_pool(v["x"], p) for p in POOLS], axis=1)

    return run(fluid, build, X, gradients_of=("x",))


def case_pool_of_two_levels(fluid):
    two = {"x": [[2, 1], [3, 1, 4]]}
    return run(
        fluid,
        lambda v: [
            fluid.layers.sequence_pool(v["x"], "sum"),
            fluid.layers.sequence_last_step(v["x"]),
        ],
        X,
        two,
    )


def case_pool_of_an_empty_one(fluid):
    empty = {"x": [[3, 0, 5]]}
    return run(
        fluid,
        lambda v: [fluid.layers.sequence_pool(v["x"], p, pad_value=0.5) for p in POOLS],
        X,
        empty,
    )


def case_softmax(fluid):
    return run(
        fluid,
        lambda v: fluid.layers.sequence_softmax(v["x"]),
        {"x": numbers(8, 1)},
        gradients_of=("x",),
    )


def case_expand(fluid):
    feed, lengths = {"x": numbers(3, 2), "y": numbers(8, 1)}, {"x": [], "y": LENGTHS}
    return run(fluid, lambda v: fluid.layers.sequence_expand(v["x"], v["y"]), feed, lengths, ("x",))


def case_expand_sequences(fluid):
    feed, lengths = (
        {"x": numbers(4, 1), "y": numbers(8, 1)},
        {"x": [[2, 2]], "y": [[2, 2], [3, 3, 1, 1]]},
    )
    return run(
        fluid,
        lambda v: fluid.layers.sequence_expand(v["x"], v["y"], ref_level=0),
        feed,
        lengths,
        ("x",),
    )


def case_expand_as(fluid):
    feed, lengths = {"x": numbers(3, 2), "y": numbers(8, 1)}, {"x": [], "y": LENGTHS}
    return run(
        fluid, lambda v: fluid.layers.sequence_expand_as(v["x"], v["y"]), feed, lengths, ("x",)
    )


def case_conv(fluid):
    return run(
        fluid,
        lambda v: fluid.layers.sequence_conv(v["x"], 4, 3, act="tanh"),
        X,
        gradients_of=("x",),
    )


def case_row_conv(fluid):
    return run(
        fluid, lambda v: fluid.layers.row_conv(v["x"], 2, act="tanh"), X, gradients_of=("x",)
    )


def case_conv_of_four(fluid):
    return run(
        fluid,
        lambda v: fluid.layers.sequence_conv(v["x"], 2, 4, padding_start=-1, bias_attr=False),
        X,
        gradients_of=("x",),
    )


def case_concat(fluid):
    feed, lengths = (
        {"x": numbers(8, 2), "y": numbers(6, 2, seed=8)},
        {"x": LENGTHS, "y": [[1, 2, 3]]},
    )
    return run(
        fluid, lambda v: fluid.layers.sequence_concat([v["x"], v["y"]]), feed, lengths, ("x", "y")
    )


def case_reverse(fluid):
    return run(fluid, lambda v: fluid.layers.sequence_reverse(v["x"]), X, gradients_of=("x",))


def case_pad(fluid):
    def build(v):
        zero = fluid.layers.fill_constant([1], "float32", 0.25)
        return [
            *fluid.layers.sequence_pad(v["x"], zero),
            *fluid.layers.sequence_pad(v["x"], zero, maxlen=5),
        ]

    return run(fluid, build, X)


def case_unpad(fluid):
    feed = {"x": numbers(3, 4, 2), "n": np.array([3, 1, 4])}
    return run(
        fluid,
        lambda v: fluid.layers.sequence_unpad(v["x"], v["n"]),
        feed,
        {"x": [], "n": []},
        ("x",),
    )


def case_reshape(fluid):
    return run(
        fluid,
        lambda v: fluid.layers.sequence_reshape(v["x"], 2),
        {"x": numbers(8, 4)},
        gradients_of=("x",),
    )


def case_enumerate(fluid):
    return run(
        fluid,
        lambda v: fluid.layers.sequence_enumerate(v["x"], 3, pad_value=9),
        {"x": integers(8, 1)},
    )


def case_slice(fluid):
    feed = {"x": numbers(8, 2), "o": np.array([[1], [0], [2]]), "n": np.array([[2], [1], [1]])}
    return run(
        fluid,
        lambda v: fluid.layers.sequence_slice(v["x"], v["o"], v["n"]),
        feed,
        {"o": [], "n": []},
    )


def case_reset(fluid):
    return run(
        fluid,
        lambda v: fluid.layers.sequence_pool(
            fluid.layers.lod_reset(v["x"], target_lod=[0, 2, 8]), "sum"
        ),
        X,
    )


def case_what_keeps_the_sequences(fluid):
    def build(v):
        h = fluid.layers.elementwise_add(v["x"], v["x"], act="relu")
        return [h, fluid.layers.sequence_pool(h, "sum")]

    return run(fluid, build, X)


def case_lstm(fluid):
    return run(
        fluid,
        lambda v: list(fluid.layers.dynamic_lstm(v["x"], 16)),
        {"x": numbers(8, 16)},
        gradients_of=("x",),
    )


def case_lstm_without_peepholes_backwards(fluid):
    def build(v):
        return list(
            fluid.layers.dynamic_lstm(
                v["x"], 8, use_peepholes=False, is_reverse=True, candidate_activation="relu"
            )
        )

    return run(fluid, build, {"x": numbers(8, 8)}, gradients_of=("x",))


def case_lstm_that_starts_with_something(fluid):
    feed = {"x": numbers(8, 8), "h": numbers(3, 2, seed=8), "c": numbers(3, 2, seed=9)}
    return run(
        fluid,
        lambda v: fluid.layers.dynamic_lstm(v["x"], 8, v["h"], v["c"])[0],
        feed,
        {"h": [], "c": []},
        ("x", "h", "c"),
    )


def case_gru(fluid):
    return run(
        fluid,
        lambda v: fluid.layers.dynamic_gru(v["x"], 4),
        {"x": numbers(8, 12)},
        gradients_of=("x",),
    )


def case_gru_of_the_origin_backwards(fluid):
    feed = {"x": numbers(8, 6), "h": numbers(3, 2, seed=8)}

    def build(v):
        return fluid.layers.dynamic_gru(v["x"], 2, is_reverse=True, h_0=v["h"], origin_mode=True)

    return run(fluid, build, feed, {"h": []}, ("x", "h"))


def case_scatter(fluid):
    feed = {
        "x": numbers(3, 4),
        "i": np.array([[0], [1], [1], [3], [2], [0], [2], [3]]),
        "u": numbers(8, 1, seed=8),
    }
    return run(
        fluid,
        lambda v: fluid.layers.sequence_scatter(v["x"], v["i"], v["u"]),
        feed,
        {"x": []},
        ("x", "u"),
    )
