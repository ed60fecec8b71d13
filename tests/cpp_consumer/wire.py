"""Small `.pdmodel` files written without the exporter, so that the C++ reader is tested
independently.
"""

from __future__ import annotations

from typing import NamedTuple

Variables = dict[str, tuple[int, list[int]]]  # name -> VarType.Type number, dims
Slots = dict[str, str]
Op = tuple[str, Slots, Slots]


class Guard(NamedTuple):
    """One guard, in the order of the message's fields."""

    kind: str
    var: str
    axis: int
    expected: str
    reader: str
    where: str
    text: str


def varint(value: int) -> bytes:
    """A base-128 number; a negative one takes ten bytes."""
    value %= 1 << 64
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def number(field: int, value: int) -> bytes:
    """A varint field."""
    return varint(field << 3) + varint(value)


def piece(field: int, body: bytes | str) -> bytes:
    """A length-delimited field."""
    data = body.encode() if isinstance(body, str) else body
    return varint(field << 3 | 2) + varint(len(data)) + data


def variable(name: str, dtype: int, dims: list[int]) -> bytes:
    """A VarDesc of a dense tensor."""
    tensor = number(1, dtype) + b"".join(number(2, d) for d in dims)
    return piece(3, piece(1, name) + piece(2, number(1, 7) + piece(3, piece(1, tensor))))


def op(kind: str, inputs: Slots, outputs: Slots, col: int | None = None) -> bytes:
    """An OpDesc; col: the attribute of feed and fetch."""
    slots = b"".join(
        piece(field, piece(1, slot) + piece(2, name))
        for field, group in ((1, inputs), (2, outputs))
        for slot, name in group.items()
    )
    attrs = b"" if col is None else piece(4, piece(1, "col") + number(2, 0) + number(3, col))
    return piece(4, slots + piece(3, kind) + attrs)


def contract(
    variables: Variables, feeds: list[str], fetches: list[str], guards: tuple[Guard, ...]
) -> bytes:
    """The field 20741 of a ProgramDesc."""
    body = number(1, 1)
    for field, names in ((2, feeds), (3, fetches)):
        for name in names:
            dtype, dims = variables[name]
            body += piece(
                field, piece(1, name) + number(2, dtype) + b"".join(number(3, d) for d in dims)
            )
    for g in guards:
        fields = [number(i, v) if isinstance(v, int) else piece(i, v) for i, v in enumerate(g, 1)]
        body += piece(5, b"".join(fields))
    return piece(20741, body)


def program(
    variables: Variables,
    ops: list[Op],
    feeds: list[str],
    fetches: list[str],
    guards: tuple[Guard, ...] = (),
) -> bytes:
    """One block: feeds, ops, fetches."""
    block = number(1, 0) + number(2, -1)
    block += b"".join(variable(name, dtype, dims) for name, (dtype, dims) in variables.items())
    block += b"".join(
        op("feed", {"X": "feed"}, {"Out": name}, col) for col, name in enumerate(feeds)
    )
    block += b"".join(op(*one) for one in ops)
    block += b"".join(
        op("fetch", {"X": name}, {"Out": "fetch"}, col) for col, name in enumerate(fetches)
    )
    return piece(1, block) + (contract(variables, feeds, fetches, guards) if guards else b"")
