"""Functions of Python's whose answer is another one at the next call: clocks, files; and those that can be asked again, of the environment."""

from __future__ import annotations

import builtins
import contextvars
import datetime
import functools
import os
import random
import secrets
import time
import uuid
import weakref
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np

from ...core.autograd import is_grad_enabled
from ...core.mode import state

MOVING: frozenset[Any] = frozenset(
    {
        time.time, time.time_ns, time.perf_counter, time.perf_counter_ns, time.monotonic, time.monotonic_ns, time.process_time,
        time.process_time_ns, time.thread_time, time.localtime, time.gmtime, time.ctime, time.strftime,
        datetime.datetime.now, datetime.datetime.utcnow, datetime.datetime.today, datetime.date.today,
        uuid.uuid1, uuid.uuid4, os.urandom, secrets.token_bytes, secrets.randbelow, builtins.open, builtins.input,
    }
)  # fmt: skip
SOURCES = {"random": random._inst, "numpy.random": np.random.mtrand._rand}  # that all share
KINDS = (FunctionType, BuiltinFunctionType, MethodType, weakref.ref)


def heard_of(function: Any, reads: Any) -> Any:
    """The same function, its answer noted, where it is one of these; None for any other.   reads: `jit.looked.Reads`."""
    if not isinstance(function, KINDS):
        return None  # an object of the user's, which may answer questions in ways of its own
    if _is_question(function):
        return _asking(function, reads)
    if function is is_grad_enabled:
        reads.asked("is_grad_enabled()", _called_with_tape)
        return function
    reads.drawn.update(name for name, source in SOURCES.items() if _owner(function) is source)
    if function in MOVING or isinstance(_owner(function), random.SystemRandom | contextvars.ContextVar):
        reads.moves(f"{function.__module__ or ''}.{function.__qualname__}()".removeprefix("."))
        return function
    return None


def _is_question(function: Any) -> bool:
    """Whether asking changes nothing and costs little."""
    if isinstance(function, weakref.ref) or function == os.getenv:
        return True
    return isinstance(_owner(function), contextvars.ContextVar | os._Environ) and function.__name__ == "get"


def _called_with_tape() -> bool:
    return state.mode.called_with_tape if state.mode.static else state.mode.tape


def _owner(function: Any) -> Any:
    return getattr(function, "__self__", None)


def _asking(function: Any, reads: Any) -> Callable[..., Any]:
    def ask(*args: Any, **kwargs: Any) -> Any:
        again = functools.partial(function, *args, **kwargs)
        given = ", ".join([*map(repr, args), *(f"{k}={v!r}" for k, v in kwargs.items())])
        return reads.asked(f"{getattr(function, '__name__', type(function).__name__)}({given})", again)

    return ask
