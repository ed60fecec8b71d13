"""Import the attributes of a module when they are first used (PEP 562), in one thread at a time."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Mapping
from importlib import import_module
from types import FrameType, ModuleType
from typing import Any

from .name_hints import missing_name_error

_lock = threading.RLock()


def _replace_lock() -> None:
    """In a forked child: no thread of the parent releases the lock."""
    global _lock  # noqa: PLW0603 - one lock of the process
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_replace_lock)


def is_importing() -> bool:
    """Whether this thread executes the code of a module of Oarlock."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "<module>" and _is_own_module(frame.f_globals):
            return True
        frame = frame.f_back
    return False


def _is_own_module(variables: Mapping[str, Any]) -> bool:
    return str(variables.get("__name__")).partition(".")[0] == "oarlock"


def locked_import_module(name: str, package: str | None = None) -> ModuleType:
    """Import a module as `importlib.import_module` while no other thread does so.

    Packages and their modules import each other. If two threads begin with different modules of
    such a cycle, each waits for the other; Python then lets one of them see a module that is not
    complete. A thread that is importing already does not wait: another thread may be waiting for
    its module.
    """
    if is_importing():
        return import_module(name, package)
    with _lock:
        return import_module(name, package)


def make_lazy_getattr(module: dict[str, Any], names: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a `__getattr__` for a module. The returned function imports an attribute of the module
    when it is first used.

    module: the globals() of the module, where imported names are cached.
    names: name -> relative module that defines it. A name equal to its module stands for the
    module.
    """

    def get_attribute(name: str) -> Any:
        if name not in names:
            known = (*module, *names)
            raise missing_name_error(module["__name__"], name, known)
        found = locked_import_module(names[name], module["__name__"])
        result = module[name] = found if names[name] == f".{name}" else getattr(found, name)
        return result

    return get_attribute
