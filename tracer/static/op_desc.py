"""OpDesc: a view of an op with the methods of Paddle's C++ class."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, TypeAlias

from ..core.errors import OpError, append_user_line
from ..core.op import OPS
from ..ir.passes.shape_inference import set_inferred_output_metas
from ..ir.program import Attr, AttrType
from ..ir.program import VarDesc as VarData
from .desc_view_bases import IdentifiedDescView

BlockDesc: TypeAlias = Any  # block_desc.BlockDesc
Operator: TypeAlias = Any  # graph.operator.Operator


class OpDesc(IdentifiedDescView):
    """An op with the methods of Paddle's C++ class. Setters change the program."""

    _view: Operator

    def _mark_program_changed(self) -> None:
        self._view.block.program.mark_changed()

    def block(self) -> BlockDesc:
        """Return the block of the op."""
        return self._view.block.desc

    # -- type, inputs and outputs
    # --------------------------------------------------------------------------------------

    def type(self) -> str:
        """Return the type of the op; '' for an op whose type is not set yet."""
        return self._view.raw.type

    def set_type(self, type: str) -> None:
        """Set the type of the op."""
        self._view.raw.type = type
        self._mark_program_changed()

    def copy_from(self, other: OpDesc) -> None:
        """Copy type, inputs, outputs and attributes from another op."""
        target, source = self._view.raw, other._view.raw
        target.type, target.user_line, target.layer_path = (
            source.type,
            source.user_line,
            source.layer_path,
        )
        target.inputs, target.outputs, target.attrs = deepcopy(
            (source.inputs, source.outputs, source.attrs)
        )
        self._mark_program_changed()

    def input(self, name: str) -> list[str]:
        """Return the names of the variables in an input slot. Raises OpError if the op has no such
        input slot.
        """
        return self._view.input(name)

    def output(self, name: str) -> list[str]:
        """Return the names of the variables in an output slot. Raises OpError if the op has no such
        output slot.
        """
        return self._view.output(name)

    def inputs(self) -> dict[str, list[str]]:
        """Return a dict from input slots to the names of their variables."""
        return {slot: list(names) for slot, names in self._view.raw.inputs.items()}

    def outputs(self) -> dict[str, list[str]]:
        """Return a dict from output slots to the names of their variables."""
        return {slot: list(names) for slot, names in self._view.raw.outputs.items()}

    def input_names(self) -> list[str]:
        """Return the names of the input slots."""
        return self._view.input_names

    def output_names(self) -> list[str]:
        """Return the names of the output slots."""
        return self._view.output_names

    def input_arg_names(self) -> list[str]:
        """Return the names of the variables that the op reads."""
        return self._view.input_arg_names

    def output_arg_names(self) -> list[str]:
        """Return the names of the variables that the op writes."""
        return self._view.output_arg_names

    def set_input(self, name: str, variables: Sequence[str]) -> None:
        """Set the variables of an input slot."""
        self._view.raw.inputs[name] = list(variables)
        self._mark_program_changed()

    def set_output(self, name: str, variables: Sequence[str]) -> None:
        """Set the variables of an output slot."""
        self._view.raw.outputs[name] = list(variables)
        self._mark_program_changed()

    def remove_input(self, name: str) -> None:
        """Delete an input slot of the op."""
        self._view.raw.inputs.pop(name, None)
        self._mark_program_changed()

    def remove_output(self, name: str) -> None:
        """Delete an output slot of the op."""
        self._view.raw.outputs.pop(name, None)
        self._mark_program_changed()

    def _rename_input(self, old_name: str, new_name: str) -> None:
        """Replace the name of a variable in all input slots."""
        self._view._rename_input(old_name, new_name)

    def _rename_output(self, old_name: str, new_name: str) -> None:
        """Replace the name of a variable in all output slots."""
        self._view._rename_output(old_name, new_name)

    def set_is_target(self, target: bool) -> None:
        """Do nothing. In Paddle the method marks ops that pruning keeps; Oarlock prunes by the
        fetched variables.
        """

    # -- attributes
    # ---------------------------------------------------------------------------------------------

    def attr_names(self) -> list[str]:
        """Return the names of the attributes that are set."""
        return self._view.attr_names if self._view.raw.user_line else list(self._view.raw.attrs)

    def has_attr(self, name: str) -> bool:
        """Return whether an attribute of the op is set."""
        return name in self.attr_names()

    def attr(self, name: str) -> Any:
        """Return the value of an attribute. The value of an attribute that holds a block is a
        BlockDesc.

        Raises OpError if it is not set.
        """
        self._require_attr_is_set(name)
        value, kind = self._view.attr(name), self._view.attr_type(name)
        if kind not in (AttrType.BLOCK, AttrType.BLOCKS):
            return list(value) if isinstance(value, list) else value
        block = self._view.block.program.block
        return block(value).desc if kind == AttrType.BLOCK else [block(i).desc for i in value]

    def _require_attr_is_set(self, name: str) -> None:
        if not self.has_attr(name):
            raise OpError(
                append_user_line(
                    f"{self.type()}: Attribute {name} is not found; it has {self.attr_names()}"
                )
            )

    def get_attr_map(self) -> dict[str, Any]:
        """Return a dict from the names of the attributes to their values."""
        return {name: self.attr(name) for name in self.attr_names()}

    def attr_type(self, name: str) -> AttrType:
        """Return the type of an attribute. Raises OpError if it is not set."""
        self._require_attr_is_set(name)
        return self._view.attr_type(name)

    def _set_attr(self, name: str, value: Any) -> None:
        """Set an attribute of the op. Raises OpError for a value that it does not accept."""
        self._view._set_attr(name, value.decode() if isinstance(value, bytes) else value)

    set_attr = set_serialized_attr = _set_attr

    def _set_typed_attr_unchecked(self, kind: AttrType, name: str, value: Any) -> None:
        self._view.raw.attrs[name] = Attr(kind, value)
        self._mark_program_changed()

    def set_block_attr(self, name: str, block: BlockDesc) -> None:
        """Set an attribute to a block."""
        self._set_typed_attr_unchecked(AttrType.BLOCK, name, block.id)

    def set_blocks_attr(self, name: str, blocks: Sequence[BlockDesc]) -> None:
        """Set an attribute to a list of blocks."""
        self._set_typed_attr_unchecked(AttrType.BLOCKS, name, [b.id for b in blocks])

    def _block_attr_id(self, name: str) -> int:
        """Return the index of the block in an attribute. Raises OpError if it is not set."""
        self._require_attr_is_set(name)
        return int(self._view.attr(name))

    block_attr_id = _block_attr_id

    def _blocks_attr_ids(self, name: str) -> list[int]:
        """Return the indices of the blocks in an attribute. Raises OpError if it is not set."""
        self._require_attr_is_set(name)
        return list(self._view.attr(name))

    def remove_attr(self, name: str) -> None:
        """Delete an attribute of the op."""
        self._view._remove_attr(name)

    def check_attrs(self) -> None:
        """Set all attributes that are not set to the default values of the op.

        Raises OpError for an unknown op.
        """
        if not self.type():
            raise OpError(append_user_line("CheckAttr() can not be called before type is set."))
        self._require_registered()
        self._view.set_missing_attrs_to_defaults()

    def _require_registered(self) -> None:
        if self.type() not in OPS:
            raise OpError(append_user_line(f"Operator {self.type()} has not been registered"))

    # -- inference of outputs
    # -----------------------------------------------------------------------------

    def infer_shape(self, block: BlockDesc) -> None:
        """Infer the shapes of the outputs from those of the inputs, and declare them.

        Raises OpError for inputs that are not declared or that the op does not accept.
        """
        self._require_registered()
        self.check_attrs()
        for name, output in self._compute_output_declarations(block).items():
            block.require_declaration(name).shape = output.shape
        self._mark_program_changed()

    def infer_var_type(self, block: BlockDesc) -> None:
        """Declare those outputs that the block does not declare, and infer the dtypes of all
        outputs.
        """
        for name in self._view.raw.output_names():
            block.find_var_recursive(name) or block.var(name)
        is_declared = all(block.find_var_recursive(name) for name in self._view.raw.input_names())
        if self.type() in OPS and is_declared and self._has_required_inputs():
            for name, output in self._compute_output_declarations(block, with_dtypes=True).items():
                block.require_declaration(name).dtype = output.dtype
        self._mark_program_changed()

    def _has_required_inputs(self) -> bool:
        """Whether every input slot that is not optional has a variable."""
        return all(s.is_optional or self._view.raw.inputs.get(s.name) for s in OPS[self.type()].ins)

    def _compute_output_declarations(
        self, block: BlockDesc, with_dtypes: bool = False
    ) -> dict[str, VarData]:
        """Infer the shapes and dtypes of the outputs, and return the declarations of the outputs by
        name.

        with_dtypes: return {} unless the dtypes of all inputs are declared
        """
        raw = self._view.raw
        missing = [
            s.name for s in OPS[raw.type].ins if not s.is_optional and not raw.inputs.get(s.name)
        ]
        if missing:
            raise OpError(
                append_user_line(
                    f"{raw.type}: No Input({missing[0]}) found for {raw.type} operator."
                )
            )
        variables = {
            name: deepcopy(block.require_declaration(name))
            for name in (*raw.input_names(), *raw.output_names())
        }
        if with_dtypes and not all(variables[name].dtype for name in raw.input_names()):
            return {}
        for variable in variables.values():
            variable.dtype = variable.dtype or "float32"
        try:
            set_inferred_output_metas(raw, variables)
        except OpError as error:
            raise OpError(append_user_line(f"{raw.type}: {error}")) from None
        return {name: variables[name] for name in raw.output_names()}
