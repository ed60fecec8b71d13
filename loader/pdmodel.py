"""Read a `.pdmodel` as a program. The file is parsed and then validated completely. Each failure is
a FileError that states the file and the location in the program.
"""

from __future__ import annotations

import os
import re
from typing import Any

from google.protobuf.unknown_fields import UnknownFieldSet

from ..core.dtype import DTYPE_BY_PROTO, MAX_RANK
from ..core.errors import FileError, OpError
from ..export.pdmodel import CONTRACT_VERSION, CONTRACT_VERSION_WITH_DIMS
from ..export.proto import (
    ATTR_VALUE_FIELD,
    SCALAR_VALUE_FIELD,
    VAR_TYPE_FIELD,
    ProgramDesc,
)
from ..ir.attr_types import LIST_ATTR_TYPES, referenced_block_indices
from ..ir.dim import Dim, Dims
from ..ir.program import (
    KINDS_WITH_LOD,
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
from ..ir.verifier import FILE_RULES, find_problems
from .escape_control_characters import escape_control_characters
from .regular_files import read_file

MAX_PROGRAM_BYTES = 1 << 28  # largest size of a .pdmodel, which contains no weights
MAX_BLOCKS = 1 << 12
MAX_NAME_BYTES = 1 << 12  # bytes

# Attributes that Paddle writes on every op, and their default values. The reader removes an
# attribute that has the default value in this table.
_IGNORED_DEFAULT_ATTRS = {
    "op_role": Attr(AttrType.INT, 0),
    "op_role_var": Attr(AttrType.STRINGS, []),
    "op_device": Attr(AttrType.STRING, ""),
    "with_quant_attr": Attr(AttrType.BOOLEAN, False),
}
_CALLSTACK_FRAME = re.compile(r'\s*File "([^"\n]*)", line (\d+), in (\S+)')
_PATH_SEPARATOR = re.compile(r"[/\\]")
_LIBRARY_PATH = re.compile(r"[/\\](site|dist)-packages[/\\]|^<")


_NOT_UTF8_MESSAGE = "contains text that is not UTF-8"


class _InvalidProgramError(Exception):
    """An error in a program. Each function on the way up prepends its part of the location: block,
    op, attribute.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
        self.locations: list[str] = []


def _prepend_error_location(error: Exception, location: str) -> _InvalidProgramError:
    """Return `error` with `location` prepended; a UnicodeDecodeError is replaced by a new
    _InvalidProgramError.
    """
    bad = (
        error
        if isinstance(error, _InvalidProgramError)
        else _InvalidProgramError(_NOT_UTF8_MESSAGE)
    )
    bad.locations.insert(0, location)
    return bad


def load_program(path: str | os.PathLike[str]) -> Program:
    """Return the program in a file.

    Raises FileError if it is too large or not a program, OSError if it cannot be read.
    """
    return parse_program(read_program_file_bytes(path), os.path.basename(os.fspath(path)))


def read_program_file_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a program file. Raises FileError if the file is larger than
    MAX_PROGRAM_BYTES, OSError if it cannot be read.
    """
    return read_file(path, MAX_PROGRAM_BYTES, "program")


def parse_program(data: bytes, name: str = "program") -> Program:
    """Return the program that `data` contains.

    name: the name of the file, for errors.

    Raises FileError if it is not a valid program.
    """
    if not data:
        raise FileError(f"{name}: is empty")
    if len(data) > MAX_PROGRAM_BYTES:
        raise FileError(
            f"{name}: {len(data)} bytes, more than the {MAX_PROGRAM_BYTES} of any program"
        )
    try:
        program = _parse_program(ProgramDesc.parse(data))
    except (_InvalidProgramError, UnicodeDecodeError) as error:
        bad = (
            error
            if isinstance(error, _InvalidProgramError)
            else _InvalidProgramError(_NOT_UTF8_MESSAGE)
        )
        location = f"{', '.join(bad.locations)}: " if bad.locations else ""
        raise FileError(f"{name}: {location}{bad.message}") from None
    problems = find_problems(program, FILE_RULES)
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise FileError(f"{name}: {problems[0]}{more}")
    return program


def _parse_program(message: Any) -> Program:
    if message is None:
        raise _InvalidProgramError("is not a Paddle program, or is cut short")
    if not 0 < len(message.blocks) <= MAX_BLOCKS:
        raise _InvalidProgramError(f"holds {len(message.blocks)} blocks, not 1 ... {MAX_BLOCKS}")
    version = message.version if message.HasField("version") else message.old_version
    program = Program(
        [_parse_block(block, i) for i, block in enumerate(message.blocks)], version.version
    )
    _correct_parents_of_nested_blocks(program.blocks)
    if message.HasField("contract"):
        program.contract = _parse_contract(message.contract)
        for arg in program.contract.inputs:
            if arg.dims and arg.name in program.block.vars:
                program.block.vars[arg.name].dims = arg.dims
    return program


def _correct_parents_of_nested_blocks(blocks: list[Block]) -> None:
    """Set the parent of each nested block to the block that contains its op, such as a `while` op.
    Some passes of Paddle, such as mixed precision, write block 0 as the parent of all other blocks.
    """
    for index, block in enumerate(blocks):
        for op in block.ops:
            for inner in (
                referenced_block_indices(op.attrs["sub_block"])
                if index and "sub_block" in op.attrs
                else []
            ):
                if index < inner < len(blocks) and blocks[inner].parent == 0:
                    blocks[inner].parent = index


def _parse_block(message: Any, position: int) -> Block:
    _require_fields(message, f"block {position}", "idx", "parent_idx")
    block = Block(message.idx, message.parent_idx)
    for var in message.vars:
        try:
            desc = _parse_var(var)
        except (_InvalidProgramError, UnicodeDecodeError) as error:
            raise _prepend_error_location(
                error, f"block {position}, variable {_decode_field_for_error_text(var, 'name')!r}"
            ) from None
        if desc.name in block.vars:
            raise _InvalidProgramError(
                f"block {position}: variable {desc.name!r} is declared twice"
            )
        block.vars[desc.name] = desc
    for i, op in enumerate(message.ops):
        try:
            block.ops.append(_parse_op(op))
        except (_InvalidProgramError, UnicodeDecodeError) as error:
            raise _prepend_error_location(
                error, f"block {position}, op {i} ({_decode_field_for_error_text(op, 'type')})"
            ) from None
    return block


def _decode_field_for_error_text(message: Any, field: str) -> str:
    """Return a string field of a protobuf message as text for an error message; `?` if the content
    is invalid.
    """
    try:
        return _require_utf8(getattr(message, field))[:200]
    except (_InvalidProgramError, UnicodeDecodeError):
        return "?"


def _require_utf8(value: Any) -> str:
    """Return the value of a string field; raise _InvalidProgramError if it is not valid UTF-8.
    protobuf returns bytes if the field is not valid UTF-8.
    """
    if not isinstance(value, str):
        raise _InvalidProgramError(_NOT_UTF8_MESSAGE)
    return value


def _require_valid_name(value: Any) -> str:
    """Return the name of a variable or an op. Raises _InvalidProgramError if the name is not UTF-8,
    is longer than MAX_NAME_BYTES or contains control characters.
    """
    name = _require_utf8(value)
    if len(name) > MAX_NAME_BYTES // 4 and len(name.encode()) > MAX_NAME_BYTES:
        raise _InvalidProgramError(
            f"the name has {len(name.encode())} bytes, more than {MAX_NAME_BYTES}"
        )
    if any(c < " " or "\x7f" <= c < "\xa0" for c in name):
        raise _InvalidProgramError("the name contains control characters")
    return name


def _require_fields(message: Any, what: str, *fields: str) -> None:
    for field in fields:
        if not message.HasField(field):
            raise _InvalidProgramError(f"{what} has no {field}")


def _parse_var(message: Any) -> VarDesc:
    _require_fields(message, "it", "name", "type")
    kinds = message.type
    _require_fields(kinds, "its type", "type")
    try:
        kind = VarKind(kinds.type)
    except ValueError:
        raise _InvalidProgramError(f"a variable of kind {kinds.type} is not supported") from None
    if not message.name:
        raise _InvalidProgramError("the name of the variable is empty")
    var = VarDesc(
        _require_valid_name(message.name), dtype="", kind=kind, persistable=message.persistable
    )
    var.is_parameter, var.stop_gradient = message.is_parameter, message.stop_gradient
    var.checks_feed = message.need_check_feed
    field = VAR_TYPE_FIELD.get(kind)
    if field is not None and kinds.HasField(field):
        described = getattr(kinds, field)
        var.lod_level = described.lod_level if kind in KINDS_WITH_LOD else 0
        var.dtype, var.shape = _parse_dtype_and_shape(
            described.tensor if kind in KINDS_WITH_LOD else described, "data_type"
        )
    elif field is not None:
        raise _InvalidProgramError("the description of the tensor is missing")
    return var


def _parse_dtype_and_shape(message: Any, field: str) -> tuple[str, tuple[int, ...]]:
    """Return data type and shape of a TensorDesc, or of an Arg of the contract."""
    _require_fields(message, "its description", field)
    number = getattr(message, field)
    dtype = DTYPE_BY_PROTO.get(number)
    if dtype is None:
        raise _InvalidProgramError(f"data type {number} is not supported")
    if len(message.dims) > MAX_RANK:
        raise _InvalidProgramError(f"has {len(message.dims)} axes, more than {MAX_RANK}")
    # A negative size is a dynamic dimension. Paddle computes some shapes by multiplying with -1, so
    # sizes below -1 occur, and are read as -1.
    return dtype.name, tuple(max(d, -1) for d in message.dims)


def _parse_op(message: Any) -> OpDesc:
    _require_fields(message, "it", "type")
    op = OpDesc(
        _require_valid_name(message.type),
        _parse_slots(message.inputs),
        _parse_slots(message.outputs),
    )
    for attr in message.attrs:
        _require_fields(attr, "an attribute", "name", "type")
        value = _parse_attr(attr)  # real Paddle writes `use_mkldnn` and the like twice on some ops
        if op.attrs.setdefault(_require_utf8(attr.name), value) != value:
            raise _InvalidProgramError(f"attribute {attr.name} is there twice, with two values")
    stack = op.attrs.pop("op_callstack", None)
    if stack is not None and stack.type == AttrType.STRINGS:
        op.user_line = escape_control_characters(
            user_line_from_callstack([_require_utf8(line) for line in stack.value])
        )
    scope = op.attrs.pop("op_namescope", None)
    if scope is not None and scope.type == AttrType.STRING and scope.value != "/":
        op.layer_path = scope.value
    for name, default in _IGNORED_DEFAULT_ATTRS.items():
        if op.attrs.get(name) == default:
            del op.attrs[name]
    return op


def _parse_slots(messages: Any) -> dict[str, list[str]]:
    slots: dict[str, list[str]] = {}
    for message in messages:
        _require_fields(message, "a slot", "parameter")
        if _require_utf8(message.parameter) in slots:
            raise _InvalidProgramError(f"slot {message.parameter} is there twice")
        slots[message.parameter] = [_require_utf8(name) for name in message.arguments]
    return slots


def _parse_attr(message: Any) -> Attr:
    try:
        kind = AttrType(message.type)
    except ValueError:
        raise _InvalidProgramError(
            f"attribute {message.name} is of type {message.type}, which is not known"
        ) from None
    field = ATTR_VALUE_FIELD[kind]
    if kind not in LIST_ATTR_TYPES:
        _require_fields(message, f"attribute {message.name}, {kind.name},", field)
    value = getattr(message, field)
    if kind == AttrType.SCALAR:
        return Attr(kind, _parse_scalar(value))
    if kind == AttrType.SCALARS:
        return Attr(kind, [_parse_scalar(scalar) for scalar in value])
    return Attr(kind, list(value) if kind in LIST_ATTR_TYPES else value)


def _parse_scalar(message: Any) -> bool | int | float | complex:
    if message.type not in SCALAR_VALUE_FIELD:
        raise _InvalidProgramError(f"a scalar is of type {message.type}, which is not known")
    field, _ = SCALAR_VALUE_FIELD[message.type]
    _require_fields(message, "a scalar", field)
    if field == "c":
        return complex(message.c.r, message.c.i)
    value: bool | int | float = getattr(message, field)
    return value


def user_line_from_callstack(stack: list[str]) -> str:
    """Return the user's source line from the attribute `op_callstack` of an op, as `file:line in
    function`; '' if the attribute contains none.

    Paddle lists frames from the outermost one, each followed by its source line; Oarlock writes one
    entry.
    """
    if len(stack) == 1 and not _CALLSTACK_FRAME.match(stack[0]):
        return stack[0]
    frames = [found.groups() for found in map(_CALLSTACK_FRAME.match, stack) if found]
    users = [frame for frame in frames if not _LIBRARY_PATH.search(frame[0])]
    if not users:
        return ""
    file, line, function = users[-1]
    return f"{_PATH_SEPARATOR.split(file)[-1]}:{line} in {function}"


def _parse_contract(message: Any) -> Contract:
    if message.version not in (CONTRACT_VERSION, CONTRACT_VERSION_WITH_DIMS):
        raise _InvalidProgramError(
            f"contract: is of version {message.version}; this version of Oarlock reads "
            f"{CONTRACT_VERSION} and {CONTRACT_VERSION_WITH_DIMS}"
        )
    args = (*message.inputs, *message.outputs)
    has_dims = any(arg.named_dims for arg in args)
    try:
        if has_dims != (message.version == CONTRACT_VERSION_WITH_DIMS):
            with_or_without = "with" if has_dims else "without"
            raise _InvalidProgramError(
                f"is of version {message.version}, but {with_or_without} names of dimensions"
            )
        named_dims = (dim for arg in args for dim in arg.named_dims)
        for part in (message, *args, *message.guards, *named_dims):
            _check_wire_types(part)
        return Contract(
            inputs=[_parse_contract_input_or_output(arg) for arg in message.inputs],
            outputs=[_parse_contract_input_or_output(arg) for arg in message.outputs],
            output_tree=_require_utf8(message.output_tree),
            guards=[_parse_guard(guard) for guard in message.guards],
            producer=escape_control_characters(_require_utf8(message.producer)),
            verified=escape_control_characters(_require_utf8(message.verified)),
        )
    except (_InvalidProgramError, UnicodeDecodeError) as error:
        raise _prepend_error_location(error, "contract") from None


def _check_wire_types(message: Any) -> None:
    """Reject protobuf messages that contain a group, or a known field with a wrong wire type.
    Unknown fields are accepted, because a later version of Paddle may write them.
    """
    for field in UnknownFieldSet(message):  # type: ignore[attr-defined]  # the stubs lack __iter__
        if field.wire_type in (3, 4) or field.field_number in message.DESCRIPTOR.fields_by_number:
            raise _InvalidProgramError(
                f"field {field.field_number} has the wrong wire type {field.wire_type}"
            )


def _parse_contract_input_or_output(message: Any) -> ContractInputOrOutput:
    dtype, shape = _parse_dtype_and_shape(message, "dtype")
    return ContractInputOrOutput(
        _require_utf8(message.name),
        dtype,
        shape,
        _require_utf8(message.path),  # the path is a key, so it is not escaped
        _parse_named_dims(message.named_dims, len(shape)),
    )


def _parse_named_dims(messages: Any, rank: int) -> Dims:
    """Return the named dimension (Dim) of each axis of an input with `rank` axes; None for an axis
    without a name.
    """
    dims: list[Dim | None] = [None] * rank
    for message in messages:
        name, axis = _require_utf8(message.name), message.axis
        if not 0 <= axis < rank or dims[axis] is not None:
            raise _InvalidProgramError(f"dimension {axis} does not exist or has two names")
        try:
            # a maximum of 0 means that there is none
            dims[axis] = Dim(name, message.min, message.max or None, message.multiple)
        except OpError as error:
            raise _InvalidProgramError(str(error).splitlines()[0]) from None
    return tuple(dims) if messages else ()


_DISPLAYED_GUARD_FIELDS = ("expected", "reader", "where", "text")


def _parse_guard(message: Any) -> Guard:
    texts = {name: _require_utf8(getattr(message, name)) for name in ("kind", "var")}
    displayed = {
        name: escape_control_characters(_require_utf8(getattr(message, name)), name == "reader")
        for name in _DISPLAYED_GUARD_FIELDS
    }  # reader may contain the message of an assert
    return Guard(axis=message.axis, **texts, **displayed)
