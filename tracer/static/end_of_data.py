"""The exception that is raised when a reader has no more batches."""

from __future__ import annotations

from ..core.errors import OarlockError


class EndOfData(OarlockError):
    """Raised when a reader has no more batches; also available as `fluid.core.EOFException`."""
