"""What a file may get wrong about an op: types and ranges of attributes, operands and results that are not there.

Types come from the op's own definition. A program that takes more for granted than the file says raises OpError, whatever it stumbles over.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...core.dtype import MAX_RANK
from ...core.errors import OarlockError, OpError
from ...core.op import Op
from ..program import Attr, AttrType, OpDesc

_INTS = frozenset({AttrType.INT, AttrType.LONG, AttrType.BOOLEAN})
_NUMBERS = _INTS | {AttrType.FLOAT, AttrType.FLOAT64}
_INT_LISTS = frozenset({AttrType.INTS, AttrType.LONGS, AttrType.BOOLEANS})
_NUMBER_LISTS = _INT_LISTS | {AttrType.FLOATS, AttrType.FLOAT64S}
_TENSORS = frozenset({AttrType.VAR, AttrType.VARS})
# What a file may hold where an op declares an attribute of a type: versions of Paddle differ in the width.
ACCEPTED: dict[str, frozenset[AttrType]] = {
    "INT": _INTS,
    "LONG": _INTS,
    "BOOLEAN": _INTS,
    "FLOAT": _NUMBERS,
    "FLOAT64": _NUMBERS,
    "STRING": frozenset({AttrType.STRING}),
    "INTS": _INT_LISTS,
    "LONGS": _INT_LISTS,
    "BOOLEANS": _INT_LISTS,
    "FLOATS": _NUMBER_LISTS,
    "FLOAT64S": _NUMBER_LISTS,
    "STRINGS": frozenset({AttrType.STRINGS}),
    "SCALAR": _NUMBERS | {AttrType.SCALAR},
    "SCALARS": _NUMBER_LISTS | {AttrType.SCALARS},
}
AXES = frozenset(
    {
        "axis",
        "axes",
        "axis1",
        "axis2",
        "dim",
        "dim1",
        "dim2",
        "decrease_axis",
        "start_axis",
        "stop_axis",
        "begin_norm_axis",
    }
)
_ODD = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    AssertionError,
    StopIteration,
    RecursionError,
)


def check_attrs(op: Op, desc: OpDesc) -> None:
    """Raise OpError for an attribute of another type than the op declares, or an axis that no tensor has."""
    for name, attr in desc.attrs.items():
        spec = op.attrs.get(name)
        if spec is None or attr.type in _TENSORS:
            continue
        if attr.type not in ACCEPTED[spec.type] and not _is_one(attr, spec.type):
            raise OpError(f"{op.type}: attribute '{name}' is a {attr.type.name} where {spec.type} belongs")
        if name in AXES:
            for axis in attr.value if isinstance(attr.value, list) else [attr.value]:
                if isinstance(axis, int) and not -MAX_RANK <= axis < MAX_RANK:
                    raise OpError(f"{op.type}: attribute '{name}' is {axis}; a tensor has at most {MAX_RANK} axes")


def _is_one(attr: Attr, declared: str) -> bool:
    """A single number where a list belongs, or a list of one where a number belongs, as some versions of Paddle write it."""
    if isinstance(attr.value, list):
        return len(attr.value) <= 1 and declared in ("INT", "LONG", "FLOAT", "BOOLEAN", "FLOAT64")
    return f"{attr.type.name}S" in (declared, declared.replace("LONG", "INT"))


@contextmanager
def malformed(desc: OpDesc | None = None) -> Iterator[None]:
    """Raise OpError for whatever Python stumbles over in a program that makes no sense."""
    try:
        yield
    except OarlockError:
        raise
    except _ODD as error:
        what = (
            "the program makes no sense"
            if desc is None
            else f"{desc.type}: its operands, results or attributes make no sense"
        )
        where = f"\n  recorded at {desc.where}" if desc is not None and desc.where else ""
        raise OpError(f"{what} ({type(error).__name__}: {str(error)[:200]}){where}") from error
