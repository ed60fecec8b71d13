"""Reading, validating, lowering and compiling take time linear in the program size; signals
interrupt them.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.compiler.compiled_function import CompiledProgram
from oarlock.export.pdmodel import to_bytes
from oarlock.ir.program import Program
from oarlock.ir.verifier import find_problems
from oarlock.loader.pdmodel import parse_program
from oarlock.loader.runtime import runtime_module

from .scaling_programs import (
    FAMILIES,
    NESTED,
    branches,
    chain,
    conditional_writes,
    many_operands,
    nested_branches,
    nested_loops,
    outputs,
    overwritten,
    same_operand,
)

pytestmark = pytest.mark.slow

MAX_NESTED = 31  # pairs of branches: the most blocks that may nest, with some to spare
# Work in C++ is measured by the time of the processor, which other processes change by less than a
# factor of four.
TIMES = 16  # larger: linear work takes 16 times as long, quadratic work 256 times
MOST = 64
# Work in Python is counted in instructions, which are the same in each run.
TIMES_COUNTED = 4
MOST_COUNTED = 5.0


def cpu_time(work: Callable[[], Any]) -> float:
    """Seconds of the processor, the least of several runs."""
    taken = []
    for _ in range(3):
        begin = time.process_time()
        attempt(work)
        taken.append(time.process_time() - begin)
    return max(min(taken), 1e-4)


def num_instructions(work: Callable[[], Any]) -> int:
    """How many instructions of Python's interpreter `work` takes."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        attempt(work)
    finally:
        sys.settrace(before)
    return count


def attempt(work: Callable[[], Any]) -> None:
    """Do the work, which may end in a list of the ops that have no lowering or no kernel."""
    with suppress(runtime_module().Error, NotImplementedError):
        work()


def lower(data: bytes) -> object:
    """In C++: parse, validate, lower, write ONNX."""
    return runtime_module().to_onnx(data, None)


def compile_program(data: bytes) -> object:
    """In Python: parse, validate, compile."""
    return CompiledProgram(parse_program(data))


@pytest.mark.parametrize("family", FAMILIES)
def test_lowering_is_linear_in_the_size(family: Callable[[int], Program]) -> None:
    size = 100 if family is branches else 500  # a file has at most 4096 blocks
    small, large = to_bytes(family(size)), to_bytes(family(size * TIMES))
    assert cpu_time(lambda: lower(large)) < MOST * cpu_time(lambda: lower(small))


@pytest.mark.parametrize("family", FAMILIES)
def test_compiling_is_linear_in_the_size(family: Callable[[int], Program]) -> None:
    small, large = (to_bytes(family(size)) for size in (40, 40 * TIMES_COUNTED))
    # and what only the first call does
    compile_program_once = num_instructions(lambda: compile_program(small))
    assert compile_program_once > 0
    counts = [num_instructions(lambda data=data: compile_program(data)) for data in (small, large)]
    assert counts[1] < MOST_COUNTED * counts[0]


def check_rules(data: bytes) -> object:
    """In Python: parse, and all that `oarlock verify` judges a program by."""
    return find_problems(parse_program(data))


def clone_for_test(data: bytes) -> object:
    """In Python: parse, and remove the training ops."""
    return paddle.static.Program.view_of_raw(parse_program(data)).clone(for_test=True)


def differentiate(data: bytes) -> object:
    """In Python: parse, and append the ops of the gradients."""
    program = paddle.static.Program.view_of_raw(parse_program(data))
    result = program.raw.fetch_names()[0]
    paddle.enable_static()
    try:
        with paddle.static.program_guard(program):
            loss = paddle.mean(program.global_block().var(result))
            return paddle.static.append_backward(loss, parameter_list=["x"])
    finally:
        paddle.disable_static()


def check_counts(work: Callable[[bytes], object], small: bytes, large: bytes) -> None:
    """Work on a file TIMES_COUNTED as large takes as many times the instructions."""
    num_instructions(lambda: work(small))  # and what only the first call does
    counts = [num_instructions(lambda data=data: work(data)) for data in (small, large)]
    assert 0 < counts[1] < MOST_COUNTED * counts[0]


