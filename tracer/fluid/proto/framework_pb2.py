"""The messages of a `.pdmodel` as protobuf classes:
`OpDesc.FromString(op.desc.serialize_to_string())`.
"""

from ...export.proto import message_classes
from ...ir.program import AttrType

__all__ = ["BlockDesc", "OpDesc", "OpProto", "ProgramDesc", "VarDesc", "VarType", "Version"]

_messages = message_classes()
BlockDesc, OpDesc, OpProto = _messages["BlockDesc"], _messages["OpDesc"], _messages["OpProto"]
ProgramDesc, VarDesc, VarType, Version = (
    _messages["ProgramDesc"],
    _messages["VarDesc"],
    _messages["VarType"],
    _messages["Version"],
)
INT, FLOAT, STRING, INTS, FLOATS, STRINGS = (AttrType(value).value for value in range(6))
BOOLEAN, BOOLEANS, BLOCK, LONG, BLOCKS, LONGS = (AttrType(value).value for value in range(6, 12))
