"""Inline a program into another one: copy its ops and blocks under new names."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace

from ..core.tensor import Tensor
from ..ir.block_captures import EMPTY_NAME
from ..ir.kernelless_op_traits import is_feed_or_fetch
from ..ir.program import Attr, AttrType, Block, OpDesc, Program, VarDesc
from .modes import Static


def has_control_flow(program: Program) -> bool:
    """Whether a program has control flow."""
    return len(program.blocks) > 1


def inline_program(
    mode: Static, program: Program, feed: Mapping[str, Tensor], scope: Mapping[str, Tensor]
) -> list[Tensor]:
    """Append the ops of `program` to the recorded program, and return its outputs.

    feed: the inputs.
    scope: the parameters and other values, by name.
    """
    return ProgramInliner(mode, program, {**scope, **feed}).output_variables()


class ProgramInliner:
    """Copies one program.

    _new_names: the new name of each variable, by block and name.
    _block_copies: the copy of each block, by index.
    """

    def __init__(self, mode: Static, program: Program, given: Mapping[str, Tensor]) -> None:
        self._static_mode, self._recorder, self._program = mode, mode.recorder, program
        self._new_names: dict[tuple[int, str], str] = {(0, EMPTY_NAME): EMPTY_NAME}
        self._block_copies: dict[int, Block] = {0: mode.recorder.block}
        for name, tensor in given.items():
            if name in program.block.vars:
                self._new_names[0, name] = mode.recorder.find_name_or_declare_persistable(tensor)
        self._declare_renamed_copies_of_variables(program.block)
        for op in program.block.ops:
            if not is_feed_or_fetch(op.type):
                self._recorder.block.ops.append(self._copy_op_with_new_names(0, op))

    def output_variables(self) -> list[Tensor]:
        """Return Variables for the outputs of the inlined program."""
        variables: list[Tensor] = []
        for name in self._program.fetch_names():
            desc = self._recorder.var(self._new_names[0, name])
            assert desc is not None
            variables.append(self._recorder.create_variable(desc))
        return variables

    def _declare_renamed_copies_of_variables(self, block: Block) -> None:
        for name, var in block.vars.items():
            if is_feed_or_fetch(name) or (block.idx == 0 and (0, name) in self._new_names):
                continue
            new_name = self._new_names.get((block.idx, name)) or self._recorder.namer.unique_name(
                name
            )
            self._new_names[block.idx, name] = self._declare_copy_and_get_name(
                var, self._block_copies[block.idx], new_name
            )

    def _declare_copy_and_get_name(self, var: VarDesc, block: Block, name: str) -> str:
        result = deepcopy(var)
        result.name = name
        if self._static_mode.is_for_training:
            result.stop_gradient = not self._static_mode.tape
        block.vars[result.name] = result
        return result.name

    def _find_new_name_or_keep(self, block: int, name: str) -> str:
        """Return the new name of a variable that is visible in a block of the inlined program, or
        `name` if it was not renamed.
        """
        at = block
        while (at, name) not in self._new_names and at > 0:
            at = self._program.blocks[at].parent
        return self._new_names.get((at, name), name)

    def _copy_op_with_new_names(self, block: int, op: OpDesc) -> OpDesc:
        def rename_variables_in_slots(slots: dict[str, list[str]]) -> dict[str, list[str]]:
            return {
                slot: [self._find_new_name_or_keep(block, n) for n in names]
                for slot, names in slots.items()
            }

        if op.type == "recurrent":
            self._map_step_variables_to_sequences(block, op)
        attrs = {
            name: self._copy_attr_with_new_names(block, attr) for name, attr in op.attrs.items()
        }
        if op.type == "recurrent":
            for key in ("ex_states", "states"):
                names = [
                    self._find_new_name_or_keep(op.attr("sub_block"), n) for n in op.attr(key, [])
                ]
                attrs[key] = Attr(AttrType.STRINGS, names)
        return replace(
            op,
            inputs=rename_variables_in_slots(op.inputs),
            outputs=rename_variables_in_slots(op.outputs),
            attrs=attrs,
        )

    def _map_step_variables_to_sequences(self, block: int, op: OpDesc) -> None:
        """Let the names of sequences in the block of a `recurrent` op, where they denote the slices
        of one step, map to the new names of the sequences.
        """
        inner = op.attr("sub_block")
        for name in (*op.inputs.get("inputs", []), *op.outputs.get("outputs", [])):
            self._new_names[inner, name] = self._find_new_name_or_keep(block, name)

    def _copy_attr_with_new_names(self, block: int, attr: Attr) -> Attr:
        if attr.type == AttrType.BLOCK:
            return Attr(attr.type, self._copy_block_once_and_get_index(attr.value))
        if attr.type == AttrType.BLOCKS:
            return Attr(
                attr.type, [self._copy_block_once_and_get_index(index) for index in attr.value]
            )
        if attr.type == AttrType.VAR:
            return Attr(attr.type, self._find_new_name_or_keep(block, attr.value))
        return (
            Attr(attr.type, [self._find_new_name_or_keep(block, n) for n in attr.value])
            if attr.type == AttrType.VARS
            else attr
        )

    def _copy_block_once_and_get_index(self, index: int) -> int:
        """Return the index of the copy of block `index`; the first call for a block copies it."""
        if index not in self._block_copies:
            source, blocks = self._program.blocks[index], self._recorder.program.blocks
            result = self._block_copies[index] = Block(
                len(blocks), self._block_copies[max(source.parent, 0)].idx
            )
            blocks.append(result)
            self._declare_renamed_copies_of_variables(source)
            result.ops = [self._copy_op_with_new_names(index, op) for op in source.ops]
        return self._block_copies[index].idx
