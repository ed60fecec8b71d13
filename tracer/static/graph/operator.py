"""Operator: one op of a program, as users look at it and change it."""

from __future__ import annotations

from typing import Any, TypeAlias

from ...capture.recorder import plain
from ...core.dtype import DType
from ...core.errors import OpError, with_user_line
from ...core.op import OPS
from ...core.paddle1_compat import compat
from ...ir.attr_types import attr_problem, block_indices
from ...ir.printer import op_text
from ...ir.program import Attr, AttrType, OpDesc
from ..op_desc import OpDesc as Described

Block: TypeAlias = Any  # block.Block

# What the attributes that any op may have are called in a file.
COMMON = {
    "op_role": AttrType.INT,
    "op_role_var": AttrType.STRINGS,
    "op_namescope": AttrType.STRING,
    "op_device": AttrType.STRING,
    "op_callstack": AttrType.STRINGS,
    "with_quant_attr": AttrType.BOOLEAN,
    "sub_block": AttrType.BLOCK,
}
# Defaults of attributes that are not set.
EVERY: dict[str, Any] = {
    "op_role": 0,
    "op_role_var": [],
    "op_namescope": "/",
    "op_callstack": [],
    "op_device": "",
}
SINGLE = {bool: AttrType.BOOLEAN, int: AttrType.INT, float: AttrType.FLOAT, str: AttrType.STRING}
MANY = {bool: AttrType.BOOLEANS, int: AttrType.INTS, float: AttrType.FLOATS, str: AttrType.STRINGS}


def typed(op_type: str, name: str, value: Any) -> Attr:
    """An attribute with the type that the op gives it, or that the value suggests.

    Raises OpError for what no file can hold.
    """
    value = value.proto if isinstance(value, DType) else plain(value)
    op = OPS.get(op_type)
    if op is not None and name in op.attrs:
        kind = AttrType[op.attrs[name].type]
    elif name in COMMON:
        kind = COMMON[name]
        value = value.idx if kind == AttrType.BLOCK and hasattr(value, "idx") else value
    else:
        kind = _guessed(op_type, name, value)
    attr = Attr(kind, value)
    problem = attr_problem(attr)
    if problem:
        raise OpError(with_user_line(f"{op_type}: attribute {name}: {problem}"))
    return attr


def _guessed(op_type: str, name: str, value: Any) -> AttrType:
    many = isinstance(value, list)
    inner = type(value[0]) if many and value else type(value)
    kind = (MANY if many else SINGLE).get(int if many and not value else inner)
    if kind is None:
        raise OpError(
            with_user_line(f"{op_type}: attribute {name} is {value!r:.60}, which no file can hold")
        )
    wide = [v for v in (value if many else [value]) if inner is int and not -(2**31) <= v < 2**31]
    return (AttrType.LONGS if many else AttrType.LONG) if wide else kind


def _of_every_op() -> dict[str, Any]:
    """What every op has, as the Paddle of the era lists it."""
    return EVERY if compat.is_paddle1 else {**EVERY, "with_quant_attr": False}


