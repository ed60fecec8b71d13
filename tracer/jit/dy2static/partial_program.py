"""Programs that eager code calls, under Paddle's names."""

from ...static.partial_program import PartialProgram as PartialProgramLayer

__all__ = ["PartialProgramLayer"]
