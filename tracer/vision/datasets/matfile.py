"""Read integer arrays from MATLAB level-5 files (`.mat`), enough for lists of labels.

The file has a header of 128 bytes and then elements: type and size (uint32) and the data, padded to
8 bytes. If the upper half of the type is not 0, it is the size, and the data are the next 4 bytes.
A matrix is an element that contains elements: flags, sizes, name, data.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ...core.errors import FileError
from ...loader.regular_files import read_file

MAX_BYTES = 1 << 26  # maximal size of a file, compressed and decompressed; label lists have some kB
_DTYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8"}
_MATRIX, _COMPRESSED = 14, 15


def read_mat(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    """Return the numeric matrices of a file by name; others are omitted.

    Raises FileError if the file is damaged or has another format.
    """
    data = read_file(path, MAX_BYTES, "list of labels")
    if len(data) < 128 or data[124:128] not in (b"\x00\x01IM", b"\x01\x00MI"):
        raise FileError(f"{path.name}: is not a MATLAB file of level 5")
    order = "<" if data[126:128] == b"IM" else ">"
    matrices, remaining = {}, MAX_BYTES
    try:
        for element_type, body in _iter_elements(data[128:], order):
            if element_type == _COMPRESSED:
                decompressed = zlib.decompressobj().decompress(body, remaining + 1)
                remaining -= len(decompressed)
                if remaining < 0:
                    raise ValueError("the decompressed size is too large")
                ((element_type, body),) = _iter_elements(decompressed, order)  # noqa: PLW2901 - the element inside
            if element_type == _MATRIX and (matrix := _read_numeric_matrix_or_none(body, order)):
                matrices[matrix[0]] = matrix[1]
    except (ValueError, struct.error, zlib.error) as error:
        raise FileError(f"{path.name}: is damaged ({error})") from None
    return matrices


def _iter_elements(data: bytes, order: str) -> Iterator[tuple[int, bytes]]:
    """Iterate over the data elements of a MATLAB file, as pairs of type and data."""
    offset = 0
    while offset < len(data):
        element_type, size = struct.unpack_from(f"{order}II", data, offset)
        start = offset + 8
        if element_type >> 16:
            element_type, size, start = element_type & 0xFFFF, element_type >> 16, offset + 4
            if size > 4:
                raise ValueError(f"a short element of {size} bytes")
        if start + size > len(data):
            raise ValueError(f"an element of {size} bytes exceeds the data")
        yield element_type, data[start : start + size]
        offset = (
            offset + 8
            if start == offset + 4
            else start + size + (0 if element_type == _COMPRESSED else -size % 8)
        )


def _read_numeric_matrix_or_none(
    body: bytes, order: str
) -> tuple[str, np.ndarray[Any, Any]] | None:
    """Return the name and values of a matrix; None if it is not numeric."""
    elements = list(_iter_elements(body, order))
    if len(elements) != 4 or elements[3][0] not in _DTYPES:
        return None
    shape = np.frombuffer(elements[1][1], f"{order}i4").tolist()
    values = np.frombuffer(elements[3][1], order + _DTYPES[elements[3][0]])
    if min(shape) < 0 or math.prod(shape) != len(values):
        raise ValueError(f"{len(values)} values for {shape}")
    return elements[2][1].decode("latin1"), values.reshape(shape, order="F")
