"""BlockDesc and ProgramDesc: views of blocks and programs with the methods of Paddle's C++
classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, ClassVar, TypeAlias

from ..core.errors import OpError, append_user_line
from ..ir.program import Block as BlockData
from ..ir.program import OpDesc as OpData
from ..ir.program import VarDesc as VarData
from .desc_view_bases import ProtoDescView
from .op_desc import OpDesc
from .var_desc import VarDesc

Block: TypeAlias = Any  # graph.block.Block
Program: TypeAlias = Any  # graph.program.Program


def _as_str(name: str | bytes) -> str:
    """Return a name as str. Paddle's C++ classes also accept names as bytes."""
    return name.decode() if isinstance(name, bytes) else name


class BlockDesc(ProtoDescView):
    """A block with the methods of Paddle's C++ class. Setters change the program."""

    _view: Block

    @property
    def id(self) -> int:
        """The index of the block."""
        return self._view.raw.idx

    @property
    def parent(self) -> int:
        """The index of the parent block, -1 for the global block."""
        return self._view.raw.parent

    def set_parent_idx(self, idx: int) -> None:
        """Set the index of the parent block."""
        self._view.raw.parent = int(idx)
        self._view.program.mark_changed()

    def get_forward_block_idx(self) -> int:
        """Return the index of the forward block, if this block computes its gradient; -1
        otherwise.
        """
        return self._view.forward_block_idx

    def _set_forward_block_idx(self, idx: int) -> None:
        """Set the forward block, whose gradient this block computes."""
        self._view._set_forward_block_idx(idx)

    # -- variables
    # ----------------------------------------------------------------------------------------------

    def var(self, name: str | bytes) -> VarDesc:
        """Return the variable with this name in the block. Declare the variable if the block has
        none of this name.
        """
        text = _as_str(name)
        if not self._view.has_var(text):
            self._view.declare_or_get(VarData(text, dtype=""))
        return self._view.var(text).desc

    def require_declaration(self, name: str) -> VarData:
        """Return the declaration of a variable, in this block or its ancestors.

        Raises OpError if it is not declared.
        """
        data = self._view.program.raw.var(name, self.id)
        if data is None:
            raise OpError(append_user_line(f"var {name} is not declared"))
        return data

    def has_var(self, name: str | bytes) -> bool:
        """Whether this block declares a variable."""
        return self._view.has_var(_as_str(name))

    def has_var_recursive(self, name: str | bytes) -> bool:
        """Whether this block or one of its ancestors declares a variable."""
        return self._view._find_var_recursive(_as_str(name)) is not None

    def find_var(self, name: str | bytes) -> VarDesc | None:
        """Return the variable with this name, None if this block does not declare it."""
        return self._view.var(_as_str(name)).desc if self.has_var(name) else None

    def find_var_recursive(self, name: str | bytes) -> VarDesc | None:
        """Return the variable with this name in this block or its ancestors, or None."""
        variable = self._view._find_var_recursive(_as_str(name))
        return None if variable is None else variable.desc

    def all_vars(self) -> list[VarDesc]:
        """Return the variables that the block declares."""
        return [v.desc for v in self._view.vars.values()]

    def _rename_var(self, name: str | bytes, new_name: str | bytes) -> None:
        """Rename a variable in all ops of this block."""
        self._view._rename_var(_as_str(name), _as_str(new_name))

    def _remove_var(self, name: str | bytes) -> None:
        """Delete a declaration."""
        self._view._remove_var(_as_str(name))

    # -- ops
    # --------------------------------------------------------------------------

    def op(self, index: int) -> OpDesc:
        """Return the op at an index. Raises IndexError."""
        return self._view.ops[index].desc

    def op_size(self) -> int:
        """Return the number of ops."""
        return len(self._view.raw.ops)

    def append_op(self) -> OpDesc:
        """Append an op without type, inputs and outputs."""
        return self._insert_op(self.op_size())

    def _prepend_op(self) -> OpDesc:
        """Insert an op without type, inputs and outputs before all others."""
        return self._insert_op(0)

    def _insert_op(self, index: int) -> OpDesc:
        """Insert an op without type, inputs and outputs at an index."""
        self._view.raw.ops.insert(index, OpData(""))
        self._view.program.mark_changed()
        return self.op(index)

    def _remove_op(self, start: int, end: int) -> None:
        """Delete the ops from index `start` to before `end`."""
        del self._view.raw.ops[start:end]
        self._view.program.mark_changed()


class ProgramDesc(ProtoDescView):
    """A program with the methods of Paddle's C++ class; a new one has one empty block.

    other: a ProgramDesc to copy, or the bytes of a `.pdmodel`
    """

    program_class: ClassVar[type[Any]]  # set by graph.program
    _view: Program

    def __init__(self, other: ProgramDesc | bytes | None = None) -> None:
        if isinstance(other, ProgramDesc):
            super().__init__(other.program.clone())
        else:
            program_class = ProgramDesc.program_class
            super().__init__(
                program_class() if other is None else program_class.parse_from_string(other)
            )

    @classmethod
    def make_view(cls, program: Program) -> ProgramDesc:
        """Return a ProgramDesc that is a view of this program itself, not of a copy."""
        view = cls.__new__(cls)
        view._view = program
        return view

    @property
    def program(self) -> Program:
        """The program."""
        return self._view

    def block(self, index: int) -> BlockDesc:
        """Return the block at an index. Raises IndexError."""
        return self._view.block(index).desc

    def num_blocks(self) -> int:
        """Return the number of blocks."""
        return self._view.num_blocks

    def append_block(self, parent: BlockDesc) -> BlockDesc:
        """Append a block with this parent."""
        self._view.raw.blocks.append(BlockData(self.num_blocks(), parent.id))
        self._view.mark_changed()
        return self.block(self.num_blocks() - 1)

    def parse_from_string(self, data: bytes) -> None:
        """Replace the program by that in the bytes of a `.pdmodel` file. Raises FileError."""
        self._view._init_recorder_and_caches(type(self._view).parse_from_string(data).raw)

    def need_update(self) -> bool:
        """Return whether the program changed since the last call of `flush` or
        `cached_hash_str`.
        """
        return self._view.flushed_bytes != self.serialize_to_string()

    def flush(self) -> None:
        """Remember the current state of the program, with which `need_update` compares later
        states.
        """
        self._view.flushed_bytes = self.serialize_to_string()

    def cached_hash_str(self) -> str:
        """Return a hash of the serialized program, and remember the current state as `flush`
        does.
        """
        self.flush()
        return sha256(self._view.flushed_bytes).hexdigest()

    def _version(self) -> int:
        """Return the version of Paddle that wrote the program, e.g. 1008005; 0 if unknown."""
        return self._view.raw.version

    def _set_version(self, version: int = 1008005) -> None:
        """Set the version of Paddle that wrote the program."""
        self._view.raw.version = version
        self._view.raw.mark_changed()

    def get_feed_target_names(self) -> Sequence[str]:
        """Return the names of the inputs, in the order of the feed ops."""
        return self._view.raw.feed_names()

    def get_fetch_target_names(self) -> Sequence[str]:
        """Return the names of the outputs, in the order of the fetch ops."""
        return self._view.raw.fetch_names()
