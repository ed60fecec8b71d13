"""What does not belong to one part: files from the network."""

from ..core import unique_name
from . import download

__all__ = ["download", "unique_name"]
