"""Parse the text form of a program, as `printer.to_text` writes it.

Errors contain the line number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.errors import FileError
from .attr_types import ATTR_RULES, attr_problem
from .printer import FLAGS, FORMS, GUARD_TEXTS, UNTYPED
from .program import Arg, Attr, AttrType, Block, Contract, Guard, Kind, OpDesc, Program, VarDesc
from .tokens import END, INT, BadLine, Line, Token, unraw

_KINDS = {kind.name.lower(): kind for kind in Kind if kind != Kind.DENSE}
_TYPES = {word: kind for kind, (word, _) in FORMS.items() if word}
_CONTRACT_TEXTS = {"producer": "producer", "verified": "verified", "tree": "output_tree"}


def _elements(line: Line) -> tuple[str, tuple[int, ...]]:
    dtype = line.name("a data type")
    line.expect("[")

    def size() -> int:
        if line.peek() == Token("word", "?"):
            line.take()
            return -1
        return line.integer("a size or ?")

    return "" if dtype == UNTYPED else dtype, tuple(line.listed(size))


def _declared(line: Line, name: str) -> VarDesc:
    """Parse the type that follows `name:`, and return the declared variable."""
    var = VarDesc(name, dtype="")
    kind = _KINDS.get(line.peek().value)
    if kind is not None and not line.sees("[", 1):
        line.take()
        var.kind = kind
    if kind is None or line.sees("[", 1):
        var.dtype, var.shape = _elements(line)
    while line.peek().kind == "word":
        _flag(line, var)
    return var


def _flag(line: Line, var: VarDesc) -> None:
    flag = line.take().value
    if flag == "lod":
        line.expect("=")
        var.lod_level = line.integer("a LoD level")
    elif flag in FLAGS or flag == "persistable":
        setattr(var, FLAGS.get(flag, flag), True)
    else:
        raise BadLine(f"{flag!r} is not a property of a variable")


def _declaration(line: Line, block: Block) -> None:
    param = line.take().value == "param"
    name = line.name("the name of a variable")
    line.expect(":")
    var = _declared(line, name)
    var.persistable |= param
    _declare(block, var)
    line.end()


def _declare(block: Block, var: VarDesc) -> None:
    if var.name in block.vars:
        raise BadLine(f"variable {var.name!r} is declared twice")
    block.vars[var.name] = var


def _outputs(line: Line, block: Block) -> dict[str, list[str]]:
    """Parse the outputs of an op, up to the `=`."""

    def written() -> str:
        name = line.name("the name of a variable")
        if line.eat(":"):
            _declare(block, _declared(line, name))
        return name

    outputs: dict[str, list[str]] = {}
    if line.sees("(", 1):
        return outputs
    if line.sees(":", 1) or line.sees("(", 3):  # `y: ...` or `y = op(`: slot Out without its name
        outputs["Out"] = [written()]
    else:
        _slots(line, outputs, written)
    line.expect("=")
    return outputs


def _slots(line: Line, slots: dict[str, list[str]], one: Callable[[], str]) -> None:
    """Parse slots such as `A=x, B=[y, z]`."""
    while True:
        slot = line.name("the name of a slot")
        line.expect("=")
        if slot in slots:
            raise BadLine(f"slot {slot} is there twice")
        slots[slot] = line.listed(one) if line.eat("[") else [one()]
        if not line.eat(","):
            return


def _op(line: Line, block: Block) -> None:
    outputs = _outputs(line, block)
    op = OpDesc(line.name("the type of an op"), outputs=outputs, where=line.comment)
    line.expect("(")
    if not line.eat(")"):
        _slots(line, op.inputs, lambda: line.name("the name of a variable"))
        line.expect(")")
    while line.peek() != END:
        name = line.name("the name of an attribute")
        line.expect("=")
        if name in op.attrs:
            raise BadLine(f"attribute {name} is there twice")
        op.attrs[name] = _attr(line, name)
    block.ops.append(op)


def _attr(line: Line, name: str) -> Attr:
    token = line.peek()
    if token.kind == "text":
        return Attr(AttrType.STRING, line.take().value)
    kind = _TYPES.get(token.value)
    if token.kind == "word" and kind is not None and ATTR_RULES[kind][0] and line.sees("[", 1):
        line.at += 2
        attr = Attr(kind, line.listed(lambda: _element(line, kind)))
    elif token.kind == "word" and kind is not None and line.sees("(", 1):
        line.at += 2
        attr = Attr(kind, _element(line, kind))
        line.expect(")")
    else:
        attr = _bare(line)
    problem = attr_problem(attr)
    if problem:
        raise BadLine(f"attribute {name}: {problem}")
    return attr


def _bare(line: Line) -> Attr:
    value = line.peek().value
    if value in ("true", "false"):
        return Attr(AttrType.BOOLEAN, _bool(line))
    if INT.fullmatch(value):
        return Attr(AttrType.INT, line.integer("a number"))
    return Attr(AttrType.FLOAT, _float32(line))


def _bool(line: Line) -> bool:
    token = line.take()
    if token not in (Token("word", "true"), Token("word", "false")):
        raise BadLine(f"true or false is expected, not {token.value!r:.80}")
    return token.value == "true"


def _double(line: Line) -> float:
    token = line.take()
    try:
        return float(token.value if token.kind == "word" else "")
    except ValueError:
        raise BadLine(f"a value is expected, not {token.value!r:.80}") from None


def _float32(line: Line) -> float:
    value = _double(line)
    with np.errstate(over="ignore"):
        rounded = float(np.float32(value))
    return value if np.isinf(rounded) else rounded


def _scalar(line: Line) -> bool | int | float | complex:
    token = line.peek()
    if token.value in ("true", "false"):
        return _bool(line)
    if token == Token("word", "complex"):
        line.take()
        line.expect("(")
        real = _double(line)
        line.expect(",")
        imaginary = _double(line)
        line.expect(")")
        return complex(real, imaginary)
    return line.integer("a number") if INT.fullmatch(token.value) else _double(line)


def _quoted(line: Line) -> str:
    token = line.take()
    if token.kind != "text":
        raise BadLine(f"a text in quotes is expected, not {token.value!r:.80}")
    return token.value


def _var_name(line: Line) -> str:
    return line.name("the name of a variable")


def _int(line: Line) -> int:
    return line.integer("a number")


_READ: dict[AttrType, Callable[[Line], Any]] = {
    AttrType.LONG: _int,
    AttrType.FLOAT64: _double,
    AttrType.BLOCK: _int,
    AttrType.VAR: _var_name,
    AttrType.SCALAR: _scalar,
    AttrType.INTS: _int,
    AttrType.FLOATS: _float32,
    AttrType.STRINGS: _quoted,
    AttrType.BOOLEANS: _bool,
    AttrType.LONGS: _int,
    AttrType.FLOAT64S: _double,
    AttrType.BLOCKS: _int,
    AttrType.VARS: _var_name,
    AttrType.SCALARS: _scalar,
}


def _element(line: Line, kind: AttrType) -> Any:
    return _READ[kind](line)


def _field(line: Line, name: str) -> None:
    if line.take() != Token("word", name):
        raise BadLine(f"{name}= is expected")
    line.expect("=")


def _arg(line: Line) -> Arg:
    name = line.name("the name of a variable")
    line.expect(":")
    dtype, shape = _elements(line)
    arg = Arg(name, dtype, shape)
    if line.peek() != END:
        _field(line, "path")
        arg.path = _quoted(line)
    return arg


def _guard(line: Line) -> Guard:
    kind, var = line.name("the kind of a guard"), line.name("the name of a variable")
    _field(line, "axis")
    axis = line.integer("an axis")
    texts: dict[str, str] = {}
    for field in GUARD_TEXTS:
        _field(line, field)
        texts[field] = _quoted(line)
    return Guard(kind, var, axis, texts["expected"], texts["reader"], line.comment, texts["text"])


def _contract_line(text: str, contract: Contract) -> None:
    word, _, rest = text.strip().partition(" ")
    if word in _CONTRACT_TEXTS:
        setattr(contract, _CONTRACT_TEXTS[word], unraw(rest))
        return
    line = Line(text)
    line.take()
    if word == "input":
        contract.inputs.append(_arg(line))
    elif word == "output":
        contract.outputs.append(_arg(line))
    elif word == "guard":
        contract.guards.append(_guard(line))
    else:
        raise BadLine(f"a contract has no {word!r}")
    line.end()


class _Parser:
    """Parser state: the program parsed so far, and the section that the next line belongs to."""

    def __init__(self) -> None:
        self.program: Program | None = None
        self.part: Block | Contract | None = None

    def line(self, text: str) -> None:
        if isinstance(self.part, Contract) and text[:1].isspace():
            _contract_line(text, self.part)
            return
        line = Line(text)
        first = line.peek()
        if self.program is None:
            self._program(line)
        elif first == Token("word", "contract") and line.sees(":", 1) and not self.program.blocks:
            self.part = self.program.contract = Contract()
        elif first == Token("word", "block"):
            self._block(line)
        elif not isinstance(self.part, Block):
            raise BadLine("a block is expected")
        elif first in (Token("word", "var"), Token("word", "param")):
            _declaration(line, self.part)
        else:
            _op(line, self.part)

    def _program(self, line: Line) -> None:
        if line.take() != Token("word", "program"):
            raise BadLine("the text of a program starts with `program version=...`")
        _field(line, "version")
        self.program = Program([], line.integer("a version"))
        line.end()

    def _block(self, line: Line) -> None:
        assert self.program is not None
        line.take()
        self.part = Block(line.integer("the index of a block"))
        if line.peek() == Token("word", "in"):
            line.take()
            self.part.parent = line.integer("the index of a block")
        line.expect(":")
        line.end()
        self.program.blocks.append(self.part)


def parse(text: str, name: str = "program") -> Program:
    """Parse the text of a program. The result may be invalid, see `verifier.check`.

    name: file name for messages.

    Raises FileError with the number of the malformed line.
    """
    parser = _Parser()
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            parser.line(line)
        except BadLine as bad:
            raise FileError(f"{name}:{number}: {bad} ({line.strip():.100})") from None
    if parser.program is None:
        raise FileError(f"{name}: is empty")
    return parser.program
