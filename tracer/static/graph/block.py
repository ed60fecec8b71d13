"""Block: the variables and ops of one block of a program, as users look at them and add to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any, ClassVar, TypeAlias

from ...capture.variable import ParameterVariable, Variable, check_to_string_flags
from ...core import unique_name
from ...core.dtype import dtype_of
from ...core.errors import OpError, same_kind, user_line, with_user_line
from ...core.op import OPS, Meta
from ...ir import program as data
from ...ir.op_traits import traits_of
from ...ir.passes.shape_inference import infer
from ...ir.passes.upgrade_ops import RENAMED_OPS
from ...ir.printer import block_lines
from ..block_desc import BlockDesc
from .operator import Operator, typed

Program: TypeAlias = Any  # program.Program


def names_in(slots: Any) -> dict[str, list[str]]:
    """Names of variables by slot, from variables, names, or lists of them."""
    found = {}
    for slot, given in (slots or {}).items():
        many = given if isinstance(given, list | tuple) else [] if given is None else [given]
        found[slot] = [v if isinstance(v, str) else v.name for v in many]
    return found


def _known_sizes(shape: Any) -> tuple[int, ...]:
    """The sizes of a parameter, all of which are known.   Raises OpError."""
    if shape is None or any(int(d) <= 0 for d in shape):
        raise OpError(
            with_user_line(f"create_parameter: the sizes {shape} are not all more than 0")
        )
    return tuple(int(d) for d in shape)


class Block:
    """One block.   raw: the data; the same name always gives the same Variable."""

    # Emits the ops that initialize a parameter; set by `parameters`.
    start_with: ClassVar[Callable[[Program, data.VarDesc, Callable[[], Any]], None]]

    def __init__(self, program: Program, desc: data.Block) -> None:
        self.program = program
        self.raw = desc
        self._made: dict[str, Variable] = {}

    @property
    def desc(self) -> BlockDesc:
        """The block, with the methods of Paddle's C++ class."""
        return BlockDesc(self)

    @property
    def idx(self) -> int:
        """Its place among the blocks."""
        return self.raw.idx

    @property
    def parent_idx(self) -> int:
        """The block around it, -1 for none."""
        return self.raw.parent

    forward_block_idx = backward_block_idx = -1

    def _set_forward_block_idx(self, idx: int) -> None:
        """Note the block that this one is the way back of."""
        self.forward_block_idx = idx

    def _sync_with_cpp(self) -> None:
        """Nothing: what `desc` says is what the block says."""

    # -- variables
    # ----------------------------------------------------------------------------------------------

    def of(self, desc: data.VarDesc) -> Variable:
        """The Variable of a declaration of this block."""
        made = self._made.get(desc.name)
        if made is None or made.raw is not desc:
            made = self._made[desc.name] = (ParameterVariable if desc.is_parameter else Variable)(
                desc
            )
            made.block = self
            self.program.recorder.bind(made, desc.name)
        return made

    @property
    def vars(self) -> dict[str, Variable]:
        """The variables by name."""
        return {name: self.of(desc) for name, desc in self.raw.vars.items()}

    def has_var(self, name: str) -> bool:
        """Whether this block declares `name`."""
        return name in self.raw.vars

    def var(self, name: str) -> Variable:
        """The variable called `name`.   Raises OpError (a ValueError) where this block has none."""
        if not isinstance(name, str):
            raise TypeError(with_user_line(f"var: a name is a str, not {type(name).__name__}"))
        if name not in self.raw.vars:
            raise OpError(with_user_line(f"var {name} not in this block"))
        return self.of(self.raw.vars[name])

    def _var_recursive(self, name: str) -> Variable:
        """The variable called `name` in this block or those around it.

        Raises OpError where there is none.
        """
        at = self.idx
        while at >= 0:
            block = self.program.block(at)
            if block.has_var(name):
                return block.var(name)
            at = block.parent_idx
        raise OpError(with_user_line(f"var {name} is not found"))

    def _find_var_recursive(self, name: str) -> Variable | None:
        """The variable called `name` in this block or those around it, None where there is none."""
        return (
            self._var_recursive(name) if self.program.raw.var(name, self.idx) is not None else None
        )

    def iter_parameters(self) -> Iterator[ParameterVariable]:
        """The parameters, trainable or not."""
        return (v for v in self.vars.values() if isinstance(v, ParameterVariable))

    def all_parameters(self) -> list[ParameterVariable]:
        """The parameters, trainable or not."""
        return list(self.iter_parameters())

    def create_var(
        self,
        name: str | None = None,
        shape: Any = None,
        dtype: Any = None,
        lod_level: int | None = None,
        persistable: bool | None = None,
        stop_gradient: bool = False,
        type: Any = data.Kind.DENSE,
        is_data: bool = False,
        need_check_feed: bool = False,
        **others: Any,
    ) -> Variable:
        """A new variable, or the one of that name, which what is given has to fit.

        Raises OpError where it does not.
        """
        name = unique_name.generate("_generated_var") if name is None else name
        if isinstance(dtype, data.Kind):  # a kind of variable that has no dtype, such as strings
            type, dtype = dtype, None
        sizes = tuple(-1 if d is None else int(d) for d in shape or ())
        known = self.raw.vars.get(name)
        if known is not None:
            given = data.VarDesc(
                name,
                known.shape if shape is None else sizes,
                known.dtype if dtype is None else dtype_of(dtype).name,
                data.Kind(type),
                lod_level=known.lod_level if lod_level is None else int(lod_level),
            )
            return self.declare(given)
        desc = data.VarDesc(
            name,
            sizes,
            dtype_of("float32" if dtype is None else dtype).name,
            data.Kind(type),
            bool(persistable),
            False,
            bool(stop_gradient),
            bool(need_check_feed or is_data),
            int(lod_level or 0),
        )
        made = self.declare(desc)
        said = {"shape": shape, "dtype": dtype, "lod_level": lod_level, "persistable": persistable}
        made.unsaid = frozenset(what for what, given in said.items() if given is None)
        return made

    def declare(self, desc: data.VarDesc) -> Variable:
        """A new variable, or the one that is declared just so.

        Raises OpError where it is declared otherwise.
        """
        known = self.raw.vars.get(desc.name)
        if known is not None:
            if (known.shape, known.dtype, known.kind) != (desc.shape, desc.dtype, desc.kind):
                both = (
                    f"{Meta(known.shape, dtype_of(known.dtype).np)}, not "
                    f"{Meta(desc.shape, dtype_of(desc.dtype).np)}"
                )
                raise OpError(
                    with_user_line(f"create_var: '{desc.name}' is there already, as {both}")
                )
            if known.lod_level != desc.lod_level:
                both = f"lod_level {known.lod_level}, not {desc.lod_level}"
                raise OpError(
                    with_user_line(f"create_var: '{desc.name}' is there already, with {both}")
                )
            return self.of(known)
        self.program.recorder.namer.persistable(desc.name)
        self.raw.vars[desc.name] = desc
        self.program.changed()
        return self.of(desc)

    def create_parameter(
        self,
        shape: Any,
        dtype: Any,
        type: Any = data.Kind.DENSE,
        name: str | None = None,
        trainable: bool = True,
        initializer: Any = None,
        lod_level: int = 0,
        persistable: bool = True,
        **settings: Any,
    ) -> ParameterVariable:
        """A new parameter of the outermost block, or the one of that name.

        initializer: writes its first value to this block, unless an op did

        settings: optimize_attr, regularizer, need_clip and the like.
        Raises OpError for a shape that not all parameters can have.
        """
        sizes = _known_sizes(shape)
        name = unique_name.generate("_generated_var") if name is None else name
        desc = data.VarDesc(
            name, sizes, dtype_of(dtype).name, data.Kind(type), True, True, lod_level=int(lod_level)
        )
        made = self.program.global_block().declare(desc)
        assert isinstance(made, ParameterVariable)
        made.trainable = trainable
        for key, value in settings.items():
            setattr(made, key, value)
        if initializer is not None and not any(name in op.output_names() for op in self.raw.ops):
            initializer(made, self)
        return made

    def write_first(self, variable: Variable, initializer: Any) -> Operator:
        """Write the op that gives a variable its first value; gives the op."""
        Block.start_with(
            self.program,
            variable.raw,
            lambda: initializer.record(variable.raw.shape, variable.meta.dtype),
        )
        return self.program.current_block().ops[-1]

    def _rename_var(self, name: str, new_name: str) -> Variable:
        """Call a variable otherwise, in all ops of this block."""
        desc = self.raw.vars.pop(name)
        desc.name = new_name
        self.raw.vars[new_name] = desc
        self._made.pop(name, None)
        for op in self.ops:
            op._rename_input(name, new_name)
            op._rename_output(name, new_name)
        return self.of(desc)

    def rename(self, variable: Variable, old: str, new: str) -> None:
        """Call a variable otherwise, here and in the blocks inside.

        Raises OpError for a name that is taken.
        """
        if new in self.raw.vars:
            raise OpError(with_user_line(f"name: '{new}' is another variable of the block"))
        self._rename_var(old, new)
        self._made[new] = variable
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
        """Take a declaration away."""
        del self.raw.vars[name]
        self._made.pop(name, None)
        self.program.changed()

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
        """Add an op.

        inputs, outputs: variables or their names by slot; attrs by name.
        Shapes of the results follow.

        Raises OpError for operands or attributes that the op refuses, and for variables that are
        not declared.
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
        """Add an op before all others."""
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
        """Add an op before the one at `index`."""
        if type is None:
            raise OpError(
                with_user_line("append_op: `type` to initialized an Operator can not be None.")
            )
        traits = traits_of(type)
        is_known = (
            type in OPS or type in RENAMED_OPS or traits.capture_slot or traits.has_side_effects
        )
        if not is_known:
            raise OpError(with_user_line(f'Operator "{type}" has not been registered.'))
        desc = data.OpDesc(
            type, names_in(inputs), names_in(outputs), self._attrs(type, attrs or {})
        )
        unknown = {
            n
            for n in (*desc.input_names(), *desc.output_names())
            if self.program.raw.var(n, self.idx) is None
        }
        if unknown:
            raise OpError(with_user_line(f"{type}: variables {sorted(unknown)} are not declared"))
        line = user_line()
        desc.where = "" if line is None else str(line)
        if type in OPS and all(s.optional or s.name in desc.inputs for s in OPS[type].ins):
            self._infer(desc)
        self.program.recorder.label(desc)
        self.raw.ops.insert(index, desc)
        self.program.changed()
        return Operator(self, desc)

    def _attrs(self, type: str, given: dict[str, Any]) -> dict[str, data.Attr]:
        op = OPS.get(type)
        defaults = {} if op is None else {n: s.default for n, s in op.attrs.items()}
        return {
            name: typed(type, name, value)
            for name, value in {**defaults, **given}.items()
            if value is not None
        }

    def _infer(self, desc: data.OpDesc) -> None:
        names = {*desc.input_names(), *desc.output_names()}
        seen = {n: self.program.raw.var(n, self.idx) for n in names}
        try:
            infer(desc, {n: v for n, v in seen.items() if v is not None})
        except OpError as error:
            raise same_kind(error, with_user_line(f"{desc.type}: {error}")) from None

    def _slice_ops(self, start: int, end: int) -> list[Operator]:
        """The ops from `start` to before `end`."""
        return self.ops[start:end]

    def _clone_variable(self, var: Variable, force_persistable: bool = True) -> Variable:
        """A variable declared as another one of any program; one whose value outlives a run unless
        told otherwise.
        """
        desc = deepcopy(var.raw)
        desc.is_parameter, desc.persistable = False, force_persistable or desc.persistable
        return self.declare(desc)

    def _remove_op(self, index: int, sync: bool = True) -> None:
        """Take an op away."""
        del self.raw.ops[index]
        self.program.changed()

    # -- text
    # --------------------------------------------------------------------------

    def to_string(self, throw_on_error: bool = True, with_details: bool = False) -> str:
        """The block as in a printed program."""
        check_to_string_flags(throw_on_error, with_details)
        return "\n".join(block_lines(self.raw))

    def _to_readable_code(self, skip_op_callstack: bool = True) -> str:
        return self.to_string()

    __str__ = __repr__ = to_string
