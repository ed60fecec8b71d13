"""Validate the types and values of op attributes in files against the op definitions.

`paddle/op_attr_checks.cpp` applies the same rules in C++ to a table that
`tests/ops/attribute_table.py` generates from these definitions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..core.dtype import MAX_RANK
from ..core.errors import OpError
from ..core.op import OPS, AttrSpec, Op
from ..core.result_size_limit import MAX_WINDOW
from .program import Attr, AttrType, OpDesc

_INT_TYPES = frozenset({AttrType.INT, AttrType.LONG, AttrType.BOOLEAN})
_NUMBER_TYPES = _INT_TYPES | {AttrType.FLOAT, AttrType.FLOAT64}
_INT_LIST_TYPES = frozenset({AttrType.INTS, AttrType.LONGS, AttrType.BOOLEANS})
_NUMBER_LIST_TYPES = _INT_LIST_TYPES | {AttrType.FLOATS, AttrType.FLOAT64S}
_TENSOR_ATTR_TYPES = frozenset({AttrType.VAR, AttrType.VARS})
# declared type -> attribute types accepted in files, because Paddle versions write integers and
# floats of different widths
ACCEPTED_TYPES: dict[str, frozenset[AttrType]] = {
    "INT": _INT_TYPES,
    "LONG": _INT_TYPES,
    "BOOLEAN": _INT_TYPES,
    "FLOAT": _NUMBER_TYPES,
    "FLOAT64": _NUMBER_TYPES,
    "STRING": frozenset({AttrType.STRING}),
    "INTS": _INT_LIST_TYPES,
    "LONGS": _INT_LIST_TYPES,
    "BOOLEANS": _INT_LIST_TYPES,
    "FLOATS": _NUMBER_LIST_TYPES,
    "FLOAT64S": _NUMBER_LIST_TYPES,
    "STRINGS": frozenset({AttrType.STRINGS}),
    "SCALAR": _NUMBER_TYPES | {AttrType.SCALAR},
    "SCALARS": _NUMBER_LIST_TYPES | {AttrType.SCALARS},
}
AXIS_ATTRS = frozenset(
    (
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
    )
)
WINDOW_ATTRS = frozenset({"ksize", "kernel_sizes", "dilations", "paddings"})
# Attributes that hold a number of bins, levels, boxes or iterations. The numbers are limited,
# because kernels run a loop with this number of iterations.
COUNT_ATTRS = frozenset(
    (
        "pooled_height",
        "pooled_width",
        "min_level",
        "max_level",
        "densities",
        "transformed_height",
        "transformed_width",
        "resolution",
        "part_size",
        "pooled_size",
        "sample_per_part",
        "power_iters",
        "pyramid_height",
    )
)
MAX_COUNT = 4096
MAX_BY_KIND = {
    "window": MAX_WINDOW,
    "count": MAX_COUNT,
}  # by kind of attribute (see `range_kind_of_attr`): the largest absolute value
# largest length of an attribute that lists axes, or one size per axis
MAX_LIST_LENGTH = 2 * MAX_RANK
# Attributes of type STRING that contain a number. Paddle 1.8 wrote these attributes with type
# FLOAT.
NUMERIC_STRING_ATTRS = frozenset({"rtol", "atol"})


def range_kind_of_attr(op: Op, name: str) -> str:
    """The kind of an attribute: "axis", "window" (window sizes, dilations, paddings),
    "count", "number" (a number written as a string) or "" (any other).
    """
    if op.attrs[name].type == "STRING" and name in NUMERIC_STRING_ATTRS:
        return "number"
    if op.attrs[name].type not in ("INT", "LONG", "INTS", "LONGS"):
        return ""
    if name in AXIS_ATTRS:
        return "axis"
    if name in COUNT_ATTRS:
        return "count"
    slides = "strides" in op.attrs or "ksize" in op.attrs or "kernel_sizes" in op.attrs
    return "window" if name in WINDOW_ATTRS and slides else ""


def check_attrs(op: Op, desc: OpDesc) -> None:
    """Raise OpError if an attribute has a wrong type or is out of range."""
    for problem in iter_attr_problems(op, desc):
        raise OpError(f"{op.type}: {problem}")


def iter_attr_problems(op: Op, desc: OpDesc) -> Iterator[str]:
    """Yield the problems of the attributes of an op. Attributes that the op definition does not
    declare are ignored, because Paddle adds its own.
    """
    for name, attr in desc.attrs.items():
        spec = op.attrs.get(name)
        if spec is None or attr.type in _TENSOR_ATTR_TYPES:
            continue
        kind = range_kind_of_attr(op, name)
        accepted = (
            ACCEPTED_TYPES["FLOAT"] | ACCEPTED_TYPES["STRING"]
            if kind == "number"
            else ACCEPTED_TYPES[spec.type]
        )
        if attr.type not in accepted and not _is_scalar_for_list_or_list_for_scalar(attr, spec):
            yield f"attribute '{name}' has type {attr.type.name}, but {spec.type} is expected"
        else:
            yield from _iter_first_range_problem(kind, name, attr.value)


def _iter_first_range_problem(kind: str, name: str, value: Any) -> Iterator[str]:
    """Yield a message for the first number in an attribute value that is out of range; nothing if
    all are in range.
    """
    if kind in ("axis", "window") and isinstance(value, list) and len(value) > MAX_LIST_LENGTH:
        yield f"attribute '{name}' has {len(value)} elements, more than {MAX_LIST_LENGTH}"
        return
    largest = MAX_BY_KIND.get(kind)
    if kind != "axis" and largest is None:
        return
    for v in value if isinstance(value, list) else [value]:
        if kind == "axis" and not -MAX_RANK <= v < MAX_RANK:
            yield f"attribute '{name}' is {v}; a tensor has at most {MAX_RANK} axes"
            return
        if largest is not None and abs(v) > largest:
            yield f"attribute '{name}' holds {v}, which is larger than {largest}"
            return


def _is_scalar_for_list_or_list_for_scalar(attr: Attr, spec: AttrSpec) -> bool:
    """Whether an attribute is a number but the op declares a list, or a list of at most one element
    but the op declares a number. Some versions of Paddle write numbers for lists, or lists for
    numbers.
    """
    if isinstance(attr.value, list):
        return len(attr.value) <= 1 and attr.type in ACCEPTED_TYPES.get(f"{spec.type}S", ())
    return any(kind.name == f"{attr.type.name}S" for kind in ACCEPTED_TYPES[spec.type])


def iter_attr_problems_if_known_op(desc: OpDesc) -> Iterator[str]:
    """Yield the problems of the attributes of an op in a program. Yields nothing for an unknown op
    type.
    """
    op = OPS.get(desc.type)
    if op is not None:
        yield from iter_attr_problems(op, desc)
