"""Serving models: the Open Inference Protocol v2 over HTTP for one machine, and model repositories
for Triton.

Extra `[serve]`.
"""

from __future__ import annotations

from .protocol import RequestError
from .triton import write_repository

__all__ = ["RequestError", "write_repository"]
