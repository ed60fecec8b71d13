"""Files that change or exceed the memory while they are read."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import pytest

from oarlock.core.errors import FileError
from oarlock.loader import regular_files


def test_file_that_grows_while_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.pdmodel"
    path.write_bytes(bytes(1000))
    opened = regular_files.open_regular

    def and_then_grown(given: Any) -> Any:
        file = opened(given)
        size = os.fstat(file.fileno())
        path.write_bytes(bytes(50_000))
        monkeypatch.setattr(os, "fstat", lambda handle: size)
        return file

    monkeypatch.setattr(regular_files, "open_regular", and_then_grown)
    with pytest.raises(FileError, match=r"m.pdmodel: 1501 bytes, more than the 1500 of any thing"):
        regular_files.read_file(path, 1500, "thing")


class FileThatExhaustsMemory(io.FileIO):
    def read(self, size: int | None = -1) -> bytes:
        raise MemoryError


@pytest.mark.parametrize("most", [None, 4000])
def test_file_larger_than_memory(
    most: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "m").write_bytes(bytes(1000))
    monkeypatch.setattr(regular_files, "open_regular", FileThatExhaustsMemory)
    with pytest.raises(FileError, match=r"m: 1000 bytes, more than fit into memory"):
        regular_files.read_file(tmp_path / "m", most)
