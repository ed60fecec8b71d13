"""Learning rates of a program, over its runs."""

import numpy as np

RATES = {
    "noam": lambda l: l.noam_decay(64, 3, 2.0), "exponential": lambda l: l.exponential_decay(0.1, 2, 0.5), "exponential_stairs": lambda l: l.exponential_decay(0.1, 2, 0.5, staircase=True),
    "natural_exp": lambda l: l.natural_exp_decay(0.1, 2, 0.5), "inverse_time": lambda l: l.inverse_time_decay(0.1, 2, 0.5, True), "polynomial": lambda l: l.polynomial_decay(0.1, 3, 0.01, 2.0),
    "polynomial_cycle": lambda l: l.polynomial_decay(0.1, 3, 0.01, 2.0, cycle=True), "piecewise": lambda l: l.piecewise_decay([2, 4], [0.3, 0.2, 0.1]), "cosine": lambda l: l.cosine_decay(0.1, 2, 4),
    "warmup": lambda l: l.linear_lr_warmup(0.1, 3, 0.01, 0.2), "warmup_of": lambda l: l.linear_lr_warmup(l.exponential_decay(0.1, 2, 0.5), 3, 0.01, 0.2),
}  # fmt: skip


def _over_runs(rate):
    def case(fluid):
        main, startup = fluid.Program(), fluid.Program()
        with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(fluid.Scope()):
            made = rate(fluid.layers)
            executor = fluid.Executor(fluid.CPUPlace())
            executor.run(startup)
            return np.stack([executor.run(main, fetch_list=[made])[0] for _ in range(8)])

    return case


globals().update({"case_" + name: _over_runs(rate) for name, rate in RATES.items()})
