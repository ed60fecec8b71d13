"""Mean average precision of detectors over several batches."""

import numpy as np

from .common import fresh_programs, numbers

FOUND = [
    [
        [1, 0.9, 0.1, 0.1, 0.5, 0.5],
        [1, 0.8, 0.12, 0.1, 0.5, 0.52],
        [2, 0.7, 0.3, 0.3, 0.9, 0.9],
        [1, 0.6, 0.6, 0.6, 0.9, 0.9],
    ],
    [
        [2, 0.9, 0.2, 0.1, 0.6, 0.7],
        [3, 0.4, 0.0, 0.0, 0.2, 0.3],
        [1, 0.3, 0.4, 0.45, 0.8, 0.8],
        [2, 0.2, 0.1, 0.5, 0.4, 1.2],
    ],
]
THERE = [
    [
        [1, 0.1, 0.1, 0.5, 0.55],
        [2, 0.35, 0.3, 0.9, 0.8],
        [1, 0.6, 0.55, 0.95, 0.9],
        [4, 0.1, 0.7, 0.2, 0.9],
    ],
    [[1, 0.4, 0.4, 0.8, 0.8], [2, 0.25, 0.1, 0.6, 0.7], [2, 0.1, 0.5, 0.4, 1.0]],
]
DIFFICULT = [[0, 0, 1, 0], [0, 1, 0]]


def _measured(fluid, kind, difficult=False, **settings):
    """Return the precision of each batch and of all, for three batches and one after a reset."""
    kept = []
    with fresh_programs(fluid) as (main, startup):
        found, label, box, hard = (
            fluid.data(name, [None, wide], "float32", 1)
            for name, wide in (("found", 6), ("label", 1), ("box", 4), ("hard", 1))
        )
        measure = kind(found, label, box, hard if difficult else None, 5, **settings)
        executor = fluid.Executor(fluid.CPUPlace())
        executor.run(startup)
        for step in range(4):
            if step == 3:
                measure.reset(executor)
            order = [step % 2, 1 - step % 2][: 2 if step else 1]
            several = [
                np.concatenate([np.array(part[i], "float32") for i in order])
                for part in (FOUND, THERE, DIFFICULT)
            ]
            several[0] = several[0] - numbers(*several[0].shape, seed=step, low=0.0, high=0.05) * [
                0,
                1,
                1,
                1,
                1,
                1,
            ]
            sizes = [[len(part[i]) for i in order] for part in (FOUND, THERE)]
            arrays = several[0], several[1][:, :1], several[1][:, 1:], several[2][:, None]
            lengths = sizes[0], sizes[1], sizes[1], sizes[1]
            feed = {}
            for name, array, own in zip(("found", "label", "box", "hard"), arrays, lengths):
                feed[name] = fluid.create_lod_tensor(
                    np.ascontiguousarray(array, "float32"), [own], fluid.CPUPlace()
                )
            if not difficult:
                del feed["hard"]
            kept += executor.run(main, feed=feed, fetch_list=list(measure.get_map_var()))
    return kept


def case_integral(fluid):
    return _measured(fluid, fluid.metrics.DetectionMAP)


def case_eleven_points(fluid):
    return _measured(fluid, fluid.metrics.DetectionMAP, ap_version="11point", overlap_threshold=0.7)


def case_difficult(fluid):
    return _measured(fluid, fluid.metrics.DetectionMAP, True, evaluate_difficult=False)


def case_evaluator(fluid):
    return _measured(fluid, fluid.evaluator.DetectionMAP, True)
