"""Alias module of the data loaders: `fluid.reader`."""

from .io import DataLoader, PyReader, default_collate_fn

__all__ = ["DataLoader", "PyReader", "default_collate_fn"]


def keep_data_loader_order(*args: bool) -> bool:
    """Return True, because a DataLoader always yields batches in order."""
    return True


def use_pinned_memory(*args: bool) -> bool:
    """Return False, because batches are in ordinary CPU memory."""
    return False
