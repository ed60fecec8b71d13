"""Functions on tensors under Paddle's names; they are also methods of Tensor.

EXPORTS: the public functions of `oarlock.*`
"""

from __future__ import annotations

from .creation import fill_constant as fill_constant
from .patch import EXPORTS

globals().update(EXPORTS)
__all__ = sorted(EXPORTS)  # noqa: PLE0605 - created from the table
