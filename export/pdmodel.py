"""Write a program as `.pdmodel`: deterministic bytes that Paddle can read."""

from __future__ import annotations

import re
from typing import Any

from ..core.dtype import parse_dtype
from ..core.errors import OpError
from ..ir.attr_types import LIST_ATTR_TYPES, attr_problem
from ..ir.kernelless_op_traits import OP_TRAITS
from ..ir.program import (
    KINDS_WITH_LOD,
    Attr,
    AttrType,
    Block,
    Contract,
    ContractInputOrOutput,
    OpDesc,
    Program,
    VarDesc,
)
from .proto import ATTR_VALUE_FIELD, SCALAR_VALUE_FIELD, VAR_TYPE_FIELD, ProgramDesc

CONTRACT_VERSION = 1
# The version of contracts with names of dimensions. Older versions of Oarlock cannot check names of
# dimensions, so they must reject a contract that contains them.
CONTRACT_VERSION_WITH_DIMS = 2
# When Paddle loads a program, it converts the attribute `values` of `set_value` ops, unless the op
# version map of the file declares the current version of the op.
_SAVED_OP_VERSIONS = {"set_value": 4}
_HOLDER_KINDS = {
    type: t.feed_fetch_kind for type, t in OP_TRAITS.items() if t.feed_fetch_kind is not None
}


# Matches the folder in a source location, such as `/home/me/` in `/home/me/net.py:3 in f`.
_FOLDER_PREFIX = re.compile(r"^(?:[A-Za-z]:)?[^:]*[/\\](?=[^/\\:]+:\d+)")


def to_bytes(program: Program) -> bytes:
    """Return the `.pdmodel` of a program.

    Raises OpError if a value does not fit the type of its attribute or variable.
    """
    message = ProgramDesc()
    for block in program.blocks:
        _write_block(message.blocks.add(), block)
    message.version.version = program.version
    for name in sorted({op.type for op in program.ops()} & _SAVED_OP_VERSIONS.keys()):
        message.op_version_map.pair.add(op_name=name).op_version.version = _SAVED_OP_VERSIONS[name]
    if program.contract is not None:
        _write_contract(message.contract, program.contract)
    data: bytes = message.SerializeToString(deterministic=True)
    return data


def with_verification_result(pdmodel: bytes, verified: str) -> bytes:
    """Return a `.pdmodel` in which the contract of the program states the result of its
    verification.
    """
    message = ProgramDesc()
    message.ParseFromString(pdmodel)
    message.contract.verified = verified
    data: bytes = message.SerializeToString(deterministic=True)
    return data


def block_op_or_var_to_bytes(desc: Block | OpDesc | VarDesc) -> bytes:
    """Return the serialized protobuf message of `desc`, which is one block, op or variable.

    Raises OpError if a value does not fit the type of its attribute or variable.
    """
    block = ProgramDesc().blocks.add()
    if isinstance(desc, Block):
        message: Any = block
        _write_block(message, desc)
    elif isinstance(desc, OpDesc):
        message = block.ops.add()
        _write_op(message, desc)
    else:
        message = block.vars.add()
        _write_var(message, desc)
    data: bytes = message.SerializeToString(deterministic=True)
    return data


def _write_block(message: Any, block: Block) -> None:
    message.idx = block.idx
    message.parent_idx = block.parent
    for var in _vars_and_feed_fetch_holders_in_file_order(block):
        _write_var(message.vars.add(), var)
    for op in _ops_in_file_order(block):
        try:
            _write_op(message.ops.add(), op)
        except (TypeError, ValueError) as error:
            raise error if isinstance(error, OpError) else OpError(f"{op.type}: {error}") from None


def _vars_and_feed_fetch_holders_in_file_order(block: Block) -> list[VarDesc]:
    """Return the variables of a block in the order of the file: sorted by name, then the holder
    variables of feed and fetch ops, which Paddle's C++ predictor requires.
    """
    used = {op.type for op in block.ops}
    missing = [n for n in _HOLDER_KINDS if n in used and n not in block.vars]
    holders = [VarDesc(n, dtype="", kind=_HOLDER_KINDS[n], persistable=True) for n in missing]
    every = sorted([*block.vars.values(), *holders], key=lambda var: var.name)
    last = tuple(_HOLDER_KINDS.values())
    return [v for v in every if v.kind not in last] + [
        v for kind in last for v in every if v.kind == kind
    ]


