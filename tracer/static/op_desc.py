"""OpDesc: an op of a program with the methods of Paddle's C++ class, as test suites and tools read
and write it.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, TypeAlias

from ..core.errors import OpError, with_user_line
from ..core.op import OPS
from ..ir.passes.shape_inference import infer
from ..ir.program import Attr, AttrType
from ..ir.program import VarDesc as Declared
from .desc import Identified

BlockDesc: TypeAlias = Any  # block_desc.BlockDesc
Operator: TypeAlias = Any  # graph.operator.Operator


class OpDesc(Identified):
    """What a program says of an op.   Setters change the program."""

    _of: Operator

    def _changed(self) -> None:
        self._of.block.program.changed()

    def block(self) -> BlockDesc:
        """The block that it is in."""
        return self._of.block.desc

    # -- type and operands
    # --------------------------------------------------------------------------------------

    def type(self) -> str:
        """The type of the op, '' for a new one."""
        return self._of.raw.type

    def set_type(self, type: str) -> None:
        """Let it be another op."""
        self._of.raw.type = type
        self._changed()

    def copy_from(self, other: OpDesc) -> None:
        """Be what another op is: its type, operands, results and attributes."""
        mine, theirs = self._of.raw, other._of.raw
        mine.type, mine.where, mine.layer = theirs.type, theirs.where, theirs.layer
        mine.inputs, mine.outputs, mine.attrs = deepcopy(
            (theirs.inputs, theirs.outputs, theirs.attrs)
        )
        self._changed()

    def input(self, name: str) -> list[str]:
        """The variables in an input slot.   Raises OpError for one that it does not have."""
        return self._of.input(name)

    def output(self, name: str) -> list[str]:
        """The variables in an output slot.   Raises OpError for one that it does not have."""
        return self._of.output(name)

    def inputs(self) -> dict[str, list[str]]:
        """The variables by input slot."""
        return {slot: list(names) for slot, names in self._of.raw.inputs.items()}

    def outputs(self) -> dict[str, list[str]]:
        """The variables by output slot."""
        return {slot: list(names) for slot, names in self._of.raw.outputs.items()}

    def input_names(self) -> list[str]:
        """The input slots."""
        return self._of.input_names

    def output_names(self) -> list[str]:
        """The output slots."""
        return self._of.output_names

    def input_arg_names(self) -> list[str]:
        """Every variable that it reads."""
        return self._of.input_arg_names

    def output_arg_names(self) -> list[str]:
        """Every variable that it writes."""
        return self._of.output_arg_names

    def set_input(self, name: str, variables: Sequence[str]) -> None:
        """Say what is in an input slot."""
        self._of.raw.inputs[name] = list(variables)
        self._changed()

    def set_output(self, name: str, variables: Sequence[str]) -> None:
        """Say what is in an output slot."""
        self._of.raw.outputs[name] = list(variables)
        self._changed()

    def remove_input(self, name: str) -> None:
        """Have an input slot no longer."""
        self._of.raw.inputs.pop(name, None)
        self._changed()

    def remove_output(self, name: str) -> None:
        """Have an output slot no longer."""
        self._of.raw.outputs.pop(name, None)
        self._changed()

    def _rename_input(self, old_name: str, new_name: str) -> None:
        """Read another variable in place of one."""
        self._of._rename_input(old_name, new_name)

    def _rename_output(self, old_name: str, new_name: str) -> None:
        """Write another variable in place of one."""
        self._of._rename_output(old_name, new_name)

    def set_is_target(self, target: bool) -> None:
        """Nothing: what is kept follows from the variables that are asked for."""

    # -- attributes
    # ---------------------------------------------------------------------------------------------

    def attr_names(self) -> list[str]:
        """The attributes that were set."""
        return self._of.attr_names if self._of.raw.where else list(self._of.raw.attrs)

    def has_attr(self, name: str) -> bool:
        """Whether an attribute was set."""
        return name in self.attr_names()

    def attr(self, name: str) -> Any:
        """The value of an attribute, a BlockDesc for a block.

        Raises OpError for one that it does not have.
        """
        self._known(name)
        value, kind = self._of.attr(name), self._of.attr_type(name)
        if kind not in (AttrType.BLOCK, AttrType.BLOCKS):
            return list(value) if isinstance(value, list) else value
        block = self._of.block.program.block
        return block(value).desc if kind == AttrType.BLOCK else [block(i).desc for i in value]

    def _known(self, name: str) -> None:
        if not self.has_attr(name):
            raise OpError(
                with_user_line(
                    f"{self.type()}: Attribute {name} is not found; it has {self.attr_names()}"
                )
            )

    def get_attr_map(self) -> dict[str, Any]:
        """The attributes by name."""
        return {name: self.attr(name) for name in self.attr_names()}

    def attr_type(self, name: str) -> AttrType:
        """The type that an attribute has in a file.

        Raises OpError for one that it does not have.
        """
        self._known(name)
        return self._of.attr_type(name)

    def _set_attr(self, name: str, value: Any) -> None:
        """Change an attribute, or give it one.   Raises OpError for a value that does not fit."""
        self._of._set_attr(name, value.decode() if isinstance(value, bytes) else value)

    set_attr = set_serialized_attr = _set_attr

    def _set_as(self, kind: AttrType, name: str, value: Any) -> None:
        self._of.raw.attrs[name] = Attr(kind, value)
        self._changed()

    def set_block_attr(self, name: str, block: BlockDesc) -> None:
        """Give it a block."""
        self._set_as(AttrType.BLOCK, name, block.id)

    def set_blocks_attr(self, name: str, blocks: Sequence[BlockDesc]) -> None:
        """Give it several blocks."""
        self._set_as(AttrType.BLOCKS, name, [b.id for b in blocks])

    def _block_attr_id(self, name: str) -> int:
        """The number of a block that it has.   Raises OpError where it has none."""
        self._known(name)
        return int(self._of.attr(name))

    block_attr_id = _block_attr_id

    def _blocks_attr_ids(self, name: str) -> list[int]:
        """The numbers of the blocks that it has.   Raises OpError where it has none."""
        self._known(name)
        return list(self._of.attr(name))

    def remove_attr(self, name: str) -> None:
        """Have an attribute no longer."""
        self._of._remove_attr(name)

    def check_attrs(self) -> None:
        """Give it what the op takes where nothing was set.

        Raises OpError for an op that nobody knows.
        """
        if not self.type():
            raise OpError(with_user_line("CheckAttr() can not be called before type is set."))
        self._registered()
        self._of.fill_attrs()

    def _registered(self) -> None:
        if self.type() not in OPS:
            raise OpError(with_user_line(f"Operator {self.type()} has not been registered"))

    # -- what follows for its results
    # -----------------------------------------------------------------------------

    def infer_shape(self, block: BlockDesc) -> None:
        """Declare the shapes of its results.

        Raises OpError for operands that the op refuses or nobody declares.
        """
        self._registered()
        self.check_attrs()
        for name, found in self._inferred(block).items():
            block.raw_var(name).shape = found.shape
        self._changed()

    def infer_var_type(self, block: BlockDesc) -> None:
        """Declare its results where nobody did, with the dtypes that follow."""
        for name in self._of.raw.output_names():
            block.find_var_recursive(name) or block.var(name)
        known = all(block.find_var_recursive(name) for name in self._of.raw.input_names())
        if self.type() in OPS and known and self._whole():
            for name, found in self._inferred(block, with_dtypes=True).items():
                block.raw_var(name).dtype = found.dtype
        self._changed()

    def _whole(self) -> bool:
        """Whether every operand is there that the op cannot do without."""
        return all(s.optional or self._of.raw.inputs.get(s.name) for s in OPS[self.type()].ins)

    def _inferred(self, block: BlockDesc, with_dtypes: bool = False) -> dict[str, Declared]:
        """What follows for its results, by name.

        with_dtypes: only where the dtypes of all operands are declared
        """
        raw = self._of.raw
        missing = [
            s.name for s in OPS[raw.type].ins if not s.optional and not raw.inputs.get(s.name)
        ]
        if missing:
            raise OpError(
                with_user_line(f"{raw.type}: No Input({missing[0]}) found for {raw.type} operator.")
            )
        seen = {
            name: deepcopy(block.raw_var(name))
            for name in (*raw.input_names(), *raw.output_names())
        }
        if with_dtypes and not all(seen[name].dtype for name in raw.input_names()):
            return {}
        for declared in seen.values():
            declared.dtype = declared.dtype or "float32"
        try:
            infer(raw, seen)
        except OpError as error:
            raise OpError(with_user_line(f"{raw.type}: {error}")) from None
        return {name: seen[name] for name in raw.output_names()}
