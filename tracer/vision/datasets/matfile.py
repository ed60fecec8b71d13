"""Arrays of integers in MATLAB's files of level 5 (`.mat`), enough for lists of labels.

After a head of 128 bytes come elements: type and size (uint32), then the data, padded to 8 bytes;
where the upper half of the
type is not 0 it is the size, and the data are the next 4 bytes.  A matrix is an element of
elements: flags, sizes, name, data.
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

MAX_BYTES = 1 << 26  # maximal size of a file, packed and unpacked: label lists have some kB
_KINDS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8"}
_MATRIX, _COMPRESSED = 14, 15


def read_mat(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    """The matrices of numbers in a file, by name; others are left out.

    FileError when it is damaged or of another kind.
    """
    data = read_file(path, MAX_BYTES, "list of labels")
    if len(data) < 128 or data[124:128] not in (b"\x00\x01IM", b"\x01\x00MI"):
        raise FileError(f"{path.name}: is not a MATLAB file of level 5")
    order = "<" if data[126:128] == b"IM" else ">"
    found, left = {}, MAX_BYTES
    try:
        for kind, body in _elements(data[128:], order):
            if kind == _COMPRESSED:
                plain = zlib.decompressobj().decompress(body, left + 1)
                left -= len(plain)
                if left < 0:
                    raise ValueError("it grows too large")
                ((kind, body),) = _elements(plain, order)  # noqa: PLW2901 - what it holds
            if kind == _MATRIX and (named := _matrix(body, order)):
                found[named[0]] = named[1]
    except (ValueError, struct.error, zlib.error) as error:
        raise FileError(f"{path.name}: is damaged ({error})") from None
    return found


def _elements(data: bytes, order: str) -> Iterator[tuple[int, bytes]]:
    """Type and data of each element."""
    at = 0
    while at < len(data):
        kind, size = struct.unpack_from(f"{order}II", data, at)
        start = at + 8
        if kind >> 16:
            kind, size, start = kind & 0xFFFF, kind >> 16, at + 4
            if size > 4:
                raise ValueError(f"a small element of {size} bytes")
        if start + size > len(data):
            raise ValueError(f"an element of {size} bytes goes beyond the end")
        yield kind, data[start : start + size]
        at = at + 8 if start == at + 4 else start + size + (0 if kind == _COMPRESSED else -size % 8)


def _matrix(body: bytes, order: str) -> tuple[str, np.ndarray[Any, Any]] | None:
    """Name and values of a matrix, or None where it does not hold plain numbers."""
    parts = list(_elements(body, order))
    if len(parts) != 4 or parts[3][0] not in _KINDS:
        return None
    shape = np.frombuffer(parts[1][1], f"{order}i4").tolist()
    values = np.frombuffer(parts[3][1], order + _KINDS[parts[3][0]])
    if min(shape) < 0 or math.prod(shape) != len(values):
        raise ValueError(f"{len(values)} values for {shape}")
    return parts[2][1].decode("latin1"), values.reshape(shape, order="F")
