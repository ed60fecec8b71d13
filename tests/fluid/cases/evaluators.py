"""Metrics inside a program, over several batches, with resets."""

import numpy as np

from .common import fresh_programs, integers


def followed(fluid, make, arrays, lengths):
    """Return an evaluator's results after two batches, after `reset` and one more, and the last
    metrics.
    """
    with fresh_programs(fluid) as (main, startup):
        inputs = [fluid.data(n, [None, 1], "int64", 1) for n in ("x", "y")]
        evaluator = make(*inputs)
        executor = fluid.Executor(fluid.CPUPlace())
        executor.run(startup)

        def batch(seed):
            x, y = (
                fluid.create_lod_tensor(a, n, fluid.CPUPlace())
                for a, n in ((arrays(seed)[i], lengths[i]) for i in (0, 1))
            )
            feed = {"x": x, "y": y}
            return executor.run(main, feed=feed, fetch_list=evaluator.metrics)

        found = []
        evaluator.reset(executor)
        batch(1)
        batch(2)
        found += evaluator.eval(executor)
        evaluator.reset(executor)
        found += batch(3)
        found += evaluator.eval(executor)
    return [np.asarray(f) for f in found]


def case_edit_distance(fluid):
    def arrays(seed):
        x, y = integers(9, 1, below=4, seed=seed), integers(8, 1, below=4, seed=seed + 10)
        y[:3] = x[:3]
        return x, y

    lengths = [[3, 2, 4]], [[3, 1, 4]]
    return followed(fluid, lambda x, y: fluid.evaluator.EditDistance(x, y), arrays, lengths)


def case_edit_distance_without_some(fluid):
    def arrays(seed):
        x, y = integers(9, 1, below=4, seed=seed), integers(8, 1, below=4, seed=seed + 10)
        y[[0, 3, 4]] = 2  # a sequence that nothing is left of is rejected
        return x, y

    lengths = [[3, 2, 4]], [[3, 1, 4]]
    return followed(
        fluid, lambda x, y: fluid.evaluator.EditDistance(x, y, ignored_tokens=[0]), arrays, lengths
    )


def case_chunks(fluid):
    def arrays(seed):
        x, y = integers(12, 1, below=7, seed=seed), integers(12, 1, below=7, seed=seed + 10)
        y[2:8] = x[2:8]
        return x, y

    lengths = [[5, 3, 4]], [[5, 3, 4]]
    return followed(
        fluid, lambda x, y: fluid.evaluator.ChunkEvaluator(x, y, "IOB", 3), arrays, lengths
    )
