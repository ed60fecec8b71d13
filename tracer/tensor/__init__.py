"""Functions on tensors under Paddle's names; they are also methods of Tensor.

EXPORTS: the public functions of `oarlock.*`
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, NoReturn

from .creation import fill_constant as fill_constant
from .patch import EXPORTS


class _Package(ModuleType):
    """This package, whose call is an error that names `to_tensor`, because PyTorch has a function
    of its name.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError("paddle.tensor is a package, not a function; use paddle.to_tensor(data)")


sys.modules[__name__].__class__ = _Package

globals().update(EXPORTS)
__all__ = sorted(EXPORTS)  # noqa: PLE0605 - created from the table
