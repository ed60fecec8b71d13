"""The programs that are being written: the main one, and the one that gives its variables their
first values.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...capture.variable import Variable
from ...core import rng
from ...core.errors import MisfitError, OpError, with_user_line
from ...core.tensor import Tensor
from .block import Block
from .program import Program


class _Current:
    """The two programs in force, for the process, as in Paddle."""

    main = Program()
    startup = Program()


def default_main_program() -> Program:
    """The program that ops are written to."""
    return _Current.main


def default_startup_program() -> Program:
    """The program that gives variables their first values; to be run once before the main one."""
    return _Current.startup


rng.program_seed = lambda: _Current.main.random_seed
rng.startup_seed = lambda: _Current.startup.random_seed


def _block(self: Tensor) -> Block:
    """The outermost block of the main program, as Paddle says of tensors that run at once:
    `initializer(weight, weight.block)`.
    """
    return default_main_program().global_block()


setattr(Tensor, "block", property(_block))  # noqa: B010 - a Tensor knows no programs; a Variable has its own


def switch_main_program(program: Program) -> Program:
    """Write to another main program from now on; gives the one before."""
    before, _Current.main = _Current.main, program
    return before


def switch_startup_program(program: Program) -> Program:
    """Write first values to another program from now on; gives the one before."""
    before, _Current.startup = _Current.startup, program
    return before


@contextmanager
def program_guard(main_program: Program, startup_program: Program | None = None) -> Iterator[None]:
    """Write to other programs in the body.   Raises TypeError for what is no Program."""
    for what, given in (("main_program", main_program), ("startup_program", startup_program)):
        if not (isinstance(given, Program) or (given is None and what == "startup_program")):
            raise TypeError(
                with_user_line(f"program_guard: {what} is {type(given).__name__}, not a Program")
            )
    before = _Current.main, _Current.startup
    _Current.main, _Current.startup = (
        main_program,
        before[1] if startup_program is None else startup_program,
    )
    try:
        yield
    finally:
        _Current.main, _Current.startup = before


@contextmanager
def name_scope(prefix: str | None = None) -> Iterator[None]:
    """Ops of the body say that they belong to `prefix`, inside of what those around say; a second
    one of a name is `prefix_1`.
    """
    if not prefix or "/" in prefix:
        raise MisfitError(
            with_user_line(
                f"name_scope: {prefix!r} is not a name; it should have letters, and no '/'"
            )
        )
    recorder = default_main_program().recorder
    inside = "/".join(recorder.name_scopes)
    count = recorder.scopes_named[inside, prefix] = (
        recorder.scopes_named.get((inside, prefix), -1) + 1
    )
    recorder.name_scopes.append(f"{prefix}_{count}" if count else prefix)
    try:
        yield
    finally:
        recorder.name_scopes.pop()


@contextmanager
def device_guard(device: str | None = None) -> Iterator[None]:
    """Ops of the body say where they were asked to run: 'cpu', 'gpu', 'gpu:0'.

    Here they run on the CPU.
    """
    kind, _, index = (device or "").partition(":")
    if (
        kind not in ("", "cpu", "gpu", "xpu", "npu")
        or (index and not index.isdigit())
        or (kind == "cpu" and index)
    ):
        raise OpError(
            with_user_line(f"device_guard: {device!r} is not one of None, 'cpu', 'gpu', 'gpu:N'")
        )
    recorder = default_main_program().recorder
    before, recorder.device = recorder.device, device or ""
    try:
        yield
    finally:
        recorder.device = before


Variable.main_blocks = lambda: default_main_program().blocks
