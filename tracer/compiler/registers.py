"""Register assignment: map each variable of a program to a local variable of the compiled
function.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..ir.block_captures import forward_block_index_by_recurrent_grad_block
from ..ir.program import Program, VarDesc, VarKind

UNDECLARED_VARIABLE = VarDesc("")


class RegisterAllocator:
    """Assign a local variable of the compiled function (a register) to each variable of a program.

    registers: register names by block and variable name.
    tensors: whether registers hold Tensors instead of arrays.
    """

    def __init__(self, program: Program, tensors: bool) -> None:
        self.program, self.tensors = program, tensors
        self.registers: dict[tuple[int, str], str] = {}
        self.variables: dict[str, VarDesc] = {}
        # (block, name) of variables that belong to the block, although the block does not declare
        # them
        self.undeclared_locals: set[tuple[int, str]] = set()
        self.grad_block_parents = forward_block_index_by_recurrent_grad_block(program)

    def get_or_create_register(self, block: int, name: str) -> str:
        """The register of the variable that `name` denotes in a block: that of the block itself or
        of the nearest enclosing block.
        """
        at = block
        while (
            at > 0
            and name not in self.program.blocks[at].vars
            and (at, name) not in self.undeclared_locals
        ):
            at = self.grad_block_parents.get(at, self.program.blocks[at].parent)
        key = (max(at, 0), name)
        result = self.registers.get(key)
        if result is None:
            result = self.registers[key] = f"v{len(self.registers)}"
            self.variables[result] = self.program.blocks[key[0]].vars.get(name, UNDECLARED_VARIABLE)
        return result

    def new_temporary(self, like: VarDesc) -> str:
        """Create a register for a temporary value that is not a variable of the program."""
        result = self.registers[-1, str(len(self.registers))] = f"v{len(self.registers)}"
        self.variables[result] = replace(like, persistable=False, checks_feed=False)
        return result

    def get_or_create_registers(self, block: int, names: Iterable[str]) -> tuple[str, ...]:
        """The registers of several variables."""
        return tuple(self.get_or_create_register(block, name) for name in names)

    def is_tensor_array(self, block: int, name: str) -> bool:
        """Whether a variable is a TensorArray."""
        var = self.program.var(name, block)
        return var is not None and var.kind == VarKind.ARRAY
