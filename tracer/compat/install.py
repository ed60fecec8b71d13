"""Install and uninstall Oarlock as `paddle`: the finders, the emulated version, and the environment
of child processes.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from ..core.errors import OarlockError, append_user_line, is_oarlock_internal_file
from ..core.paddle1_compat import compat
from . import api_version as api_versions
from .api_version import ApiVersion
from .finder import AliasModuleFinder, PaddleFinder
from .shape_1_scalar_emulation import patch_zero_dim_results_with_undo

# Name of the environment variable whose value is the emulated version or `auto`;
# children/sitecustomize.py reads it.
INHERITED_VARIABLE = "OARLOCK_AS_PADDLE"
CHILDREN_FOLDER = str(Path(__file__).parent / "children")


class _Installation:
    """The current installation.  undo: functions that revert its steps, called last first"""

    def __init__(self, finder: PaddleFinder) -> None:
        self.finder = finder
        self.api_version: ApiVersion | None = None
        self.undo: list[Callable[[], None]] = []


_installation: _Installation | None = None


def install(version: str | None = None) -> None:
    """Make `import paddle` return Oarlock, in this process and in its child processes.

    version: the version of Paddle to emulate, for example "1.8", "2.4" or "2.6". By default it is
    detected from the main script or, if that does not import Paddle, from the first file that does.
    The variable OARLOCK_PADDLE_API overrides it. Raises OarlockError if the real package is
    imported already, or if another version is installed.
    """
    global _installation  # noqa: PLW0603 - there is one sys.meta_path
    requested = api_versions.parse_version_unless_auto(
        os.environ.get(api_versions.VERSION_VARIABLE) or version
    )
    if _installation is not None:
        current = _installation.api_version
        if requested is not None and current is None:
            _emulate_version(_installation, requested)
        elif requested is not None and current is not None and requested.number != current.number:
            raise OarlockError(
                append_user_line(
                    f"compat: Paddle {current.version} is installed already, not "
                    f"{requested.version}"
                )
            )
        return
    _check_paddle_not_imported()
    _installation = _Installation(PaddleFinder(_detect_and_emulate_version))
    sys.meta_path.insert(0, _installation.finder)
    sys.meta_path.append(views := AliasModuleFinder())
    _installation.undo += [
        functools.partial(sys.meta_path.remove, finder) for finder in (_installation.finder, views)
    ]
    _installation.undo.append(_installation.finder.unload_paddle_modules)
    _export_child_environment(_installation, "auto" if requested is None else requested.version)
    requested = requested or api_versions.detect_from_main()
    if requested is not None:
        _emulate_version(_installation, requested)


def uninstall() -> None:
    """Revert `install`.  References to modules that were imported as `paddle` stay valid."""
    global _installation
    previous, _installation = _installation, None
    for step in reversed(previous.undo if previous else []):
        step()


@contextmanager
def as_paddle(version: str | None = None) -> Iterator[None]:
    """Context manager that installs Oarlock as `paddle` and uninstalls it at the end of the
    body.
    """
    nested = _installation is not None
    install(version)
    try:
        yield
    finally:
        if not nested:
            uninstall()


def _check_paddle_not_imported() -> None:
    real = sys.modules.get("paddle")
    if real is not None:
        path = getattr(real, "__file__", None) or "an unknown file"
        raise OarlockError(
            append_user_line(
                f"compat: another `paddle` is imported already, from {path}; call install before "
                f"its first import"
            )
        )


def _detect_and_emulate_version() -> None:
    """Detect the Paddle version from the file that imports `paddle`, and emulate that version; do
    nothing if a version is emulated already.
    """
    if _installation is not None and _installation.api_version is None:
        _emulate_version(_installation, api_versions.detect_from_file(_importing_file()))


def _importing_file() -> str:
    """Return the path of the file whose code imports `paddle`, found on the call stack."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith("<frozen importlib") and not is_oarlock_internal_file(name):
            return name
        frame = frame.f_back
    return ""


def _emulate_version(installation: _Installation, api_version: ApiVersion) -> None:
    """Make Oarlock behave like a version of Paddle."""
    import oarlock  # noqa: PLC0415 - this package is part of oarlock

    installation.api_version = api_version
    os.environ[INHERITED_VARIABLE] = api_version.version
    own_version = oarlock.__version__
    oarlock.__version__ = oarlock.version.reported_version = api_version.version
    installation.undo += [
        lambda: setattr(oarlock, "__version__", own_version),
        lambda: setattr(oarlock.version, "reported_version", own_version),
    ]
    if not api_version.has_zero_dim_tensors:
        installation.undo.append(patch_zero_dim_results_with_undo())
    if api_version.is_static_by_default and oarlock.in_dynamic_mode():
        oarlock.enable_static()
        installation.undo.append(oarlock.disable_static)
    if api_version.is_static_by_default:
        installation.undo.append(
            functools.partial(setattr, compat, "is_paddle1", compat.is_paddle1)
        )
        compat.is_paddle1 = True
    else:
        installation.undo.append(
            functools.partial(setattr, compat, "follows_fluid_mode", compat.follows_fluid_mode)
        )
        compat.follows_fluid_mode = True


def _export_child_environment(installation: _Installation, version: str) -> None:
    """Set the environment variables that install Oarlock as `paddle` in child processes."""
    for name, value in child_environment(version).items():
        previous = os.environ.get(name)
        os.environ[name] = value
        installation.undo.append(functools.partial(_restore_environment_variable, name, previous))


def _restore_environment_variable(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def child_environment(version: str = "auto") -> dict[str, str]:
    """Return the environment variables that make a child process import Oarlock as `paddle`."""
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    others = [p for p in paths if p and p != CHILDREN_FOLDER]
    return {INHERITED_VARIABLE: version, "PYTHONPATH": os.pathsep.join([CHILDREN_FOLDER, *others])}
