"""The public names of `paddle.jit.dy2static.partial_program`."""

from ...compiler.partial_program import PartialProgram as PartialProgramLayer

__all__ = ["PartialProgramLayer"]
