"""A `.pdmodel` is validated completely; each FileError names file, position and problem."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oarlock as paddle
from oarlock.core.errors import FileError
from oarlock.export.pdmodel import to_bytes
from oarlock.export.proto import CONTRACT_FIELD, ProgramDesc
from oarlock.ir.parser import parse
from oarlock.loader import pdmodel
from oarlock.loader.engine import Engine
from oarlock.loader.pdmodel import load_program, parse_program, user_line_from_callstack

GOOD = parse("""\
program version=2006002
contract:
  producer a test
  tree [0]
  input x: float32[?,3] path="x"
  output y: float32[?,4] path="0"
  guard dim x axis=0 expected="2" reader="shape[0]" text="n = x.shape[0]"  # net.py:3 in f
block 0:
  param w: float32[3,4]
  var feed: feed persistable
  var fetch: fetch persistable
  x: float32[?,3] = feed(X=feed) col=0
  y: float32[?,4] = matmul_v2(X=x, Y=w) trans_x=false k=ints[1] v=scalars[1,2.5,true,complex(1.0,2.0)]  # n.py:4 in f
  c: bool[1] = fill() shape=longs[1] value=1.0 big=long(5) name="n" half=float64(0.5)
  Out=c, StepScopes=s: step_scopes = while(X=y, Condition=c) sub_block=block(1)
  fetch = fetch(X=y) col=0
block 1 in 0:
  t: array float32[?] lod=1 = write(X=y)
