"""Archives that came from the network, unpacked beside themselves."""

from __future__ import annotations

import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from ..core.errors import FileError
from .archives import archive_at, members

MAX_BYTES = 1 << 36  # of an archive, unpacked


def is_packed(path: Path) -> bool:
    """Whether a file is a tar or zip archive."""
    return tarfile.is_tarfile(path) or zipfile.is_zipfile(path)


def unpack(path: Path) -> Path:
    """Unpack an archive; the path of its one file or folder, else of a new folder with its name.

    Its links are left out.

    FileError for paths that leave the folder and for what is no whole archive; then nothing is left
    behind.
    """
    with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as held:
        for name, file in _contents(path):
            target = Path(held, _inside(path, name))
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as out:
                shutil.copyfileobj(file, out)
        found = sorted(Path(held).iterdir())
        if len(found) == 1:
            return _moved(found[0], path.parent / found[0].name)
        target = path.with_suffix("")
        target.mkdir(exist_ok=True)
        for one in found:
            _moved(one, target / one.name)
        return target


def _contents(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    if tarfile.is_tarfile(path):
        with archive_at(path, most=MAX_BYTES) as archive:
            yield from members(archive, path.name, lambda _: True, MAX_BYTES)
        return
    try:
        with zipfile.ZipFile(path) as packed:
            listed = [one for one in packed.infolist() if not one.is_dir()]
            if sum(one.file_size for one in listed) > MAX_BYTES:
                raise FileError(
                    f"{path.name}: is more than {MAX_BYTES} bytes, unpacked, which is too much"
                )
            for one in listed:
                with packed.open(one) as file:
                    yield one.filename, file
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise FileError(f"{path.name}: is not a complete archive ({error})") from None


def _inside(path: Path, name: str) -> PurePosixPath:
    found = PurePosixPath(name)
    if found.is_absolute() or ".." in found.parts or "\\" in name:
        raise FileError(f"{path.name}: {name!r:.80} is not a path inside of it")
    return found


def _moved(one: Path, target: Path) -> Path:
    """Put a file or folder where it belongs, over what is there."""
    if one.is_dir():
        shutil.copytree(one, target, dirs_exist_ok=True)
    else:
        one.replace(target)
    return target
