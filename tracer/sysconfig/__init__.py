"""Where extensions in C++ would look for headers and libraries."""

from __future__ import annotations

from pathlib import Path

__all__ = ["get_include", "get_lib"]

_PACKAGE = Path(__file__).resolve().parent.parent


def get_include() -> str:
    """The folder of headers, `include` of the package, as in Paddle; there are none in it, for ops
    are written in Python here.
    """
    return str(_PACKAGE / "include")


def get_lib() -> str:
    """The folder of libraries, `libs` of the package, as in Paddle."""
    return str(_PACKAGE / "libs")
