"""The compiler: turns a program, including its control flow, into a Python function on bare
arrays.
"""

# Importing `control_flow` and the other modules listed next registers their lowering rules in
# `lowering`.
from . import control_flow, lod_array_lowering, recurrent_lowering, vjp_op
from .compiled_function import CompiledInstructions, CompiledProgram, lower_to_instructions

__all__ = ["CompiledInstructions", "CompiledProgram", "lower_to_instructions"]
