"""The text form of a program: `print(program)` shows it, and `parser.parse` reads it.

    program version=2006002
    block 0:
      var x: float32[?,3] check_feed
      param linear_0.w_0: float32[3,4]
      linear_0.tmp_0: float32[?,4] = matmul_v2(X=x, Y=linear_0.w_0) trans_x=false trans_y=false  #
      net.py:12 in forward

A variable is declared where it is first written, or above the ops if it is read first; `?` is a
dynamic dimension.
A slot `Out` with one variable is printed without its name. Attributes of type INT, FLOAT (with a
point or exponent), BOOLEAN and STRING are printed without their type; others with it: `long(3)`,
`ints[1,1]`. A name that is not one word is quoted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .program import Arg, Attr, AttrType, Block, Contract, Guard, Kind, OpDesc, Program, VarDesc

KEYWORDS = frozenset(("program", "contract", "block", "var", "param", "input", "output", "guard"))
FLAGS = {
    "is_parameter": "is_parameter",
    "stop_gradient": "stop_gradient",
    "check_feed": "checks_feed",
}
GUARD_TEXTS = ("expected", "reader", "text")
UNTYPED = "untyped"  # printed for a missing dtype
WORD = re.compile(r"[^\s\"#,:=()\[\]]+")


def quoted(text: str) -> str:
    """`text` as a JSON string with unprintable characters escaped."""
    return json.dumps(text, ensure_ascii=not text.isprintable())


def name(text: str) -> str:
    """A name as one word; quoted if necessary."""
    plain = WORD.fullmatch(text) and text.isprintable() and text not in KEYWORDS
    return text if plain else quoted(text)


def raw(text: str) -> str:
    """Text at the end of a line; quoted if necessary."""
    plain = text and text.isprintable() and text == text.strip() and not text.startswith('"')
    return text if plain else quoted(text)


def _float32(value: float) -> str:
    return str(np.float32(value))  # the shortest text of the same float32


def _scalar(value: bool | int | float | complex) -> str:
    if isinstance(value, bool):
        return _bool(value)
    if isinstance(value, complex):
        return f"complex({value.real!r},{value.imag!r})"
    return repr(value)


def _bool(value: bool) -> str:
    return "true" if value else "false"


def _double(value: float) -> str:
    return repr(float(value))


# type -> the word that says it ('' where the value does) and how an element is written
FORMS: dict[AttrType, tuple[str, Callable[[Any], str]]] = {
    AttrType.INT: ("", str),
    AttrType.FLOAT: ("", _float32),
    AttrType.STRING: ("", quoted),
    AttrType.BOOLEAN: ("", _bool),
    AttrType.LONG: ("long", str),
    AttrType.FLOAT64: ("float64", _double),
    AttrType.BLOCK: ("block", str),
    AttrType.VAR: ("var", name),
    AttrType.SCALAR: ("scalar", _scalar),
    AttrType.INTS: ("ints", str),
    AttrType.FLOATS: ("floats", _float32),
    AttrType.STRINGS: ("strings", quoted),
    AttrType.BOOLEANS: ("bools", _bool),
    AttrType.LONGS: ("longs", str),
    AttrType.FLOAT64S: ("float64s", _double),
    AttrType.BLOCKS: ("blocks", str),
    AttrType.VARS: ("vars", name),
    AttrType.SCALARS: ("scalars", _scalar),
}


def attr_text(attr: Attr) -> str:
    """The value of an attribute with its type."""
    word, element = FORMS[attr.type]
    if isinstance(attr.value, (list, tuple)):
        return f"{word}[{','.join(map(element, attr.value))}]"
    return f"{word}({element(attr.value)})" if word else element(attr.value)


def _elements(dtype: str, shape: tuple[int, ...]) -> str:
    return f"{dtype or UNTYPED}[{','.join('?' if n == -1 else str(n) for n in shape)}]"


def type_text(var: VarDesc) -> str:
    """The type of a variable: `float32[?,3]`, `array float32[?]`, `step_scopes`."""
    elements = _elements(var.dtype, var.shape)
    if var.kind == Kind.DENSE:
        return elements
    kind = var.kind.name.lower()
    return kind if not var.dtype and not var.shape else f"{kind} {elements}"


def _flags(var: VarDesc, persistable: bool) -> str:
    flags = ["persistable"] if persistable else []
    flags += [flag for flag, field in FLAGS.items() if getattr(var, field)]
    flags += [f"lod={var.lod_level}"] if var.lod_level else []
    return "".join(f" {flag}" for flag in flags)


def _declared(var: VarDesc) -> str:
    return f"{name(var.name)}: {type_text(var)}{_flags(var, var.persistable)}"


def declaration(var: VarDesc) -> str:
    """The declaration of a variable: `param linear_0.w_0: float32[3,4]`."""
    if var.persistable and var.kind == Kind.DENSE:
        return f"param {name(var.name)}: {type_text(var)}{_flags(var, False)}"
    return f"var {_declared(var)}"


def _slot(slot: str, names: list[str], one: Callable[[str], str]) -> str:
    held = one(names[0]) if len(names) == 1 else f"[{', '.join(map(one, names))}]"
    return f"{name(slot)}={held}"


def op_text(op: OpDesc, declare: dict[str, VarDesc]) -> str:
    """The text of an op. declare: undeclared variables; those the op writes are removed from it"""

    def output(written: str) -> str:
        var = declare.pop(written, None)
        return name(written) if var is None else _declared(var)

    if list(op.outputs) == ["Out"] and len(op.outputs["Out"]) == 1:
        left = f"{output(op.outputs['Out'][0])} = "
    else:
        slots = ", ".join(_slot(slot, names, output) for slot, names in op.outputs.items())
        left = f"{slots} = " if slots else ""
    inputs = ", ".join(_slot(slot, names, name) for slot, names in op.inputs.items())
    attrs = "".join(f" {name(key)}={attr_text(attr)}" for key, attr in op.attrs.items())
    where = f"  # {raw(op.where)}" if op.where else ""
    return f"{left}{name(op.type)}({inputs}){attrs}{where}"


def _written_names(block: Block) -> set[str]:
    """The variables that an op of the block writes before one reads them."""
    read: set[str] = set()
    result: set[str] = set()
    for op in block.ops:
        read.update(op.input_names())
        result.update(name for name in op.output_names() if name not in read)
    return result


def block_lines(block: Block) -> Iterator[str]:
    """The lines of one block."""
    yield f"block {block.idx}:" if block.parent == -1 else f"block {block.idx} in {block.parent}:"
    result = _written_names(block)
    declare = {
        var.name: var for var in block.vars.values() if var.name in result and not var.persistable
    }
    yield from (f"  {declaration(var)}" for var in block.vars.values() if var.name not in declare)
    yield from (f"  {op_text(op, declare)}" for op in block.ops)


def _arg(word: str, arg: Arg) -> str:
    path = f" path={quoted(arg.path)}" if arg.path else ""
    return f"{word} {name(arg.name)}: {_elements(arg.dtype, arg.shape)}{path}"


def _guard(guard: Guard) -> str:
    texts = " ".join(f"{field}={quoted(getattr(guard, field))}" for field in GUARD_TEXTS)
    where = f"  # {raw(guard.where)}" if guard.where else ""
    return f"guard {name(guard.kind)} {name(guard.var)} axis={guard.axis} {texts}{where}"


def _contract(contract: Contract) -> Iterator[str]:
    yield "contract:"
    for word, text in (
        ("producer", contract.producer),
        ("verified", contract.verified),
        ("tree", contract.output_tree),
    ):
        if text:
            yield f"  {word} {raw(text)}"
    yield from (f"  {_arg('input', arg)}" for arg in contract.inputs)
    yield from (f"  {_arg('output', arg)}" for arg in contract.outputs)
    yield from (f"  {_guard(guard)}" for guard in contract.guards)


def to_text(program: Program) -> str:
    """The text form of a program, without a final newline; `parse` reads it."""
    lines = [f"program version={program.version}"]
    if program.contract is not None:
        lines += _contract(program.contract)
    for block in program.blocks:
        lines += block_lines(block)
    return "\n".join(lines)


Program.printer = to_text
