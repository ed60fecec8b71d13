"""Download files to the cache folder of PaddlePaddle, so that Oarlock and PaddlePaddle find each
other's files.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sys
import tempfile
import urllib.parse
import warnings
from pathlib import Path
from typing import Any

from ..core.errors import FileError, OarlockError, append_user_line
from .unpack import is_tar_or_zip_archive, unpack

__all__ = ["get_path_from_url", "get_weights_path_from_url", "is_url"]

TIMEOUT = 30  # seconds without a byte
_CHUNK = 1 << 20
_log = logging.getLogger("oarlock.download")


def cache_folder() -> Path:
    """Return the cache folder: OARLOCK_DATA_HOME, otherwise `~/.cache/paddle`."""
    return Path(os.environ.get("OARLOCK_DATA_HOME") or Path.home() / ".cache" / "paddle")


def get_weights_path_from_url(url: str, md5sum: str | None = None) -> str:
    """Return the path of a weights file; download it if it is missing."""
    return str(fetch(url, cache_folder() / "hapi" / "weights", md5sum))


def is_url(path: str) -> bool:
    """Return whether `path` is an HTTP URL."""
    return path.startswith(("http://", "https://"))


def get_path_from_url(
    url: str,
    root_dir: str | os.PathLike[str],
    md5sum: str | None = None,
    check_exist: bool = True,
    decompress: bool = True,
    method: str = "get",
) -> str:
    """Download the file at `url` to `root_dir` if it is missing, and return its path. If the file
    is an archive, unpack it and return the path of the unpacked files.

    check_exist: False downloads the file again.
    method: has no effect.
    """
    path = fetch(url, root_dir, md5sum, force=not check_exist)
    return str(unpack(path) if decompress and is_tar_or_zip_archive(path) else path)


def _decompress(fname: str) -> str:
    """Unpack an archive into the folder that contains it; return the path of the unpacked files.

    Raises FileError if it is not an archive.
    """
    return str(unpack(Path(fname)))


def _get_unique_endpoints(trainer_endpoints: list[str]) -> set[str]:
    """Return one address (host:port) of each machine: the first one in alphabetical order."""
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
    accept_other_md5: bool = False,
    force: bool = False,
) -> Path:
    """Return the path in `folder` of the file at `url`. Download the file if it is missing or its
    MD5 is not `md5sum`.

    Supports http and https.
    name: file name, by default that of the URL.
    accept_other_md5: use an existing file with another MD5, with one warning.
    force: download it anyway.

    Raises OarlockError if the download fails, with a hint where to put the file by hand; FileError
    if the content is not the expected one. Concurrent downloads are safe.
    """
    scheme, path = _url_scheme_and_path(url)
    name = name or Path(path).name
    if scheme not in ("http", "https") or name in ("", "..") or not url.isprintable() or " " in url:
        raise OarlockError(
            append_user_line(f"download: {url!r} is not an http or https URL of a file")
        )
    target = Path(folder) / name
    if not force and target.is_file() and (md5sum is None or _file_md5(target) == md5sum):
        return target
    if accept_other_md5 and not force and target.is_file():
        _warn_once_about_md5_mismatch(target, md5sum)
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    _log.info("downloads %s to %s", url, target)
    handle, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            digest = _download_and_compute_md5(url, file, target)
        if md5sum is not None and digest != md5sum:
            raise FileError(f"download: the file at {url} has MD5 {digest}, not {md5sum}")
        os.chmod(temporary, 0o644)  # mkstemp's files are private; the cache folder may be shared
        os.replace(temporary, target)
    finally:
        Path(temporary).unlink(missing_ok=True)
    return target


def _url_scheme_and_path(url: str) -> tuple[str, str]:
    """Return the scheme and the path of a URL; two empty strings if the URL is invalid."""
    try:
        parsed = urllib.parse.urlparse(url)
    except ValueError:
        return "", ""
    return parsed.scheme, parsed.path


_warned: set[str] = set()


def _warn_once_about_md5_mismatch(target: Path, md5sum: str | None) -> None:
    """Warn, once per file, that the MD5 of an existing file is not that of the published file."""
    if str(target) not in _warned:
        _warned.add(str(target))
        warnings.warn(
            f"using {target} although its MD5 is not {md5sum}, that of the published file",
            stacklevel=2,
        )


def _file_md5(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


def _download_and_compute_md5(url: str, file: Any, target: Path) -> str:
    """Write the content of a URL to a file; return its MD5."""
    from http.client import HTTPException  # noqa: PLC0415 - slow to import, rarely needed
    from urllib.request import urlopen  # noqa: PLC0415

    digest, num_received = hashlib.md5(usedforsecurity=False), 0
    try:
        with urlopen(url, timeout=TIMEOUT) as response:
            size = response.length or 0  # Content-Length
            with _DownloadProgressBar(target.name, size) as progress:
                while chunk := response.read(_CHUNK):
                    file.write(chunk)
                    digest.update(chunk)
                    num_received += len(chunk)
                    progress(len(chunk))
    except (
        OSError,
        HTTPException,
        ValueError,
    ) as error:  # Failed connections raise URLError; responses that are not HTTP raise the others.
        problem = getattr(error, "reason", None) or error or type(error).__name__
        raise OarlockError(
            append_user_line(f"download: {url}: {problem!s:.200}; put the file at {target} by hand")
        ) from None
    if size and num_received != size:
        raise FileError(f"download: {url} ended after {num_received} of {size} bytes")
    return digest.hexdigest()


class _DownloadProgressBar:
    """Progress bar on standard error, shown if standard error is a terminal. The bar is called with
    the number of bytes received so far.
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

            from .terminal import make_console  # noqa: PLC0415

            columns = (TextColumn(name), BarColumn(), DownloadColumn(), TransferSpeedColumn())
            self._bar = Progress(*columns, console=make_console(stderr=True))
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
