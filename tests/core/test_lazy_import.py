"""Packages and ops that are imported when they are first used, in several threads at once."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Each thread begins with another package or op, in an order that `seed` determines.
PROGRAM = """
import random, sys, threading

import oarlock as paddle
from oarlock.core.op import OPS

sys.setswitchinterval(1e-6)

def differentiate():
    x = paddle.ones([3])
    x.stop_gradient = False
    (paddle.exp(paddle.nn.functional.relu(x)) * x).sum().backward()
    assert x.grad.shape == [3]

first_uses = [
    lambda: paddle.nn.Linear(2, 2)(paddle.ones([1, 2])),
    lambda: paddle.jit.to_static(paddle.nn.Linear(2, 2))(paddle.ones([1, 2])),
    lambda: paddle.static.Program(),
    lambda: paddle.optimizer.Adam(parameters=[paddle.create_parameter([2], "float32")]),
    lambda: paddle.cumsum(paddle.ones([3])),
    lambda: paddle.nn.functional.conv2d(paddle.ones([1, 1, 3, 3]), paddle.ones([1, 1, 2, 2])),
    lambda: paddle.linalg.svd(paddle.ones([2, 2])),
    lambda: paddle.vision.models.LeNet(),
    lambda: paddle.fluid.layers,
    lambda: paddle.inference.Config,
    lambda: list(OPS),
    differentiate,
    differentiate,
]
random.Random(SEED).shuffle(first_uses)
barrier, failed = threading.Barrier(len(first_uses)), []

def run(use):
    barrier.wait()
    try:
        use()
    except BaseException as error:
        failed.append(repr(error))

threads = [threading.Thread(target=run, args=[use]) for use in first_uses]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not failed, failed
"""


@pytest.mark.parametrize("seed", range(4))
def test_threads_import_at_once(seed: int) -> None:
    code = PROGRAM.replace("SEED", str(seed))
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_child_imports_while_a_thread_of_its_parent_imports() -> None:
    code = """
import os, threading
import oarlock as paddle
from oarlock.core import lazy_import

held, done = threading.Event(), threading.Event()

def hold():
    with lazy_import._lock:
        held.set()
        done.wait()

threading.Thread(target=hold).start()
held.wait()
child = os.fork()
if child == 0:
    paddle.nn.Linear(2, 2)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
done.set()
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_an_op_is_visible_after_its_module_is_complete() -> None:
    """An op gets its gradient and its compiled kernel after its definition."""
    code = """
from oarlock.core.op import OPS
found = []
define = OPS.define
def look(type, op):
    define(type, op)
    found.append(dict.__contains__(OPS, type))
OPS.define = look
assert OPS["relu"] is OPS["relu"]
assert found and not any(found)
assert dict.__contains__(OPS, "relu")
"""
    subprocess.run([sys.executable, "-c", code], check=True)
