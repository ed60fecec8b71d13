"""Operator: the public view of an op of a program."""

from __future__ import annotations

from copy import copy
from typing import Any, TypeAlias

from ...capture.recorder import attr_to_plain_data
from ...core.dtype import DType
from ...core.errors import OpError, append_user_line
from ...core.op import OPS
from ...core.paddle1_compat import compat
from ...ir.attr_types import attr_problem, referenced_block_indices
from ...ir.printer import format_op_and_pop_declared
from ...ir.program import Attr, AttrType, OpDesc
from ..op_desc import OpDesc as OpDescView

Block: TypeAlias = Any  # block.Block

# Types of the attributes that every op may have.
COMMON_ATTR_TYPES = {
    "op_role": AttrType.INT,
    "op_role_var": AttrType.STRINGS,
    "op_namescope": AttrType.STRING,
    "op_device": AttrType.STRING,
    "op_callstack": AttrType.STRINGS,
    "with_quant_attr": AttrType.BOOLEAN,
    "sub_block": AttrType.BLOCK,
}
# Default values of the attributes that every op may have.
COMMON_ATTR_DEFAULTS: dict[str, Any] = {
    "op_role": 0,
    "op_role_var": [],
    "op_namescope": "/",
    "op_callstack": [],
    "op_device": "",
}
# Attribute types for attributes that an op does not define, by the Python type of the value, or of
# its first item if it is a list.
_ATTR_TYPE_OF_SCALAR = {
    bool: AttrType.BOOLEAN,
    int: AttrType.INT,
    float: AttrType.FLOAT,
    str: AttrType.STRING,
}
_ATTR_TYPE_OF_LIST = {
    bool: AttrType.BOOLEANS,
    int: AttrType.INTS,
    float: AttrType.FLOATS,
    str: AttrType.STRINGS,
}


def make_typed_attr(op_type: str, name: str, value: Any) -> Attr:
    """Convert a value to an attribute with the type that the op defines. If the op does not define
    the attribute, the type follows from the value.

    Raises OpError for values that a `.pdmodel` cannot store.
    """
    value = value.proto if isinstance(value, DType) else attr_to_plain_data(value)
    op = OPS.get(op_type)
    if op is not None and name in op.attrs:
        kind = AttrType[op.attrs[name].type]
    elif name in COMMON_ATTR_TYPES:
        kind = COMMON_ATTR_TYPES[name]
        value = value.idx if kind == AttrType.BLOCK and hasattr(value, "idx") else value
    else:
        kind = _infer_attr_type(op_type, name, value)
    attr = Attr(kind, value)
    problem = attr_problem(attr)
    if problem:
        raise OpError(append_user_line(f"{op_type}: attribute {name}: {problem}"))
    return attr


def _infer_attr_type(op_type: str, name: str, value: Any) -> AttrType:
    is_list = isinstance(value, list)
    item_type = type(value[0]) if is_list and value else type(value)
    kind = (_ATTR_TYPE_OF_LIST if is_list else _ATTR_TYPE_OF_SCALAR).get(
        int if is_list and not value else item_type
    )
    if kind is None:
        raise OpError(
            append_user_line(
                f"{op_type}: attribute {name}={value!r:.60} cannot be stored in a .pdmodel"
            )
        )
    if item_type is int and any(not -(2**31) <= v < 2**31 for v in (value if is_list else [value])):
        return AttrType.LONGS if is_list else AttrType.LONG
    return kind


def _common_attr_defaults() -> dict[str, Any]:
    """Return the default values of the attributes that every op has in the emulated version of
    Paddle.
    """
    return {**COMMON_ATTR_DEFAULTS, **compat.rules.extra_attr_defaults}


