"""Programs compiled to Python functions on bare arrays, control flow included."""

from . import control_flow, lod_arrays, scan, vjp_op  # imported because each registers its rules in `lowering`
from .compiled_function import Compiled, Piece, lowered

__all__ = ["Compiled", "Piece", "lowered"]
