"""Register assignment: map each variable of a program to a local variable of the compiled
function.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..ir.block_captures import step_gradients
from ..ir.program import Kind, Program, VarDesc

UNDECLARED = VarDesc("")


class Registers:
    """Assign a local variable of the compiled function (a register) to each variable of a program.

    cells: register names by block and variable name; tensors: whether registers hold Tensors
    instead of arrays.
    """

    def __init__(self, program: Program, tensors: bool) -> None:
        self.program, self.tensors = program, tensors
        self.cells: dict[tuple[int, str], str] = {}
        self.declared: dict[str, VarDesc] = {}
        # (block, name) of undeclared variables that are local to the block
        self.given: set[tuple[int, str]] = set()
        self.inside = step_gradients(program)

    def cell(self, block: int, name: str) -> str:
        """The register of a variable, resolved from a block outwards."""
        at = block
        while at > 0 and name not in self.program.blocks[at].vars and (at, name) not in self.given:
            at = self.inside.get(at, self.program.blocks[at].parent)
        key = (max(at, 0), name)
        made = self.cells.get(key)
        if made is None:
            made = self.cells[key] = f"v{len(self.cells)}"
            self.declared[made] = self.program.blocks[key[0]].vars.get(name, UNDECLARED)
        return made

    def new_temporary(self, like: VarDesc) -> str:
        """A new register for a temporary value that is no variable of the program."""
        made = self.cells[-1, str(len(self.cells))] = f"v{len(self.cells)}"
        self.declared[made] = replace(like, persistable=False, checks_feed=False)
        return made

    def cells_of(self, block: int, names: Iterable[str]) -> tuple[str, ...]:
        """The registers of several variables."""
        return tuple(self.cell(block, name) for name in names)

    def is_array(self, block: int, name: str) -> bool:
        """Whether a variable is a TensorArray."""
        var = self.program.var(name, block)
        return var is not None and var.kind == Kind.ARRAY
