"""Read `.npz` files. The sizes of the arrays are checked before anything is decompressed, and
pickled objects are rejected.
"""

from __future__ import annotations

import io
import math
import os
import zipfile
import zlib
from tokenize import TokenError
from typing import Any

import numpy as np

from ..core.dtype import MAX_RANK
from ..core.errors import FileError
from .regular_files import open_regular

_MAX_DEFLATE_RATIO = 1040  # the largest ratio of deflate
_SUPPORTED_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_HEADER_READERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}

Array = np.ndarray[Any, Any]


def load_npz(path: str | os.PathLike[str]) -> dict[str, Array]:
    """Return the arrays of a file, by name.

    Raises FileError if it is damaged or declares more data than its compressed size allows, OSError
    if it cannot be read.
    """
    name = os.path.basename(path)
    with open_regular(path) as file:
        arrays: dict[str, Array] = {}
        try:
            with zipfile.ZipFile(file) as archive:
                _check_member_sizes(archive.infolist(), os.fstat(file.fileno()).st_size)
                for member in archive.infolist():
                    key = member.filename.removesuffix(".npy")
                    if key in arrays:
                        raise ValueError(f"the file contains the array {key!r:.80} twice")
                    arrays[key] = _parse_npy(archive.read(member), key)
        # zipfile raises OSError if an offset in the archive is outside of the file.
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            RuntimeError,
            ValueError,
            OverflowError,
            OSError,
        ) as error:
            raise FileError(f"{name}: is not a complete .npz file: {error}") from None
        except MemoryError:
            raise FileError(f"{name}: its arrays need more memory than is available") from None
    return arrays


def _check_member_sizes(members: list[zipfile.ZipInfo], size: int) -> None:
    """Raise ValueError for archive members that cannot fit into an archive file of `size` bytes, or
    whose uncompressed size is implausible.
    """
    # In a malicious archive, several members can share the same compressed bytes, so that
    # decompressing all of them expands the file a thousandfold.
    if sum(member.compress_size for member in members) > size:
        raise ValueError("the compressed arrays have more bytes than the file")
    for member in members:
        if member.compress_type not in _SUPPORTED_COMPRESSIONS:
            raise ValueError(
                f"array {member.filename!r:.80} is compressed by method {member.compress_type}"
            )
        if member.file_size > _MAX_DEFLATE_RATIO * (member.compress_size + 1):
            raise ValueError(
                f"array {member.filename!r:.80} says that it grows to {member.file_size} bytes"
            )


def _parse_npy(data: bytes, key: str) -> Array:
    """Return the array of a `.npy` file, given its bytes. Raises ValueError."""
    head = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(head)
        if version not in _HEADER_READERS:
            raise ValueError(f"its version is {version}")
        shape, fortran, dtype = _HEADER_READERS[version](head)
    except (ValueError, TypeError, SyntaxError, TokenError, RecursionError) as error:
        raise ValueError(
            f"array {key!r:.80} has an invalid header: {str(error).splitlines()[0]:.200}"
        ) from None
    num_data_bytes = len(data) - head.tell()
    # bfloat16 is `V2` to NumPy
    if (
        dtype.hasobject
        or dtype.subdtype
        or dtype.names
        or len(shape) > MAX_RANK
        or min(shape, default=0) < 0
    ):
        raise ValueError(f"array {key!r:.80} is {dtype}{list(shape)[:MAX_RANK]}")
    if dtype.itemsize * math.prod(shape) != num_data_bytes:
        raise ValueError(f"array {key!r:.80} has {num_data_bytes} bytes for {dtype}{list(shape)}")
    flat = np.frombuffer(data, dtype, offset=head.tell()) if num_data_bytes else np.empty(0, dtype)
    return flat.reshape(shape, order="F" if fortran else "C")
