"""Programs round-trip through text and files, which are deterministic."""

from __future__ import annotations

import math
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oarlock.core.dtype import ALL_DTYPES
from oarlock.export.pdmodel import to_bytes
from oarlock.ir.attr_types import ATTR_RULES
from oarlock.ir.parser import parse
from oarlock.ir.printer import ATTR_FORMS, KEYWORDS, to_text
from oarlock.ir.program import (
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
from oarlock.ir.verifier import TENSOR_KINDS, find_problems
from oarlock.loader.pdmodel import parse_program

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
# Names have no control characters, and what is only shown loses them.
SHOWN = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), max_size=8)
NAMES = st.one_of(
    st.sampled_from(
        [
            "x",
            "linear_0.w_0",
            "save_infer_model/scale_0.tmp_0",
            "a@GRAD",
            "?",
            "lod",
            "true",
            '"',
            "a b",
        ]
    ),
    st.sampled_from(sorted(KEYWORDS)),
    SHOWN.filter(bool),
)
FLOAT32 = st.floats(width=32, allow_nan=False)
DOUBLE = st.floats(allow_nan=False)
INT32 = st.integers(-(2**31), 2**31 - 1)
INT64 = st.integers(-(2**63), 2**63 - 1)
SCALAR = st.one_of(st.booleans(), INT64, DOUBLE, st.complex_numbers(allow_nan=False))
ELEMENTS: dict[AttrType, st.SearchStrategy[Any]] = {
    AttrType.INT: INT32,
    AttrType.FLOAT: FLOAT32,
    AttrType.STRING: TEXT,
    AttrType.INTS: INT32,
    AttrType.FLOATS: FLOAT32,
    AttrType.STRINGS: TEXT,
    AttrType.BOOLEAN: st.booleans(),
    AttrType.BOOLEANS: st.booleans(),
    AttrType.LONG: INT64,
    AttrType.LONGS: INT64,
    AttrType.FLOAT64S: DOUBLE,
    AttrType.FLOAT64: DOUBLE,
    AttrType.SCALAR: SCALAR,
    AttrType.SCALARS: SCALAR,
}
NEEDS_PROGRAM = {AttrType.BLOCK, AttrType.BLOCKS, AttrType.VAR, AttrType.VARS}
SHAPES = (
    st.lists(st.integers(-1, 2**40), max_size=4)
    .map(tuple)
    .filter(lambda sizes: math.prod(max(abs(n), 1) for n in sizes) < 2**50)
)
DTYPES = st.sampled_from([dtype.name for dtype in ALL_DTYPES])


@st.composite
def attrs(draw: Any) -> Attr:
    kind = draw(st.sampled_from(sorted(ELEMENTS)))
    one = ELEMENTS[kind]
    return Attr(kind, draw(st.lists(one, max_size=3) if ATTR_RULES[kind][0] else one))


@st.composite
def variables(draw: Any, name: str) -> VarDesc:
    kind = draw(st.sampled_from(sorted(VarKind)))
    var = VarDesc(name, dtype="", kind=kind)
    if kind in TENSOR_KINDS or kind in (VarKind.STRINGS, VarKind.VOCAB):
        var.dtype, var.shape = draw(DTYPES), draw(SHAPES)
    if kind in (VarKind.DENSE, VarKind.ARRAY):
        var.lod_level = draw(st.integers(0, 2))
    for flag in ("persistable", "is_parameter", "stop_gradient", "checks_feed"):
        setattr(var, flag, draw(st.booleans()))
    return var


WHERE = st.one_of(
    st.just(""),
    st.just("net.py:12 in forward"),
    SHOWN.filter(lambda t: "/" not in t and "\\" not in t),
)


@st.composite
def ops(draw: Any, names: list[str], blocks: list[int]) -> OpDesc:
    operands = st.lists(st.sampled_from(names), max_size=3) if names else st.just([])
    slots = st.dictionaries(st.one_of(st.sampled_from(["X", "Out"]), NAMES), operands, max_size=3)
    kind = draw(
        st.one_of(
            st.sampled_from(["relu", "while"]), NAMES.filter(lambda n: n not in ("feed", "fetch"))
        )
    )
    op = OpDesc(
        kind,
        draw(slots),
        draw(slots),
        draw(st.dictionaries(NAMES, attrs(), max_size=3)),
        draw(WHERE),
    )
    op.attrs.pop("op_callstack", None)
    if names:
        op.attrs["tensor"] = Attr(AttrType.VAR, draw(st.sampled_from(names)))
        op.attrs["tensors"] = Attr(AttrType.VARS, draw(operands))
    if blocks:
        op.attrs["sub_block"] = Attr(AttrType.BLOCK, draw(st.sampled_from(blocks)))
        op.attrs["blocks"] = Attr(
            AttrType.BLOCKS, draw(st.lists(st.sampled_from(blocks), max_size=2))
        )
    return op


