"""Small things beside the library."""

from ..core import unique_name
from . import dlpack, download

__all__ = ["dlpack", "download", "unique_name"]
