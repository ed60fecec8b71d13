"""`paddle.base.framework` of Paddle 2.5 and 2.6: the names of `fluid.framework` with the behavior
of Paddle 2.
"""

from typing import Any as _Any

from ..core.lazy_import import locked_import_module as _locked_import_module
from ..static import program_guard


def __getattr__(name: str) -> _Any:
    return getattr(_locked_import_module("..fluid.framework", __package__), name)


__all__ = ["program_guard"]
