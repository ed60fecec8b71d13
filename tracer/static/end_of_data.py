"""The exception for a reader without more batches."""

from __future__ import annotations

from ..core.errors import OarlockError


class EndOfData(OarlockError):
    """A reader has no more batches: `fluid.core.EOFException`."""
