"""The text form of a program: `print(program)` shows it, and `parser.parse` reads it.

    program version=2006002
    block 0:
      var x: float32[?,3] check_feed
      param linear_0.w_0: float32[3,4]
      linear_0.tmp_0: float32[?,4] = matmul_v2(X=x, Y=linear_0.w_0) trans_x=false trans_y=false  #
      net.py:12 in forward

A variable is declared where it is first written, or above the ops if it is read first; `?` is a
dynamic dimension.
A slot `Out` that is the only output slot and holds one variable is printed without its name.
Attributes of type INT, FLOAT (with a point or exponent), BOOLEAN and STRING are printed without
their type; others with it: `long(3)`, `ints[1,1]`. A name that is not one word is quoted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .dim import Dim
from .program import (
    Attr,
    AttrType,
    Block,
    Contract,
    ContractInputOrOutput,
    Guard,
    OpDesc,
    Program,
    VarDesc,
    VarKind,
)

KEYWORDS = frozenset(("program", "contract", "block", "var", "param", "input", "output", "guard"))
VARIABLE_FLAGS = {
    "is_parameter": "is_parameter",
    "stop_gradient": "stop_gradient",
    "check_feed": "checks_feed",
}
GUARD_TEXT_FIELDS = ("expected", "reader", "text")
NO_DTYPE = "untyped"  # printed in place of the dtype if a variable has none
WORD_PATTERN = re.compile(r"[^\s\"#,:=()\[\]]+")


def quote(text: str) -> str:
    """`text` as a JSON string with unprintable characters escaped."""
    return json.dumps(text, ensure_ascii=not text.isprintable())


def quote_name_if_needed(text: str) -> str:
    """Return a name as one word of the text form, in quotes if it contains other characters than a
    word may.
    """
    plain = WORD_PATTERN.fullmatch(text) and text.isprintable() and text not in KEYWORDS
    return text if plain else quote(text)


def quote_text_at_line_end_if_needed(text: str) -> str:
    """Return text for the end of a line, in quotes if it would be misread without."""
    plain = text and text.isprintable() and text == text.strip() and not text.startswith('"')
    return text if plain else quote(text)


def _format_float32(value: float) -> str:
    return str(np.float32(value))  # the shortest text of the same float32


def _format_scalar(value: bool | int | float | complex) -> str:
    if isinstance(value, bool):
        return _format_bool(value)
    if isinstance(value, complex):
        return f"complex({value.real!r},{value.imag!r})"
    return repr(value)


def _format_bool(value: bool) -> str:
    return "true" if value else "false"


def _format_double(value: float) -> str:
    return repr(float(value))


# attribute type -> the word that states the type ('' if the value shows it), and the function that
# formats an element
ATTR_FORMS: dict[AttrType, tuple[str, Callable[[Any], str]]] = {
    AttrType.INT: ("", str),
    AttrType.FLOAT: ("", _format_float32),
    AttrType.STRING: ("", quote),
    AttrType.BOOLEAN: ("", _format_bool),
    AttrType.LONG: ("long", str),
    AttrType.FLOAT64: ("float64", _format_double),
    AttrType.BLOCK: ("block", str),
    AttrType.VAR: ("var", quote_name_if_needed),
    AttrType.SCALAR: ("scalar", _format_scalar),
    AttrType.INTS: ("ints", str),
    AttrType.FLOATS: ("floats", _format_float32),
    AttrType.STRINGS: ("strings", quote),
    AttrType.BOOLEANS: ("bools", _format_bool),
    AttrType.LONGS: ("longs", str),
    AttrType.FLOAT64S: ("float64s", _format_double),
    AttrType.BLOCKS: ("blocks", str),
    AttrType.VARS: ("vars", quote_name_if_needed),
    AttrType.SCALARS: ("scalars", _format_scalar),
}


def format_attr_value(attr: Attr) -> str:
    """Return the value of an attribute as text, preceded by the attribute type unless the value
    shows it.
    """
    word, element = ATTR_FORMS[attr.type]
    if isinstance(attr.value, (list, tuple)):
        return f"{word}[{','.join(map(element, attr.value))}]"
    return f"{word}({element(attr.value)})" if word else element(attr.value)


def _format_tensor_type(dtype: str, shape: tuple[int, ...]) -> str:
    return f"{dtype or NO_DTYPE}[{','.join('?' if n == -1 else str(n) for n in shape)}]"


def format_type(var: VarDesc) -> str:
    """Return the type of a variable as text, such as `float32[?,3]`, `array float32[?]` or
    `step_scopes`.
    """
    elements = _format_tensor_type(var.dtype, var.shape)
    if var.kind == VarKind.DENSE:
        return elements
    kind = var.kind.name.lower()
    return kind if not var.dtype and not var.shape else f"{kind} {elements}"


def _format_flags(var: VarDesc, persistable: bool) -> str:
    flags = ["persistable"] if persistable else []
    flags += [flag for flag, field in VARIABLE_FLAGS.items() if getattr(var, field)]
    flags += [f"lod={var.lod_level}"] if var.lod_level else []
    return "".join(f" {flag}" for flag in flags)


def _format_name_type_and_flags(var: VarDesc) -> str:
    return (
        f"{quote_name_if_needed(var.name)}: {format_type(var)}{_format_flags(var, var.persistable)}"
    )


def format_declaration(var: VarDesc) -> str:
    """Return the declaration of a variable as text, such as `param linear_0.w_0: float32[3,4]`."""
    if var.persistable and var.kind == VarKind.DENSE:
        return (
            f"param {quote_name_if_needed(var.name)}: {format_type(var)}{_format_flags(var, False)}"
        )
    return f"var {_format_name_type_and_flags(var)}"


def _format_slot(slot: str, names: list[str], one: Callable[[str], str]) -> str:
    held = one(names[0]) if len(names) == 1 else f"[{', '.join(map(one, names))}]"
    return f"{quote_name_if_needed(slot)}={held}"


def format_op_and_pop_declared(op: OpDesc, declare: dict[str, VarDesc]) -> str:
    """The text of an op.

    declare: variables that are not declared in the text yet. Variables among them that the op
    writes are declared with the op and removed from the dict.
    """

    def output(written: str) -> str:
        var = declare.pop(written, None)
        return quote_name_if_needed(written) if var is None else _format_name_type_and_flags(var)

    if list(op.outputs) == ["Out"] and len(op.outputs["Out"]) == 1:
        left = f"{output(op.outputs['Out'][0])} = "
    else:
        slots = ", ".join(_format_slot(slot, names, output) for slot, names in op.outputs.items())
        left = f"{slots} = " if slots else ""
    inputs = ", ".join(
        _format_slot(slot, names, quote_name_if_needed) for slot, names in op.inputs.items()
    )
    attrs = "".join(
        f" {quote_name_if_needed(key)}={format_attr_value(attr)}" for key, attr in op.attrs.items()
    )
    where = f"  # {quote_text_at_line_end_if_needed(op.user_line)}" if op.user_line else ""
    return f"{left}{quote_name_if_needed(op.type)}({inputs}){attrs}{where}"


def _names_written_before_read(block: Block) -> set[str]:
    """The variables of the block that are written by an op before any op reads them."""
    read: set[str] = set()
    result: set[str] = set()
    for op in block.ops:
        read.update(op.input_names())
        result.update(name for name in op.output_names() if name not in read)
    return result


def iter_block_lines(block: Block) -> Iterator[str]:
    """Yield the lines of the text of one block."""
    yield f"block {block.idx}:" if block.parent == -1 else f"block {block.idx} in {block.parent}:"
    result = _names_written_before_read(block)
    declare = {
        var.name: var for var in block.vars.values() if var.name in result and not var.persistable
    }
    yield from (
        f"  {format_declaration(var)}" for var in block.vars.values() if var.name not in declare
    )
    yield from (f"  {format_op_and_pop_declared(op, declare)}" for op in block.ops)


def _format_contract_arg(word: str, arg: ContractInputOrOutput) -> str:
    path = f" path={quote(arg.path)}" if arg.path else ""
    name, type = quote_name_if_needed(arg.name), _format_tensor_type(arg.dtype, arg.shape)
    dims = "".join(_format_dim(a, d) for a, d in enumerate(arg.dims) if d is not None)
    return f"{word} {name}: {type}{path}{dims}"


def _format_dim(axis: int, dim: Dim) -> str:
    maximum = "" if dim.max is None else f" max={dim.max}"
    return f" dim {axis} {dim.name} min={dim.min}{maximum} multiple={dim.multiple}"


def _format_guard(guard: Guard) -> str:
    kind, variable = quote_name_if_needed(guard.kind), quote_name_if_needed(guard.var)
    texts = " ".join(f"{field}={quote(getattr(guard, field))}" for field in GUARD_TEXT_FIELDS)
    where = f"  # {quote_text_at_line_end_if_needed(guard.where)}" if guard.where else ""
    return f"guard {kind} {variable} axis={guard.axis} {texts}{where}"


def _iter_contract_lines(contract: Contract) -> Iterator[str]:
    yield "contract:"
    for word, text in (
        ("producer", contract.producer),
        ("verified", contract.verified),
        ("tree", contract.output_tree),
    ):
        if text:
            yield f"  {word} {quote_text_at_line_end_if_needed(text)}"
    yield from (f"  {_format_contract_arg('input', arg)}" for arg in contract.inputs)
    yield from (f"  {_format_contract_arg('output', arg)}" for arg in contract.outputs)
    yield from (f"  {_format_guard(guard)}" for guard in contract.guards)


def to_text(program: Program) -> str:
    """The text form of a program, without a final newline; `parse` reads it."""
    lines = [f"program version={program.version}"]
    if program.contract is not None:
        lines += _iter_contract_lines(program.contract)
    for block in program.blocks:
        lines += iter_block_lines(block)
    return "\n".join(lines)


Program.printer = to_text
