"""Parse the text form of a program, as `printer.to_text` writes it.

Error messages contain the number of the malformed line.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.errors import FileError, OpError
from .attr_types import ATTR_RULES, attr_problem
from .dim import Dim, Dims
from .printer import ATTR_FORMS, GUARD_TEXT_FIELDS, NO_DTYPE, VARIABLE_FLAGS
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
from .tokens import (
    END_TOKEN,
    INT_PATTERN,
    LineSyntaxError,
    Token,
    TokenLine,
    unquote_text_at_line_end_if_quoted,
)

_KIND_BY_WORD = {kind.name.lower(): kind for kind in VarKind if kind != VarKind.DENSE}
_ATTR_TYPE_BY_WORD = {word: kind for kind, (word, _) in ATTR_FORMS.items() if word}
_CONTRACT_FIELD_BY_WORD = {"producer": "producer", "verified": "verified", "tree": "output_tree"}


def _parse_tensor_type(line: TokenLine) -> tuple[str, tuple[int, ...]]:
    dtype = line.next_name("a data type")
    line.expect("[")

    def size() -> int:
        if line.peek() == Token("word", "?"):
            line.next_token()
            return -1
        return line.next_integer("a size or ?")

    return "" if dtype == NO_DTYPE else dtype, tuple(line.parse_list_after_bracket(size))


def _parse_var_desc(line: TokenLine, name: str) -> VarDesc:
    """Parse the type and properties that follow `name:` in a declaration, and return the declared
    variable.
    """
    var = VarDesc(name, dtype="")
    kind = _KIND_BY_WORD.get(line.peek().value)
    if kind is not None and not line.next_is("[", 1):
        line.next_token()
        var.kind = kind
    if kind is None or line.next_is("[", 1):
        var.dtype, var.shape = _parse_tensor_type(line)
    while line.peek().kind == "word":
        _parse_property_into_var(line, var)
    return var


def _parse_property_into_var(line: TokenLine, var: VarDesc) -> None:
    flag = line.next_token().value
    if flag == "lod":
        line.expect("=")
        var.lod_level = line.next_integer("a LoD level")
    elif flag in VARIABLE_FLAGS or flag == "persistable":
        setattr(var, VARIABLE_FLAGS.get(flag, flag), True)
    else:
        raise LineSyntaxError(f"{flag!r} is not a property of a variable")


def _parse_declaration_into_block(line: TokenLine, block: Block) -> None:
    param = line.next_token().value == "param"
    name = line.next_name("the name of a variable")
    line.expect(":")
    var = _parse_var_desc(line, name)
    var.persistable |= param
    _add_variable(block, var)
    line.expect_end()


def _add_variable(block: Block, var: VarDesc) -> None:
    if var.name in block.vars:
        raise LineSyntaxError(f"variable {var.name!r} is declared twice")
    block.vars[var.name] = var


def _parse_outputs_and_declare_variables(line: TokenLine, block: Block) -> dict[str, list[str]]:
    """Parse the outputs of an op, up to the `=`, declare the variables whose type is stated, and
    return the names by slot.
    """

    def parse_and_declare_output() -> str:
        name = line.next_name("the name of a variable")
        if line.skip_if(":"):
            _add_variable(block, _parse_var_desc(line, name))
        return name

    outputs: dict[str, list[str]] = {}
    if line.next_is("(", 1):
        return outputs
    if line.next_is(":", 1) or line.next_is(
        "(", 3
    ):  # in `y: ...` and `y = op(`, the name of the slot, Out, is omitted
        outputs["Out"] = [parse_and_declare_output()]
    else:
        _parse_slots_into(line, outputs, parse_and_declare_output)
    line.expect("=")
    return outputs


def _parse_slots_into(line: TokenLine, slots: dict[str, list[str]], one: Callable[[], str]) -> None:
    """Parse slots such as `A=x, B=[y, z]`, and add their names to `slots`."""
    while True:
        slot = line.next_name("the name of a slot")
        line.expect("=")
        if slot in slots:
            raise LineSyntaxError(f"slot {slot} is there twice")
        slots[slot] = line.parse_list_after_bracket(one) if line.skip_if("[") else [one()]
        if not line.skip_if(","):
            return


def _parse_op_into_block(line: TokenLine, block: Block) -> None:
    outputs = _parse_outputs_and_declare_variables(line, block)
    op = OpDesc(line.next_name("the type of an op"), outputs=outputs, user_line=line.comment)
    line.expect("(")
    if not line.skip_if(")"):
        _parse_slots_into(line, op.inputs, lambda: line.next_name("the name of a variable"))
        line.expect(")")
    while line.peek() != END_TOKEN:
        name = line.next_name("the name of an attribute")
        line.expect("=")
        if name in op.attrs:
            raise LineSyntaxError(f"attribute {name} is there twice")
        op.attrs[name] = _parse_attr(line, name)
    block.ops.append(op)


def _parse_attr(line: TokenLine, name: str) -> Attr:
    token = line.peek()
    if token.kind == "text":
        return Attr(AttrType.STRING, line.next_token().value)
    kind = _ATTR_TYPE_BY_WORD.get(token.value)
    if token.kind == "word" and kind is not None and ATTR_RULES[kind][0] and line.next_is("[", 1):
        line.position += 2
        attr = Attr(kind, line.parse_list_after_bracket(lambda: _parse_element(line, kind)))
    elif token.kind == "word" and kind is not None and line.next_is("(", 1):
        line.position += 2
        attr = Attr(kind, _parse_element(line, kind))
        line.expect(")")
    else:
        attr = _parse_untyped_attr(line)
    problem = attr_problem(attr)
    if problem:
        raise LineSyntaxError(f"attribute {name}: {problem}")
    return attr


def _parse_untyped_attr(line: TokenLine) -> Attr:
    value = line.peek().value
    if value in ("true", "false"):
        return Attr(AttrType.BOOLEAN, _parse_bool(line))
    if INT_PATTERN.fullmatch(value):
        return Attr(AttrType.INT, line.next_integer("a number"))
    return Attr(AttrType.FLOAT, _parse_float_rounded_to_float32(line))


def _parse_bool(line: TokenLine) -> bool:
    token = line.next_token()
    if token not in (Token("word", "true"), Token("word", "false")):
        raise LineSyntaxError(f"true or false is expected, not {token.value!r:.80}")
    return token.value == "true"


def _parse_double(line: TokenLine) -> float:
    token = line.next_token()
    try:
        return float(token.value if token.kind == "word" else "")
    except ValueError:
        raise LineSyntaxError(f"a number is expected, not {token.value!r:.80}") from None


def _parse_float_rounded_to_float32(line: TokenLine) -> float:
    value = _parse_double(line)
    with np.errstate(over="ignore"):
        rounded = float(np.float32(value))
    return value if np.isinf(rounded) else rounded


def _parse_bool_or_number(line: TokenLine) -> bool | int | float | complex:
    token = line.peek()
    if token.value in ("true", "false"):
        return _parse_bool(line)
    if token == Token("word", "complex"):
        line.next_token()
        line.expect("(")
        real = _parse_double(line)
        line.expect(",")
        imaginary = _parse_double(line)
        line.expect(")")
        return complex(real, imaginary)
    return (
        line.next_integer("a number") if INT_PATTERN.fullmatch(token.value) else _parse_double(line)
    )


def _parse_quoted(line: TokenLine) -> str:
    token = line.next_token()
    if token.kind != "text":
        raise LineSyntaxError(f"a text in quotes is expected, not {token.value!r:.80}")
    return token.value


def _parse_var_name(line: TokenLine) -> str:
    return line.next_name("the name of a variable")


def _parse_int(line: TokenLine) -> int:
    return line.next_integer("a number")


_ELEMENT_PARSERS: dict[AttrType, Callable[[TokenLine], Any]] = {
    AttrType.LONG: _parse_int,
    AttrType.FLOAT64: _parse_double,
    AttrType.BLOCK: _parse_int,
    AttrType.VAR: _parse_var_name,
    AttrType.SCALAR: _parse_bool_or_number,
    AttrType.INTS: _parse_int,
    AttrType.FLOATS: _parse_float_rounded_to_float32,
    AttrType.STRINGS: _parse_quoted,
    AttrType.BOOLEANS: _parse_bool,
    AttrType.LONGS: _parse_int,
    AttrType.FLOAT64S: _parse_double,
    AttrType.BLOCKS: _parse_int,
    AttrType.VARS: _parse_var_name,
    AttrType.SCALARS: _parse_bool_or_number,
}


def _parse_element(line: TokenLine, kind: AttrType) -> Any:
    return _ELEMENT_PARSERS[kind](line)


def _expect_field_name_and_equals(line: TokenLine, name: str) -> None:
    if line.next_token() != Token("word", name):
        raise LineSyntaxError(f"{name}= is expected")
    line.expect("=")


def _parse_contract_arg(line: TokenLine) -> ContractInputOrOutput:
    name = line.next_name("the name of a variable")
    line.expect(":")
    dtype, shape = _parse_tensor_type(line)
    arg = ContractInputOrOutput(name, dtype, shape)
    if line.peek() == Token("word", "path"):
        _expect_field_name_and_equals(line, "path")
        arg.path = _parse_quoted(line)
    while line.peek() == Token("word", "dim"):
        line.next_token()
        arg.dims = _dims_with_parsed_dim(line, arg)
    return arg


def _dims_with_parsed_dim(line: TokenLine, arg: ContractInputOrOutput) -> Dims:
    """Parse the name and range of one dimension, and return the Dims of the input `arg` with this
    Dim added.
    """
    axis, name = line.next_integer("an axis"), line.next_name("the name of a dimension")
    numbers = {"min": 1, "max": None, "multiple": 1}
    for field in numbers:
        if line.peek() == Token("word", field):
            _expect_field_name_and_equals(line, field)
            numbers[field] = line.next_integer("a size")
    if not 0 <= axis < len(arg.shape):
        raise LineSyntaxError(f"the shape has no axis {axis}")
    dims = [dim for _, dim in arg.iter_sizes_and_dims()]
    try:
        dims[axis] = Dim(name, **numbers)  # type: ignore[arg-type]
    except OpError as error:
        raise LineSyntaxError(str(error).splitlines()[0]) from None
    return tuple(dims)


def _parse_guard(line: TokenLine) -> Guard:
    kind, var = line.next_name("the kind of a guard"), line.next_name("the name of a variable")
    _expect_field_name_and_equals(line, "axis")
    axis = line.next_integer("an axis")
    texts: dict[str, str] = {}
    for field in GUARD_TEXT_FIELDS:
        _expect_field_name_and_equals(line, field)
        texts[field] = _parse_quoted(line)
    return Guard(kind, var, axis, texts["expected"], texts["reader"], line.comment, texts["text"])


def _parse_contract_line(text: str, contract: Contract) -> None:
    word, _, rest = text.strip().partition(" ")
    if word in _CONTRACT_FIELD_BY_WORD:
        setattr(contract, _CONTRACT_FIELD_BY_WORD[word], unquote_text_at_line_end_if_quoted(rest))
        return
    line = TokenLine(text)
    line.next_token()
    if word == "input":
        contract.inputs.append(_parse_contract_arg(line))
    elif word == "output":
        contract.outputs.append(_parse_contract_arg(line))
    elif word == "guard":
        contract.guards.append(_parse_guard(line))
    else:
        raise LineSyntaxError(f"a contract has no {word!r}")
    line.expect_end()


class _Parser:
    """Parser state: the program parsed so far, and the section that the next line belongs to."""

    def __init__(self) -> None:
        self.program: Program | None = None
        self.section: Block | Contract | None = None

    def parse_line(self, text: str) -> None:
        if isinstance(self.section, Contract) and text[:1].isspace():
            _parse_contract_line(text, self.section)
            return
        line = TokenLine(text)
        first = line.peek()
        if self.program is None:
            self._parse_program_header(line)
        elif (
            first == Token("word", "contract") and line.next_is(":", 1) and not self.program.blocks
        ):
            self.section = self.program.contract = Contract()
        elif first == Token("word", "block"):
            self._parse_block_header(line)
        elif not isinstance(self.section, Block):
            raise LineSyntaxError("a block is expected")
        elif first in (Token("word", "var"), Token("word", "param")):
            _parse_declaration_into_block(line, self.section)
        else:
            _parse_op_into_block(line, self.section)

    def _parse_program_header(self, line: TokenLine) -> None:
        if line.next_token() != Token("word", "program"):
            raise LineSyntaxError("the text of a program starts with `program version=...`")
        _expect_field_name_and_equals(line, "version")
        self.program = Program([], line.next_integer("a version"))
        line.expect_end()

    def _parse_block_header(self, line: TokenLine) -> None:
        assert self.program is not None
        line.next_token()
        self.section = Block(line.next_integer("the index of a block"))
        if line.peek() == Token("word", "in"):
            line.next_token()
            self.section.parent = line.next_integer("the index of a block")
        line.expect(":")
        line.expect_end()
        self.program.blocks.append(self.section)


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
            parser.parse_line(line)
        except LineSyntaxError as bad:
            raise FileError(f"{name}:{number}: {bad} ({line.strip():.100})") from None
    if parser.program is None:
        raise FileError(f"{name}: is empty")
    return parser.program
