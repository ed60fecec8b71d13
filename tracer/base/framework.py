"""`paddle.base.framework` of Paddle 2.5 and 2.6: the names of `fluid.framework` with the behavior
of Paddle 2.
"""

from importlib import import_module as _import_module
from typing import Any as _Any

from ..static import program_guard


def __getattr__(name: str) -> _Any:
    return getattr(_import_module("..fluid.framework", __package__), name)


__all__ = ["program_guard"]
