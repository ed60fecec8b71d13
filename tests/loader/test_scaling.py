"""Reading, validating, lowering and compiling a program take time linear in its size, and Ctrl-C ends them."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.export.pdmodel import to_bytes
from oarlock.loader.engine import runtime
from oarlock.loader.files import program_from_bytes
from oarlock.static.compiled.compiled import Compiled
from oarlock.static.program import Program

from .scaling_programs import FAMILIES, NESTED, branches, chain, nested_branches

TIMES = 4  # larger: linear work takes 4 times as long, quadratic work 16 times
MOST = 9.0
MAX_NESTED = 31  # pairs of branches: the most blocks that may nest, with some to spare


def cpu_time(run: Callable[[], Any]) -> float:
    """Seconds of the processor, the least of several runs."""
    taken = []
    for _ in range(3):
        begin = time.process_time()
        try:
            run()
        except (runtime().Error, NotImplementedError):  # ops without a lowering or a kernel, all listed
            pass
        taken.append(time.process_time() - begin)
    return min(taken)


def lower(data: bytes) -> object:
    """In C++: parse, validate, lower, write ONNX."""
    return runtime().to_onnx(data, None)


def compile_program(data: bytes) -> object:
    """In Python: parse, validate, compile."""
    return Compiled(program_from_bytes(data))


@pytest.mark.parametrize("work", [lower, compile_program])
@pytest.mark.parametrize("family", FAMILIES)
def test_time_is_linear_in_the_size(family: Callable[[int], Program], work: Callable[[bytes], object]) -> None:
    size = 150 if work is compile_program else 1000
    size = min(size, 400) if family is branches else size  # a file has at most 4096 blocks
    small, large = to_bytes(family(size)), to_bytes(family(size * TIMES))
    for _ in range(3):  # another process may have slowed one of the two
        ratio = cpu_time(lambda: work(large)) / cpu_time(lambda: work(small))
        if ratio < MOST:
            return
    pytest.fail(f"{TIMES} times the ops take {ratio:.1f} times as long")


@pytest.mark.parametrize("work", [lower, compile_program])
@pytest.mark.parametrize("family", NESTED)
def test_time_is_linear_in_the_depth(family: Callable[[int], Program], work: Callable[[bytes], object]) -> None:
    """One level more costs what the level before did: exponential work would not end."""
    half, full = to_bytes(family(MAX_NESTED // 2)), to_bytes(family(MAX_NESTED))
    growth = len(full) / len(half)  # names grow with the depth
    assert cpu_time(lambda: work(full)) < 3 * growth * max(cpu_time(lambda: work(half)), 1e-3)


def test_blocks_nest_64_deep_in_both_readers() -> None:
    deepest = to_bytes(nested_branches(62))
    lower(deepest), compile_program(deepest)
    too_deep = to_bytes(nested_branches(63))
    with pytest.raises(paddle.FileError, match="nested 65 deep"):
        program_from_bytes(too_deep)
    with pytest.raises(runtime().Error, match="nested more than 64 deep"):
        lower(too_deep)


class Alarm(BaseException):
    """What the handler of a signal raises, as that of Ctrl-C does."""


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Raise Alarm after some time, by a signal."""

    def ring(*_: object) -> None:
        raise Alarm

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def ends_early(work: Callable[[], object]) -> None:
    """A signal ends `work` in less than half the time that it takes."""
    begin = time.perf_counter()
    work()
    whole = time.perf_counter() - begin
    begin = time.perf_counter()
    with pytest.raises(Alarm), alarm(whole / 10):
        work()
    assert time.perf_counter() - begin < whole / 2


def test_a_signal_ends_lowering() -> None:
    data = to_bytes(chain(60_000))
    ends_early(lambda: lower(data))


def test_a_signal_ends_one_large_product() -> None:
    x = paddle.to_tensor(np.ones((3500, 3500), "float32"))
    ends_early(lambda: paddle.matmul(x, x))
    assert float(paddle.matmul(x[:, :2], x[:2]).max()) == 2.0  # and the threads work on
