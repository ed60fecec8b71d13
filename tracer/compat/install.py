"""Turning it on and off: the finder, the age of the interface, and what processes started from here
inherit.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from ..core.errors import OarlockError, is_library_file, with_user_line
from ..core.paddle1_compat import compat
from . import age as ages
from .age import Age
from .finder import PaddleFinder, ViewFinder
from .without_axes import wrapped

# The version that a process emulates: `auto`, or an argument of `install`; read by
# children/sitecustomize.py.
INHERITED = "OARLOCK_AS_PADDLE"
CHILDREN = str(Path(__file__).parent / "children")


class _Installed:
    """What is in force, and how to take each part of it back, last first."""

    def __init__(self, finder: PaddleFinder) -> None:
        self.finder = finder
        self.age: Age | None = None
        self.undo: list[Callable[[], None]] = []


_now: _Installed | None = None


def install(version: str | None = None) -> None:
    """From now on `import paddle` and everything under it gives Oarlock, here and in processes
    started from here.

    version: how the interface behaves, `"1.8"`, `"2.4"`, `"2.6"`, or any other number of a Paddle;
    None decides by what the main script
    says, or, where that does not speak of Paddle, the first file that imports it.
    The variable OARLOCK_PADDLE_API overrides. Raises OarlockError where the real package is
    imported already, or another age is in force.
    """
    global _now  # noqa: PLW0603 - there is one sys.meta_path
    asked = ages.parsed(os.environ.get(ages.OVERRIDE) or version)
    if _now is not None:
        if asked is not None and _now.age is not None and asked.number != _now.age.number:
            raise OarlockError(
                with_user_line(
                    f"compat: Paddle {_now.age.version} is in force, and not {asked.version}"
                )
            )
        return
    _refuse_beside_the_real_one()
    _now = _Installed(PaddleFinder(_first_import))
    sys.meta_path.insert(0, _now.finder)
    sys.meta_path.append(views := ViewFinder())
    _now.undo += [lambda finder=f: sys.meta_path.remove(finder) for f in (_now.finder, views)]  # type: ignore[misc]
    _now.undo.append(_now.finder.forget)
    _hand_down(_now, "auto" if asked is None else asked.version)
    asked = asked or ages.of_main()
    if asked is not None:
        _apply(_now, asked)


def uninstall() -> None:
    """Take back what `install` did; modules that were imported as `paddle` stay what they are to
    those who hold them.
    """
    global _now
    before, _now = _now, None
    for step in reversed(before.undo if before else []):
        step()


@contextmanager
def as_paddle(version: str | None = None) -> Iterator[None]:
    """`install` for the body."""
    nested = _now is not None
    install(version)
    try:
        yield
    finally:
        if not nested:
            uninstall()


def _refuse_beside_the_real_one() -> None:
    real = sys.modules.get("paddle")
    if real is not None:
        where = getattr(real, "__file__", None) or "somewhere"
        raise OarlockError(
            with_user_line(
                f"compat: another `paddle` is imported already, from {where}; install "
                f"before its first import"
            )
        )


def _first_import() -> None:
    """Somebody imports paddle: by now its age has to be known."""
    if _now is not None and _now.age is None:
        _apply(_now, ages.of_file(_importer()))


def _importer() -> str:
    """The file whose line imports paddle."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith("<frozen importlib") and not is_library_file(name):
            return name
        frame = frame.f_back
    return ""


def _apply(now: _Installed, age: Age) -> None:
    """Behave as a Paddle of this age."""
    import oarlock  # noqa: PLC0415 - the names live in the package above this one

    now.age = age
    os.environ[INHERITED] = age.version
    before = oarlock.__version__
    oarlock.__version__ = oarlock.version.reported_version = age.version
    now.undo += [
        lambda: setattr(oarlock, "__version__", before),
        lambda: setattr(oarlock.version, "said", before),
    ]
    if not age.tensors_without_axes:
        now.undo.append(wrapped())
    if age.static_first and oarlock.in_dynamic_mode():
        oarlock.enable_static()
        now.undo.append(oarlock.disable_static)
    if age.static_first:
        now.undo.append(functools.partial(setattr, compat, "is_paddle1", compat.is_paddle1))
        compat.is_paddle1 = True
    else:
        now.undo.append(
            functools.partial(setattr, compat, "follows_fluid_mode", compat.follows_fluid_mode)
        )
        compat.follows_fluid_mode = True


def _hand_down(now: _Installed, version: str) -> None:
    """Let processes that are started from here do the same."""
    for name, value in environment(version).items():
        before = os.environ.get(name)
        os.environ[name] = value
        now.undo.append(lambda name=name, before=before: _restored(name, before))  # type: ignore[misc]


def _restored(name: str, before: str | None) -> None:
    if before is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = before


def environment(version: str = "auto") -> dict[str, str]:
    """What a process is started with to have Oarlock in Paddle's place."""
    others = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p and p != CHILDREN]
    return {INHERITED: version, "PYTHONPATH": os.pathsep.join([CHILDREN, *others])}
