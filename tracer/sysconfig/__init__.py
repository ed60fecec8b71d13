"""Paths of headers and libraries for C++ extensions."""

from __future__ import annotations

from pathlib import Path

__all__ = ["get_include", "get_lib"]

_PACKAGE = Path(__file__).resolve().parent.parent


def get_include() -> str:
    """Return the path of the package's folder `include`, as in Paddle.

    The folder does not exist: custom ops are written in Python.
    """
    return str(_PACKAGE / "include")


def get_lib() -> str:
    """Return the path of the package's folder `libs`, as in Paddle.  It does not exist."""
    return str(_PACKAGE / "libs")
