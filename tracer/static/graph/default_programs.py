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
    """Return the main program, into which ops are recorded in static graph mode.

    Returns
    -------
    Program
        That of the innermost `program_guard`, else one for the process.

    Examples
    --------
    >>> program = paddle.static.Program()
    >>> with paddle.static.program_guard(program):
    ...     print(paddle.static.default_main_program() is program)
    True
    """
    return _ProcessDefaultPrograms.main


def default_startup_program() -> Program:
    """Return the startup program, which initializes persistable variables.

    It must be run once before the main program.

    Returns
    -------
    Program
        That of the innermost `program_guard` that states one, else one for the process.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     y = paddle.static.nn.fc(paddle.ones([1, 2]), 3)
    >>> sorted(op.type for op in startup.global_block().ops)
    ['fill_constant', 'uniform_random']
    >>> paddle.disable_static()
    """
    return _ProcessDefaultPrograms.startup


rng.main_program_seed_hook = lambda: _ProcessDefaultPrograms.main.random_seed
rng.startup_program_seed_hook = lambda: _ProcessDefaultPrograms.startup.random_seed


def switch_main_program(program: Program) -> Program:
    """Make another program the main program of the process.

    Parameters
    ----------
    program : Program

    Returns
    -------
    Program
        The previous one.

    See Also
    --------
    program_guard : Context manager that switches back.

    Examples
    --------
    >>> program = paddle.static.Program()
    >>> previous = paddle.static.switch_main_program(program)
    >>> paddle.static.switch_main_program(previous) is program
    True
    """
    previous, _ProcessDefaultPrograms.main = _ProcessDefaultPrograms.main, program
    return previous


def switch_startup_program(program: Program) -> Program:
    """Make another program the startup program of the process.

    Parameters
    ----------
    program : Program

    Returns
    -------
    Program
        The previous one.

    See Also
    --------
    program_guard : Context manager that switches back.

    Examples
    --------
    >>> program = paddle.static.Program()
    >>> previous = paddle.static.switch_startup_program(program)
    >>> paddle.static.switch_startup_program(previous) is program
    True
    """
    previous, _ProcessDefaultPrograms.startup = _ProcessDefaultPrograms.startup, program
    return previous


@contextmanager
def program_guard(main_program: Program, startup_program: Program | None = None) -> Iterator[None]:
    """Context manager: record the ops of the body into other programs.

    Parameters
    ----------
    main_program : Program
    startup_program : Program, optional
        Default: the current one.

    Yields
    ------
    None

    Raises
    ------
    TypeError
        If an argument is not a Program.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [None, 2], "float32")
    ...     y = 2 * x
    >>> [op.type for op in main.global_block().ops]
    ['scale']
    >>> paddle.disable_static()
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
    """Context manager: label the ops that are recorded in the body.

    Their attribute op_namescope is `prefix`, preceded by the prefixes of the enclosing scopes. The
    second scope with the same prefix is called prefix_1.

    Parameters
    ----------
    prefix : str
        Not empty, without "/".

    Yields
    ------
    None

    Raises
    ------
    ArgumentAssertionError
        If `prefix` is missing, empty or contains "/".

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     with paddle.static.name_scope("head"):
    ...         y = 2 * paddle.static.data("x", [2], "float32")
    >>> main.global_block().ops[-1].attr("op_namescope")
    '/head/'
    >>> paddle.disable_static()
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
    """Context manager: label the ops that are recorded in the body with a device.

    The attribute op_device has no effect: programs run on the CPU.

    Parameters
    ----------
    device : str, optional
        "cpu", "gpu", or with an index "gpu:0".

    Yields
    ------
    None

    Raises
    ------
    OpError
        If `device` is none of these.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     with paddle.static.device_guard("gpu:0"):
    ...         y = 2 * paddle.static.data("x", [2], "float32")
    >>> main.global_block().ops[-1].attr("op_device")
    'gpu:0'
    >>> paddle.disable_static()
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


Variable._get_main_blocks = lambda: default_main_program().blocks
