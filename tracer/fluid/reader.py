"""Alias module of the data loaders: `fluid.reader`."""

from .io import DataLoader, PyReader, default_collate_fn

__all__ = ["DataLoader", "PyReader", "default_collate_fn"]


def keep_data_loader_order(*args: bool) -> bool:
    """Return True: batches come in order."""
    return True


def use_pinned_memory(*args: bool) -> bool:
    """Return False: batches are in CPU memory."""
    return False
