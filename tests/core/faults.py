"""What `test_faults.py` runs in a child process with `faults.cpp` preloaded.

python -m tests.core.faults NAME
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable

import numpy as np

import oarlock as paddle
from oarlock.core import _kernels

CONTROL = ctypes.CDLL(None)  # the functions of faults.cpp


def fail_each_allocation(step: Callable[[], np.ndarray]) -> None:
    """Run `step` again and again, each time failing a later C++ allocation, until it needs no more
    of them.

    Each run returns the value of the first one or raises MemoryError; the process survives.
    """
    expected, failed = step(), 0
    for count in range(10_000):
        CONTROL.fail_allocation_after(count)
        try:
            found = step()
        except MemoryError:
            failed += 1
            continue
        finally:
            unused = CONTROL.allocations_before_failure() >= 0
            CONTROL.fail_allocation_after(-1)
        np.testing.assert_array_equal(found, expected)
        if unused:
            print("failed", failed > 0)
            return
    raise AssertionError("the step never ran without a failure")


def backward() -> None:
    """A backward pass with shared leaves, several results and a hook."""

    def step() -> np.ndarray:
        x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)
        w = paddle.to_tensor([0.5, 2.0], stop_gradient=False)
        first, second = paddle.split(x * w, 2, axis=1)
        first.register_hook(lambda g: g * 2)
        ((first + second) * x).sum().backward()
        return np.concatenate([x.gradient().ravel(), w.gradient()])

    fail_each_allocation(step)


def kernels() -> None:
    """Kernels that need workspace, on several threads."""
    rng = np.random.default_rng(0)
    image = paddle.to_tensor(rng.standard_normal((8, 16, 20, 20)).astype("f"))
    weight = paddle.to_tensor(rng.standard_normal((32, 16, 3, 3)).astype("f"))
    square = paddle.to_tensor(rng.standard_normal((200, 200)).astype("f"))

    def step() -> np.ndarray:
        paddle.set_num_threads(4)  # starts new threads, which have no workspace yet
        image.stop_gradient = weight.stop_gradient = False
        image.clear_gradient()
        weight.clear_gradient()
        out = paddle.nn.functional.conv2d(image, weight).sum() + paddle.matmul(square, square).sum()
        out.backward()
        return np.concatenate([weight.gradient().ravel(), image.gradient().ravel()])

    fail_each_allocation(step)


def threads() -> None:
    """Create fewer threads than requested, for all counts that the system may allow."""
    x = paddle.to_tensor(np.arange(400_000, dtype="f").reshape(400, 1000))
    expected = paddle.matmul(x, x, transpose_y=True).numpy()
    for allowed in (2, 1, 0):
        paddle.set_num_threads(4)
        CONTROL.fail_threads_after(allowed)
        for _ in range(2):
            np.testing.assert_array_equal(paddle.matmul(x, x, transpose_y=True).numpy(), expected)
        CONTROL.fail_threads_after(-1)
        print(_kernels.thread_count())
    paddle.set_num_threads(4)
    np.testing.assert_array_equal(paddle.matmul(x, x, transpose_y=True).numpy(), expected)
    print(_kernels.thread_count())


if __name__ == "__main__":
    {"backward": backward, "kernels": kernels, "threads": threads}[sys.argv[1]]()