def _ops_in_file_order(block: Block) -> list[OpDesc]:
    """Return the ops with feed ops first and in reverse order: jit.load of Paddle takes the inputs
    in the order of ops, not by `col`.
    """
    feeds = sorted(
        (op for op in block.ops if op.type == "feed"), key=_feed_or_fetch_column, reverse=True
    )
    fetches = sorted((op for op in block.ops if op.type == "fetch"), key=_feed_or_fetch_column)
    return [*feeds, *(op for op in block.ops if op.type not in _HOLDER_KINDS), *fetches]


def _feed_or_fetch_column(op: OpDesc) -> int:
    return int(op.attr("col", 0))


def _write_var(message: Any, var: VarDesc) -> None:
    message.name = var.name
    message.type.type = int(var.kind)
    field = VAR_TYPE_FIELD.get(var.kind)
    if field is not None:
        described = getattr(message.type, field)
        _write_tensor_desc(described.tensor if var.kind in KINDS_WITH_LOD else described, var)
        if var.kind in KINDS_WITH_LOD and var.lod_level:
            described.lod_level = var.lod_level
    if var.checks_feed:
        message.need_check_feed = True
    for flag in ("persistable", "is_parameter", "stop_gradient"):
        if getattr(var, flag):
            setattr(message, flag, True)


def _write_tensor_desc(message: Any, var: VarDesc | ContractInputOrOutput) -> None:
    # the first type of the enum if no type was declared
    message.data_type = parse_dtype(var.dtype or "bool").proto
    message.dims.extend(var.shape)


def _write_op(message: Any, op: OpDesc) -> None:
    for slots, names_of in ((message.inputs, op.inputs), (message.outputs, op.outputs)):
        for slot in sorted(names_of):
            slots.add(parameter=slot, arguments=names_of[slot])
    message.type = op.type
    attrs = dict(op.attrs)
    if op.user_line:
        attrs["op_callstack"] = Attr(AttrType.STRINGS, [_FOLDER_PREFIX.sub("", op.user_line)])
    if op.layer_path:
        attrs["op_namescope"] = Attr(AttrType.STRING, op.layer_path)
    for name in sorted(attrs):
        problem = attr_problem(attrs[name])
        if problem:
            raise OpError(f"{op.type}: attribute {name}: {problem}")
        _write_attr(message.attrs.add(name=name, type=int(attrs[name].type)), attrs[name])


def _write_attr(message: Any, attr: Attr) -> None:
    field = ATTR_VALUE_FIELD[attr.type]
    if attr.type == AttrType.SCALAR:
        _write_scalar(message.scalar, attr.value)
    elif attr.type == AttrType.SCALARS:
        for value in attr.value:
            _write_scalar(message.scalars.add(), value)
    elif attr.type in LIST_ATTR_TYPES:
        getattr(message, field).extend(attr.value)
    else:
        setattr(message, field, attr.value)


def _write_scalar(message: Any, value: complex) -> None:
    number, field = next(
        (n, field) for n, (field, kind) in SCALAR_VALUE_FIELD.items() if type(value) is kind
    )
    message.type = number
    if field == "c":
        message.c.r, message.c.i = complex(value).real, complex(value).imag
    else:
        setattr(message, field, value)


def _write_contract(message: Any, contract: Contract) -> None:
    has_dims = any(arg.dims for arg in contract.inputs)
    message.version = CONTRACT_VERSION_WITH_DIMS if has_dims else CONTRACT_VERSION
    for args, values in ((message.inputs, contract.inputs), (message.outputs, contract.outputs)):
        for arg in values:
            added = args.add(
                name=arg.name, dtype=parse_dtype(arg.dtype).proto, dims=arg.shape, path=arg.path
            )
            for axis, dim in enumerate(arg.dims):
                if dim is not None:
                    added.named_dims.add(
                        axis=axis, name=dim.name, min=dim.min, max=dim.max, multiple=dim.multiple
                    )
    message.output_tree = contract.output_tree
    for guard in contract.guards:
        fields = ("kind", "var", "axis", "expected", "reader", "where", "text")
        message.guards.add(**{name: getattr(guard, name) for name in fields})
    message.producer = contract.producer
    message.verified = contract.verified
