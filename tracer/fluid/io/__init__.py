"""Files of programs and values, and readers of data: `fluid.io`."""

from ...core.top_level_functions import batch
from ...reader import (
    ComposeNotAligned,
    buffered,
    cache,
    chain,
    compose,
    firstn,
    map_readers,
    multiprocess_reader,
    shuffle,
    xmap_readers,
)
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
from .generator_loader import PyReader
from .loader import DataLoader, default_collate_fn
from .models import load_inference_model, save_inference_model
from .variables import (
    load_params,
    load_persistables,
    load_vars,
    save_params,
    save_persistables,
    save_vars,
)

__all__ = [
    "ComposeNotAligned",
    "DataLoader",
    "PyReader",
    "batch",
    "buffered",
    "cache",
    "chain",
    "compose",
    "default_collate_fn",
    "firstn",
    "get_program_parameter",
    "get_program_persistable_vars",
    "is_parameter",
    "is_persistable",
    "load",
    "load_inference_model",
    "load_params",
    "load_persistables",
    "load_program_state",
    "load_vars",
    "map_readers",
    "multiprocess_reader",
    "save",
    "save_inference_model",
    "save_params",
    "save_persistables",
    "save_vars",
    "set_program_state",
    "shuffle",
    "xmap_readers",
]
