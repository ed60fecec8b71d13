"""The text of a program, as `printer.to_text` writes it, back to the program.   Errors name the line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import FileError
from .attrs import ATTR_RULES, attr_problem
from .printer import FLAGS, FORMS, GUARD_TEXTS, UNTYPED, WORD
from .program import Arg, Attr, AttrType, Block, Contract, Guard, Kind, OpDesc, Program, VarDesc

_TOKEN = re.compile(
    r'\s*(?:(?P<text>"(?:[^"\\]|\\.)*")|(?P<word>' + WORD.pattern + r")|(?P<mark>[,:=()\[\]])|#\s*(?P<rest>.*))"
)
_INT = re.compile(r"[+-]?\d{1,20}")
_KINDS = {kind.name.lower(): kind for kind in Kind if kind != Kind.DENSE}
_TYPES = {word: kind for kind, (word, _) in FORMS.items() if word}
_CONTRACT_TEXTS = {"producer": "producer", "verified": "verified", "tree": "output_tree"}


class _Bad(Exception):
    """What is wrong with a line."""


class Token(NamedTuple):
    """kind: 'text' (was in quotes), 'word', 'mark' or 'end'."""

    kind: str
    value: str


_END = Token("end", "the end of the line")


class _Line:
    """The tokens of a line, taken one after the other.   comment: what stands behind `#`."""

    def __init__(self, line: str) -> None:
        self.tokens: list[Token] = []
        self.comment = ""
        self.at = 0
        self._split(line.rstrip())

    def _split(self, line: str) -> None:
        position = 0
        while position < len(line):
            found = _TOKEN.match(line, position)
            if found is None:
                raise _Bad(f"cannot be read from {line[position : position + 20]!r} on")
            position = found.end()
            if found["rest"] is not None:
                self.comment = unraw(found["rest"])
                return
            kind = str(found.lastgroup)
            value = found[kind]
            self.tokens.append(Token(kind, _unquoted(value) if kind == "text" else value))

    def peek(self, ahead: int = 0) -> Token:
        at = self.at + ahead
        return self.tokens[at] if at < len(self.tokens) else _END

    def take(self) -> Token:
        token = self.peek()
        self.at += 1
        return token

    def sees(self, mark: str, ahead: int = 0) -> bool:
        return self.peek(ahead) == Token("mark", mark)

    def eat(self, mark: str) -> bool:
        found = self.sees(mark)
        self.at += found
        return found

    def expect(self, mark: str) -> None:
        if not self.eat(mark):
            raise _Bad(f"{mark!r} is expected, not {self.peek().value!r:.80}")

    def name(self, what: str) -> str:
        token = self.take()
        if token.kind not in ("word", "text"):
            raise _Bad(f"{what} is expected, not {token.value!r:.80}")
        return token.value

    def integer(self, what: str) -> int:
        token = self.take()
        if token.kind != "word" or not _INT.fullmatch(token.value):
            raise _Bad(f"{what} is expected, not {token.value!r:.80}")
        return int(token.value)

    def listed(self, one: Callable[[], Any]) -> list[Any]:
        """`a, b, c]`, the opening bracket being taken already."""
        found: list[Any] = []
        while not self.eat("]"):
            if found:
                self.expect(",")
            found.append(one())
        return found

    def end(self) -> None:
        if self.peek() != _END:
            raise _Bad(f"{self.peek().value!r:.80} is more than the line can hold")


def _unquoted(text: str) -> str:
    try:
        found: str = json.loads(text, strict=False)
    except ValueError:
        raise _Bad(f"the text {text:.40} is not closed or has a wrong escape") from None
    return found


def unraw(text: str) -> str:
    """The rest of a line as `printer.raw` writes it."""
    return _unquoted(text) if text.startswith('"') else text


def _elements(line: _Line) -> tuple[str, tuple[int, ...]]:
    dtype = line.name("a data type")
    line.expect("[")

    def size() -> int:
        if line.peek() == Token("word", "?"):
            line.take()
            return -1
        return line.integer("a size or ?")

    return "" if dtype == UNTYPED else dtype, tuple(line.listed(size))


def _declared(line: _Line, name: str) -> VarDesc:
    """What follows `name:`."""
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


def _flag(line: _Line, var: VarDesc) -> None:
    flag = line.take().value
    if flag == "lod":
        line.expect("=")
        var.lod_level = line.integer("a LoD level")
    elif flag in FLAGS or flag == "persistable":
        setattr(var, FLAGS.get(flag, flag), True)
    else:
        raise _Bad(f"{flag!r} is no property of a variable")


def _declaration(line: _Line, block: Block) -> None:
    param = line.take().value == "param"
    name = line.name("the name of a variable")
    line.expect(":")
    var = _declared(line, name)
    var.persistable |= param
    _declare(block, var)
    line.end()


def _declare(block: Block, var: VarDesc) -> None:
    if var.name in block.vars:
        raise _Bad(f"variable {var.name!r} is declared twice")
    block.vars[var.name] = var


def _outputs(line: _Line, block: Block) -> dict[str, list[str]]:
    """All up to and with the `=` before the type of the op."""

    def written() -> str:
        name = line.name("the name of a variable")
        if line.eat(":"):
            _declare(block, _declared(line, name))
        return name

    outputs: dict[str, list[str]] = {}
    if line.sees("(", 1):
        return outputs
    if line.sees(":", 1) or line.sees("(", 3):  # `y: ...` or `y = op(`: the slot Out, not named
        outputs["Out"] = [written()]
    else:
        _slots(line, outputs, written)
    line.expect("=")
    return outputs


def _slots(line: _Line, slots: dict[str, list[str]], one: Callable[[], str]) -> None:
    """`A=x, B=[y, z]`."""
    while True:
        slot = line.name("the name of a slot")
        line.expect("=")
        if slot in slots:
            raise _Bad(f"slot {slot} is there twice")
        slots[slot] = line.listed(one) if line.eat("[") else [one()]
        if not line.eat(","):
            return


def _op(line: _Line, block: Block) -> None:
    outputs = _outputs(line, block)
    op = OpDesc(line.name("the type of an op"), outputs=outputs, where=line.comment)
    line.expect("(")
    if not line.eat(")"):
        _slots(line, op.inputs, lambda: line.name("the name of a variable"))
        line.expect(")")
    while line.peek() != _END:
        name = line.name("the name of an attribute")
        line.expect("=")
        if name in op.attrs:
            raise _Bad(f"attribute {name} is there twice")
        op.attrs[name] = _attr(line, name)
    block.ops.append(op)


def _attr(line: _Line, name: str) -> Attr:
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
        raise _Bad(f"attribute {name}: {problem}")
    return attr


def _bare(line: _Line) -> Attr:
    value = line.peek().value
    if value in ("true", "false"):
        return Attr(AttrType.BOOLEAN, _bool(line))
    if _INT.fullmatch(value):
        return Attr(AttrType.INT, line.integer("a number"))
    return Attr(AttrType.FLOAT, _float32(line))


def _bool(line: _Line) -> bool:
    token = line.take()
    if token not in (Token("word", "true"), Token("word", "false")):
        raise _Bad(f"true or false is expected, not {token.value!r:.80}")
    return token.value == "true"


def _double(line: _Line) -> float:
    token = line.take()
    try:
        return float(token.value if token.kind == "word" else "")
    except ValueError:
        raise _Bad(f"a value is expected, not {token.value!r:.80}") from None


def _float32(line: _Line) -> float:
    value = _double(line)
    with np.errstate(over="ignore"):
        rounded = float(np.float32(value))
    return value if np.isinf(rounded) else rounded


def _scalar(line: _Line) -> bool | int | float | complex:
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
    return line.integer("a number") if _INT.fullmatch(token.value) else _double(line)


def _quoted(line: _Line) -> str:
    token = line.take()
    if token.kind != "text":
        raise _Bad(f"a text in quotes is expected, not {token.value!r:.80}")
    return token.value


def _var_name(line: _Line) -> str:
    return line.name("the name of a variable")


def _int(line: _Line) -> int:
    return line.integer("a number")


_READ: dict[AttrType, Callable[[_Line], Any]] = {
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


def _element(line: _Line, kind: AttrType) -> Any:
    return _READ[kind](line)


def _field(line: _Line, name: str) -> None:
    if line.take() != Token("word", name):
        raise _Bad(f"{name}= is expected")
    line.expect("=")


def _arg(line: _Line) -> Arg:
    name = line.name("the name of a variable")
    line.expect(":")
    dtype, shape = _elements(line)
    arg = Arg(name, dtype, shape)
    if line.peek() != _END:
        _field(line, "path")
        arg.path = _quoted(line)
    return arg


def _guard(line: _Line) -> Guard:
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
    line = _Line(text)
    line.take()
    if word == "input":
        contract.inputs.append(_arg(line))
    elif word == "output":
        contract.outputs.append(_arg(line))
    elif word == "guard":
        contract.guards.append(_guard(line))
    else:
        raise _Bad(f"a contract has no {word!r}")
    line.end()


class _Parser:
    """The program so far, and which part of it the next line belongs to."""

    def __init__(self) -> None:
        self.program: Program | None = None
        self.part: Block | Contract | None = None

    def line(self, text: str) -> None:
        if isinstance(self.part, Contract) and text[:1].isspace():
            _contract_line(text, self.part)
            return
        line = _Line(text)
        first = line.peek()
        if self.program is None:
            self._program(line)
        elif first == Token("word", "contract") and line.sees(":", 1) and not self.program.blocks:
            self.part = self.program.contract = Contract()
        elif first == Token("word", "block"):
            self._block(line)
        elif not isinstance(self.part, Block):
            raise _Bad("a block is expected")
        elif first in (Token("word", "var"), Token("word", "param")):
            _declaration(line, self.part)
        else:
            _op(line, self.part)

    def _program(self, line: _Line) -> None:
        if line.take() != Token("word", "program"):
            raise _Bad("the text of a program starts with `program version=...`")
        _field(line, "version")
        self.program = Program([], line.integer("a version"))
        line.end()

    def _block(self, line: _Line) -> None:
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
    """The program that `text` describes; it need not be legal: see `verify.check`.

    name: of the file, for errors.   FileError with the number of the line that cannot be read.
    """
    parser = _Parser()
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            parser.line(line)
        except _Bad as bad:
            raise FileError(f"{name}:{number}: {bad} ({line.strip():.100})") from None
    if parser.program is None:
        raise FileError(f"{name}: is empty")
    return parser.program
