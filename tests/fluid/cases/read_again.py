"""Ops that 1.8 writes with other attributes, slots or axes than 2.x; real Paddle saves the same
program.
"""

import numpy as np

from .common import numbers, static

FEED = {
    "x": numbers(2, 3, 4),
    "a": numbers(3, 4, seed=8),
    "map": numbers(2, 4, 8, 8, seed=9),
    "rois": np.array([[0, 0, 4, 4], [1, 1, 6, 5], [2, 2, 7, 7]], "float32"),
    "offsets": np.array([0, 1, 3], "int64"),
    "n": np.array([3, 1, 3, 2], "int64"),
}


def all_of(fluid, v):
    """Return the outputs of the program."""
    f = fluid.layers
    regions = [v["map"], v["rois"], 2, 3, 0.8]
    found = [
        f.flip(v["x"], [0, 2]),
        f.roll(v["x"], [1], [1]),
        f.trace(v["a"], 0, 0, 1),
        f.dot(v["a"], v["a"]),
    ]
    found += [
        f.roi_align(*regions, rois_lod=v["offsets"]),
        f.roi_pool(*regions, rois_lod=v["offsets"]),
    ]
    return [*found, *f.unique(v["n"]), *f.unique_with_counts(v["n"])]


def case_said_otherwise(fluid):
    return static(fluid, lambda v: all_of(fluid, v), FEED)


def save_said_otherwise(fluid, folder):
    """Write its files."""
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        found = all_of(
            fluid, {n: fluid.data(n, list(a.shape), str(a.dtype)) for n, a in FEED.items()}
        )
        fluid.io.save_inference_model(
            folder, list(FEED), found, fluid.Executor(fluid.CPUPlace()), main
        )


def run_said_otherwise(fluid, folder):
    """Return the outputs of the saved files."""
    executor = fluid.Executor(fluid.CPUPlace())
    program, _, outs = fluid.io.load_inference_model(folder, executor)
    return {
        str(i): np.asarray(a)
        for i, a in enumerate(executor.run(program, feed=FEED, fetch_list=outs))
    }
