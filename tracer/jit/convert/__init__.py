"""Source-to-source conversion of Python functions, so that their control flow can be recorded.

`convert` returns a function with the same signature, lines and closure, in which every `if`,
`while`, `for`, `and`, call and the like calls an operator of `jit/operators`. An operator records
ops for values of a program, and runs Python for everything else.
"""

from .convert import CONVERSION_STAGES, Function, convert, converted_source, not_to_static

__all__ = ["CONVERSION_STAGES", "Function", "convert", "converted_source", "not_to_static"]
