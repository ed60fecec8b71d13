"""BlockDesc and ProgramDesc: blocks and whole programs with the methods of Paddle's C++ classes."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, ClassVar, TypeAlias

from ..core.errors import OpError, with_user_line
from ..ir.program import Block as Held
from ..ir.program import OpDesc as HeldOp
from ..ir.program import VarDesc as Declared
from .desc import Desc
from .op_desc import OpDesc
from .var_desc import VarDesc

Block: TypeAlias = Any  # graph.block.Block
Program: TypeAlias = Any  # graph.program.Program


def _text(name: str | bytes) -> str:
    """A name, which Paddle takes as bytes."""
    return name.decode() if isinstance(name, bytes) else name


class BlockDesc(Desc):
    """What a program says of a block.   Setters, and what is added, change the program."""

    _of: Block

    @property
    def id(self) -> int:
        """Its place among the blocks."""
        return self._of.raw.idx

    @property
    def parent(self) -> int:
        """The block around it, -1 for none."""
        return self._of.raw.parent

    def set_parent_idx(self, idx: int) -> None:
        """Stand inside of another block."""
        self._of.raw.parent = int(idx)

    def get_forward_block_idx(self) -> int:
        """The block that this one is the way back of, -1 for none."""
        return self._of.forward_block_idx

    def _set_forward_block_idx(self, idx: int) -> None:
        """Note the block that this one is the way back of."""
        self._of._set_forward_block_idx(idx)

    # -- variables
    # ----------------------------------------------------------------------------------------------

    def var(self, name: str | bytes) -> VarDesc:
        """The variable of that name, a new one where there is none."""
        wanted = _text(name)
        if not self._of.has_var(wanted):
            self._of.declare(Declared(wanted, dtype=""))
        return self._of.var(wanted).desc

    def raw_var(self, name: str) -> Declared:
        """What is declared of a variable, here or in the blocks around.

        Raises OpError where nothing is.
        """
        found = self._of.program.raw.var(name, self.id)
        if found is None:
            raise OpError(with_user_line(f"var {name} is not declared"))
        return found

    def has_var(self, name: str | bytes) -> bool:
        """Whether this block declares a variable."""
        return self._of.has_var(_text(name))

    def has_var_recursive(self, name: str | bytes) -> bool:
        """Whether this block, or one around it, declares a variable."""
        return self._of._find_var_recursive(_text(name)) is not None

    def find_var(self, name: str | bytes) -> VarDesc | None:
        """The variable of that name, None where this block has none."""
        return self._of.var(_text(name)).desc if self.has_var(name) else None

    def find_var_recursive(self, name: str | bytes) -> VarDesc | None:
        """The variable of that name in this block or those around it, None where there is none."""
        found = self._of._find_var_recursive(_text(name))
        return None if found is None else found.desc

    def all_vars(self) -> list[VarDesc]:
        """The variables that it declares."""
        return [v.desc for v in self._of.vars.values()]

    def _rename_var(self, name: str | bytes, new_name: str | bytes) -> None:
        """Call a variable otherwise, in all ops of this block."""
        self._of._rename_var(_text(name), _text(new_name))

    def _remove_var(self, name: str | bytes) -> None:
        """Take a declaration away."""
        self._of._remove_var(_text(name))

    # -- ops
    # --------------------------------------------------------------------------

    def op(self, index: int) -> OpDesc:
        """The op at a place.   Raises IndexError where there is none."""
        return self._of.ops[index].desc

    def op_size(self) -> int:
        """How many ops there are."""
        return len(self._of.raw.ops)

    def append_op(self) -> OpDesc:
        """A new op after all others, whose type and operands are set later."""
        return self._insert_op(self.op_size())

    def _prepend_op(self) -> OpDesc:
        """A new op before all others."""
        return self._insert_op(0)

    def _insert_op(self, index: int) -> OpDesc:
        """A new op before the one at a place."""
        self._of.raw.ops.insert(index, HeldOp(""))
        self._of.program.changed()
        return self.op(index)

    def _remove_op(self, start: int, end: int) -> None:
        """Take the ops from `start` to before `end` away."""
        del self._of.raw.ops[start:end]
        self._of.program.changed()


class ProgramDesc(Desc):
    """What a file says of a program; a new one has one block.

    other: one to copy, or the bytes of one
    """

    program_class: ClassVar[type[Any]]  # graph.program sets it
    _of: Program

    def __init__(self, other: ProgramDesc | bytes | None = None) -> None:
        if isinstance(other, ProgramDesc):
            super().__init__(other.program.clone())
        else:
            made = ProgramDesc.program_class
            super().__init__(made() if other is None else made.parse_from_string(other))

    @classmethod
    def of(cls, program: Program) -> ProgramDesc:
        """What a program says."""
        made = cls.__new__(cls)
        made._of = program
        return made

    @property
    def program(self) -> Program:
        """The program."""
        return self._of

    def block(self, index: int) -> BlockDesc:
        """The block at a place.   Raises IndexError where there is none."""
        return self._of.block(index).desc

    def num_blocks(self) -> int:
        """How many blocks there are."""
        return self._of.num_blocks

    def append_block(self, parent: BlockDesc) -> BlockDesc:
        """A new block inside of another."""
        self._of.raw.blocks.append(Held(self.num_blocks(), parent.id))
        self._of.changed()
        return self.block(self.num_blocks() - 1)

    def parse_from_string(self, data: bytes) -> None:
        """Hold what bytes of a `.pdmodel` say.   Raises FileError for others."""
        self._of._hold(type(self._of).parse_from_string(data).raw)

    def need_update(self) -> bool:
        """Whether it changed since `flush` or `cached_hash_str` was called last."""
        return self._of.flushed != self.serialize_to_string()

    def flush(self) -> None:
        """Note what it says now."""
        self._of.flushed = self.serialize_to_string()

    def cached_hash_str(self) -> str:
        """The same text for programs that say the same."""
        self.flush()
        return sha256(self._of.flushed).hexdigest()

    def _version(self) -> int:
        """Which Paddle wrote it, e.g. 1008005; 0 where nobody said."""
        return self._of.raw.version

    def _set_version(self, version: int = 1008005) -> None:
        """Say which Paddle wrote it."""
        self._of.raw.version = version

    def get_feed_target_names(self) -> Sequence[str]:
        """The names of the inputs that feed ops give."""
        return self._of.raw.feeds()

    def get_fetch_target_names(self) -> Sequence[str]:
        """The names of the outputs that fetch ops take."""
        return self._of.raw.fetches()
