"""Deprecated names warn once, with the name of Paddle 2."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import warnings
import numpy as np
import oarlock.fluid as fluid

with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    with fluid.dygraph.guard():
        for _ in range(3):
            fluid.layers.relu(fluid.dygraph.to_variable(np.ones(2, "float32")))
for one in told:
    print(one.category.__name__, one.message)
"""


def test_deprecated_name_warns_once() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, timeout=60
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 3
    assert all(line.startswith("DeprecationWarning fluid.") for line in lines)
    assert (
        sum("to_variable is an old name; Paddle 2 has paddle.to_tensor" in line for line in lines)
        == 1
    )
    assert (
        sum("relu is an old name; Paddle 2 has paddle.nn.functional.relu" in line for line in lines)
        == 1
    )
