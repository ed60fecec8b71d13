"""Write several files atomically: after a successful save all files are new, after a failed save
all are unchanged.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Any, BinaryIO

from ..core.errors import FileError

# The new content of a file: bytes, chunks of bytes, or a function that writes to an open file. The
# content None deletes the file if it exists.
FileContent = bytes | Iterable[bytes | memoryview] | Callable[[BinaryIO], object] | None


# name prefix of a staging folder, which holds the files until all of them are complete
_STAGING_PREFIX = ".oarlock-saving-"
_BACKUP_SUFFIX = ".old"  # name suffix of a replaced file in a staging folder


@contextmanager
def stage_and_replace_files(files: Mapping[Any, FileContent]) -> Iterator[dict[str, Path]]:
    """Write `files` (path -> content) to a staging folder, yield the path of each file there, and
    move all files to their final paths at the end of the `with` block.

    File names in the staging folder are the final ones, so that the block can load the staged
    files. The files are flushed to the disk while the block runs; the block changes a file with
    `overwrite_staged_file`. After an error in the block, a full disk or an interrupt, the old files
    are unchanged. Missing folders are created. Raises OSError, and FileError for a path that exists
    and is not a regular file or folder.
    """
    contents = {os.path.abspath(path): content for path, content in files.items()}
    for path in contents:
        if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
            raise FileError(
                f"{os.path.basename(path)}: exists already and is not a regular file that could "
                "be replaced"
            )
    staging: dict[str, Path] = {}
    new_folders: list[Path] = []
    locks = ExitStack()
    try:
        for folder in dict.fromkeys(os.path.dirname(path) for path in contents):
            new_folders += _create_folders_and_get_new(Path(folder))
            _remove_abandoned_staging(folder, {os.path.basename(path) for path in contents})
            staging[folder] = locks.enter_context(_create_locked_staging_folder(folder))
        staged_paths: dict[str, Path] = {}
        flushes: dict[str, Future[None]] = {}
        with _BackgroundSync() as sync:
            for path, content in contents.items():
                staged_path = staging[os.path.dirname(path)] / os.path.basename(path)
                if content is not None:
                    with adding_missing_error_filename(path):
                        _write_staged_file(staged_path, content)
                    staged_paths[path] = staged_path
                    flushes[path] = sync.start(staged_path)
            yield {
                os.fspath(given): staged_paths[os.path.abspath(given)]
                for given in files
                if os.path.abspath(given) in staged_paths
            }
            for path, flushed in flushes.items():
                with adding_missing_error_filename(path):
                    flushed.result()
        _replace_files(list(contents), staged_paths, staging)
        new_folders = []
    finally:
        for staging_folder in staging.values():
            shutil.rmtree(staging_folder, ignore_errors=True)
        locks.close()
        for new_folder in reversed(new_folders):
            _remove_if_empty(new_folder)


def write_files_atomically(files: Mapping[Any, FileContent]) -> None:
    """Write `files` (path -> content) so that all or none of them change; see
    `stage_and_replace_files`.
    """
    with stage_and_replace_files(files):
        pass


@contextmanager
def adding_missing_error_filename(path: str | os.PathLike[str]) -> Iterator[None]:
    """Context manager that sets the file name of an OSError raised in its body, if the error has
    none.
    """
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = os.fspath(path)
        raise


@contextmanager
def _create_locked_staging_folder(parent: str) -> Iterator[Path]:
    """Create a temporary folder for files whose final folder is `parent`, and hold a lock on the
    temporary folder.

    The system releases the lock when this process ends for any reason. `_remove_abandoned_staging`
    removes folders without a lock.
    """
    while True:  # retry if another process removed the folder before it was locked
        try:
            folder = Path(tempfile.mkdtemp(prefix=_STAGING_PREFIX, dir=parent))
        except OSError as error:
            error.filename = parent  # the user does not know the temporary folder
            raise
        try:
            handle = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:
            continue
        # OSError: the file system has no locks; without locks no process removes a staging folder
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        if folder.exists():
            break
        os.close(handle)
    try:
        yield folder
    finally:
        os.close(handle)


def _remove_abandoned_staging(parent: str, saved: set[str]) -> None:
    """Remove the staging folders in `parent` that processes left behind because they were killed.

    A folder with backups stays unless `saved` contains all of their files: its process was killed
    while it replaced files, and the backups may be the only copies of the old files.
    """
    for folder in list(Path(parent).glob(_STAGING_PREFIX + "*")):
        with suppress(OSError):  # the folder is owned by another user, in use, or removed already
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                backups = {
                    name.removesuffix(_BACKUP_SUFFIX)
                    for name in os.listdir(folder)
                    if name.endswith(_BACKUP_SUFFIX)
                }
                if backups <= saved:
                    shutil.rmtree(folder)
            finally:
                os.close(handle)


def _create_folders_and_get_new(folder: Path) -> list[Path]:
    """Create a folder and its missing parents; return the folders that were created."""
    new = [place for place in (folder, *folder.parents) if not place.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return new[::-1]


def _remove_if_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return  # it is not empty


def _write_staged_file(
    path: Path, content: bytes | Iterable[bytes | memoryview] | Callable[[BinaryIO], object]
) -> None:
    with open(path, "xb") as file:
        if callable(content):
            content(file)
        else:
            file.writelines([content] if isinstance(content, bytes) else content)


def _sync_file(path: Path) -> None:
    with open(path, "rb") as file:
        os.fsync(file.fileno())


class _BackgroundSync:
    """Flushes files to the disk, one after the other, in another thread. Where no thread can start,
    as while the interpreter exits, each file is flushed at once.
    """

    def __init__(self) -> None:
        self._pending: SimpleQueue[tuple[Path, Future[None]] | None] = SimpleQueue()
        self._thread: Thread | None = None

    def __enter__(self) -> _BackgroundSync:
        thread = Thread(target=self._sync_all)
        with suppress(RuntimeError):
            thread.start()
            self._thread = thread
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._thread is not None:
            self._pending.put(None)
            self._thread.join()

    def start(self, path: Path) -> Future[None]:
        """Begin to flush a file."""
        flushed: Future[None] = Future()
        if self._thread is not None:
            self._pending.put((path, flushed))
        else:
            self._sync(path, flushed)
        return flushed

    def _sync_all(self) -> None:
        while (pending := self._pending.get()) is not None:
            self._sync(*pending)

    @staticmethod
    def _sync(path: Path, flushed: Future[None]) -> None:
        try:
            _sync_file(path)
        except BaseException as error:
            flushed.set_exception(error)
        else:
            flushed.set_result(None)


def overwrite_staged_file(path: Path, content: bytes) -> None:
    """Replace the content of a file that `stage_and_replace_files` yielded."""
    path.write_bytes(content)
    _sync_file(path)


def _replace_files(
    paths: list[str], staged_paths: dict[str, Path], staging: dict[str, Path]
) -> None:
    """Move every new file to its final path; the old files are backed up until all moves are
    done.
    """
    replaced: list[tuple[str, Path]] = []
    try:
        for path in paths:
            old = staging[os.path.dirname(path)] / (os.path.basename(path) + _BACKUP_SUFFIX)
            replaced.append((path, old))
            if os.path.lexists(path):
                _link_or_copy_backup(path, old)
            if path in staged_paths:
                os.replace(staged_paths[path], path)
            elif os.path.lexists(path):
                os.unlink(path)
        for folder in staging:
            _sync_folder(folder)
    except BaseException:
        with ExitStack() as restoring:  # restores every file, even if it fails for one of them
            for path, old in replaced:
                restoring.callback(_restore_backup, path, old, staged_paths.get(path))
        raise


def _link_or_copy_backup(path: str, old: Path) -> None:
    """Back up an old file as a hard link, so that the file stays at its path. Copy the file if hard
    links are not supported.
    """
    if os.path.isdir(path):
        raise IsADirectoryError(f"{os.path.basename(path)}: is a folder")
    try:
        os.link(path, old, follow_symlinks=False)
    except OSError:
        shutil.copy2(path, old, follow_symlinks=False)


def _restore_backup(path: str, old: Path, new: Path | None) -> None:
    if old.is_symlink() or old.exists():
        os.replace(old, path)
    elif new is not None and not new.exists() and os.path.isfile(path):
        os.unlink(path)  # the new file, if there was no old one


def _sync_folder(folder: str) -> None:
    """Flush the directory entries of `folder`, so that renames survive a crash. Do nothing on
    systems that cannot open a folder.
    """
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        return
    finally:
        os.close(handle)
