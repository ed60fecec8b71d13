"""Run by Python when a process starts that inherits Oarlock in Paddle's place: this folder stands
first in its PYTHONPATH.

Nothing of Oarlock is imported before something imports `paddle`; a Python that has no Oarlock is
left alone.
"""

import os
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder
from importlib.util import module_from_spec

_HERE = os.path.dirname(os.path.abspath(__file__))


class _First(MetaPathFinder):
    """Waits for the first import of paddle."""

    def find_spec(self, fullname, path=None, target=None):  # type: ignore[no-untyped-def]
        """Implement the import protocol."""
        if fullname.partition(".")[0] != "paddle":
            return None
        sys.meta_path.remove(self)
        try:
            from oarlock.compat import install  # noqa: PLC0415 - only where paddle is wanted
        except ModuleNotFoundError:
            return None
        install(os.environ["OARLOCK_AS_PADDLE"])
        return sys.meta_path[0].find_spec(fullname, path, target)


def _the_other() -> None:
    """Run the sitecustomize that this one stands before, where there is one."""
    spec = PathFinder.find_spec(
        "sitecustomize", [p for p in sys.path if os.path.abspath(p or ".") != _HERE]
    )
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(module_from_spec(spec))


if os.environ.get("OARLOCK_AS_PADDLE"):
    sys.meta_path.insert(0, _First())
_the_other()
