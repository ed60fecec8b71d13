"""Exception classes, the user's source line, and warnings.

Messages have the form `op: what was wrong (X=float32[2,3], Y=float32[4,5])`, followed by the user's
line.
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
    """Base class of all errors about a user's program or file."""


class OpError(OarlockError, ValueError):
    """Invalid inputs or attributes of an op."""


class OperandError(OpError, TypeError):
    """An input is not a tensor, or has a dtype that the op does not accept."""


class ArgumentsError(OpError, TypeError):
    """Unknown or missing arguments of a function; a TypeError in Python, a ValueError in Paddle."""


class MisfitError(OpError, AssertionError):
    """A value does not match its target; an AssertionError in Paddle."""


class RangeError(OpError, IndexError):
    """An index out of range, with too many axes, or a mask with a wrong shape; an IndexError in
    Paddle.
    """


class MemoryLimitError(OpError, MemoryError):
    """A result needs more memory than is available, or than OARLOCK_MAX_RESULT_BYTES allows."""


class PlaceError(OpError):
    """Inputs are on two devices."""


class SequencesError(OpError, RuntimeError):
    """An operation that is not supported for tensors with LoD; a RuntimeError in Paddle."""


class StateError(OpError, RuntimeError):
    """An object lacks the state that a call needs, such as a missing value of a state dict. Paddle
    raises RuntimeError.
    """


def same_kind(error: BaseException, message: str) -> OpError:
    """An OpError with another message and the class of `error`."""
    kind = next(
        (kind for kind in (OperandError, MemoryLimitError) if isinstance(error, kind)), OpError
    )
    return kind(message)


class AssertError(OpError, AssertionError):
    """An assert in a program failed, or its condition leads to a `raise`."""


class TraceError(OarlockError, RuntimeError):
    """A program cannot be recorded: Python needs a value that is unknown while recording."""


class SideEffectError(TraceError):
    """The recorded code has a side effect that a program cannot represent, such as a backward pass
    or advancing an iterator created outside of the function.
    """


class BranchesError(TraceError, TypeError, ValueError):
    """The results of two branches cannot be merged; a TypeError in Paddle, a ValueError in 1.8."""


class GuardError(OarlockError, RuntimeError):
    """A recorded program was called with inputs that violate a guard of its trace."""


class FileError(OarlockError, ValueError):
    """A file is malformed, truncated or too long."""


class RuleError(OarlockError, RuntimeError):
    """The requested operation is not possible in the current state; a RuntimeError in Paddle."""


class NumericsError(OarlockError, RuntimeError):
    """The result of an op contains NaN or infinity while results are checked
    (`FLAGS_check_nan_inf`).
    """


class VerifyError(OarlockError, RuntimeError):
    """The outputs of a saved model differ from those of the layer."""


class UserLine(NamedTuple):
    """The innermost source line of the user on the stack.

    file: base name only, so that saved files do not depend on folders.
    """

    file: str
    lineno: int
    function: str
    text: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.lineno} in {self.function}"
        return f"{where}: {self.text}" if self.text else where


def is_library_file(filename: str) -> bool:
    """Whether a file belongs to Oarlock."""
    if filename.startswith(_COMMANDS):
        return False
    if filename.startswith(COMPILED):
        return True
    # context managers of Oarlock run in contextlib
    return filename.startswith(_ROOTS) or filename == contextlib.__file__


def _roots() -> tuple[str, ...]:
    """The folders of Oarlock's source files; in an editable install `export` and `loader` are
    beside `tracer`.
    """
    home = os.path.dirname(_PACKAGE.rstrip(os.sep))
    beside = tuple(os.path.join(home, name) + os.sep for name in ("export", "loader"))
    return (_PACKAGE, *beside)


COMPILED = "<oarlock program"  # file name of functions compiled from programs
_ROOTS = _roots()
_NUMPY = os.sep + "numpy" + os.sep  # NumPy calls Tensor.__array__
_COMMANDS = os.path.join(_PACKAGE, "cli") + os.sep


def user_frame() -> FrameType | None:
    """The innermost frame outside of Oarlock and NumPy; None if there is none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (
        is_library_file(frame.f_code.co_filename) or _NUMPY in frame.f_code.co_filename
    ):
        frame = frame.f_back
    return frame


def user_line() -> UserLine | None:
    """The innermost line outside of Oarlock; None if there is none or an `oarlock` command runs."""
    frame = user_frame()
    if frame is None:
        return None
    code = frame.f_code
    if code.co_filename.startswith(_COMMANDS) and not code.co_filename.endswith("demo.py"):
        return None  # the demo is user code; other commands are not
    text = linecache.getline(code.co_filename, frame.f_lineno).strip()
    return UserLine(os.path.basename(code.co_filename), frame.f_lineno, code.co_name, text)


class _Warnings(threading.local):
    deferred: list[Callable[[], None]] | None = None


_warnings = _Warnings()


@contextlib.contextmanager
def defer_warnings() -> Iterator[list[Callable[[], None]]]:
    """Defer the warnings of this thread in the body: yield a list of functions, each of which
    issues one warning.
    """
    before, _warnings.deferred = _warnings.deferred, []
    try:
        yield _warnings.deferred
    finally:
        _warnings.deferred = before


def warn(message: str) -> None:
    """Issue a UserWarning for the user's source line."""
    frame = user_frame()
    if frame is None:
        warnings.warn(message, stacklevel=2)
        return
    names, file, line = frame.f_globals, frame.f_code.co_filename, frame.f_lineno

    def emit() -> None:
        registry = names.setdefault("__warningregistry__", {})
        warnings.warn_explicit(message, UserWarning, file, line, names.get("__name__"), registry)

    if _warnings.deferred is None:
        emit()
    else:
        _warnings.deferred.append(emit)


def with_user_line(message: str) -> str:
    """`message` followed by the user's source line, if there is one."""
    line = user_line()
    return message if line is None else f"{message}\n  at {line}"
