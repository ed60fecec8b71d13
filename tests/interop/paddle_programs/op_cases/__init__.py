"""Ops with their attributes, dtypes and edge shapes: results and gradients."""

from . import arithmetic, losses, reductions, shapes, windows
