"""What goes wrong, said in one voice: `op: what was wrong (X=float32[2,3], Y=float32[4,5])`, then
the user's line.
"""

from __future__ import annotations

import contextlib
import linecache
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from types import FrameType
from typing import NamedTuple

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class OarlockError(Exception):
    """Base of every error that Oarlock raises about a user's program or file."""


class OpError(OarlockError, ValueError):
    """An op was given operands or attributes it does not accept."""


class OperandError(OpError, TypeError):
    """An operand is no tensor, or of a dtype that the op does not take."""


class ArgumentsError(OpError, TypeError):
    """A function was called with arguments that it does not have, or without some that it needs; a
    TypeError in Python, a ValueError in Paddle.
    """


class MisfitError(OpError, AssertionError):
    """A value does not fit what it is put into; an AssertionError in Paddle."""


class RangeError(OpError, IndexError):
    """An index of more axes than there are, or a mask of another shape; an IndexError in Paddle."""


class MemoryLimitError(OpError, MemoryError):
    """A result needs more memory than is available, or than OARLOCK_MAX_RESULT_BYTES allows."""


class PlaceError(OpError):
    """Operands are on two devices."""


class SequencesError(OpError, RuntimeError):
    """Something that holds sequences was asked for as if it held none; a RuntimeError in Paddle."""


class StateError(OpError, RuntimeError):
    """An object lacks the state that a call needs, such as a missing value of a state dict. Paddle
    raises RuntimeError.
    """


def same_kind(error: BaseException, message: str) -> OpError:
    """The error of an op in other words, and of the same kind."""
    kind = next(
        (kind for kind in (OperandError, MemoryLimitError) if isinstance(error, kind)), OpError
    )
    return kind(message)


class AssertError(OpError, AssertionError):
    """An assert, or a condition that leads to a `raise`, of a program that ran did not hold."""


class TraceError(OarlockError, RuntimeError):
    """A program could not be recorded: Python asked for a value that is not known while
    recording.
    """


class SideEffectError(TraceError):
    """The recorded code has a side effect that a program cannot represent, such as a backward pass
    or advancing an iterator created outside of the function.
    """


class BranchesError(TraceError, TypeError, ValueError):
    """Two branches give what cannot be one value; a TypeError in Paddle, a ValueError in 1.8."""


class GuardError(OarlockError, RuntimeError):
    """A recorded program was called with something its trace had assumed to be otherwise."""


class FileError(OarlockError, ValueError):
    """A file is not what it claims to be, or holds more or less than it says."""


class RuleError(OarlockError, RuntimeError):
    """What was asked for cannot be had as things stand; a RuntimeError in Paddle."""


class NumericsError(OarlockError, RuntimeError):
    """The result of an op contains NaN or infinity while results are checked
    (`FLAGS_check_nan_inf`).
    """


class VerifyError(OarlockError, RuntimeError):
    """A saved model does not give what the Layer gave."""


class UserLine(NamedTuple):
    """The innermost line of the user's own source on the stack.

    file: base name only, so that files stay equal.
    """

    file: str
    lineno: int
    function: str
    text: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.lineno} in {self.function}"
        return f"{where}: {self.text}" if self.text else where


def is_library_file(filename: str) -> bool:
    """Whether `filename` belongs to Oarlock itself."""
    if filename.startswith(_COMMANDS):
        return False
    if filename.startswith(COMPILED):
        return True
    # our context managers pass through it
    return filename.startswith(_ROOTS) or filename == contextlib.__file__


def _roots() -> tuple[str, ...]:
    """The folders whose frames are ours; an editable install keeps `export` and `loader` beside
    `tracer`.
    """
    home = os.path.dirname(_PACKAGE.rstrip(os.sep))
    beside = tuple(os.path.join(home, name) + os.sep for name in ("export", "loader"))
    return (_PACKAGE, *beside)


COMPILED = "<oarlock program"  # the file that functions made of programs say they are from
_ROOTS = _roots()
_NUMPY = os.sep + "numpy" + os.sep  # its frames lie between when it is handed a tensor
_COMMANDS = os.path.join(_PACKAGE, "cli") + os.sep


def user_frame() -> FrameType | None:
    """The innermost frame that is not Oarlock's, or None."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (
        is_library_file(frame.f_code.co_filename) or _NUMPY in frame.f_code.co_filename
    ):
        frame = frame.f_back
    return frame


def user_line() -> UserLine | None:
    """The line of the innermost frame that is not Oarlock's, or None when all frames are ours or a
    command of ours is at work.
    """
    frame = user_frame()
    if frame is None:
        return None
    code = frame.f_code
    if code.co_filename.startswith(_COMMANDS) and not code.co_filename.endswith("demo.py"):
        return None  # the demonstration is a user like any other; what calls it is not
    text = linecache.getline(code.co_filename, frame.f_lineno).strip()
    return UserLine(os.path.basename(code.co_filename), frame.f_lineno, code.co_name, text)


class _Warnings(threading.local):
    held: list[Callable[[], None]] | None = None


_warnings = _Warnings()


@contextlib.contextmanager
def defer_warnings() -> Iterator[list[Callable[[], None]]]:
    """Defer the warnings of this thread in the body: yield a list of functions, each of which
    issues one warning.
    """
    before, _warnings.held = _warnings.held, []
    try:
        yield _warnings.held
    finally:
        _warnings.held = before


def warn(message: str) -> None:
    """A UserWarning at the user's own line, however deep in Oarlock it is given."""
    frame = user_frame()
    if frame is None:
        warnings.warn(message, stacklevel=2)
        return
    names, file, line = frame.f_globals, frame.f_code.co_filename, frame.f_lineno

    def give() -> None:
        registry = names.setdefault("__warningregistry__", {})
        warnings.warn_explicit(message, UserWarning, file, line, names.get("__name__"), registry)

    if _warnings.held is None:
        give()
    else:
        _warnings.held.append(give)


def with_user_line(message: str) -> str:
    """`message`, followed by the user's own line when there is one."""
    line = user_line()
    return message if line is None else f"{message}\n  at {line}"
