"""`.pdiparams`: headers are validated, errors name the record, and values round-trip byte by byte."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from oarlock.core.dtype import ALL_DTYPES
from oarlock.core.errors import FileError
from oarlock.export.pdiparams_writer import to_bytes, write
from oarlock.loader.pdiparams import load_params, load_params_folder, parse_params

GOOD: dict[str, Any] = {
    "b": np.arange(3, dtype=np.float32),
    "a": np.array([[1, 2]], np.int64),
    "c": np.array([1.5], ml_dtypes.bfloat16),
}
DATA = to_bytes(GOOD)  # a: 47 bytes of head and 16 of data, then b, then c
NAMES = list(GOOD)
HEAD_A = 4 + 8 + 4 + 4


def assert_equal_arrays(left: Any, right: Any) -> None:
    assert (left.dtype, left.shape) == (right.dtype, right.shape)
    assert left.tobytes() == right.tobytes()


def test_record_bytes() -> None:
    head = bytes.fromhex("00000000 0000000000000000 00000000 04000000 08051003")
    assert to_bytes({"b": GOOD["b"]}) == head + struct.pack("<3f", 0, 1, 2)
    assert to_bytes({"s": np.float32(1)}) == head[:16] + bytes.fromhex(
        "02000000 0805"
    ) + struct.pack("<f", 1)
    assert to_bytes({"e": np.zeros((0, 4), "f")}) == head[:16] + bytes.fromhex(
        "06000000 080510001004"
    )


def test_values_are_mapped_read_only(tmp_path: Path) -> None:
    path = tmp_path / "m.pdiparams"
    path.write_bytes(DATA)
    params = load_params(path, NAMES)
    assert list(params) == ["a", "b", "c"]
    for name, array in GOOD.items():
        assert_equal_arrays(params[name], array)
        record = params.records[name]
        assert DATA[record.offset : record.offset + record.nbytes] == array.tobytes()
        assert not params[name].flags.writeable
    assert params.path == str(path)


@given(
    st.dictionaries(
        st.text(min_size=1, max_size=4),
        st.sampled_from(ALL_DTYPES).flatmap(
            lambda d: hnp.arrays(
                np.uint8, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
            ).map(lambda a: a.astype(d.np))
        ),
        max_size=4,
    )
)
@settings(deadline=None)
def test_values_round_trip(params: dict[str, Any]) -> None:
    data = to_bytes(params)
    back = parse_params(data, params)
    assert list(back) == sorted(params)
    for name, array in params.items():
        assert_equal_arrays(back[name], array)
    assert to_bytes(back) == data


def test_array_layout_and_byte_order(tmp_path: Path) -> None:
    plain = np.arange(6, dtype=np.float32).reshape(2, 3)
    for odd in (
        plain.T.copy().T,
        plain.astype(">f4"),
        np.repeat(plain, 2, 1)[:, ::2],
        plain.astype("<f4"),
    ):
        assert to_bytes({"a": odd}) == to_bytes({"a": plain})
    with open(tmp_path / "m", "wb") as file:
        write({"a": plain}, file)
    assert (tmp_path / "m").read_bytes() == to_bytes({"a": plain})


@pytest.mark.parametrize(
    "array", [np.array(["a"]), np.array([None]), np.zeros(2, np.uint32), np.zeros(1, np.longdouble)]
)
def test_unsupported_dtypes_are_rejected(array: Any) -> None:
    with pytest.raises(FileError, match=r"w: a \.pdiparams cannot store the dtype"):
        to_bytes({"w": array})


def replace_bytes(offset: int, new: bytes) -> bytes:
    return DATA[:offset] + new + DATA[offset + len(new) :]


def record_header(description: bytes, lod: bytes = b"\0" * 8) -> bytes:
    return b"\0" * 4 + lod + b"\0" * 4 + struct.pack("<i", len(description)) + description


FAULTS = [
    (b"", "m: record 0 (a): the record is missing: the file ends before it"),
    (b"\0\0", "m: record 0 (a): its version needs 4 bytes at 0, 2 are left"),
    (replace_bytes(0, b"\1"), "m: record 0 (a): its version is 1, not 0"),
    (replace_bytes(4, b"\2"), "m: record 0 (a): "),
    (replace_bytes(4, b"\xff" * 8), "has 18446744073709551615 LoD levels, more than 16"),
    (
        record_header(b"", b"\1" + b"\0" * 7)[:12] + b"\3" + b"\0" * 7,
        "a LoD level has 3 bytes, not a multiple of 8",
    ),
    (
        record_header(b"", b"\1" + b"\0" * 7)[:12] + b"\xf8" * 8,
        "a LoD level needs 17940362863843014904 bytes",
    ),
    (replace_bytes(12, b"\1"), "m: record 0 (a): its tensor version is 1, not 0"),
    (replace_bytes(16, b"\xff" * 4), "the description of its tensor has -1 bytes, not 1 ... "),
    (replace_bytes(16, b"\xff\xff\xff\x7f"), "the description of its tensor has 2147483647 bytes"),
    (replace_bytes(16, b"\0" * 4), "the description of its tensor has 0 bytes"),
    (replace_bytes(HEAD_A, b"\xff"), "the description of its tensor cannot be parsed"),
    (replace_bytes(HEAD_A + 1, b"\x09"), "data type 9 is not supported"),
    (record_header(b"\x10\x01"), "data type 0 is not supported"),
    (record_header(b"\x08\x05" + b"\x10\x01" * 33), "m: record 0 (a): has the shape"),
    (record_header(b"\x08\x05\x10" + b"\xff" * 9 + b"\x01"), "has the shape [-1]"),
    (
        record_header(b"\x08\x05" + b"\x10\x80\x80\x80\x80\x80\x80\x01" * 3),
        "has the shape [4398046511104, ",
    ),
    (
        record_header(b"\x08\x05\x10\x00" + b"\x10\x80\x80\x80\x80\x80\x80\x01" * 3),
        "has the shape [0, 4398046511104, ",
    ),
    (
        record_header(b"\x08\x05\x10\x80\x80\x80\x80\x80\x01"),
        "float32[34359738368] needs 137438953472 bytes at",
    ),
    (DATA[:-1], "m: record 2 (c): bfloat16[1] needs 2 bytes"),
    (DATA[: -2 - 24], "m: record 2 (c): the record is missing"),
    (DATA + b"\0", "m: 1 bytes are left after the 3 values the program has"),
    (DATA + DATA, f"m: {len(DATA)} bytes are left after the 3 values"),
]


@pytest.mark.parametrize(("data", "message"), FAULTS)
def test_errors_name_the_record(data: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(data)
    with pytest.raises(FileError) as error:
        parse_params(data, NAMES, "m")
    assert message in str(error.value)
    with pytest.raises(FileError) as error:
        load_params(tmp_path / "m", NAMES)
    assert message in str(error.value)


def test_lod_of_old_files_is_skipped() -> None:
    lod = struct.pack("<QQ2Q", 1, 16, 0, 3)
    data = record_header(b"\x08\x05\x10\x03", lod) + struct.pack("<3f", 1, 2, 3)
    assert parse_params(data, ["x"])["x"].tolist() == [1, 2, 3]


def test_no_names_need_no_file(tmp_path: Path) -> None:
    assert load_params(tmp_path / "missing", []) == {}
    (tmp_path / "empty").write_bytes(b"")
    assert load_params(tmp_path / "empty", []) == {}
    with pytest.raises(FileNotFoundError):
        load_params(tmp_path / "missing", ["a"])
    (tmp_path / "stale").write_bytes(DATA)
    with pytest.raises(FileError, match="bytes are left after the 0 values"):
        load_params(tmp_path / "stale", [])


def test_one_file_per_value(tmp_path: Path) -> None:
    for name, array in GOOD.items():
        (tmp_path / name).write_bytes(to_bytes({name: array}))
    for name, array in load_params_folder(tmp_path, NAMES).items():
        assert_equal_arrays(array, GOOD[name])
    with pytest.raises(FileError, match="would be outside of the folder"):
        load_params_folder(tmp_path, ["../a"])


def test_large_weights_are_not_read_when_opened(tmp_path: Path) -> None:
    """A sparse file of 64 GiB: reading it all could not pass."""
    path = tmp_path / "large"
    count = 1 << 34
    with open(path, "wb") as file:
        file.write(record_header(b"\x08\x05\x10\x80\x80\x80\x80\x40"))
        file.truncate(file.tell() + 4 * count)
    assert load_params(path, ["w"])["w"].shape == (count,)


@given(st.data())
@settings(deadline=None, max_examples=300)
def test_damaged_files_are_file_errors_or_values(data: st.DataObject) -> None:
    damaged = bytearray(DATA)
    for _ in range(data.draw(st.integers(1, 3))):
        where = data.draw(st.integers(0, len(damaged) - 1))
        length = data.draw(st.integers(0, 4))
        damaged[where : where + length] = data.draw(st.binary(max_size=4))
    try:
        params = parse_params(bytes(damaged), NAMES, "m")
    except FileError:
        return
    assert sum(record.nbytes for record in params.records.values()) < len(damaged)
