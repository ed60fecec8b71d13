"""The messages of a `.pdmodel`, as classes of protobuf:
`OpDesc.FromString(op.desc.serialize_to_string())`.
"""

from ...export.proto import messages
from ...ir.program import AttrType

__all__ = ["BlockDesc", "OpDesc", "OpProto", "ProgramDesc", "VarDesc", "VarType", "Version"]

_made = messages()
BlockDesc, OpDesc, OpProto = _made["BlockDesc"], _made["OpDesc"], _made["OpProto"]
ProgramDesc, VarDesc, VarType, Version = (
    _made["ProgramDesc"],
    _made["VarDesc"],
    _made["VarType"],
    _made["Version"],
)
INT, FLOAT, STRING, INTS, FLOATS, STRINGS = (AttrType(number).value for number in range(6))
BOOLEAN, BOOLEANS, BLOCK, LONG, BLOCKS, LONGS = (AttrType(number).value for number in range(6, 12))