""")
DATA = to_bytes(GOOD)


def changed_bytes(change: Callable[[Any], object]) -> bytes:
    message = ProgramDesc.parse(DATA)
    change(message)
    data: bytes = message.SerializeToString()
    return data


def op(message: Any, i: int = 1) -> Any:
    return message.blocks[0].ops[i]


def var(message: Any, name: str) -> Any:
    return next(v for v in message.blocks[0].vars if v.name == name)


def repeat(messages: Any, i: int = 0) -> None:
    messages.add().CopyFrom(messages[i])


def repeat_attribute(message: Any, changes: Callable[[Any], object]) -> None:
    """Write an attribute a second time, and otherwise."""
    repeat(op(message).attrs)
    changes(op(message).attrs[-1])


FAULTS: list[tuple[Callable[[Any], object], str]] = [
    (lambda m: m.ClearField("blocks"), "holds 0 blocks, not 1 ... 4096"),
    (lambda m: m.blocks[1].ClearField("parent_idx"), "block 1 has no parent_idx"),
    (
        lambda m: setattr(m.blocks[1], "parent_idx", 1),
        "block 1: its parent is 1, which does not come before it",
    ),
    (lambda m: setattr(m.blocks[1], "parent_idx", -5), "block 1: its parent is -5"),
    (lambda m: setattr(m.blocks[0], "parent_idx", 0), "block 0: is the outermost but has parent 0"),
    (lambda m: setattr(m.blocks[1], "idx", 7), "block 1: has the index 7"),
    (lambda m: repeat(m.blocks[0].vars), "block 0: variable 'c' is declared twice"),
    (lambda m: var(m, "w").ClearField("type"), "block 0, variable 'w': it has no type"),
    (lambda m: var(m, "w").type.ClearField("type"), "block 0, variable 'w': its type has no type"),
    (
        lambda m: setattr(var(m, "w").type, "type", 99),
        "variable 'w': a variable of kind 99 is not supported",
    ),
    (
        lambda m: var(m, "w").type.ClearField("lod_tensor"),
        "variable 'w': the description of the tensor is missing",
    ),
    (
        lambda m: setattr(var(m, "w").type.lod_tensor.tensor, "data_type", 99),
        "'w': data type 99 is not supported",
    ),
    (
        lambda m: var(m, "w").type.lod_tensor.tensor.dims.extend([1] * 31),
        "'w': has 33 axes, more than 32",
    ),
    (lambda m: op(m).ClearField("type"), "block 0, op 1 (): it has no type"),
    (lambda m: repeat(op(m).inputs), "block 0, op 1 (matmul_v2): slot X is there twice"),
    (
        lambda m: op(m).inputs[0].ClearField("parameter"),
        "op 1 (matmul_v2): a slot has no parameter",
    ),
    (
        lambda m: repeat_attribute(m, lambda a: a.ints.append(2)),
        "op 1 (matmul_v2): attribute k is there twice, with two values",
    ),
    (
        lambda m: repeat_attribute(m, lambda a: setattr(a, "type", 11)),
        "op 1 (matmul_v2): attribute k is there twice, with two values",
    ),
    (lambda m: op(m).attrs[0].ClearField("name"), "op 1 (matmul_v2): an attribute has no name"),
    (
        lambda m: setattr(op(m).attrs[0], "type", 18),
        "attribute k is of type 18, which is not known",
    ),
    (lambda m: setattr(op(m).attrs[0], "type", 0), "attribute k, INT, has no i"),
    (lambda m: op(m).attrs[3].scalars[0].ClearField("i"), "a scalar has no i"),
    (
        lambda m: setattr(op(m).attrs[3].scalars[0], "type", 9),
        "a scalar is of type 9, which is not known",
    ),
    (
        lambda m: op(m).inputs[0].arguments.append("q"),
        "op 1 (matmul_v2) at n.py:4 in f: variable 'q' is not declared",
    ),
    (
        lambda m: setattr(op(m, 3).attrs[0], "block_idx", 2),
        "op 3 (while): attribute sub_block is block 2, but the number of blocks is 2",
    ),
    (
        lambda m: setattr(op(m, 3).attrs[0], "block_idx", 0),
        "op 3 (while): attribute sub_block is block 0, but the number of blocks is 2",
    ),
    (lambda m: setattr(op(m, 0).attrs[0], "i", 1), "the feed ops have col [1], not 0 ... 0"),
    (lambda m: repeat(m.blocks[0].ops, 4), "the fetch ops have col [0, 0], not 0 ... 1"),
    (
        lambda m: setattr(m.contract, "version", 3),
        "contract: is of version 3; this version of Oarlock reads 1 and 2",
    ),
    (
        lambda m: setattr(m.contract, "version", 2),
        "contract: is of version 2, but without names of dimensions",
    ),
    (
        lambda m: m.contract.inputs[0].named_dims.add(name="n", min=1, multiple=1),
        "contract: is of version 1, but with names of dimensions",
    ),
    (
        lambda m: setattr(m.contract.inputs[0], "dtype", 77),
        "contract: data type 77 is not supported",
    ),
    (lambda m: setattr(m.contract.inputs[0], "name", "z"), "contract: the inputs are ['z']"),
    (
        lambda m: setattr(m.contract.guards[0], "kind", "odd"),
        "contract: a guard of kind 'odd' is not known",
    ),
    (
        lambda m: setattr(m.contract.guards[0], "axis", -1),
        "contract: the axis -1 of a guard is not in",
    ),
    (
        lambda m: setattr(m.contract.guards[0], "axis", 1 << 40),
        "contract: the axis 1099511627776 of a guard is not in",
    ),
    (lambda m: setattr(var(m, "w"), "name", "w\x1b[2J"), "the name contains control characters"),
    (lambda m: setattr(op(m), "type", "go\n"), "the name contains control characters"),
    (lambda m: setattr(var(m, "w"), "name", "w\x9b1m"), "the name contains control characters"),
]


def test_valid_file() -> None:
    assert parse_program(DATA, "m.pdmodel") == GOOD


def test_equal_duplicate_attribute_is_accepted() -> None:
    """As real Paddle writes `use_mkldnn` on reshape2, its gradient and concat in programs
    to train.
    """
    assert parse_program(changed_bytes(lambda m: repeat(op(m).attrs)), "m.pdmodel") == GOOD


def test_blocks_with_block_0_as_parent(tmp_path: Path) -> None:
    """As real Paddle's passes write them; C++ reads them likewise."""

    def steps(x: Any, n: Any) -> Any:
        k = paddle.zeros([], "int64")
        while k < n:
            if x.sum() > 4:
                x = x / 2
            else:
                x = x + k.astype("float32")
            k = k + 1
        return x

    specs = [
        paddle.static.InputSpec([None], "float32", "x"),
        paddle.static.InputSpec([], "int64", "n"),
    ]
    with pytest.warns(UserWarning, match="there are no parameters"):
        paddle.jit.save(paddle.jit.to_static(steps), str(tmp_path / "m"), input_spec=specs)
    file = tmp_path / "m.pdmodel"
    message = ProgramDesc.parse(file.read_bytes())
    parents = [block.parent_idx for block in message.blocks]
    assert max(parents) > 0
    for block in message.blocks[1:]:
        block.parent_idx = 0
    file.write_bytes(message.SerializeToString())
    assert [block.parent for block in load_program(file).blocks] == parents
    x, n = np.array([1.0, 2.0], "float32"), np.array(5)
    found = Engine(file.read_bytes(), None, "m").run([x, n])
    np.testing.assert_allclose(
        found[0], steps(paddle.to_tensor(x), paddle.to_tensor(n)).numpy(), rtol=1e-6
    )


