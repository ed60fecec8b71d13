"""Archives from other sources are read within limits, whatever sizes they declare."""

from __future__ import annotations

import gzip
import io
import shutil
import tarfile
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

import oarlock as oar
from oarlock import FileError
from oarlock.utils import tar_archives
from oarlock.utils.download import get_path_from_url
from oarlock.utils.tar_archives import iter_wanted_paths_and_files, open_tar_archive
from oarlock.utils.unpack import unpack
from oarlock.vision import datasets
from oarlock.vision.datasets.flowers import unpack_images


def raw_member(name: str, size: bytes, kind: bytes = b"0") -> bytes:
    """The head of a file in an archive, with a size that `tarfile` would not write."""
    head = tarfile.TarInfo(name)
    head.type = kind
    data = bytearray(head.tobuf(tarfile.GNU_FORMAT))
    data[124:136] = size.rjust(12, b"0") if size[:1] < b"\x80" else size
    # one piece of 512 bytes, and how large the file is with its holes
    if kind == tarfile.GNUTYPE_SPARSE:
        data[386:410], data[482:495] = (
            b"00000000000\0" + b"00000001000\0",
            b"\0" + b"%011o\0" % (3 << 30),
        )
        data[124:136] = b"00000001000\0"
    data[148:156] = b" " * 8
    data[148:156] = b"%06o\0 " % sum(data[:512])
    return bytes(data) + b"x" * 512 + bytes(1024)


BELOW_ZERO = b"\xff" * 10 + b"\xfe\x00"
ARCHIVES_WITH_WRONG_SIZES = {
    "holes": (lambda name: raw_member(name, b"", tarfile.GNUTYPE_SPARSE), "has 3221225472 bytes, which is too large"),
    "huge": (lambda name: raw_member(name, b"77777777777"), "which is too large|is not a complete archive|has no"),
    "below-zero": (lambda name: raw_member(name, BELOW_ZERO), "has -512 bytes"),
    "below-zero-long-name": (lambda name: raw_member(name, BELOW_ZERO, tarfile.GNUTYPE_LONGNAME), "is not a complete archive"),
    "below-zero-more": (lambda name: raw_member(name, BELOW_ZERO, tarfile.XHDTYPE), "is not a complete archive"),
}  # fmt: skip


@pytest.mark.parametrize("case", ARCHIVES_WITH_WRONG_SIZES)
def test_wrong_sizes_are_rejected(case: str, tmp_path: Path) -> None:
    make, why = ARCHIVES_WITH_WRONG_SIZES[case]
    for name, read in (
        ("x/test_batch", lambda path: datasets.Cifar10(path, "test")),
        ("jpg/image_00001.jpg", unpack_images),
        ("VOCdevkit/a", datasets.VOC2012),
    ):
        (tmp_path / "a.tar").write_bytes(make(name))
        with pytest.raises(oar.FileError, match=why):
            read(tmp_path / "a.tar")
    assert [path.name for path in tmp_path.iterdir()] == ["a.tar"]


def extracted_names(path: Path, most: int = 1 << 30, unpacked: int = 1 << 30) -> list[str]:
    """Return the names of the extracted files w..."""
    with open_tar_archive(path, max_bytes=unpacked) as archive:
        return [
            name
            for name, _ in iter_wanted_paths_and_files(
                archive, path.name, lambda name: name.startswith("w"), most
            )
        ]


def write_gzip(path: Path, *parts: bytes) -> Path:
    path.write_bytes(gzip.compress(b"".join(parts), 1))
    return path


def member_header(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    found = tarfile.TarInfo(name)
    found.size, found.type = size, kind
    return found.tobuf(tarfile.GNU_FORMAT)


BLOCK, END = b"x" * 512, bytes(1024)
WANTED = member_header("w", 512) + BLOCK


def test_total_size_is_limited(tmp_path: Path) -> None:
    path = write_gzip(
        tmp_path / "a.tgz", *[member_header(f"w{i}", 100) + BLOCK for i in range(4)], END
    )
    with pytest.raises(oar.FileError, match="'w3' has 100 bytes"):
        extracted_names(path, 300)
    assert extracted_names(path, 400) == ["w0", "w1", "w2", "w3"]


@pytest.mark.parametrize(
    "kind", [tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE]
)
def test_large_extended_header_is_not_read(kind: bytes, tmp_path: Path) -> None:
    path = write_gzip(
        tmp_path / "a.tgz", member_header("long", 32 << 20, kind), bytes(32 << 20), WANTED, END
    )
    tracemalloc.start()
    try:
        with pytest.raises(
            oar.FileError, match=r"a.tgz: 'long' has 33554432 bytes, which is too large"
        ):
            extracted_names(path)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_total_size_of_extended_headers_is_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tar_archives, "MAX_HEADERS", 2000)
    long = member_header("long", 512, tarfile.GNUTYPE_LONGNAME) + b"w".ljust(512, b"\0") + WANTED
    assert extracted_names(write_gzip(tmp_path / "a.tgz", *[long] * 3, END)) == ["w"] * 3
    with pytest.raises(oar.FileError, match="'long' has 2048 bytes, which is too large"):
        extracted_names(write_gzip(tmp_path / "a.tgz", *[long] * 4, END))


def test_skipped_files_count_towards_the_limit(tmp_path: Path) -> None:
    one = write_gzip(tmp_path / "one.tgz", member_header("u", 1 << 20), bytes(1 << 20), WANTED, END)
    many = write_gzip(tmp_path / "many.tgz", *[member_header("u", 512) + BLOCK] * 2048, WANTED, END)
    for path in (one, many):
        assert extracted_names(path, unpacked=3 << 20) == ["w"]
        with pytest.raises(
            oar.FileError,
            match=rf"{path.name}: has more than 1048576 unpacked bytes, which is too la",
        ):
            extracted_names(path, unpacked=1 << 20)


