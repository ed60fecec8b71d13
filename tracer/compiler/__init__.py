"""The compiler: programs, control flow included, become Python functions on bare arrays."""

# each module registers its rules in `lowering`
from . import control_flow, lod_arrays, scan, vjp_op
from .compiled_function import CompiledFunction, CompiledProgram, lower_program

__all__ = ["CompiledFunction", "CompiledProgram", "lower_program"]
