"""A branch that depends on data, in words of Paddle 1.8: Python's own `if` in dygraph mode, and
`layers.cond` in a program.

oarlock run-script branches.py    - prints what both give, which is the same.
"""

import numpy as np
from paddle import fluid

INPUTS = [np.full((2, 3), 4, "float32"), np.full((2, 3), -4, "float32")]


def in_dygraph(array):
    """Ops run when they are called, so Python may look at a value."""
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(array)
        if fluid.layers.reduce_mean(x).numpy()[0] > 0:
            y = x - 1.0
        else:
            y = x * x
        return y.numpy()


def in_program(arrays):
    """Ops are written down, both branches too; a run takes one of them."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        x = fluid.data("x", [None, 3], "float32")
        y = fluid.layers.cond(fluid.layers.reduce_mean(x) > 0.0, lambda: x - 1.0, lambda: x * x)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    return [exe.run(main, feed={"x": array}, fetch_list=[y])[0] for array in arrays]


def main():
    """Both ways, on data that takes either branch."""
    for array, written in zip(INPUTS, in_program(INPUTS)):
        ran = in_dygraph(array)
        np.testing.assert_allclose(ran, written)
        print(f"mean {array.mean():+.1f}: dygraph {ran[0].tolist()}, program {written[0].tolist()}")


if __name__ == "__main__":
    main()
