"""Readers of data under the name of the module that they were in: fluid.reader."""

from .io import DataLoader, PyReader, default_collate_fn

__all__ = ["DataLoader", "PyReader", "default_collate_fn"]


def keep_data_loader_order(*args: bool) -> bool:
    """True: batches come in order."""
    return True


def use_pinned_memory(*args: bool) -> bool:
    """False: batches go to the processor."""
    return False
