"""Small things beside the library: sharing memory, files from the network, structures of values."""

from ..core import unique_name
from . import dlpack, download, layers_utils
from .layers_utils import assert_same_structure, flatten, is_sequence, map_structure, pack_sequence_as

__all__ = [
    "assert_same_structure", "dlpack", "download", "flatten", "is_sequence", "layers_utils", "map_structure", "pack_sequence_as", "unique_name",
]  # fmt: skip
