"""Programs of one op, made from the rows of the op table and then made hostile.

A case is told by its seed and number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from oarlock.core.dtype import DTYPE_BY_NP
from oarlock.core.errors import OarlockError
from oarlock.export.pdmodel import to_bytes
from oarlock.ir.attr_types import LIST_ATTR_TYPES
from oarlock.ir.program import Attr, AttrType, OpDesc, Program
from oarlock.loader.engine import Engine
from oarlock.loader.runtime import runtime_module

from ..ops.rows import Array, Row
from ..ops.table import IDS, ROWS
from ..ops.test_recorded import recorded

INTS = [0, 1, -1, 2, 3, -2, 7, 64, -(2**31), 2**31 - 1, 10**9, 10**4]
LONGS = [*INTS, -(2**63), 2**63 - 1, 2**40]
FLOATS = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1e-30,
    1e30,
    -1e30,
    float("nan"),
    float("inf"),
    -float("inf"),
    1e9,
]
STRINGS = [
    "",
    "a",
    "NHWC",
    "NCHW",
    "SAME",
    "VALID",
    "mean",
    "sum",
    "none",
    "ij,jk->ik",
    "\x00",
    "x" * 3000,
]
DTYPES = [
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
]
SIZES = [0, 1, 2, 3, 5, 17]
HOSTILE: dict[AttrType, list[Any]] = {
    AttrType.INT: INTS, AttrType.LONG: LONGS, AttrType.FLOAT: FLOATS, AttrType.FLOAT64: FLOATS,
    AttrType.STRING: STRINGS, AttrType.BOOLEAN: [False, True], AttrType.INTS: INTS, AttrType.LONGS: LONGS,
    AttrType.FLOATS: FLOATS, AttrType.FLOAT64S: FLOATS, AttrType.STRINGS: STRINGS, AttrType.BOOLEANS: [False, True],
    AttrType.SCALAR: LONGS + FLOATS, AttrType.SCALARS: LONGS + FLOATS,
}  # fmt: skip


@dataclass
class Case:
    """A program and its feeds. done: description of the mutations."""

    row: str
    program: Program
    feeds: dict[str, Array]
    done: list[str] = field(default_factory=list)

    @property
    def op(self) -> OpDesc:
        """The op in the middle."""
        return next(op for op in self.program.block.ops if op.type not in ("feed", "fetch"))

    def run(self) -> str:
        """Return `ran`, or the first words of the error. Any other exception is a finding."""
        try:
            with np.errstate(all="ignore"):
                Engine(to_bytes(self.program), None, threads=1).run(list(self.feeds.values()))
        except (OarlockError, MemoryError) as error:
            return str(error) or type(error).__name__
        return "ran"

    def __str__(self) -> str:
        return f"{self.row}: " + "; ".join(self.done)


class Chance:
    """Choices, the same for the same case."""

    def __init__(self, seed: int, number: int) -> None:
        self.source = np.random.default_rng([seed, number])

    def below(self, count: int) -> int:
        """0 .. count - 1"""
        return int(self.source.integers(count))

    def of(self, things: Any) -> Any:
        """One of them."""
        return things[self.below(len(things))]


def hostile_attr(c: Chance, attr: Attr) -> Any:
    """Return another value of the same type; for a list, change one element, the length, or all
    elements.
    """
    pool = HOSTILE[attr.type]
    if attr.type not in LIST_ATTR_TYPES:
        return c.of(pool)
    values = list(attr.value)
    how = c.below(4)
    if how == 0 and values:
        values[c.below(len(values))] = c.of(pool)
    elif how == 1:
        values = values[: c.below(len(values) + 1)]
    elif how == 2:
        values = values + [c.of(pool)] * c.of([1, 2, 40])
    else:
        values = [c.of(pool) for _ in range(c.below(6))]
    return values


def change_attr(c: Chance, case: Case) -> str:
    """Set one attribute to a hostile value, sometimes of a hostile type."""
    names = [n for n, a in case.op.attrs.items() if a.type in HOSTILE]
    if not names:
        return change_values(c, case)
    name = c.of(sorted(names))
    old = case.op.attrs[name]
    if c.below(20) == 0:
        old = Attr(c.of(list(HOSTILE)), [] if old.type not in LIST_ATTR_TYPES else old.value)
        old = old if old.type in LIST_ATTR_TYPES else Attr(old.type, None)
    new = Attr(
        old.type,
        hostile_attr(c, Attr(old.type, old.value if old.type in LIST_ATTR_TYPES else None)),
    )
    if isinstance(new.value, float) and new.type == AttrType.FLOAT and abs(new.value) == 1e30:
        new.value = float(np.float32(new.value))
    case.op.attrs[name] = new
    return f"{name}={str(new.value)[:60]}"


def fitted(array: Array, shape: tuple[int, ...]) -> Array:
    """Numbers of `array` in another shape."""
    return np.resize(array, shape) if array.size else np.zeros(shape, array.dtype)


def refeed(case: Case, name: str, array: Array) -> None:
    """Feed another array, and declare it."""
    case.feeds[name] = array
    var = case.program.block.vars[name]
    var.shape, var.dtype = tuple(array.shape), DTYPE_BY_NP[array.dtype].name


def change_shape(c: Chance, case: Case) -> str:
    """Change the size of one axis, or the rank."""
    if not case.feeds:
        return change_attr(c, case)
    name = c.of(sorted(case.feeds))
    shape = list(case.feeds[name].shape)
    if shape and c.below(3):
        shape[c.below(len(shape))] = c.of(SIZES)
    elif shape and c.below(2):
        del shape[c.below(len(shape))]
    else:
        shape.insert(c.below(len(shape) + 1), c.of(SIZES[:4]))
    refeed(case, name, fitted(case.feeds[name], tuple(shape)))
    return f"{name}{shape}"


def change_dtype(c: Chance, case: Case) -> str:
    """Change the dtype of an operand, or the declared dtype of a result."""
    outputs = list(case.op.output_names())
    name = c.of(sorted(case.feeds) + outputs)
    dtype = c.of(DTYPES)
    if name in case.feeds:
        with np.errstate(all="ignore"):
            refeed(case, name, case.feeds[name].real.astype(dtype))
    else:
        case.program.block.vars[name].dtype = dtype
    return f"{name} {dtype}"


def change_values(c: Chance, case: Case) -> str:
    """Hostile numbers here and there, or everywhere."""
    names = [n for n in sorted(case.feeds) if case.feeds[n].size]
    if not names:
        return "nothing"
    name = c.of(names)
    array = case.feeds[name].copy()
    pool = FLOATS if array.dtype.kind in "fcV" else LONGS
    with np.errstate(all="ignore"):
        value = np.asarray(c.of(pool)).astype(array.dtype)
    where = "all" if c.below(4) == 0 else c.below(array.size)
    array[... if where == "all" else np.unravel_index(where, array.shape)] = value
    case.feeds[name] = array
    return f"{name}[{where}]={value}"


def hide_sizes(c: Chance, case: Case) -> str:
    """Declare some sizes unknown: all of one variable, or of every variable."""
    names = sorted(n for n, v in case.program.block.vars.items() if v.shape)
    if not names:
        return "nothing"
    chosen = names if c.below(2) else [c.of(names)]
    for name in chosen:
        var = case.program.block.vars[name]
        var.shape = tuple(-1 if c.below(3) else d for d in var.shape)
    return "hidden " + ("all" if chosen is names else chosen[0])


def change_slots(c: Chance, case: Case) -> str:
    """Remove an operand, duplicate it, or replace it by another one."""
    slots = sorted(case.op.inputs)
    if not slots:
        return change_attr(c, case)
    slot = c.of(slots)
    names = case.op.inputs[slot]
    how = c.below(3)
    if how == 0:
        del case.op.inputs[slot]
    elif how == 1:
        case.op.inputs[slot] = names * c.of([2, 2, 50])
    else:
        case.op.inputs[slot] = list(case.op.inputs[c.of(slots)])
    return f"{slot} " + ("dropped", "doubled", "swapped")[how]


CHANGES: list[Callable[[Chance, Case], str]] = [
    change_attr, change_attr, change_attr, change_shape, change_shape, change_values, change_values, change_dtype,
    hide_sizes, change_slots,
]  # fmt: skip


def plain_case(row: Row, name: str) -> Case:
    """The program of a row as it is.   OarlockError where it cannot be recorded."""
    recorder, feeds, names = recorded(row)
    for result in dict.fromkeys(names):
        recorder.fetch(result)
    return Case(name, recorder.program, {n: np.asarray(t.array) for n, t in feeds.items()})


def lowered_rows(only: str = "") -> list[int]:
    """Return the indices of rows whose op has a lowering; only those of the op `only` if it is
    given.
    """
    known = set(runtime_module().convertible_op_types())
    return [n for n, row in enumerate(ROWS) if row.type in known and only in ("", row.type)]


def make_case(seed: int, number: int, rows: list[int]) -> Case | None:
    """Return case `number`: a row with one to four mutations.

    None where it cannot be written down.
    """
    chance = Chance(seed, number)
    at = chance.of(rows)
    try:
        case = plain_case(ROWS[at], IDS[at])
        for _ in range(1 + chance.below(4)):
            case.done.append(chance.of(CHANGES)(chance, case))
        to_bytes(case.program)
    except OarlockError:
        return None
    return case
