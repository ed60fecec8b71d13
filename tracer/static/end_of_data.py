"""What a run raises whose reader has no more batches."""

from __future__ import annotations

from ..core.errors import OarlockError


class EndOfData(OarlockError):
    """There is no next batch: fluid.core.EOFException."""
