"""Learning rate schedules of a program over several runs."""

import numpy as np

from .common import fresh_programs

RATES = {
    "noam": lambda f: f.noam_decay(64, 3, 2.0),
    "exponential": lambda f: f.exponential_decay(0.1, 2, 0.5),
    "exponential_stairs": lambda f: f.exponential_decay(0.1, 2, 0.5, staircase=True),
    "natural_exp": lambda f: f.natural_exp_decay(0.1, 2, 0.5),
    "inverse_time": lambda f: f.inverse_time_decay(0.1, 2, 0.5, True),
    "polynomial": lambda f: f.polynomial_decay(0.1, 3, 0.01, 2.0),
    "polynomial_cycle": lambda f: f.polynomial_decay(0.1, 3, 0.01, 2.0, cycle=True),
    "piecewise": lambda f: f.piecewise_decay([2, 4], [0.3, 0.2, 0.1]),
    "cosine": lambda f: f.cosine_decay(0.1, 2, 4),
    "warmup": lambda f: f.linear_lr_warmup(0.1, 3, 0.01, 0.2),
    "warmup_of": lambda f: f.linear_lr_warmup(f.exponential_decay(0.1, 2, 0.5), 3, 0.01, 0.2),
}


def _over_runs(rate):
    def case(fluid):
        with fresh_programs(fluid) as (main, startup):
            made = rate(fluid.layers)
            executor = fluid.Executor(fluid.CPUPlace())
            executor.run(startup)
            return np.stack([executor.run(main, fetch_list=[made])[0] for _ in range(8)])

    return case


globals().update({"case_" + name: _over_runs(rate) for name, rate in RATES.items()})