@pytest.mark.parametrize("work", [check_rules, clone_for_test])
@pytest.mark.parametrize("family", FAMILIES)
def test_passes_are_linear_in_the_size(
    family: Callable[[int], Program], work: Callable[[bytes], object]
) -> None:
    check_counts(work, to_bytes(family(40)), to_bytes(family(40 * TIMES_COUNTED)))


@pytest.mark.parametrize(
    "family", [chain, outputs, overwritten, many_operands, same_operand, conditional_writes]
)
def test_differentiating_is_linear_in_the_size(family: Callable[[int], Program]) -> None:
    check_counts(differentiate, to_bytes(family(40)), to_bytes(family(40 * TIMES_COUNTED)))


def test_rules_are_linear_in_the_innermost_block() -> None:
    """The work of a level depends on its own names, not on the levels below."""
    shallow, deep = to_bytes(nested_loops(15, 200)), to_bytes(nested_loops(60, 200))
    counts = [
        num_instructions(lambda data=data: check_rules(data)) for data in (shallow, shallow, deep)
    ]
    assert counts[2] < 20 * counts[1]


@pytest.mark.parametrize("family", NESTED)
def test_work_is_linear_in_the_depth(family: Callable[[int], Program]) -> None:
    """Each level adds the same work; exponential work would be thousands of times larger."""
    half, full = to_bytes(family(MAX_NESTED // 2)), to_bytes(family(MAX_NESTED))
    growth = len(full) / len(half)  # names grow with the depth
    assert cpu_time(lambda: lower(full)) < MOST * cpu_time(lambda: lower(half))
    counts = [
        num_instructions(lambda data=data: compile_program(data)) for data in (half, half, full)
    ]
    assert counts[2] < 3 * growth * counts[1]


def test_maximum_block_depth() -> None:
    deepest = to_bytes(nested_branches(62))
    lower(deepest), compile_program(deepest)
    too_deep = to_bytes(nested_branches(63))
    with pytest.raises(paddle.FileError, match="nested 65 deep"):
        parse_program(too_deep)
    with pytest.raises(runtime_module().Error, match="nested more than 64 deep"):
        lower(too_deep)


class SignalReceived(BaseException):
    """What the handler of a signal raises, as that of Ctrl-C does."""


def handler_calls(work: Callable[[], object], raise_at: int = 0) -> int:
    """Return how often a signal handler runs that is triggered every millisecond during `work`.

    Python runs it before and behind a function in C, and within one that lets it: more than a few
    calls prove that `work` does, however fast or busy the machine is. raise_at: the call that
    raises Alarm, 0 for none.
    """
    calls = 0

    def ring(*_: object) -> None:
        nonlocal calls
        calls += 1
        if calls == raise_at:
            raise SignalReceived

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    try:
        work()
    except SignalReceived:
        signal.setitimer(signal.ITIMER_REAL, 0)
        return calls
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not raise_at, "the work came to its end"
    return calls


AROUND = 3  # calls of a handler before and behind a function in C


def check_signals(*sizes: Callable[[], object]) -> None:
    """Signal handlers run during the first work that is long enough, and one that raises ends it."""
    long = next((work for work in sizes if handler_calls(work) > 2 * AROUND), None)
    assert long is not None, "handlers run before and behind the work alone"
    assert handler_calls(long, raise_at=AROUND + 1) <= 2 * AROUND


def test_signal_interrupts_lowering() -> None:
    sizes = (to_bytes(chain(size)) for size in (50_000, 150_000, 450_000))
    check_signals(*(lambda data=data: lower(data) for data in sizes))


def test_signal_interrupts_matmul() -> None:
    x = paddle.to_tensor(np.ones((9000, 9000), "float32"))
    check_signals(
        *(lambda part=x[:size, :size]: paddle.matmul(part, part) for size in (4000, 6000, 9000))
    )
    assert float(paddle.matmul(x[:, :2], x[:2]).max()) == 2.0  # and the threads work on


def test_signal_interrupts_convolution() -> None:
    x, w = paddle.ones([64, 64, 112, 112]), paddle.ones([128, 64, 5, 5])
    check_signals(
        *(lambda part=x[:batch]: paddle.nn.functional.conv2d(part, w) for batch in (16, 32, 64))
    )
