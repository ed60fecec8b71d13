"""Paddle's framework.proto (as of 2.6) as protobuf messages in a private descriptor pool. The
messages need no generated code, and do not conflict with an installed Paddle.

All fields are declared optional and enums are int32. The wire format is the same, but parsing
accepts missing fields and unknown enum numbers, so that the reader can report where they are.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ..ir.program import AttrType, VarKind

CONTRACT_FIELD = 20741  # a field of ProgramDesc that Paddle ignores

# message -> "name: type = number"; a star marks a repeated field
MESSAGE_FIELDS: dict[str, str] = {
    "Version": "version: int64 = 1",
    "Complex": "r: double = 1, i: double = 2",
    "Scalar": "type: int32 = 1, b: bool = 2, i: int64 = 3, r: double = 4, c: Complex = 5",
    "Attr": (
        "name: string = 1, type: int32 = 2, i: int32 = 3, f: float = 4, s: string = 5, ints*: "
        "int32 = 6,floats*: float = 7, strings*: string = 8, b: bool = 10, bools*: bool = 11, "
        "block_idx: int32 = 12,l: int64 = 13, blocks_idx*: int32 = 14, longs*: int64 = 15, "
        "float64s*: double = 16, var_name: string = 17,vars_name*: string = 18, float64: double = "
        "19, scalar: Scalar = 20, scalars*: Scalar = 21"
    ),
    "Slot": "parameter: string = 1, arguments*: string = 2",
    "OpDesc": "inputs*: Slot = 1, outputs*: Slot = 2, type: string = 3, attrs*: Attr = 4, "
    "is_target: bool = 5",
    "ProtoVar": (
        "name: string = 1, comment: string = 2, duplicable: bool = 3, intermediate: bool "
        "= 4, dispensable: bool = 5,"
        "extra: bool = 6, quant: bool = 7"
    ),
    "ProtoAttr": (
        "name: string = 1, type: int32 = 2, comment: string = 3, generated: bool = 4, extra: bool "
        "= 5,quant: bool = 6, support_tensor: bool = 7"
    ),
    "OpProto": (
        "type: string = 1, inputs*: ProtoVar = 2, outputs*: ProtoVar = 3, attrs*: "
        "ProtoAttr = 4,comment: string = 5"
    ),
    "TensorDesc": "data_type: int32 = 1, dims*: int64 = 2",
    "LoDTensorDesc": "tensor: TensorDesc = 1, lod_level: int32 = 2",
    "ReaderDesc": "lod_tensor*: LoDTensorDesc = 1",
    "Tuple": "element_type*: int32 = 1",
    "VarType": (
        "type: int32 = 1, selected_rows: TensorDesc = 2, lod_tensor: LoDTensorDesc = 3, "
        "tensor_array: LoDTensorDesc = 4, reader: ReaderDesc = 5, tuple: Tuple = 7, string: "
        "TensorDesc = 8,strings: TensorDesc = 9, vocab: TensorDesc = 10, sparse_coo: TensorDesc = "
        "11, sparse_csr: TensorDesc = 12"
    ),
    "VarAttr": "name: string = 1, type: int32 = 2, i: int32 = 3, s: string = 4, ints*: int32 = 5",
    "VarDesc": (
        "name: string = 1, type: VarType = 2, persistable: bool = 3, need_check_feed: "
        "bool = 4, is_parameter: bool = 5,"
        "stop_gradient: bool = 6, attrs*: VarAttr = 7"
    ),
    "BlockDesc": (
        "idx: int32 = 1, parent_idx: int32 = 2, vars*: VarDesc = 3, ops*: OpDesc = "
        "4,forward_block_idx: int32 = 5"
    ),
    "OpVersion": "version: int32 = 1",
    "OpVersionPair": "op_name: string = 1, op_version: OpVersion = 2",
    "OpVersionMap": "pair*: OpVersionPair = 1",
    # old_version is the version field of 1.0 to 1.5; field 3 (1.6 to 1.8) is ignored
    "ProgramDesc": (
        "blocks*: BlockDesc = 1, old_version: Version = 2, version: Version = 4, "
        "op_version_map: OpVersionMap = 5,"
        f"contract: Contract = {CONTRACT_FIELD}"
    ),
    "NamedDim": "axis: int64 = 1, name: string = 2, min: int64 = 3, max: int64 = 4, "
    "multiple: int64 = 5",
    "Arg": "name: string = 1, dtype: int32 = 2, dims*: int64 = 3, path: string = 4, "
    "named_dims*: NamedDim = 5",
    "Guard": (
        "kind: string = 1, var: string = 2, axis: int64 = 3, expected: string = 4, reader: string "
        "= 5,where: string = 6, text: string = 7"
    ),
    "Contract": (
        "version: int32 = 1, inputs*: Arg = 2, outputs*: Arg = 3, output_tree: string = 4, "
        "guards*: Guard = 5,producer: string = 6, verified: string = 7"
    ),
}

_PROTO_PACKAGE = "oarlock.paddle"


def _add_field(message: Any, row: str) -> None:
    declared, number = row.split("=")
    name, kind = (part.strip() for part in declared.split(":"))
    field = message.field.add(name=name.rstrip("*"), number=int(number))
    field.label = field.LABEL_REPEATED if name.endswith("*") else field.LABEL_OPTIONAL
    if kind in MESSAGE_FIELDS:
        field.type = field.TYPE_MESSAGE
        field.type_name = f".{_PROTO_PACKAGE}.{kind}"
    else:
        field.type = getattr(field, f"TYPE_{kind.upper()}")


@cache
def message_classes() -> dict[str, Any]:
    """Return the message classes by name."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory  # noqa: PLC0415

    file = descriptor_pb2.FileDescriptorProto(
        name="oarlock/paddle.proto", package=_PROTO_PACKAGE, syntax="proto2"
    )
    for name, rows in MESSAGE_FIELDS.items():
        message = file.message_type.add(name=name)
        for row in rows.split(","):
            _add_field(message, row)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)  # type: ignore[no-untyped-call, unused-ignore]
    return {
        n: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PROTO_PACKAGE}.{n}"))
        for n in MESSAGE_FIELDS
    }


