"""Readers of data under the name of the module that they were in: fluid.reader."""

from .io import DataLoader, PyReader, default_collate_fn

__all__ = ["DataLoader", "PyReader", "default_collate_fn"]
