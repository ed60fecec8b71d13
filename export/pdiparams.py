"""Values as the bytes of a `.pdiparams`: records back to back, sorted by name; the names live in
the program.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

import numpy as np

from ..core.cuda import to_host
from ..core.dtype import BY_NP
from ..core.errors import FileError
from .proto import TensorDesc

# LoDTensor version 0, no LoD levels, tensor version 0, length of the TensorDesc
_HEAD = struct.Struct("<IQIi")


def record(name: str, array: Any) -> Iterator[bytes | memoryview]:
    """An array or NumPy scalar as it stands in a file: head, description, data.

    FileError for another dtype.
    """
    array = np.asarray(to_host(array), order="C")
    dtype = BY_NP.get(array.dtype.newbyteorder("="))
    if dtype is None:
        raise FileError(f"{name}: {array.dtype} has no place in a .pdiparams")
    if array.dtype.byteorder == ">":
        array = array.astype(dtype.np)
    description: bytes = TensorDesc(data_type=dtype.proto, dims=array.shape).SerializeToString()
    yield _HEAD.pack(0, 0, 0, len(description)) + description
    if array.size:
        yield array.reshape(-1).view(np.uint8).data


def records(params: Mapping[str, Any]) -> Iterator[bytes | memoryview]:
    """The whole file, in pieces that can be written one after the other."""
    for name in sorted(params):
        yield from record(name, params[name])


def write(params: Mapping[str, Any], file: BinaryIO) -> None:
    """Write the `.pdiparams` of `params` (name -> array) to an open file."""
    file.writelines(records(params))


def to_bytes(params: Mapping[str, Any]) -> bytes:
    """The `.pdiparams` of `params` (name -> array) in memory."""
    return b"".join(records(params))
