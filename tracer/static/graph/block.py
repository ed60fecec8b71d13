"""Block: the public view of a block of a program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from copy import deepcopy
from typing import Any, ClassVar, TypeAlias

from ...capture.variable import ParameterVariable, Variable, check_to_string_flags
from ...core import unique_name
from ...core.dtype import parse_dtype
from ...core.errors import OpError, append_user_line, op_error_like, user_line
from ...core.op import CURRENT_TYPE_BY_OLDER, OPS, Meta
from ...ir import program as data
from ...ir.dim import format_shape
from ...ir.kernelless_op_traits import kernelless_op_traits_or_default
from ...ir.passes.shape_inference import set_inferred_output_metas
from ...ir.printer import iter_block_lines
from ..block_desc import BlockDesc
from .operator import Operator, make_typed_attr

Program: TypeAlias = Any  # program.Program


def variable_names_by_slot(slots: Any) -> dict[str, list[str]]:
    """Return a dict from slots to lists of variable names. In the argument, a slot may hold a
    variable, a name, or a list of them.
    """
    names = {}
    for slot, value in (slots or {}).items():
        items = value if isinstance(value, list | tuple) else [] if value is None else [value]
        names[slot] = [v if isinstance(v, str) else v.name for v in items]
    return names


def _checked_parameter_shape(shape: Any) -> tuple[int, ...]:
    """Return the shape of a parameter. Raises OpError unless all sizes are positive."""
    if shape is None or any(int(d) <= 0 for d in shape):
        raise OpError(append_user_line(f"create_parameter: shape={shape}; sizes must be positive"))
    return tuple(int(d) for d in shape)


class Block:
    """A block of a program. `raw` is its data; each name has one Variable."""

    # Function that emits the ops which initialize a variable. The module `parameters` sets this
    # function.
    declare_in_startup_and_emit_initializer: ClassVar[
        Callable[[Program, data.VarDesc, Callable[[], Any]], None]
    ]

    def __init__(self, program: Program, desc: data.Block) -> None:
        self.program = program
        self.raw = desc
        self._variables: dict[str, Variable] = {}

    @property
    def desc(self) -> BlockDesc:
        """A view of the block with the methods of Paddle's C++ class."""
        return BlockDesc(self)

    @property
    def idx(self) -> int:
        """The index of the block."""
        return self.raw.idx

    @property
    def parent_idx(self) -> int:
        """The index of the parent block, -1 for the global block."""
        return self.raw.parent

    forward_block_idx = backward_block_idx = -1

    def _set_forward_block_idx(self, idx: int) -> None:
        """Set the forward block, whose gradient this block computes."""
        self.forward_block_idx = idx

    def _sync_with_cpp(self) -> None:
        """Do nothing. In Paddle the method copies the changes of `desc` to Python, but here `desc`
        is a view of this block.
        """

    # -- variables
    # ----------------------------------------------------------------------------------------------

    def get_or_create_variable_of_desc(self, desc: data.VarDesc) -> Variable:
        """Return the Variable object for a declaration of this block, and create it if there is
        none.
        """
        variable = self._variables.get(desc.name)
        if variable is None or variable.raw is not desc:
            variable = (ParameterVariable if desc.is_parameter else Variable)(desc)
            self._variables[desc.name] = variable
            variable.block = self
            self.program.recorder.bind(variable, desc.name)
        return variable

    @property
    def vars(self) -> dict[str, Variable]:
        """The variables by name."""
        return {
            name: self.get_or_create_variable_of_desc(desc) for name, desc in self.raw.vars.items()
        }

    def has_var(self, name: str) -> bool:
        """Return whether this block declares a variable called `name`."""
        return name in self.raw.vars

    def var(self, name: str) -> Variable:
        """Return the variable called `name`. Raises OpError (a ValueError) if the variable is not
        declared.
        """
        if not isinstance(name, str):
            raise TypeError(append_user_line(f"var: a name is a str, not {type(name).__name__}"))
        if name not in self.raw.vars:
            raise OpError(append_user_line(f"var {name} not in this block"))
        return self.get_or_create_variable_of_desc(self.raw.vars[name])

    def _var_recursive(self, name: str) -> Variable:
        """Return the variable called `name` in this block or its ancestors.

        Raises OpError if none declares it.
        """
        idx = self.idx
        while idx >= 0:
            block = self.program.block(idx)
            if block.has_var(name):
                return block.var(name)
            idx = block.parent_idx
        raise OpError(append_user_line(f"var {name} is not found"))

    def _find_var_recursive(self, name: str) -> Variable | None:
        """Return the variable called `name` in this block or its ancestors, or None."""
        return (
            self._var_recursive(name) if self.program.raw.var(name, self.idx) is not None else None
        )

    def iter_parameters(self) -> Iterator[ParameterVariable]:
        """Yield the parameters of the block, trainable or not."""
        return (v for v in self.vars.values() if isinstance(v, ParameterVariable))

    def all_parameters(self) -> list[ParameterVariable]:
        """Return the parameters of the block, trainable or not."""
        return list(self.iter_parameters())

    def create_var(
        self,
        name: str | None = None,
        shape: Any = None,
        dtype: Any = None,
        lod_level: int | None = None,
        persistable: bool | None = None,
        stop_gradient: bool = False,
        type: Any = data.VarKind.DENSE,
        is_data: bool = False,
        need_check_feed: bool = False,
        **others: Any,
    ) -> Variable:
        """Declare a variable. If the block has a variable of this name, return that one.

        Raises OpError if it is declared with another shape, dtype, type or lod_level.
        """
        name = unique_name.generate("_generated_var") if name is None else name
        if isinstance(dtype, data.VarKind):  # types without dtype, such as STRINGS
            type, dtype = dtype, None
        sizes = tuple(-1 if d is None else int(d) for d in shape or ())
        existing = self.raw.vars.get(name)
        if existing is not None:
            expected = data.VarDesc(
                name,
                existing.shape if shape is None else sizes,
                existing.dtype if dtype is None else parse_dtype(dtype).name,
                data.VarKind(type),
                lod_level=existing.lod_level if lod_level is None else int(lod_level),
            )
            return self.declare_or_get(expected)
        desc = data.VarDesc(
            name,
            sizes,
            parse_dtype("float32" if dtype is None else dtype).name,
            data.VarKind(type),
            bool(persistable),
            False,
            bool(stop_gradient),
            bool(need_check_feed or is_data),
            int(lod_level or 0),
        )
        variable = self.declare_or_get(desc)
        args = {"shape": shape, "dtype": dtype, "lod_level": lod_level, "persistable": persistable}
        variable.undeclared_properties = frozenset(
            arg for arg, value in args.items() if value is None
        )
        return variable

    def declare_or_get(self, desc: data.VarDesc) -> Variable:
        """Declare a variable with the given declaration. If the block has a variable of this name,
        return that one.

        Raises OpError if it is declared with another shape, dtype, type or lod_level.
        """
        existing = self.raw.vars.get(desc.name)
        if existing is not None:
            if (existing.shape, existing.dtype, existing.kind) != (
                desc.shape,
                desc.dtype,
                desc.kind,
            ):
                both = (
                    f"{Meta(existing.shape, parse_dtype(existing.dtype).np)}, not "
                    f"{Meta(desc.shape, parse_dtype(desc.dtype).np)}"
                )
                raise OpError(
                    append_user_line(f"create_var: '{desc.name}' is already declared as {both}")
                )
            if existing.lod_level != desc.lod_level:
                both = f"lod_level {existing.lod_level}, not {desc.lod_level}"
                raise OpError(
                    append_user_line(f"create_var: '{desc.name}' is already declared with {both}")
                )
            if desc.dims not in ((), existing.dims):
                both = (
                    f"{format_shape(existing.shape, existing.dims)}, not "
                    f"{format_shape(desc.shape, desc.dims)}"
                )
                raise OpError(
                    append_user_line(f"create_var: '{desc.name}' is already declared as {both}")
                )
            return self.get_or_create_variable_of_desc(existing)
        self.program.recorder.namer.reserve_program_name_of_persistable(desc.name)
        self.raw.vars[desc.name] = desc
        self.program.mark_changed()
        return self.get_or_create_variable_of_desc(desc)

    def create_parameter(
        self,
        shape: Any,
        dtype: Any,
        type: Any = data.VarKind.DENSE,
        name: str | None = None,
        trainable: bool = True,
        initializer: Any = None,
        lod_level: int = 0,
        persistable: bool = True,
        **settings: Any,
    ) -> ParameterVariable:
        """Create a parameter in the global block. If the global block has a parameter of this name,
        return that one.

        initializer: called with the parameter and this block, unless an op of this block writes it
        settings: further attributes, such as optimize_attr, regularizer and need_clip

        Raises OpError unless all sizes are positive.
        """
        sizes = _checked_parameter_shape(shape)
        name = unique_name.generate("_generated_var") if name is None else name
        desc = data.VarDesc(
            name,
            sizes,
            parse_dtype(dtype).name,
            data.VarKind(type),
            True,
            True,
            lod_level=int(lod_level),
        )
        parameter = self.program.global_block().declare_or_get(desc)
        assert isinstance(parameter, ParameterVariable)
        parameter.trainable = trainable
        for key, value in settings.items():
            setattr(parameter, key, value)
        if initializer is not None and not any(name in op.output_names() for op in self.raw.ops):
            initializer(parameter, self)
        return parameter

    def append_initializer(self, variable: Variable, initializer: Any) -> Operator:
        """Append the ops that initialize a variable to this block. If this block is complete,
        append the ops to the current block of the program. Return the last op.
        """
        recorder = self.program.recorder
        open_block = next((b for b in recorder.open_blocks if b.block is self.raw), None)
        with nullcontext() if open_block is None else recorder.enter_block(open_block):
            Block.declare_in_startup_and_emit_initializer(
                self.program,
                variable.raw,
                lambda: initializer.record(variable.raw.shape, variable.meta.dtype),
            )
            return self.program.current_block().ops[-1]

    def _rename_var(self, name: str, new_name: str) -> Variable:
        """Rename a variable in all ops of this block."""
        desc = self.raw.vars.pop(name)
        desc.name = new_name
        self.raw.vars[new_name] = desc
        self._variables.pop(name, None)
        for op in self.ops:
            op._rename_input(name, new_name)
            op._rename_output(name, new_name)
        return self.get_or_create_variable_of_desc(desc)

    def rename_variable_with_sub_blocks(self, variable: Variable, old: str, new: str) -> None:
        """Rename a variable in this block and in its sub-blocks.

        Raises OpError if the block declares the new name.
        """
        if new in self.raw.vars:
            raise OpError(
                append_user_line(f"name: '{new}' is the name of another variable of the block")
            )
        self._rename_var(old, new)
        self._variables[new] = variable
        self.program.recorder.bind(variable, new)
        for block in self.program.blocks:
            if (
                block is not self
                and old not in block.raw.vars
                and block._find_var_recursive(new) is variable
            ):
                for op in block.ops:
                    op._rename_input(old, new)
                    op._rename_output(old, new)

    def _remove_var(self, name: str) -> None:
        """Delete a declaration."""
        del self.raw.vars[name]
        self._variables.pop(name, None)
        self.program.mark_changed()

    # -- ops
    # --------------------------------------------------------------------------

    @property
    def ops(self) -> list[Operator]:
        """The ops in order."""
        return [Operator(self, op) for op in self.raw.ops]

    def append_op(
        self,
        type: str | None = None,
        inputs: Any = None,
        outputs: Any = None,
        attrs: Any = None,
        **others: Any,
    ) -> Operator:
        """Append an op and infer the shapes of its outputs.

        inputs, outputs: variables or names by slot
        attrs: attributes by name

        Raises OpError for inputs or attributes that the op does not accept, and for undeclared
        variables.
        """
        return self._insert_op(
            len(self.raw.ops), type=type, inputs=inputs, outputs=outputs, attrs=attrs
        )

    def _prepend_op(
        self,
        type: str | None = None,
        inputs: Any = None,
        outputs: Any = None,
        attrs: Any = None,
        **others: Any,
    ) -> Operator:
        """Insert an op before all others."""
        return self._insert_op(0, type=type, inputs=inputs, outputs=outputs, attrs=attrs)

    def _insert_op(
        self,
        index: int,
        type: str | None = None,
        inputs: Any = None,
        outputs: Any = None,
        attrs: Any = None,
        **others: Any,
    ) -> Operator:
        """Insert an op at `index`."""
        if type is None:
            raise OpError(
                append_user_line("append_op: `type` to initialized an Operator can not be None.")
            )
        traits = kernelless_op_traits_or_default(type)
        is_known = (
            type in OPS
            or type in CURRENT_TYPE_BY_OLDER
            or traits.capture_slot
            or traits.has_side_effects
        )
        if not is_known:
            raise OpError(append_user_line(f'Operator "{type}" has not been registered.'))
        desc = data.OpDesc(
            type,
            variable_names_by_slot(inputs),
            variable_names_by_slot(outputs),
            self._typed_attrs_with_defaults(type, attrs or {}),
        )
        unknown = {
            n
            for n in (*desc.input_names(), *desc.output_names())
            if self.program.raw.var(n, self.idx) is None
        }
        if unknown:
            raise OpError(append_user_line(f"{type}: variables {sorted(unknown)} are not declared"))
        line = user_line()
        desc.user_line = "" if line is None else str(line)
        if type in OPS and all(s.is_optional or s.name in desc.inputs for s in OPS[type].ins):
            self._set_inferred_output_metas(desc)
        self.program.recorder.set_common_attrs(desc)
        self.raw.ops.insert(index, desc)
        self.program.mark_changed()
        return Operator(self, desc)

    def _typed_attrs_with_defaults(self, type: str, attrs: dict[str, Any]) -> dict[str, data.Attr]:
        op = OPS.get(type)
        defaults = {} if op is None else {n: s.default for n, s in op.attrs.items()}
        return {
            name: make_typed_attr(type, name, value)
            for name, value in {**defaults, **attrs}.items()
            if value is not None
        }

    def _set_inferred_output_metas(self, desc: data.OpDesc) -> None:
        names = {*desc.input_names(), *desc.output_names()}
        declared = {n: self.program.raw.var(n, self.idx) for n in names}
        try:
            set_inferred_output_metas(desc, {n: v for n, v in declared.items() if v is not None})
        except OpError as error:
            raise op_error_like(error, append_user_line(f"{desc.type}: {error}")) from None

    def _slice_ops(self, start: int, end: int) -> list[Operator]:
        """Return the ops with the indices from `start` up to `end` (exclusive)."""
        return self.ops[start:end]

    def _clone_variable(self, var: Variable, force_persistable: bool = True) -> Variable:
        """Declare a copy of a variable, which may be of another program. The copy is persistable,
        unless force_persistable is False.
        """
        desc = deepcopy(var.raw)
        desc.is_parameter, desc.persistable = False, force_persistable or desc.persistable
        return self.declare_or_get(desc)

    def _remove_op(self, index: int, sync: bool = True) -> None:
        """Delete the op at `index`."""
        del self.raw.ops[index]
        self.program.mark_changed()

    # -- text
    # --------------------------------------------------------------------------

    def to_string(self, throw_on_error: bool = True, with_details: bool = False) -> str:
        """Return the text of the block, as in a printed program."""
        check_to_string_flags(throw_on_error, with_details)
        return "\n".join(iter_block_lines(self.raw))

    def _to_readable_code(self, skip_op_callstack: bool = True) -> str:
        return self.to_string()

    __str__ = __repr__ = to_string
