"""Layers of click models: tag filters, show and click counts, hashes, sampled losses."""

import numpy as np

from .common import integers, numbers, static
from .sequence import run

COUNTS = {"x": numbers(4, 5, low=0.5, high=3.0), "c": numbers(4, 2, seed=8, low=1.0, high=2.0)}


def case_counts(fluid):
    return static(
        fluid,
        lambda v: fluid.layers.continuous_value_model(v["x"], v["c"], True),
        COUNTS,
        gradients_of=("x",),
    )


def case_without_counts(fluid):
    return static(
        fluid,
        lambda v: fluid.layers.continuous_value_model(v["x"], v["c"], False),
        COUNTS,
        gradients_of=("x",),
    )


def hashed(fluid, x, **attrs):
    """Append the op itself: real Paddle's fluid.layers.hash fails in its own checks."""
    block = fluid.default_main_program().global_block()
    out = block.create_var(name="hashed", dtype="int64", shape=[-1, attrs["num_hash"], 1])
    block.append_op(type="hash", inputs={"X": [x]}, outputs={"Out": [out]}, attrs=attrs)
    return out


def case_hash(fluid):
    feed = {"x": integers(5, 2, below=1000)}
    found = run(fluid, lambda v: hashed(fluid, v["x"], num_hash=4, mod_by=10000), feed, {"x": []})
    return {k: v for k, v in found.items() if "lengths" not in k}


def case_hash_of_many(fluid):
    feed = {"x": integers(3, 9, below=1000)}
    return run(fluid, lambda v: hashed(fluid, v["x"], num_hash=2, mod_by=2**31), feed, {"x": []})


def case_similarity_focus(fluid):
    feed = {"x": numbers(2, 3, 4, 5)}

    def build(v):
        return [
            fluid.layers.similarity_focus(v["x"], axis, which)
            for axis, which in ((1, [0]), (2, [1, 3]), (3, [2]))
        ]

    return static(fluid, build, feed)


TAGS = {"x": numbers(6, 3), "t": integers(8, 1, below=5), "f": np.array([1, 3])}
TAGS["t"][:, 0] = [0, 1, 2, 2, 3, 4, 4, 1]


def tagged(fluid, lod, **more):
    lengths = {
        "x": [[2, 1, 1, 2]] if lod else [],
        "t": [[2, 2, 1, 3] if lod else [1, 1, 2, 1, 2, 1]],
        "f": [],
    }

    def build(v):
        out, weight = fluid.layers.filter_by_instag(v["x"], v["t"], v["f"], lod, **more)
        return [out, fluid.layers.scale(weight, 1.0)] if not lod else [out, weight]

    feed = dict(TAGS)
    if more:
        feed["f"] = np.array([9])
    return run(fluid, build, feed, lengths, ("x",))


def case_by_tags(fluid):
    return {k: v for k, v in tagged(fluid, False).items() if "lengths" not in k}


def case_sequences_by_tags(fluid):
    return {k: v for k, v in tagged(fluid, True).items() if not k.startswith("1.")}


def case_none_by_tags(fluid):
    return {k: v for k, v in tagged(fluid, False, out_val_if_empty=2).items() if "lengths" not in k}


def case_drawn_classes(fluid):
    feed = {
        "x": numbers(4, 9), "y": np.array([[1], [3], [5], [0]]), "s": np.tile([[1, 5, 2]], (4, 1)),
        "p": numbers(4, 4, seed=8, low=0.1, high=0.9),
    }  # fmt: skip
    feed["s"] = np.concatenate([feed["y"], feed["s"]], axis=1).astype("int64")

    def build(v):
        return [
            fluid.layers.sampled_softmax_with_cross_entropy(
                v["x"],
                v["y"],
                3,
                use_customized_samples=True,
                customized_samples=v["s"],
                customized_probabilities=v["p"],
                remove_accidental_hits=hits,
            )
            for hits in (True, False)
        ]

    return static(fluid, build, feed, gradients_of=("x",))


def case_sums_over_runs(fluid):
    feed = {"x": numbers(4, 1, low=0.1, high=0.9), "y": np.array([[1], [0], [0], [1]], "float32")}
    return static(
        fluid, lambda v: list(fluid.contrib.layers.ctr_metric_bundle(v["x"], v["y"])), feed, steps=3
    )


def case_memory(fluid):
    def used(width):
        with fluid.program_guard(fluid.Program(), fluid.Program()):
            fluid.layers.fc(fluid.data("x", [None, width], "float32"), width, act="relu")
            return fluid.contrib.memory_usage(fluid.default_main_program(), 10)

    found = [used(2), used(30), used(4000)]
    return [np.array([f[:2] for f in found]), np.array([f[2] for f in found])]
