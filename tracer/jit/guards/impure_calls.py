"""Functions of Python's whose answer is another one at the next call: clocks, files; and those that
can be asked again, of the environment.
"""

from __future__ import annotations

import builtins
import contextvars
import datetime
import functools
import glob
import io
import os
import random
import uuid
import weakref
from collections.abc import Callable
from pathlib import PurePath
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np

from ...core.autograd import is_grad_enabled
from ...core.mode import state

MOVING: frozenset[Any] = frozenset(
    {
        uuid.uuid1,
        uuid.uuid4,
        os.urandom,
        builtins.open,
        builtins.input,
        os.listdir,
        os.scandir,
        os.stat,
        os.lstat,
        os.walk,
        glob.glob,
        glob.iglob,
        np.load,
        np.loadtxt,
        np.genfromtxt,
        np.fromfile,
    }
)
QUESTIONS: frozenset[Any] = frozenset(
    {
        os.getenv,
        os.path.exists,
        os.path.lexists,
        os.path.isfile,
        os.path.isdir,
        os.path.islink,
        os.path.getsize,
        os.path.getmtime,
    }
)
# of `time`: without looking at a clock
RECKONS = ("sleep", "mktime", "asctime", "strptime", "get_clock_info", "tzset")
NOW = ("now", "utcnow", "today")
OF_PATHS = ("read_text", "read_bytes", "open", "stat", "lstat", "iterdir", "glob", "rglob", "walk")
OF_PATHS_ASKED = ("exists", "is_file", "is_dir", "is_symlink")
SOURCES = {"random": random._inst, "numpy.random": np.random.mtrand._rand}  # that all share
KINDS = (FunctionType, BuiltinFunctionType, MethodType, weakref.ref)


def heard_of(function: Any, reads: Any) -> Any:
    """The same function, its answer noted, where it is one of these; None for any other.

    reads: `jit.looked.Reads`.
    """
    if not isinstance(function, KINDS):
        return None  # an object of the user's, which may answer questions in ways of its own
    if _is_question(function):
        return _asking(function, reads)
    if function is is_grad_enabled:
        reads.asked("is_grad_enabled()", _called_with_tape)
        return function
    reads.drawn.update(name for name, source in SOURCES.items() if _owner(function) is source)
    if _moves(function, reads):
        module, name = (getattr(function, n, None) or "" for n in ("__module__", "__qualname__"))
        reads.moves(f"{module}.{name}()".removeprefix("."))
        return function
    return None


def _is_question(function: Any) -> bool:
    """Whether asking changes nothing and costs little."""
    if isinstance(function, weakref.ref) or function in QUESTIONS:
        return True
    owner, name = _owner(function), getattr(function, "__name__", "")
    if isinstance(owner, PurePath):
        return name in OF_PATHS_ASKED
    return isinstance(owner, contextvars.ContextVar | os._Environ) and name == "get"


def _moves(function: Any, reads: Any) -> bool:
    """Whether what it gives or does is another at each call."""
    owner, name, module = (
        getattr(function, n, None) for n in ("__self__", "__name__", "__module__")
    )
    if (
        function in MOVING
        or isinstance(owner, random.SystemRandom | contextvars.ContextVar)
        or module == "secrets"
    ):
        return True
    if isinstance(owner, type):
        return issubclass(owner, datetime.date) and name in NOW
    if isinstance(owner, PurePath):
        return name in OF_PATHS
    if isinstance(owner, io.IOBase):
        return bool(reads.was_there(owner))
    return module == "time" and isinstance(function, BuiltinFunctionType) and name not in RECKONS


def _called_with_tape() -> bool:
    return state.mode.called_with_tape if state.mode.static else state.mode.tape


def _owner(function: Any) -> Any:
    return getattr(function, "__self__", None)


def _asking(function: Any, reads: Any) -> Callable[..., Any]:
    def ask(*args: Any, **kwargs: Any) -> Any:
        again = functools.partial(function, *args, **kwargs)
        given = ", ".join([*map(repr, args), *(f"{k}={v!r}" for k, v in kwargs.items())])
        return reads.asked(
            f"{getattr(function, '__name__', type(function).__name__)}({given})", again
        )

    return ask
