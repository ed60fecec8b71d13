"""Small things beside the library."""

from ..core import unique_name
from . import dlpack

__all__ = ["dlpack", "unique_name"]
