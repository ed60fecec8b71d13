"""`paddle.utils`: DLPack, downloads, nested structures, installation checks."""

from ..core import unique_name
from . import cpp_extension, dlpack, download, install_check, layers_utils, plot
from .install_check import deprecated, require_version, run_check, try_import
from .layers_utils import (
    assert_same_structure,
    flatten,
    is_sequence,
    map_structure,
    pack_sequence_as,
)

__all__ = [
    "assert_same_structure",
    "cpp_extension",
    "deprecated",
    "dlpack",
    "download",
    "flatten",
    "install_check",
    "is_sequence",
    "layers_utils",
    "map_structure",
    "pack_sequence_as",
    "plot",
    "require_version",
    "run_check",
    "try_import",
    "unique_name",
]
