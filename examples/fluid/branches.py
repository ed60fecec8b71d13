"""A data-dependent branch in the API of Paddle 1.8: Python's `if` in dygraph mode, and
`layers.cond` in a program.

oarlock run-script branches.py
- prints the equal results of both.
"""

import numpy as np
from paddle import fluid

INPUTS = [np.full((2, 3), 4, "float32"), np.full((2, 3), -4, "float32")]


def in_dygraph(array):
    """Run ops eagerly, so that Python can read a value."""
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(array)
        if fluid.layers.reduce_mean(x).numpy()[0] > 0:
            y = x - 1.0
        else:
            y = x * x
        return y.numpy()


def in_program(arrays):
    """Record both branches in a program; each run executes one of them."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        x = fluid.data("x", [None, 3], "float32")
        y = fluid.layers.cond(fluid.layers.reduce_mean(x) > 0.0, lambda: x - 1.0, lambda: x * x)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    return [exe.run(main, feed={"x": array}, fetch_list=[y])[0] for array in arrays]


def main():
    """Compare both modes on data for each branch."""
    for array, static in zip(INPUTS, in_program(INPUTS)):
        eager = in_dygraph(array)
        np.testing.assert_allclose(eager, static)
        print(
            f"mean {array.mean():+.1f}: dygraph {eager[0].tolist()}, program {static[0].tolist()}"
        )


if __name__ == "__main__":
    main()
