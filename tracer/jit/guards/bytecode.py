"""Analysis of Python bytecode."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from types import CodeType


def iter_assigned_global_names(code: CodeType) -> Iterator[str]:
    """Yield the global names that the code of a function, and of its inner functions, assigns."""
    for instruction in dis.get_instructions(code):
        if instruction.opname == "STORE_GLOBAL":
            yield str(instruction.argval)
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from iter_assigned_global_names(const)
