"""Small things beside the library: sharing memory, files from the network."""

from ..core import unique_name
from . import dlpack, download

__all__ = ["dlpack", "download", "unique_name"]
