"""Read `.pdiparams` as arrays on the memory-mapped file. The headers are validated when the file is
opened; weights are read from disk when they are used.
"""

from __future__ import annotations

import math
import mmap
import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.dtype import DTYPE_BY_PROTO, MAX_RANK, DType
from ..core.errors import FileError
from ..export.proto import TensorDesc
from .escape_control_characters import escape_control_characters
from .regular_files import open_regular

MAX_LOD = 16  # levels of a LoD
_MAX_TENSOR_DESC_BYTES = 16 * (MAX_RANK + 1)

Buffer = bytes | memoryview | mmap.mmap


class ParamsFileEntry(NamedTuple):
    """The name, dtype, shape and position of one value in a `.pdiparams` file.

    offset, nbytes: start and size of its data.
    """

    name: str
    dtype: DType
    shape: tuple[int, ...]
    offset: int
    nbytes: int


class Params(dict[str, np.ndarray[Any, Any]]):
    """Read-only arrays on the mapped file, by name.

    records: the position of each array.
    path: the path of the file; '' if there is none.
    """

    def __init__(self, records: Sequence[ParamsFileEntry], buffer: Buffer, path: str = "") -> None:
        super().__init__(
            (r.name, np.ndarray(r.shape, r.dtype.np, buffer, r.offset)) for r in records
        )
        self.records = {record.name: record for record in records}
        self.path = path


class _RecordReader:
    """Reads the headers of the records in a buffer, one after the other. `location` names the
    current record in errors.
    """

    def __init__(self, buffer: Buffer, file: str) -> None:
        self.buffer, self.file, self.position, self.location = buffer, file, 0, ""

    def file_error(self, what: str) -> FileError:
        return FileError(f"{self.file}: {self.location}: {what}")

    def advance_and_get_start_offset(self, size: int, what: str) -> int:
        """Advance the reader by `size` bytes and return the offset where they start; raise
        FileError if fewer bytes are left.
        """
        start, available = self.position, len(self.buffer) - self.position
        if size < 0 or size > available:
            raise self.file_error(f"{what} needs {size} bytes at {start}, {available} are left")
        self.position += size
        return start

    def read_number(self, form: str, what: str) -> int:
        start = self.advance_and_get_start_offset(struct.calcsize(form), what)
        value: int = struct.unpack_from(form, self.buffer, start)[0]
        return value

    def read_lod_tensor_entry(self, name: str) -> ParamsFileEntry:
        self._require_zero_version("its version")
        self._skip_lod()
        return self.read_tensor_entry(name)

    def read_entry_with_stored_name(self, number: int) -> ParamsFileEntry:
        """Read a record that contains its name, as records in state dicts of Paddle 1.6 do."""
        self.location = f"record {number}"
        word = self.advance_and_get_start_offset(4, "the word NAME")
        if bytes(self.buffer[word : word + 4]) != b"NAME":
            raise self.file_error("the record does not begin with the word NAME")
        size = self.read_number("<Q", "the length of its name")
        start = self.advance_and_get_start_offset(size, "its name")
        try:
            name = bytes(self.buffer[start : start + size]).decode()
        except UnicodeDecodeError:
            raise self.file_error("the name of the record is not valid UTF-8") from None
        self.location = f"record {number} ({escape_control_characters(name[:80])})"
        return self.read_tensor_entry(name)

    def read_tensor_entry(self, name: str) -> ParamsFileEntry:
        self._require_zero_version("its tensor version")
        dtype, shape = self._read_tensor_desc(
            self.read_number("<i", "the length of the tensor description")
        )
        size = math.prod(shape) * dtype.np.itemsize
        description = f"{dtype.name}{list(shape)}"
        return ParamsFileEntry(
            name, dtype, shape, self.advance_and_get_start_offset(size, description), size
        )

    def _require_zero_version(self, what: str) -> None:
        version = self.read_number("<I", what)
        if version:
            raise self.file_error(f"{what} is {version}, not 0")

    def _skip_lod(self) -> None:
        levels = self.read_number("<Q", "its LoD")
        if levels > MAX_LOD:
            raise self.file_error(f"has {levels} LoD levels, more than {MAX_LOD}")
        for _ in range(levels):
            size = self.read_number("<Q", "a LoD level")
            if size % 8:
                raise self.file_error(f"a LoD level has {size} bytes, not a multiple of 8")
            self.advance_and_get_start_offset(size, "a LoD level")

    def _read_tensor_desc(self, size: int) -> tuple[DType, tuple[int, ...]]:
        if not 0 < size <= _MAX_TENSOR_DESC_BYTES:
            raise self.file_error(
                f"the description of its tensor has {size} bytes, not 1 ... "
                f"{_MAX_TENSOR_DESC_BYTES}"
            )
        start = self.advance_and_get_start_offset(size, "the description of its tensor")
        message = TensorDesc.parse(bytes(self.buffer[start : start + size]))
        if message is None:
            raise self.file_error("the description of its tensor cannot be parsed")
        if not message.HasField("data_type") or message.data_type not in DTYPE_BY_PROTO:
            raise self.file_error(f"data type {message.data_type} is not supported")
        shape = tuple(message.dims)
        if (
            len(shape) > MAX_RANK
            or min(shape, default=0) < 0
            or math.prod(n or 1 for n in shape) >= 1 << 48
        ):
            raise self.file_error(f"has the shape {list(shape)[:MAX_RANK]}")
        return DTYPE_BY_PROTO[message.data_type], shape