class LazyMessageClass:
    """A message type of MESSAGE_FIELDS, created at first use, because importing protobuf takes
    longer than running a small program.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, **fields: Any) -> Any:
        """Return a new message."""
        return message_classes()[self.name](**fields)

    def parse(self, data: bytes) -> Any:
        """Return the message in `data`; None if it is invalid."""
        from google.protobuf.message import DecodeError  # noqa: PLC0415

        try:
            return message_classes()[self.name].FromString(data)
        except DecodeError:
            return None


ProgramDesc = LazyMessageClass("ProgramDesc")
TensorDesc = LazyMessageClass("TensorDesc")

# AttrType -> the field of Attr that holds its value
ATTR_VALUE_FIELD: dict[AttrType, str] = {
    AttrType.INT: "i",
    AttrType.FLOAT: "f",
    AttrType.STRING: "s",
    AttrType.INTS: "ints",
    AttrType.FLOATS: "floats",
    AttrType.STRINGS: "strings",
    AttrType.BOOLEAN: "b",
    AttrType.BOOLEANS: "bools",
    AttrType.BLOCK: "block_idx",
    AttrType.LONG: "l",
    AttrType.BLOCKS: "blocks_idx",
    AttrType.LONGS: "longs",
    AttrType.FLOAT64S: "float64s",
    AttrType.VAR: "var_name",
    AttrType.VARS: "vars_name",
    AttrType.FLOAT64: "float64",
    AttrType.SCALAR: "scalar",
    AttrType.SCALARS: "scalars",
}

# Scalar.type -> the field of Scalar that holds its value, and Python's type for it
SCALAR_VALUE_FIELD: dict[int, tuple[str, type]] = {
    1: ("b", bool),
    2: ("i", int),
    3: ("r", float),
    4: ("c", complex),
}

# VarKind -> the field of VarType that describes its elements; kinds left out have none
VAR_TYPE_FIELD: dict[VarKind, str] = {
    VarKind.DENSE: "lod_tensor",
    VarKind.SELECTED_ROWS: "selected_rows",
    VarKind.ARRAY: "tensor_array",
    VarKind.STRINGS: "strings",
    VarKind.VOCAB: "vocab",
}