ARGS = st.builds(ContractInputOrOutput, NAMES, DTYPES, SHAPES, SHOWN)
GUARDS = st.builds(Guard, NAMES, NAMES, INT64, SHOWN, SHOWN, WHERE, SHOWN)
CONTRACTS = st.builds(
    Contract,
    st.lists(ARGS, max_size=2),
    st.lists(ARGS, max_size=2),
    TEXT,
    st.lists(GUARDS, max_size=2),
    SHOWN,
    SHOWN,
)


@st.composite
def programs(draw: Any, contract: bool = False) -> Program:
    """Return programs with declared operands and nested blocks; the ops are random."""
    count = draw(st.integers(1, 3))
    program = Program([], draw(st.sampled_from([0, 2006002, 1008005])))
    names: list[str] = []
    for i in range(count):
        own = draw(st.lists(NAMES, unique=True, max_size=3))
        block = Block(
            i,
            draw(st.integers(0, i - 1)) if i else -1,
            {name: draw(variables(name)) for name in own},
        )
        # all ops use the outermost block's variables, and their own
        names = own if i == 0 else names
        block.ops = draw(
            st.lists(ops(sorted({*names, *own}), list(range(i + 1, count))), max_size=3)
        )
        program.blocks.append(block)
    owned: set[int] = set()
    # a block is a child of the block whose op runs it, and one op runs it
    for block in program.blocks:
        for op in block.ops:
            if "sub_block" in op.attrs and op.attr("sub_block") in owned:
                del op.attrs["sub_block"]
            if "sub_block" in op.attrs:
                owned.add(op.attr("sub_block"))
            if "blocks" in op.attrs:
                free = [inner for inner in dict.fromkeys(op.attr("blocks")) if inner not in owned]
                op.attrs["blocks"] = Attr(AttrType.BLOCKS, free)
                owned.update(free)
            for inner in [
                *op.attr("blocks", []),
                *([op.attr("sub_block")] if "sub_block" in op.attrs else []),
            ]:
                program.blocks[inner].parent = block.idx
    program.contract = draw(st.none() | CONTRACTS) if contract else None
    return program


@given(programs(contract=True))
@settings(deadline=None)
def test_text_round_trip(program: Program) -> None:
    text = to_text(program)
    assert parse(text) == program
    assert to_text(parse(text)) == text
    assert str(program) == text


@given(programs())
@settings(deadline=None)
def test_file_round_trip(program: Program) -> None:
    data = to_bytes(program)
    assert parse_program(data) == program
    assert to_bytes(parse_program(data)) == data


@given(st.sampled_from([AttrType.FLOAT, AttrType.FLOATS]), st.floats(-1e30, 1e30))
@settings(deadline=None)
def test_shortest_float_text(kind: AttrType, value: float) -> None:
    """FLOAT is 32 bits in a file; the text has those bits and no more digits than that takes."""
    listed = [value] if kind == AttrType.FLOATS else value
    program = Program([Block(ops=[OpDesc("relu", attrs={"alpha": Attr(kind, listed)})])])
    (single,) = struct.unpack("f", struct.pack("f", value))
    wanted = [single] if kind == AttrType.FLOATS else single
    assert parse(to_text(program)).block.ops[0].attr("alpha") == wanted
    assert parse_program(to_bytes(program)).block.ops[0].attr("alpha") == wanted


def test_every_attribute_type_is_generated() -> None:
    assert set(ELEMENTS) | NEEDS_PROGRAM == set(AttrType) == set(ATTR_FORMS) == set(ATTR_RULES)


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
@pytest.mark.parametrize("kind", [AttrType.FLOAT, AttrType.FLOAT64, AttrType.SCALAR])
def test_nan_and_infinity(kind: AttrType, value: float) -> None:
    program = Program([Block(ops=[OpDesc("fill", attrs={"value": Attr(kind, value)})])])
    for back in (parse(to_text(program)), parse_program(to_bytes(program))):
        assert repr(back.block.ops[0].attr("value")) == repr(value)


def test_bytes_are_independent_of_insertion_order() -> None:
    def made(turn: int) -> bytes:
        names = ["a", "b", "c"][::turn]
        variables = {n: VarDesc(n, (2,)) for n in names}
        attrs = {n: Attr(AttrType.INT, 1) for n in names}
        return to_bytes(
            Program([Block(vars=variables, ops=[OpDesc("op", {n: [n] for n in names}, {}, attrs)])])
        )

    assert made(1) == made(-1)


def test_generated_programs_violate_few_rules() -> None:
    """The strategy must generate programs with few violations for `check` to be tested."""
    program = Program(
        [Block(vars={"x": VarDesc("x")}, ops=[OpDesc("relu", {"X": ["y"]}, {"Out": ["x"]})])]
    )
    assert find_problems(program) == ["block 0, op 0 (relu): variable 'y' is not declared"]
