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

_PACKAGE_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class OarlockError(Exception):
    """Base class of all errors that Oarlock raises about a user's program or file."""


class OpError(OarlockError, ValueError):
    """Invalid inputs or attributes of an op."""


class OperandError(OpError, TypeError):
    """An input is not a tensor, or has a dtype that the op does not accept."""


class ArgumentsError(OpError, TypeError):
    """The arguments of a call are unknown or missing. ArgumentsError is also a TypeError, as in
    Python, and a ValueError, as in Paddle.
    """


class ArgumentAssertionError(OpError, AssertionError):
    """An invalid argument for which Paddle raises an AssertionError, such as a value with another
    shape than its variable.
    """


class IndexRangeError(OpError, IndexError):
    """An index is out of range or has too many axes, or a mask has a wrong shape. IndexRangeError
    is also an IndexError, as in Paddle.
    """


class MemoryLimitError(OpError, MemoryError):
    """A result needs more memory than is available, or than OARLOCK_MAX_RESULT_BYTES allows."""


class DeviceMismatchError(OpError):
    """Inputs are on two devices."""


class LodNotSupportedError(OpError, RuntimeError):
    """An operation that does not support LoD (row splits of sequences) was called on a tensor with
    LoD. LodNotSupportedError is also a RuntimeError, as in Paddle.
    """


class MissingStateError(OpError, RuntimeError):
    """An object lacks the state that a call needs, such as a missing value of a state dict.
    MissingStateError is also a RuntimeError, as in Paddle.
    """


def op_error_like(error: BaseException, message: str) -> OpError:
    """Return an error with the given message: an OperandError or MemoryLimitError if `error` is
    one, otherwise an OpError.
    """
    kind = next(
        (kind for kind in (OperandError, MemoryLimitError) if isinstance(error, kind)), OpError
    )
    return kind(message)


class AssertError(OpError, AssertionError):
    """An assert in a program failed, or the condition of a `raise` in a program holds."""


class TraceError(OarlockError, RuntimeError):
    """A program cannot be recorded, because Python code needs a value that is unknown while
    recording.
    """


class SideEffectError(TraceError):
    """The recorded code has a side effect that a program cannot represent, such as a backward pass
    or advancing an iterator created outside of the function.
    """


class BranchMergeError(TraceError, TypeError, ValueError):
    """The results of two branches of a recorded program cannot be merged, because they differ in
    type or structure. BranchMergeError is also a TypeError, as in Paddle 2, and a ValueError, as in
    Paddle 1.8.
    """


class GuardError(OarlockError, RuntimeError):
    """A recorded program was called with inputs that violate a guard of its trace."""


class FileError(OarlockError, ValueError):
    """A file is missing, malformed, truncated or too long."""


class InvalidOperationError(OarlockError, RuntimeError):
    """The requested operation is not possible in the current state of an object or of the process.
    InvalidOperationError is also a RuntimeError, as in Paddle.
    """


class NumericsError(OarlockError, RuntimeError):
    """The result of an op contains NaN or infinity while results are checked
    (`FLAGS_check_nan_inf`).
    """


class VerifyError(OarlockError, RuntimeError):
    """The outputs of a saved model differ from those of the layer."""


class UserLine(NamedTuple):
    """The innermost source line of the user's code on the call stack.

    file: base name only, so that saved files do not depend on folders.
    """

    file: str
    lineno: int
    function: str
    text: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.lineno} in {self.function}"
        return f"{where}: {self.text}" if self.text else where


def is_oarlock_internal_file(filename: str) -> bool:
    """Whether a file is library code in tracebacks: Oarlock's own files except the commands in
    `cli`, compiled programs, and contextlib.
    """
    if filename.startswith(_CLI_FOLDER):
        return False
    if filename.startswith(COMPILED_FILE_PREFIX):
        return True
    # context managers of Oarlock are called by contextlib
    return filename.startswith(_SOURCE_FOLDERS) or filename == contextlib.__file__


def _source_folders() -> tuple[str, ...]:
    """Return the folders that contain Oarlock's source files. In an editable install, the folders
    `export` and `loader` are next to `tracer`.
    """
    home = os.path.dirname(_PACKAGE_FOLDER.rstrip(os.sep))
    beside = tuple(os.path.join(home, name) + os.sep for name in ("export", "loader"))
    return (_PACKAGE_FOLDER, *beside)


# file name in tracebacks of functions that are compiled from programs
COMPILED_FILE_PREFIX = "<oarlock program"
_SOURCE_FOLDERS = _source_folders()
_PACKAGE_PREFIX = __name__.partition(".")[0] + "."
_NUMPY_FOLDER = os.sep + "numpy" + os.sep  # NumPy calls Tensor.__array__
_CLI_FOLDER = os.path.join(_PACKAGE_FOLDER, "cli") + os.sep


def user_frame() -> FrameType | None:
    """Return the innermost stack frame outside of Oarlock and NumPy; None if there is no such
    frame.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (
        is_oarlock_internal_file(frame.f_code.co_filename)
        or _NUMPY_FOLDER in frame.f_code.co_filename
        or _is_frame_of_dataclass_method(frame)
    ):
        frame = frame.f_back
    return frame


def _is_frame_of_dataclass_method(frame: FrameType) -> bool:
    """Whether a stack frame runs a method that `dataclasses` generated for a class of Oarlock, such
    as `__init__`.
    """
    module = str(frame.f_globals.get("__name__"))
    return frame.f_code.co_filename == "<string>" and module.startswith(_PACKAGE_PREFIX)


def user_line() -> UserLine | None:
    """Return the innermost source line outside of Oarlock. Return None if all lines are Oarlock's,
    or if an `oarlock` command is running.
    """
    frame = user_frame()
    if frame is None:
        return None
    code = frame.f_code
    if code.co_filename.startswith(_CLI_FOLDER) and not code.co_filename.endswith("demo.py"):
        return None  # `oarlock demo` runs user code; other commands do not
    text = linecache.getline(code.co_filename, frame.f_lineno).strip()
    return UserLine(os.path.basename(code.co_filename), frame.f_lineno, code.co_name, text)


class _DeferredWarningsOfThread(threading.local):
    deferred: list[Callable[[], None]] | None = None


_warning_state = _DeferredWarningsOfThread()


@contextlib.contextmanager
def defer_and_collect_warnings() -> Iterator[list[Callable[[], None]]]:
    """Context manager that defers the warnings of Oarlock in this thread. The context manager
    yields a list of functions; calling a function issues one deferred warning.
    """
    before, _warning_state.deferred = _warning_state.deferred, []
    try:
        yield _warning_state.deferred
    finally:
        _warning_state.deferred = before


def warn(message: str) -> None:
    """Issue a UserWarning that points to the user's source line."""
    frame = user_frame()
    if frame is None:
        warnings.warn(message, stacklevel=2)
        return
    names, file, line = frame.f_globals, frame.f_code.co_filename, frame.f_lineno

    def issue() -> None:
        registry = names.setdefault("__warningregistry__", {})
        warnings.warn_explicit(message, UserWarning, file, line, names.get("__name__"), registry)

    if _warning_state.deferred is None:
        issue()
    else:
        _warning_state.deferred.append(issue)


def append_user_line(message: str) -> str:
    """Return `message` followed by the user's source line, if there is one."""
    line = user_line()
    return message if line is None else f"{message}\n  at {line}"
