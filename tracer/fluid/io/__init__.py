"""Programs and values in files, and readers of data: fluid.io."""

from ...core.compat import batch
from ...static.io import (
    get_program_parameter,
    get_program_persistable_vars,
    is_parameter,
    is_persistable,
    load,
    load_program_state,
    save,
    set_program_state,
)
from .generators import PyReader
from .loader import DataLoader, default_collate_fn
from .models import load_inference_model, save_inference_model
from .variables import load_params, load_persistables, load_vars, save_params, save_persistables, save_vars

__all__ = [
    "DataLoader", "PyReader", "batch", "default_collate_fn", "get_program_parameter", "get_program_persistable_vars", "load",
    "load_inference_model", "load_params", "load_persistables", "load_program_state", "load_vars", "save", "save_inference_model",
    "save_params", "save_persistables", "save_vars", "set_program_state",
]  # fmt: skip
