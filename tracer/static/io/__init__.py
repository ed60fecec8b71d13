"""Files of programs and of the values of their variables."""

from ...export import pdmodel
from ...ir import program as data
from ...loader.pdmodel import parse_program
from ..graph.program import Program
from .models import (
    _get_valid_program,
    deserialize_persistables,
    deserialize_program,
    load_from_file,
    load_inference_model,
    save_inference_model,
    save_to_file,
    serialize_persistables,
    serialize_program,
)
from .normalize import normalize_program
from .states import load, load_program_state, save, set_program_state
from .variables import (
    get_program_parameter,
    get_program_persistable_vars,
    is_parameter,
    is_persistable,
    load_vars,
    save_vars,
)


def _parse_from_string(binary_str: bytes) -> Program:
    """Parse a program from the bytes of a `.pdmodel` file, and return it. Raises FileError if the
    bytes are not a valid program.
    """
    return Program.view_of_raw(parse_program(binary_str))


setattr(data.Program, "serialize_to_string", pdmodel.to_bytes)  # noqa: B010 - and so does saving
for _part in (data.Block, data.OpDesc, data.VarDesc):
    setattr(_part, "serialize_to_string", pdmodel.block_op_or_var_to_bytes)  # noqa: B010
setattr(Program, "parse_from_string", staticmethod(_parse_from_string))  # noqa: B010 - loading stands above programs

__all__ = [
    "_get_valid_program",
    "deserialize_persistables",
    "deserialize_program",
    "get_program_parameter",
    "get_program_persistable_vars",
    "is_parameter",
    "is_persistable",
    "load",
    "load_from_file",
    "load_inference_model",
    "load_program_state",
    "load_vars",
    "normalize_program",
    "save",
    "save_inference_model",
    "save_to_file",
    "save_vars",
    "serialize_persistables",
    "serialize_program",
    "set_program_state",
]
