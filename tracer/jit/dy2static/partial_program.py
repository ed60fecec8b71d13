"""Programs that eager code calls, under Paddle's names."""

from ...compiler.partial_program import PartialProgram as PartialProgramLayer

__all__ = ["PartialProgramLayer"]