class Operator:
    """An op of a program. Blocks of a Program hold Operators; `raw` is the data of the op.

    Parameters
    ----------
    block : Block
    desc : OpDesc

    Attributes
    ----------
    block : Block
    raw : OpDesc

    Examples
    --------
    >>> paddle.enable_static()
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     y = 2 * paddle.static.data("x", [3], "float32")
    >>> op = main.global_block().ops[0]
    >>> op.type, op.input("X"), op.attr("scale")
    ('scale', ['x'], 2.0)
    >>> paddle.disable_static()
    """

    def __init__(self, block: Block, desc: OpDesc) -> None:
        self.block = block
        self.raw = desc

    @property
    def desc(self) -> OpDescView:
        """A view of the op with the methods of Paddle's C++ class OpDesc.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     y = 2 * paddle.static.data("x", [3], "float32")
        >>> op = main.global_block().ops[0]
        >>> op.desc.type()
        'scale'
        >>> paddle.disable_static()
        """
        return OpDescView(self)

    @property
    def type(self) -> str:
        """The type of the op, a str.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     y = 2 * paddle.static.data("x", [3], "float32")
        >>> op = main.global_block().ops[0]
        >>> op.type
        'scale'
        >>> paddle.disable_static()
        """
        return self.raw.type

    @property
    def idx(self) -> int:
        """The index of the op in its block, an int.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     y = 2 * paddle.static.data("x", [3], "float32")
        >>> op = main.global_block().ops[0]
        >>> op.idx
        0
        >>> paddle.disable_static()
        """
        return next(i for i, op in enumerate(self.block.raw.ops) if op is self.raw)

    # -- inputs and outputs
    # -----------------------------------------------------------------------------------

    def input(self, name: str) -> list[str]:
        """Return the names of the variables of an input slot.

        Parameters
        ----------
        name : str
            The slot, such as "X".

        Returns
        -------
        list of str
            Empty if the slot is not used.

        Raises
        ------
        OpError
            If the op has no such slot.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     y = 2 * paddle.static.data("x", [3], "float32")
        >>> op = main.global_block().ops[0]
        >>> op.input('X')
        ['x']
        >>> paddle.disable_static()
        """
        return self._require_names_in_slot(self.raw.inputs, "input", name)

    def output(self, name: str) -> list[str]:
        """Return the names of the variables of an output slot.

        Parameters
        ----------
        name : str
            The slot, such as "Out".

        Returns
        -------
        list of str
            Empty if the slot is not used.

        Raises
        ------
        OpError
            If the op has no such slot.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     y = 2 * paddle.static.data("x", [3], "float32")
        >>> op = main.global_block().ops[0]
        >>> op.output('Out') == [y.name]
        True
        >>> paddle.disable_static()
        """
        return self._require_names_in_slot(self.raw.outputs, "output", name)

    def _require_names_in_slot(
        self, slots: dict[str, list[str]], direction: str, name: str
    ) -> list[str]:
        op = OPS.get(self.type)
        defined = [s.name for s in (op.ins if direction == "input" else op.outs)] if op else []
        if name not in slots and name not in defined:
            raise OpError(
                append_user_line(
                    f"{self.type}: no {direction} {name!r}; it has {sorted({*slots, *defined})}"
                )
            )
        return list(slots.get(name, []))

    @property
    def input_names(self) -> list[str]:
        """The input slots of the op, a list of str.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     y = 2 * paddle.static.data("x", [3], "float32")
        >>> op = main.global_block().ops[0]
        >>> op.input_names
        ['X']
        >>> paddle.disable_static()
        """
        return list(self.raw.inputs)

    @property
    def output_names(self) -> list[str]:
        """The output slots of the op, a list of str.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     y = 2 * paddle.static.data("x", [3], "float32")
        >>> op = main.global_block().ops[0]
        >>> op.output_names
        ['Out']
        >>> paddle.disable_static()
        """
        return list(self.raw.outputs)

    @property
    def input_arg_names(self) -> list[str]:
        """The names of the variables that the op reads, a list of str.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     y = 2 * paddle.static.data("x", [3], "float32")
        >>> op = main.global_block().ops[0]
        >>> op.input_arg_names
        ['x']
        >>> paddle.disable_static()
        """
        return list(self.raw.input_names())

    @property
    def output_arg_names(self) -> list[str]:
        """The names of the variables that the op writes, a list of str.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     y = 2 * paddle.static.data("x", [3], "float32")
        >>> op = main.global_block().ops[0]
        >>> op.output_arg_names == [y.name]
        True
        >>> paddle.disable_static()
        """
        return list(self.raw.output_names())

    def _rename_input(self, old_name: str, new_name: str) -> None:
        """Replace a variable in all input slots."""
        self._rename_in_slots(self.raw.inputs, old_name, new_name)

    def _rename_output(self, old_name: str, new_name: str) -> None:
        """Replace a variable in all output slots."""
        self._rename_in_slots(self.raw.outputs, old_name, new_name)

    def _rename_in_slots(self, slots: dict[str, list[str]], old: str, new: str) -> None:
        for names in slots.values():
            names[:] = [new if name == old else name for name in names]
        self.block.program.mark_changed()

    # -- attributes
    # ---------------------------------------------------------------------------------------------

    @property
    def attr_names(self) -> list[str]:
        """The names of the attributes, a list of str, with those that every op has.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     y = 2 * paddle.static.data("x", [3], "float32")
        >>> op = main.global_block().ops[0]
        >>> "scale" in op.attr_names, "op_role" in op.attr_names
        (True, True)
        >>> paddle.disable_static()
        """
        return [*self.raw.attrs, *(n for n in _common_attr_defaults() if n not in self.raw.attrs)]

    def has_attr(self, name: str) -> bool:
        """Return whether the op has an attribute.

        Parameters
        ----------
        name : str

        Returns
        -------
        bool

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     y = 2 * paddle.static.data("x", [3], "float32")
        >>> op = main.global_block().ops[0]
        >>> op.has_attr("scale"), op.has_attr("axis")
        (True, False)
        >>> paddle.disable_static()
        """
        return name in self.raw.attrs or name in _common_attr_defaults()

    def attr(self, name: str) -> Any:
        """Return the value of an attribute.

        Parameters
        ----------
        name : str

        Returns
        -------
        bool, int, float, str or list of them
            The default for an attribute that every op has, if it is not set. A block is given by
            its index.

        Raises
        ------
        OpError
            If the op does not have the attribute.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     y = 2 * paddle.static.data("x", [3], "float32")
        >>> op = main.global_block().ops[0]
        >>> op.attr("scale"), op.attr("op_device")
        (2.0, '')
        >>> paddle.disable_static()
        """
        if name not in self.raw.attrs and name in _common_attr_defaults():
            return copy(_common_attr_defaults()[name])
        if name not in self.raw.attrs:
            raise OpError(
                append_user_line(
                    f"{self.type}: no attribute {name!r}; it has {sorted(self.raw.attrs)}"
                )
            )
        return self.raw.attrs[name].value

    def attr_type(self, name: str) -> AttrType:
        """Return the type of an attribute.

        Parameters
        ----------
        name : str

        Returns
        -------
        AttrType

        Raises
        ------
        OpError
            If the op does not have the attribute.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     y = 2 * paddle.static.data("x", [3], "float32")
        >>> op = main.global_block().ops[0]
        >>> op.attr_type("scale").name
        'FLOAT'
        >>> paddle.disable_static()
        """
        self.attr(name)
        return self.raw.attrs[name].type if name in self.raw.attrs else COMMON_ATTR_TYPES[name]

    def all_attrs(self) -> dict[str, Any]:
        """Return all attributes that are set, by name, with Block objects for indices of blocks.

        Returns
        -------
        dict

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     y = 2 * paddle.static.data("x", [3], "float32")
        >>> op = main.global_block().ops[0]
        >>> op.all_attrs()["scale"]
        2.0
        >>> paddle.disable_static()
        """
        blocks = self.block.program.blocks
        values = {}
        for name, attr in self.raw.attrs.items():
            sub_blocks = [blocks[i] for i in referenced_block_indices(attr)]
            values[name] = (
                attr.value
                if not sub_blocks
                else (sub_blocks[0] if attr.type == AttrType.BLOCK else sub_blocks)
            )
        return values

    def _set_attr(self, name: str, val: Any) -> None:
        """Set an attribute. The value is stored with the type that the op defines.

        Parameters
        ----------
        name : str
        val : bool, int, float, str, dtype, Block, or list of them

        Raises
        ------
        OpError
            If the attribute does not accept the value.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     y = 2 * paddle.static.data("x", [3], "float32")
        >>> op = main.global_block().ops[0]
        >>> op.set_attr("scale", 3.0)
        >>> paddle.static.Executor().run(main, {"x": np.ones(3, "float32")}, [y])
        [array([3., 3., 3.], dtype=float32)]
        >>> paddle.disable_static()
        """
        self.raw.attrs[name] = make_typed_attr(self.type, name, val)
        self.block.program.mark_changed()

    set_attr = _set_attr

    def _remove_attr(self, name: str) -> None:
        """Delete an attribute."""
        self.raw.attrs.pop(name, None)
        self.block.program.mark_changed()

    def set_missing_attrs_to_defaults(self) -> None:
        """Set all attributes that are not set to their defaults.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     y = 2 * paddle.static.data("x", [3], "float32")
        >>> op = main.global_block().ops[0]
        >>> op.set_missing_attrs_to_defaults()
        >>> op.all_attrs()["op_namescope"]
        '/'
        >>> paddle.disable_static()
        """
        op = OPS.get(self.type)
        defaults = {} if op is None else {n: s.default for n, s in op.attrs.items()}
        for name, value in {**_common_attr_defaults(), **defaults}.items():
            if name not in self.raw.attrs and value is not None:
                self.raw.attrs[name] = make_typed_attr(self.type, name, value)
        self.block.program.mark_changed()

    # -- text
    # --------------------------------------------------------------------------

    def to_string(self, throw_on_error: bool = True, with_details: bool = False) -> str:
        """Return the text of the op, as in a printed program.

        Parameters
        ----------
        throw_on_error, with_details : bool
            Not used.

        Returns
        -------
        str

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     y = 2 * paddle.static.data("x", [3], "float32")
        >>> op = main.global_block().ops[0]
        >>> "scale(X=x) scale=2.0" in op.to_string()
        True
        >>> paddle.disable_static()
        """
        return format_op_and_pop_declared(self.raw, {})

    def _to_readable_code(self, skip_op_callstack: bool = True) -> str:
        """Return the same text as `to_string`; skip_op_callstack has no effect."""
        return self.to_string()

    __str__ = __repr__ = to_string

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Operator) and other.raw is self.raw

    def __hash__(self) -> int:
        return id(self.raw)
