"""Impure functions of Python: those whose result differs at each call (clocks, files, random
numbers), and cheap queries whose result a guard can compare (environment variables, existing
paths).
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

# Functions whose result differs at each call.
UNSTABLE_FUNCTIONS: frozenset[Any] = frozenset(
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
# Functions without side effects that a guard can call again at each call, because they are cheap.
QUERY_FUNCTIONS: frozenset[Any] = frozenset(
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
# Functions of the module `time` that do not read a clock.
TIME_FUNCTIONS_WITHOUT_CLOCK = ("sleep", "mktime", "asctime", "strptime", "get_clock_info", "tzset")
CURRENT_DATE_METHODS = ("now", "utcnow", "today")
PATH_READ_METHODS = (
    "read_text",
    "read_bytes",
    "open",
    "stat",
    "lstat",
    "iterdir",
    "glob",
    "rglob",
    "walk",
)
PATH_QUERY_METHODS = ("exists", "is_file", "is_dir", "is_symlink")
# The modules of the global random generators.
GLOBAL_RANDOM_GENERATORS = {"random": random._inst, "numpy.random": np.random.mtrand._rand}
WRAPPED_FUNCTION_TYPES = (FunctionType, BuiltinFunctionType, MethodType, weakref.ref)


def guarded_or_recorded_impure_function_or_none(function: Any, read_tracker: Any) -> Any:
    """If `function` is a cheap query, return a wrapper that guards the result of each call. If
    `function` is another impure function, record that the program depends on it, and return
    `function`. If `function` is pure, return None.

    read_tracker: the ReadTracker of the capture.
    """
    if not isinstance(function, WRAPPED_FUNCTION_TYPES):
        # any other callable may run user code in __eq__ or __hash__ when it is looked up in a table
        return None
    if _is_cheap_repeatable_function(function):
        return _wrap_to_guard_result(function, read_tracker)
    if function is is_grad_enabled:
        read_tracker.call_and_guard_result("is_grad_enabled()", _is_grad_enabled_in_caller)
        return function
    owner = _bound_object(function)
    read_tracker.used_random_generators.update(
        name for name, g in GLOBAL_RANDOM_GENERATORS.items() if owner is g
    )
    if _is_unstable_function(function, read_tracker):
        module, name = (getattr(function, n, None) or "" for n in ("__module__", "__qualname__"))
        read_tracker.on_unstable_read(f"{module}.{name}()".removeprefix("."))
        return function
    return None


def _is_cheap_repeatable_function(function: Any) -> bool:
    """Whether a function has no side effects and is cheap to call again."""
    if isinstance(function, weakref.ref) or function in QUERY_FUNCTIONS:
        return True
    owner, name = _bound_object(function), getattr(function, "__name__", "")
    if isinstance(owner, PurePath):
        return name in PATH_QUERY_METHODS
    return isinstance(owner, contextvars.ContextVar | os._Environ) and name == "get"


def _is_unstable_function(function: Any, read_tracker: Any) -> bool:
    """Whether the result or the effect of a function differs at each call."""
    owner, name, module = (
        getattr(function, n, None) for n in ("__self__", "__name__", "__module__")
    )
    if (
        function in UNSTABLE_FUNCTIONS
        or isinstance(owner, random.SystemRandom | contextvars.ContextVar)
        or module == "secrets"
    ):
        return True
    if isinstance(owner, type):
        return issubclass(owner, datetime.date) and name in CURRENT_DATE_METHODS
    if isinstance(owner, PurePath):
        return name in PATH_READ_METHODS
    if isinstance(owner, io.IOBase):
        return bool(read_tracker.existed_before_capture(owner))
    return (
        module == "time"
        and isinstance(function, BuiltinFunctionType)
        and name not in TIME_FUNCTIONS_WITHOUT_CLOCK
    )


def _is_grad_enabled_in_caller() -> bool:
    return state.mode.caller_has_tape if state.mode.static else state.mode.tape


def _bound_object(function: Any) -> Any:
    return getattr(function, "__self__", None)


def _wrap_to_guard_result(function: Any, read_tracker: Any) -> Callable[..., Any]:
    def recorded_query(*args: Any, **kwargs: Any) -> Any:
        name = getattr(function, "__name__", type(function).__name__)
        arguments = ", ".join([*map(repr, args), *(f"{k}={v!r}" for k, v in kwargs.items())])
        call = functools.partial(function, *args, **kwargs)
        return read_tracker.call_and_guard_result(f"{name}({arguments})", call)

    return recorded_query
