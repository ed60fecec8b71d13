"""Programs compiled to Python functions on bare arrays, control flow included."""

# imported because each registers its rules in `lowering`
from . import control_flow, lod_arrays, scan, vjp_op
from .compiled_function import Compiled, Piece, lowered

__all__ = ["Compiled", "Piece", "lowered"]
