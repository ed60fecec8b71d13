"""The default main program and startup program, and context managers that replace these or annotate
the recorded ops.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...capture.variable import Variable
from ...core import rng
from ...core.errors import ArgumentAssertionError, OpError, append_user_line
from .program import Program


class _ProcessDefaultPrograms:
    """The current programs. The default programs are global to the process, not per thread, as in
    Paddle.
    """

    main = Program()
    startup = Program()


def default_main_program() -> Program:
    """Return the main program, into which ops are recorded."""
    return _ProcessDefaultPrograms.main


def default_startup_program() -> Program:
    """Return the startup program, which initializes persistable variables. The startup program must
    be run once before the main program.
    """
    return _ProcessDefaultPrograms.startup


rng.main_program_seed_hook = lambda: _ProcessDefaultPrograms.main.random_seed
rng.startup_program_seed_hook = lambda: _ProcessDefaultPrograms.startup.random_seed


def switch_main_program(program: Program) -> Program:
    """Make `program` the main program, and return the previous one."""
    previous, _ProcessDefaultPrograms.main = _ProcessDefaultPrograms.main, program
    return previous


def switch_startup_program(program: Program) -> Program:
    """Make `program` the startup program, and return the previous one."""
    previous, _ProcessDefaultPrograms.startup = _ProcessDefaultPrograms.startup, program
    return previous


@contextmanager
def program_guard(main_program: Program, startup_program: Program | None = None) -> Iterator[None]:
    """Context manager: record the ops of the body into other programs. Raises TypeError for objects
    that are not a Program.
    """
    for name, program in (("main_program", main_program), ("startup_program", startup_program)):
        if not (isinstance(program, Program) or (program is None and name == "startup_program")):
            raise TypeError(
                append_user_line(
                    f"program_guard: {name} is {type(program).__name__}, not a Program"
                )
            )
    previous = _ProcessDefaultPrograms.main, _ProcessDefaultPrograms.startup
    _ProcessDefaultPrograms.main, _ProcessDefaultPrograms.startup = (
        main_program,
        previous[1] if startup_program is None else startup_program,
    )
    try:
        yield
    finally:
        _ProcessDefaultPrograms.main, _ProcessDefaultPrograms.startup = previous


@contextmanager
def name_scope(prefix: str | None = None) -> Iterator[None]:
    """Context manager: set the attribute op_namescope of the ops recorded in the body to `prefix`,
    preceded by the prefixes of the enclosing scopes. The second scope with the same prefix is
    called `prefix_1`.
    """
    if not prefix or "/" in prefix:
        raise ArgumentAssertionError(
            append_user_line(
                f"name_scope: prefix={prefix!r}; must be a non-empty string without '/'"
            )
        )
    recorder = default_main_program().recorder
    parent = "/".join(recorder.name_scopes)
    count = recorder.scope_counts[parent, prefix] = (
        recorder.scope_counts.get((parent, prefix), -1) + 1
    )
    recorder.name_scopes.append(f"{prefix}_{count}" if count else prefix)
    try:
        yield
    finally:
        recorder.name_scopes.pop()


@contextmanager
def device_guard(device: str | None = None) -> Iterator[None]:
    """Context manager: set the attribute op_device of the ops recorded in the body: 'cpu', 'gpu',
    'gpu:0'.

    The attribute has no effect: programs run on the CPU.
    """
    kind, _, index = (device or "").partition(":")
    if (
        kind not in ("", "cpu", "gpu", "xpu", "npu")
        or (index and not index.isdigit())
        or (kind == "cpu" and index)
    ):
        raise OpError(
            append_user_line(f"device_guard: {device!r} is not one of None, 'cpu', 'gpu', 'gpu:N'")
        )
    recorder = default_main_program().recorder
    previous, recorder.device = recorder.device, device or ""
    try:
        yield
    finally:
        recorder.device = previous


Variable.get_main_blocks = lambda: default_main_program().blocks