class Operator:
    """One op.   type: Paddle's; raw: the data, whose names of variables it gives by slot."""

    def __init__(self, block: Block, desc: OpDesc) -> None:
        self.block = block
        self.raw = desc

    @property
    def desc(self) -> Described:
        """The op, with the methods of Paddle's C++ class."""
        return Described(self)

    @property
    def type(self) -> str:
        """The type of the op."""
        return self.raw.type

    @property
    def idx(self) -> int:
        """Its place among the ops of its block."""
        return next(i for i, op in enumerate(self.block.raw.ops) if op is self.raw)

    # -- operands and results
    # -----------------------------------------------------------------------------------

    def input(self, name: str) -> list[str]:
        """The variables in an input slot."""
        return self._slot(self.raw.inputs, "input", name)

    def output(self, name: str) -> list[str]:
        """The variables in an output slot."""
        return self._slot(self.raw.outputs, "output", name)

    def _slot(self, slots: dict[str, list[str]], what: str, name: str) -> list[str]:
        op = OPS.get(self.type)
        known = [s.name for s in (op.ins if what == "input" else op.outs)] if op else []
        if name not in slots and name not in known:
            raise OpError(
                with_user_line(
                    f"{self.type}: no {what} {name!r}; it has {sorted({*slots, *known})}"
                )
            )
        return list(slots.get(name, []))

    @property
    def input_names(self) -> list[str]:
        """The input slots."""
        return list(self.raw.inputs)

    @property
    def output_names(self) -> list[str]:
        """The output slots."""
        return list(self.raw.outputs)

    @property
    def input_arg_names(self) -> list[str]:
        """Every variable that it reads."""
        return list(self.raw.input_names())

    @property
    def output_arg_names(self) -> list[str]:
        """Every variable that it writes."""
        return list(self.raw.output_names())

    def _rename_input(self, old_name: str, new_name: str) -> None:
        """Read another variable in place of one."""
        self._rename(self.raw.inputs, old_name, new_name)

    def _rename_output(self, old_name: str, new_name: str) -> None:
        """Write another variable in place of one."""
        self._rename(self.raw.outputs, old_name, new_name)

    def _rename(self, slots: dict[str, list[str]], old: str, new: str) -> None:
        for names in slots.values():
            names[:] = [new if name == old else name for name in names]
        self.block.program.changed()

    # -- attributes
    # ---------------------------------------------------------------------------------------------

    @property
    def attr_names(self) -> list[str]:
        """The attributes that it has, those that every op has among them."""
        return [*self.raw.attrs, *(name for name in _of_every_op() if name not in self.raw.attrs)]

    def has_attr(self, name: str) -> bool:
        """Whether it has an attribute."""
        return name in self.raw.attrs or name in _of_every_op()

    def attr(self, name: str) -> Any:
        """The value of an attribute.   Raises OpError for one that it does not have."""
        if name not in self.raw.attrs and name in _of_every_op():
            return _of_every_op()[name]
        if name not in self.raw.attrs:
            raise OpError(
                with_user_line(
                    f"{self.type}: no attribute {name!r}; it has {sorted(self.raw.attrs)}"
                )
            )
        return self.raw.attrs[name].value

    def attr_type(self, name: str) -> AttrType:
        """The type that an attribute has in a file."""
        self.attr(name)
        return self.raw.attrs[name].type if name in self.raw.attrs else COMMON[name]

    def all_attrs(self) -> dict[str, Any]:
        """All attributes; blocks in place of their numbers."""
        blocks = self.block.program.blocks
        found = {}
        for name, attr in self.raw.attrs.items():
            inner = [blocks[i] for i in block_indices(attr)]
            found[name] = (
                attr.value if not inner else (inner[0] if attr.type == AttrType.BLOCK else inner)
            )
        return found

    def _set_attr(self, name: str, val: Any) -> None:
        """Change an attribute, or give it one.   Raises OpError for a value that does not fit."""
        self.raw.attrs[name] = typed(self.type, name, val)
        self.block.program.changed()

    set_attr = _set_attr

    def _remove_attr(self, name: str) -> None:
        """Have an attribute no longer."""
        self.raw.attrs.pop(name, None)
        self.block.program.changed()

    def fill_attrs(self) -> None:
        """Set what the op takes where nothing was said."""
        op = OPS.get(self.type)
        defaults = {} if op is None else {n: s.default for n, s in op.attrs.items()}
        for name, value in {**EVERY, **defaults}.items():
            if name not in self.raw.attrs and value is not None:
                self.raw.attrs[name] = typed(self.type, name, value)
        self.block.program.changed()

    # -- text
    # --------------------------------------------------------------------------

    def to_string(self, throw_on_error: bool = True, with_details: bool = False) -> str:
        """The op as in a printed program."""
        return op_text(self.raw, {})

    def _to_readable_code(self, skip_op_callstack: bool = True) -> str:
        return self.to_string()

    __str__ = __repr__ = to_string

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Operator) and other.raw is self.raw

    def __hash__(self) -> int:
        return id(self.raw)