def test_number_of_files_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tar_archives, "MAX_FILES", 5)
    assert extracted_names(
        write_gzip(tmp_path / "a.tgz", *[member_header("u", 0)] * 4, WANTED, END)
    ) == ["w"]
    with pytest.raises(oar.FileError, match="has more than 5 files"):
        extracted_names(write_gzip(tmp_path / "a.tgz", *[member_header("u", 0)] * 5, WANTED, END))


@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, tarfile.XGLTYPE])
def test_nested_extended_headers_are_rejected(kind: bytes, tmp_path: Path) -> None:
    with pytest.raises(oar.FileError, match="a.tgz: is not a complete archive"):
        extracted_names(
            write_gzip(
                tmp_path / "a.tgz", *[member_header("l", 512, kind) + BLOCK] * 3000, WANTED, END
            )
        )


def test_sparse_files_are_rejected(tmp_path: Path) -> None:
    sparse = bytearray(raw_member("w", b"", tarfile.GNUTYPE_SPARSE)[:512])
    sparse[482] = 1  # more pieces follow, and there the archive ends
    sparse[148:156] = b" " * 8
    sparse[148:156] = b"%06o\0 " % sum(sparse)
    said = b"22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n".ljust(512, b"\0")
    for parts in ([sparse], [member_header("p", 512, tarfile.XHDTYPE), said, WANTED, END]):
        with pytest.raises(oar.FileError, match="'w' has [0-9]+ bytes, which is too large"):
            extracted_names(write_gzip(tmp_path / "a.tgz", *map(bytes, parts)))


def test_archive_formats_of_other_tools(tmp_path: Path) -> None:
    """Archives with a global header, long names of both formats, and all compressions."""
    long = "w" * 300
    for mode, form in (
        ("w", tarfile.GNU_FORMAT),
        ("w:gz", tarfile.PAX_FORMAT),
        ("w:bz2", 1),
        ("w:xz", 2),
    ):
        with tarfile.open(
            tmp_path / "a", mode, format=form, pax_headers={"comment": "made here"}
        ) as archive:  # type: ignore[call-overload]
            for name in ("u", long, "w2"):
                archive.addfile(tarfile.TarInfo(name))
        assert extracted_names(tmp_path / "a") == [long, "w2"]


def test_downloaded_archives_are_unpacked(tmp_path: Path) -> None:
    for name, paths in {
        "one.tar.gz": ["a/b.txt", "a/c/d.txt"],
        "many.zip": ["x.txt", "y/z.txt"],
    }.items():
        write_archive(tmp_path / name, paths)
        found = Path(get_path_from_url(f"https://host/{name}", tmp_path))
        assert found == tmp_path / {"one.tar.gz": "a", "many.zip": "many"}[name]
        assert [
            (tmp_path / found.name / path.removeprefix("a/")).read_bytes() for path in paths
        ] == [b"text"] * 2
        assert get_path_from_url(f"https://host/{name}", tmp_path, decompress=False) == str(
            tmp_path / name
        )
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "a",
        "many",
        "many.zip",
        "one.tar.gz",
    ]


@pytest.mark.parametrize("name", ["out.tar", "out.zip"])
@pytest.mark.parametrize("inside", ["../up.txt", "/root.txt", "a/../../b"])
def test_paths_outside_of_the_folder_are_rejected(name: str, inside: str, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    write_archive(tmp_path / "home" / name, ["fine.txt", inside])
    with pytest.raises(oar.OarlockError, match="is not a path inside of the archive"):
        get_path_from_url(f"http://host/{name}", tmp_path / "home")
    assert [path.name for path in (tmp_path / "home").iterdir()] == [name]
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


def write_archive(path: Path, inside: list[str]) -> None:
    """Write an archive whose files hold "text"."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as packed:
            for name in inside:
                packed.writestr(name, "text")
        return
    with tarfile.open(path, "w:gz" if path.suffix == ".gz" else "w") as archive:
        for name in inside:
            info = tarfile.TarInfo(name)
            info.size = 4
            archive.addfile(info, io.BytesIO(b"text"))


@pytest.mark.parametrize("kind", ["zip", "gztar", "xztar", "bztar"])
def test_unpacking_a_damaged_archive_raises_file_error(tmp_path: Path, kind: str) -> None:
    contents = tmp_path / "contents"
    contents.mkdir()
    noise = np.random.default_rng(0).integers(0, 256, 20_000, np.uint8)
    (contents / "noise.bin").write_bytes(noise.tobytes())
    (contents / "text.txt").write_text("word " * 4000)
    archive = Path(shutil.make_archive(str(tmp_path / "packed"), kind, contents))
    good = bytearray(archive.read_bytes())
    for position in range(200, len(good) - 1500, 1501):
        folder = tmp_path / str(position)
        folder.mkdir()
        damaged = folder / archive.name
        damaged.write_bytes(good[:position] + bytes(900) + good[position + 900 :])
        with pytest.raises(FileError, match="packed"):
            unpack(damaged)
        assert [p.name for p in folder.iterdir()] == [archive.name]


def test_archive_without_suffix(tmp_path: Path) -> None:
    contents = tmp_path / "contents"
    contents.mkdir()
    for name in ("a", "b"):
        (contents / name).write_text(name)
    archive = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", contents))
    archive = archive.rename(tmp_path / "packed")
    assert sorted(p.name for p in unpack(archive).iterdir()) == ["a", "b"]
    assert archive.is_file()
