"""`fleet.utils`, of which only `recompute` is supported."""

from .recompute import recompute

__all__ = ["recompute"]
