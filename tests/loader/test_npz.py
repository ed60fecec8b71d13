"""`.npz` files of NumPy, and hostile ones."""

from __future__ import annotations

import contextlib
import io
import os
import struct
import zipfile
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oarlock.core.errors import FileError
from oarlock.loader.npz import load_npz

ARRAYS = {
    "x": np.arange(6, dtype="f").reshape(2, 3),
    "fortran": np.asfortranarray(np.arange(6).reshape(2, 3)),
    "one": np.array(2.5),
    "none": np.zeros((0, 4), "i4"),
    "big": np.arange(3, dtype=">i4"),
}


def test_files_of_numpy(tmp_path: Path) -> None:
    for write in (np.savez, np.savez_compressed):
        write(tmp_path / "a.npz", **ARRAYS)
        found = load_npz(tmp_path / "a.npz")
        assert list(found) == list(ARRAYS)
        for name, array in ARRAYS.items():
            assert found[name].dtype == array.dtype
            np.testing.assert_array_equal(found[name], array)
    np.savez(tmp_path / "a.npz", b=np.ones(2, ml_dtypes.bfloat16))
    assert load_npz(tmp_path / "a.npz")["b"].dtype == np.dtype("V2")


def npy(head: str, data: bytes = b"") -> bytes:
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head.encode() + data


def npy_with_header(dtype: str, shape: str, data: bytes = b"") -> bytes:
    return npy(f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}", data)


def write_zip(members: list[tuple[str, bytes]], way: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", way) as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data, way)
    return file.getvalue()


GOOD = write_zip([("x.npy", npy_with_header("<f4", "(1, 4)", bytes(16)))])


def change_central_directory(offset: int, value: bytes, data: bytes = GOOD) -> bytes:
    """With a field of the list of arrays changed."""
    at = data.rindex(b"PK\1\2") + offset
    return data[:at] + value + data[at + len(value) :]


def shared_members(copies: int) -> bytes:
    """Many arrays that are the same bytes."""
    start, end = GOOD.index(b"PK\1\2"), len(GOOD) - 22
    entries = b"".join(GOOD[start : end - 5] + b"%c.npy" % (65 + i) for i in range(copies))
    count = struct.pack("<H", copies)
    return (
        GOOD[:start]
        + entries
        + b"PK\5\6\0\0\0\0"
        + count
        + count
        + struct.pack("<IIH", len(entries), start, 0)
    )


def offset_outside_of_file() -> bytes:
    """Return an array whose offset is outside of the file."""
    more = struct.pack("<HHQ", 1, 8, 2**63 - 200)
    data = change_central_directory(
        42, b"\xff" * 4, change_central_directory(30, struct.pack("<H", len(more)))
    )
    behind = data.rindex(b"PK\1\2") + 46 + 5
    data = data[:behind] + more + data[behind:]
    at = data.rindex(b"PK\5\6") + 12
    return data[:at] + struct.pack("<I", 46 + 5 + len(more)) + data[at + 4 :]


HOSTILE: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "not a zip file"),
    "text": (b"hello", "not a zip file"),
    "pickle": (b"\x80\x04N.", "not a zip file"),
    "npy": (npy_with_header("<f4", "(1, 4)", bytes(16)), "not a zip file"),
    "cut": (GOOD[:-30], "not a zip file"),
    "checksum": (GOOD.replace(bytes(16), bytes(15) + b"x"), "Bad CRC-32"),
    "no-array": (write_zip([("x", b"hello")]), "has an invalid header"),
    "twice": (
        write_zip(
            [("x.npy", npy_with_header("<f4", "(0,)")), ("x", npy_with_header("<f4", "(0,)"))]
        ),
        "contains the array 'x' twice",
    ),
    "method": (
        write_zip([("x.npy", npy_with_header("<f4", "(0,)"))], zipfile.ZIP_BZIP2),
        "compressed by method 12",
    ),
    "secret": (change_central_directory(8, b"\1", GOOD[:6] + b"\1" + GOOD[7:]), "encrypted"),
    "bomb": (
        change_central_directory(24, b"\xf0\xff\xff\xff"),
        "says that it grows to 4294967280 bytes",
    ),
    "far-away": (offset_outside_of_file(), "is not a complete .npz file: [Errno 22]"),
    "shared": (shared_members(40), "the compressed arrays have more bytes than the file"),
    "terabytes": (
        write_zip([("x.npy", npy_with_header("<f4", "(1000000000000,)"))]),
        "has 0 bytes for float32",
    ),
    "below-zero": (write_zip([("x.npy", npy_with_header("<f4", "(-5,)"))]), "is float32"),
    "overflow": (
        write_zip([("x.npy", npy_with_header("<f4", f"({2**62}, {2**62}, 0)"))]),
        "is not a complete .npz file",
    ),
    "rest": (
        write_zip([("x.npy", npy_with_header("<f4", "(1, 4)", bytes(160)))]),
        "has 160 bytes for float32",
    ),
    "objects": (write_zip([("x.npy", npy_with_header("|O", "(1,)", b"N."))]), "is object"),
    "axes": (
        write_zip([("x.npy", npy_with_header("<f4", f"({'1, ' * 40})", bytes(4)))]),
        "is float32",
    ),
    "nested-head": (write_zip([("x.npy", npy("(" * 500))]), "has an invalid header"),
    "long-head": (write_zip([("x.npy", npy(" " * 60000))]), "has an invalid header"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_rejected(name: str, tmp_path: Path) -> None:
    data, why = HOSTILE[name]
    (tmp_path / "a.npz").write_bytes(data)
    with pytest.raises(FileError) as rejected:
        load_npz(tmp_path / "a.npz")
    assert str(rejected.value).startswith("a.npz: ") and why in str(rejected.value)


def test_pipe_is_rejected(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.npz")
    with pytest.raises(FileError, match="is not a regular file"):
        load_npz(tmp_path / "a.npz")


@given(st.data())
@settings(deadline=None, max_examples=200)
def test_damaged_files_are_file_errors_or_arrays(
    tmp_path_factory: pytest.TempPathFactory, data: Any
) -> None:
    file = io.BytesIO()
    np.savez_compressed(file, **ARRAYS)
    bytes_ = bytearray(file.getvalue())
    for _ in range(data.draw(st.integers(1, 3))):
        bytes_[data.draw(st.integers(0, len(bytes_) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "damaged.npz"
    path.write_bytes(bytes_)
    with contextlib.suppress(FileError):
        load_npz(path)
