"""Write `.pdiparams`: the values as consecutive records, sorted by name; the names are in the
program.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

import numpy as np

from ..core.cuda import to_host
from ..core.dtype import DTYPE_BY_NP
from ..core.errors import FileError
from .proto import TensorDesc

# LoDTensor version 0, no LoD levels, tensor version 0, length of the TensorDesc
_RECORD_HEADER = struct.Struct("<IQIi")


def iter_serialized_record_chunks(name: str, array: Any) -> Iterator[bytes | memoryview]:
    """Yield the record of an array or NumPy scalar in chunks: the header, the description of dtype
    and shape, the data.

    Raises FileError for an unsupported dtype.
    """
    array = np.asarray(to_host(array), order="C")
    dtype = DTYPE_BY_NP.get(array.dtype.newbyteorder("="))
    if dtype is None:
        raise FileError(f"{name}: a .pdiparams cannot store the dtype {array.dtype}")
    if array.dtype.byteorder == ">":
        array = array.astype(dtype.np)
    description: bytes = TensorDesc(data_type=dtype.proto, dims=array.shape).SerializeToString()
    yield _RECORD_HEADER.pack(0, 0, 0, len(description)) + description
    if array.size:
        yield array.reshape(-1).view(np.uint8).data


def iter_serialized_file_chunks(params: Mapping[str, Any]) -> Iterator[bytes | memoryview]:
    """Yield the whole file in chunks."""
    for name in sorted(params):
        yield from iter_serialized_record_chunks(name, params[name])


def write(params: Mapping[str, Any], file: BinaryIO) -> None:
    """Write the `.pdiparams` of `params` (name -> array) to an open file."""
    file.writelines(iter_serialized_file_chunks(params))


def to_bytes(params: Mapping[str, Any]) -> bytes:
    """Return the `.pdiparams` of `params` (name -> array)."""
    return b"".join(iter_serialized_file_chunks(params))
