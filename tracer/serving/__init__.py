"""Serving: an HTTP server for the Open Inference Protocol v2, and model repositories for Triton.

Requires the extra `[serve]`.
"""

from __future__ import annotations

from .protocol import RequestError
from .triton import add_model_to_repository

__all__ = ["RequestError", "add_model_to_repository"]
