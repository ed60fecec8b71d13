"""Paddle's folder for what is new: the names that Oarlock has under their final place as well, and further optimizers."""

from importlib import import_module as _import_module
from typing import Any as _Any

from . import autograd

__all__ = ["LookAhead", "ModelAverage", "autograd", "optimizer"]


def __getattr__(name: str) -> _Any:
    if name not in ("LookAhead", "ModelAverage", "optimizer"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = _import_module(".optimizer", __name__)  # which stands above programs: imported when it is asked for
    return found if name == "optimizer" else getattr(found, name)
