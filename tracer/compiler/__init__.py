"""Programs compiled to Python functions on bare arrays, control flow included."""

from . import control_flow, lod_arrays, scan, vjp_op  # each adds its rules to those of `lowering`
from .compiled_function import Compiled, Piece, lowered

__all__ = ["Compiled", "Piece", "lowered"]
