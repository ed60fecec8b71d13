"""Files from the network, kept in the folder where PaddlePaddle keeps its own, so that what one
fetched the other finds.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import urllib.parse
import warnings
from pathlib import Path
from typing import Any

from ..core.errors import FileError, OarlockError
from .unpack import is_packed, unpack

__all__ = ["get_path_from_url", "get_weights_path_from_url", "is_url"]

TIMEOUT = 30  # seconds without a byte
_CHUNK = 1 << 20


def home() -> Path:
    """Where files are kept: the folder in OARLOCK_DATA_HOME, else `~/.cache/paddle`."""
    return Path(os.environ.get("OARLOCK_DATA_HOME") or Path.home() / ".cache" / "paddle")


def get_weights_path_from_url(url: str, md5sum: str | None = None) -> str:
    """The path of a file of weights, fetched unless it is there already; see `fetch`."""
    return str(fetch(url, home() / "hapi" / "weights", md5sum))


def is_url(path: str) -> bool:
    """Whether it is an address of the web."""
    return path.startswith(("http://", "https://"))


def get_path_from_url(
    url: str,
    root_dir: str | os.PathLike[str],
    md5sum: str | None = None,
    check_exist: bool = True,
    decompress: bool = True,
    method: str = "get",
) -> str:
    """The path in `root_dir` of the file at `url`, fetched unless it is there, see `fetch`; of an
    archive, where it was unpacked to.

    check_exist: False to fetch it anyhow; method: taken, and changes nothing.
    """
    path = fetch(url, root_dir, md5sum, again=not check_exist)
    return str(unpack(path) if decompress and is_packed(path) else path)


def _decompress(fname: str) -> str:
    """Unpack an archive beside itself: where to.

    FileError for one that is none
    """
    return str(unpack(Path(fname)))


def _get_unique_endpoints(trainer_endpoints: list[str]) -> set[str]:
    """One address of each machine, the first by its name."""
    return set(
        {
            address.split(":")[0]: address for address in sorted(trainer_endpoints, reverse=True)
        }.values()
    )


def fetch(
    url: str,
    folder: str | os.PathLike[str],
    md5sum: str | None = None,
    *,
    name: str | None = None,
    own: bool = False,
    again: bool = False,
) -> Path:
    """The path in `folder` of the file at `url`: the one that is there if its MD5 is right, else it
    is fetched.

    Only http and https.
    name: of the file, else as the address ends; own: one that is there with another MD5 is the
    user's own, and taken with one warning; again: fetch it even so.
    OarlockError when it cannot be had, which says where to put it by hand; FileError when what came
    is
    not what was asked for.   Another process that fetches the same file does no harm.
    """
    scheme, path = _parts(url)
    name = name or Path(path).name
    if scheme not in ("http", "https") or name in ("", "..") or not url.isprintable() or " " in url:
        raise OarlockError(f"download: {url!r} is not an address of a file by http or https")
    target = Path(folder) / name
    if not again and target.is_file() and (md5sum is None or _md5(target) == md5sum):
        return target
    if own and target.is_file():
        _warn_of_another(target, md5sum)
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(prefix=f".{name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            found = _receive(url, file, target)
        if md5sum is not None and found != md5sum:
            raise FileError(f"download: {url} gave a file with MD5 {found}, not {md5sum}")
        os.replace(part, target)
    finally:
        Path(part).unlink(missing_ok=True)
    return target


def _parts(url: str) -> tuple[str, str]:
    """Scheme and path of an address, empty where it is none."""
    try:
        found = urllib.parse.urlparse(url)
    except ValueError:
        return "", ""
    return found.scheme, found.path


_warned: set[str] = set()


def _warn_of_another(target: Path, md5sum: str | None) -> None:
    """Say once that a file is not the one that Paddle would fetch."""
    if str(target) not in _warned:
        _warned.add(str(target))
        warnings.warn(
            f"{target} is used as it is; its MD5 is not {md5sum}, which the published file has",
            stacklevel=2,
        )


def _md5(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


def _receive(url: str, file: Any, target: Path) -> str:
    """Write what is at `url` into a file; gives its MD5."""
    from http.client import HTTPException  # noqa: PLC0415 - takes long to import, and is seldom needed
    from urllib.request import urlopen  # noqa: PLC0415

    digest, got = hashlib.md5(usedforsecurity=False), 0
    try:
        with urlopen(url, timeout=TIMEOUT) as answer:
            size = answer.length or 0  # as http.client understood it
            with _Progress(target.name, size) as moved:
                while chunk := answer.read(_CHUNK):
                    file.write(chunk)
                    digest.update(chunk)
                    got += len(chunk)
                    moved(len(chunk))
    except (
        OSError,
        HTTPException,
        ValueError,
    ) as error:  # Failed connections raise URLError; responses that are not HTTP raise the others.
        why = getattr(error, "reason", None) or error or type(error).__name__
        raise OarlockError(f"download: {url}: {why!s:.200}; put it at {target} by hand") from None
    if size and got != size:
        raise FileError(f"download: {url} ended after {got} of {size} bytes")
    return digest.hexdigest()


class _Progress:
    """A bar on standard error where that is a terminal; called with the number of bytes
    that came.
    """

    def __init__(self, name: str, size: int) -> None:
        self._bar: Any = None
        if sys.stderr.isatty():
            from rich.progress import (  # noqa: PLC0415 - rich takes 20 ms to import
                BarColumn,
                DownloadColumn,
                Progress,
                TextColumn,
                TransferSpeedColumn,
            )

            from .terminal import console  # noqa: PLC0415

            columns = (TextColumn(name), BarColumn(), DownloadColumn(), TransferSpeedColumn())
            self._bar = Progress(*columns, console=console(stderr=True))
            self._task = self._bar.add_task(name, total=size or None)

    def __enter__(self) -> Any:
        if self._bar is not None:
            self._bar.start()
        return self

    def __call__(self, count: int) -> None:
        if self._bar is not None:
            self._bar.advance(self._task, count)

    def __exit__(self, *_: Any) -> None:
        if self._bar is not None:
            self._bar.stop()
