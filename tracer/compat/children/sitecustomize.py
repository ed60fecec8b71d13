"""Python runs this file at the start of child processes, because the folder of this file is the
first in PYTHONPATH.

It installs Oarlock as `paddle` at the first import of `paddle`. A Python without Oarlock is not
changed.
"""

import os
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder
from importlib.util import module_from_spec

_HERE = os.path.dirname(os.path.abspath(__file__))


class _LazyInstaller(MetaPathFinder):
    """Import finder that installs Oarlock as `paddle` at the first import of `paddle`."""

    def find_spec(self, fullname, path=None, target=None):  # type: ignore[no-untyped-def]
        """At the first import of `paddle` or one of its submodules, install Oarlock and return the
        spec of the module.
        """
        if fullname.partition(".")[0] != "paddle":
            return None
        sys.meta_path.remove(self)
        try:
            from oarlock.compat import install  # noqa: PLC0415 - only if paddle is imported
        except ModuleNotFoundError:
            return None
        install(os.environ["OARLOCK_AS_PADDLE"])
        return sys.meta_path[0].find_spec(fullname, path, target)


def _run_shadowed_sitecustomize() -> None:
    """Run the user's module sitecustomize, which this file hides, if there is one."""
    spec = PathFinder.find_spec(
        "sitecustomize", [p for p in sys.path if os.path.abspath(p or ".") != _HERE]
    )
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(module_from_spec(spec))


if os.environ.get("OARLOCK_AS_PADDLE"):
    sys.meta_path.insert(0, _LazyInstaller())
_run_shadowed_sitecustomize()
