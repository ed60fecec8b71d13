"""From Python source to Python source that writes control flow into a program.

`convert` gives a function of the same signature, lines and closure, in which every `if`, `while`,
`for`, `and`, call and the like asks `runtime` what to do: on tensors of a program that is being
recorded it becomes part of that program, on anything else it is Python.
"""

from .convert import STAGES, convert, converted_source, not_to_static

__all__ = ["STAGES", "convert", "converted_source", "not_to_static"]
