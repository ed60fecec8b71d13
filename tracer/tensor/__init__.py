"""Functions on tensors, under Paddle's names; they are also the methods of Tensor.

EXPORTS: what `oarlock.*` offers.
"""

from __future__ import annotations

from .creation import fill_constant as fill_constant
from .patch import EXPORTS

globals().update(EXPORTS)
__all__ = sorted(EXPORTS)  # noqa: PLE0605 - made from the table
