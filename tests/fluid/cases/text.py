"""CTC, edit distance, chunk evaluation, and images as sequences."""

import numpy as np

from .common import integers, numbers, static
from .sequence import run

TEXTS = {
    "x": np.array([[1], [1], [0], [2], [3], [3], [0], [3]]),
    "y": np.array([[1], [2], [3], [4], [3]]),
}
BOTH = {"x": [[4, 1, 3]], "y": [[2, 1, 2]]}


def case_ctc(fluid):
    feed = {"x": numbers(9, 5), "y": np.array([[1], [2], [1], [3], [3]], "int32")}
    lengths = {"x": [[4, 1, 4]], "y": [[2, 1, 2]]}
    return run(
        fluid, lambda v: fluid.layers.warpctc(v["x"], v["y"], blank=0), feed, lengths, ("x",)
    )


def case_greedy(fluid):
    def build(v):
        return fluid.layers.ctc_greedy_decoder(v["x"], blank=0)

    return run(fluid, build, {"x": numbers(8, 4)}, {"x": [[4, 1, 3]]})


def case_greedy_padded(fluid):
    feed = {"x": numbers(3, 4, 5), "n": np.array([[4], [2], [3]])}
    return static(
        fluid,
        lambda v: list(fluid.layers.ctc_greedy_decoder(v["x"], 0, v["n"], padding_value=9)),
        feed,
    )


def case_distance(fluid):
    def build(v):
        return [
            *fluid.layers.edit_distance(v["x"], v["y"], normalized=False),
            fluid.layers.edit_distance(v["x"], v["y"])[0],
        ]

    return run(fluid, build, TEXTS, BOTH)


def case_distance_without_some(fluid):
    return run(
        fluid,
        lambda v: list(fluid.layers.edit_distance(v["x"], v["y"], False, ignored_tokens=[0])),
        TEXTS,
        BOTH,
    )


def chunks(fluid, scheme, kinds, tags, **more):
    feed = {
        "x": integers(12, 1, below=kinds * tags + 1),
        "y": integers(12, 1, below=kinds * tags + 1, seed=8),
    }
    feed["y"][2:8] = feed["x"][2:8]
    lengths = {"x": [[5, 3, 4]], "y": [[5, 3, 4]]}
    return run(
        fluid,
        lambda v: list(fluid.layers.chunk_eval(v["x"], v["y"], scheme, kinds, **more)),
        feed,
        lengths,
    )


def case_chunks_iob(fluid):
    return chunks(fluid, "IOB", 3, 2)


def case_chunks_ioe(fluid):
    return chunks(fluid, "IOE", 2, 2)


def case_chunks_iobes(fluid):
    return chunks(fluid, "IOBES", 2, 4, excluded_chunk_types=[1])


def case_chunks_plain(fluid):
    return chunks(fluid, "plain", 4, 1)


def case_pictures(fluid):
    feed = {"x": numbers(2, 3, 5, 4)}

    def build(v):
        return fluid.layers.im2sequence(
            v["x"], filter_size=[2, 3], stride=[1, 2], padding=[1, 0, 0, 1]
        )

    return run(fluid, build, feed, {"x": []}, ("x",))