@pytest.mark.parametrize(("change", "message"), FAULTS)
def test_errors_name_the_position(change: Callable[[Any], object], message: str) -> None:
    with pytest.raises(FileError) as error:
        parse_program(changed_bytes(change), "m.pdmodel")
    assert str(error.value).startswith("m.pdmodel: ")
    assert message in str(error.value)


def test_equal_errors_are_counted() -> None:
    def two(message: Any) -> None:
        op(message).inputs[0].arguments.extend(["q", "r"])

    with pytest.raises(FileError, match=r"variable 'q' is not declared \(and 1 more\)"):
        parse_program(changed_bytes(two))


def test_invalid_utf8() -> None:
    with pytest.raises(
        FileError, match=r"m: block 0, op 1 \(\?\): contains text that is not UTF-8"
    ):
        parse_program(DATA.replace(b"matmul_v2", b"matmul_\xff2"), "m")
    with pytest.raises(FileError, match="m: contract: contains text that is not UTF-8"):
        parse_program(DATA.replace(b"shape[0]", b"shape[\xff]"), "m")


@pytest.mark.parametrize(
    "data", [b"", b"\x0a", b"abc", b"\x00" * 9, b"\x80\x04N.", DATA[:-1], DATA[: len(DATA) // 2]]
)
def test_invalid_programs(data: bytes) -> None:
    with pytest.raises(FileError, match=r"^m\.pdmodel: "):
        parse_program(data, "m.pdmodel")


def test_file_size_is_limited(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(pdmodel, "MAX_PROGRAM_BYTES", 10)
    (tmp_path / "m.pdmodel").write_bytes(DATA)
    message = r"m\.pdmodel: \d+ bytes, more than the 10"
    with pytest.raises(FileError, match=message):
        load_program(tmp_path / "m.pdmodel")
    with pytest.raises(FileError, match=message):
        parse_program(DATA, "m.pdmodel")


def test_number_of_blocks_is_limited() -> None:
    many = DATA + b"\x0a\x00" * (pdmodel.MAX_BLOCKS + 1)
    with pytest.raises(FileError, match="holds 4099 blocks"):
        parse_program(many)


def test_deeply_nested_message() -> None:
    deep = b""
    for _ in range(2000):
        size = len(deep)
        length = bytes([size & 0x7F | 0x80, size >> 7 & 0x7F | 0x80, size >> 14])
        deep = b"\x0a" + length + deep
    with pytest.raises(FileError):
        parse_program(deep)


def test_unknown_fields_are_ignored() -> None:
    assert parse_program(DATA + b"\xba\x3e\x03abc") == GOOD  # field 999


def test_contract_field_number() -> None:
    without = changed_bytes(lambda m: m.ClearField("contract"))
    key = CONTRACT_FIELD << 3 | 2
    varint = bytes([key & 0x7F | 0x80, key >> 7 & 0x7F | 0x80, key >> 14])
    assert DATA.startswith(without)
    assert DATA[len(without) :].startswith(varint)
    assert parse_program(without).contract is None


def test_old_version_field() -> None:
    def old(message: Any) -> None:
        message.ClearField("version")
        message.old_version.version = 1005000

    assert parse_program(changed_bytes(old)).version == 1005000
    # op_compatible_map of 1.6
    assert parse_program(DATA + b"\x1a\x04\x0a\x02\x08\x01").version == 2006002
    assert parse_program(changed_bytes(lambda m: m.ClearField("version"))).version == 0


@pytest.mark.parametrize(
    ("stack", "where"),
    [
        ([], ""),
        (["net.py:12 in forward"], "net.py:12 in forward"),
        (['  File "/a/b/net.py", line 3, in f', "    y = x"], "net.py:3 in f"),
        (['  File "C:\\a\\net.py", line 3, in <module>', "    y = x"], "net.py:3 in <module>"),
        (
            [
                *('  File "/a/net.py", line 3, in f', "    y = g(x)"),
                *('  File "/a/more.py", line 9, in g', "    y = x + 1"),
                *(
                    '  File "/v/lib/python3.11/site-packages/paddle/base/framework.py", line 1, in append_op',
                    "    z",
                ),
            ],
            "more.py:9 in g",
        ),
        (['  File "/v/site-packages/paddle/x.py", line 1, in h', "    z"], ""),
        (["one", "two"], ""),
    ],
)
def test_user_line(stack: list[str], where: str) -> None:
    assert user_line_from_callstack(stack) == where


@given(st.data())
@settings(deadline=None, max_examples=300)
def test_damaged_files_are_file_errors_or_programs(data: st.DataObject) -> None:
    damaged = bytearray(DATA)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(damaged) - 1))
        length = data.draw(st.integers(0, 4))
        damaged[at : at + length] = data.draw(st.binary(max_size=4))
    try:
        program = parse_program(bytes(damaged), "m.pdmodel")
    except FileError:
        return
    written = to_bytes(program)  # which may declare a holder that the damage took away
    assert to_bytes(parse_program(written)) == written


@given(st.binary(max_size=200))
def test_random_bytes_are_a_file_error(data: bytes) -> None:
    with pytest.raises(FileError):
        parse_program(data)


def test_negative_sizes_are_dynamic() -> None:
    message = ProgramDesc.parse(DATA)
    var(message, "x").type.lod_tensor.tensor.dims[0] = -12
    assert parse_program(message.SerializeToString(), "m").block.vars["x"].shape[0] == -1


def test_displayed_text_is_escaped() -> None:
    def orders(message: Any) -> None:
        guard = message.contract.guards[0]
        guard.reader, guard.where, guard.text = (
            "assert: two\nlines\x07",
            "a.py:1\nforged",
            "x\x9b\ty",
        )
        message.contract.producer, message.contract.verified = "\x1b[2J", "sure \u202e"
        message.contract.inputs[0].path = "x.a\u200b"

    contract = parse_program(changed_bytes(orders)).contract
    assert contract is not None
    assert contract.guards[0].reader == "assert: two\nlines\\x07"
    assert (contract.guards[0].where, contract.guards[0].text) == ("a.py:1\\x0aforged", "x\\x9b\ty")
    assert (contract.producer, contract.verified) == ("\\x1b[2J", "sure \\u202e")
    assert contract.inputs[0].path == "x.a\u200b"  # a key: it is written out where it is shown
