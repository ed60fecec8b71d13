"""Programs compiled to Python functions on bare arrays, control flow included."""

from .compiled_function import Compiled, Piece, lowered

__all__ = ["Compiled", "Piece", "lowered"]