def iter_file_entries(buffer: Buffer, names: Iterable[str], file: str) -> Iterator[ParamsFileEntry]:
    """Yield the entries of all records in a `.pdiparams`. The file must contain exactly one record
    per name, in the order of `names`.
    """
    reader = _RecordReader(buffer, file)
    count = 0
    for count, name in enumerate(names, 1):
        reader.location = f"record {count - 1} ({name})"
        if reader.position == len(buffer):
            raise reader.file_error("the record is missing: the file ends before it")
        yield reader.read_lod_tensor_entry(name)
    if reader.position != len(buffer):
        raise FileError(
            f"{file}: {len(buffer) - reader.position} bytes are left after the {count} values the "
            f"program has"
        )


_PADDLE_1_6_HEADER_BYTES = 256  # header of a state dict of Paddle 1.6; its content is ignored


def is_paddle_1_6_state(data: bytes | memoryview) -> bool:
    """Whether `data` is a state dict that `save_dygraph` or `fluid.save` of Paddle 1.6 wrote, which
    consists of named records and is no pickle.
    """
    return bytes(
        data[_PADDLE_1_6_HEADER_BYTES : _PADDLE_1_6_HEADER_BYTES + 4]
    ) == b"TNUM" and bytes(data[_PADDLE_1_6_HEADER_BYTES + 12 : _PADDLE_1_6_HEADER_BYTES + 16]) in (
        b"NAME",
        b"",
    )


def read_paddle_1_6_state(data: bytes | memoryview, file: str) -> Params:
    """Return the values of a state dict of Paddle 1.6. Raises FileError."""
    reader = _RecordReader(data, file)
    reader.location = "its head"
    reader.advance_and_get_start_offset(_PADDLE_1_6_HEADER_BYTES + 4, "its head")
    count = reader.read_number("<Q", "the number of its values")
    records: list[ParamsFileEntry] = []
    while len(records) < count:
        records.append(reader.read_entry_with_stored_name(len(records)))
    if reader.position != len(data):
        raise FileError(
            f"{file}: {len(data) - reader.position} bytes are left after its {count} values"
        )
    if len({record.name for record in records}) != count:
        raise FileError(f"{file}: two values have the same name")
    return Params(records, data)


def parse_params(data: bytes | memoryview, names: Iterable[str], file: str = "params") -> Params:
    """Return the values in `data`, one for each name, sorted by name.

    Raises FileError.
    """
    return Params(list(iter_file_entries(data, sorted(set(names)), file)), data)


def load_params(path: str | os.PathLike[str], names: Iterable[str]) -> Params:
    """Return the values in a `.pdiparams`, memory-mapped, one for each name. If `names` is empty,
    the file need not exist.

    Raises FileError, OSError.
    """
    sorted_names = sorted(set(names))
    if not sorted_names and not os.path.exists(path):
        return Params([], b"")
    file = os.path.basename(os.fspath(path))
    with open_regular(path) as weights:
        if os.fstat(weights.fileno()).st_size == 0:  # an empty file cannot be mapped
            return Params(list(iter_file_entries(b"", sorted_names, file)), b"", os.fspath(path))
        try:
            mapped = mmap.mmap(weights.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            raise FileError(
                f"{file}: cannot be mapped: {error.strerror} ({os.fspath(path)})"
            ) from None
    return Params(list(iter_file_entries(mapped, sorted_names, file)), mapped, os.fspath(path))


def load_params_folder(
    folder: str | os.PathLike[str], names: Iterable[str]
) -> dict[str, np.ndarray[Any, Any]]:
    """Return the values of a model of Paddle 1.x: one file for each name, with one record.

    Raises FileError, OSError.
    """
    root = os.path.realpath(folder)
    values: dict[str, np.ndarray[Any, Any]] = {}
    for name in sorted(set(names)):
        path = os.path.realpath(os.path.join(root, name))
        if os.path.commonpath([root, path]) != root:
            raise FileError(
                f"{os.path.basename(root)}: the value of {name!r} would be outside of the folder"
            )
        values[name] = load_params(path, [name])[name]
    return values
