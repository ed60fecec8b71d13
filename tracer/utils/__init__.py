"""What does not belong to one part: files from the network."""

from . import download

__all__ = ["download"]
