"""Files of programs and of the values of their variables."""

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
