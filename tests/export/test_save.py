"""Atomic writes of several files: all are replaced, or none."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import pytest

import oarlock as paddle
from oarlock.core.errors import FileError
from oarlock.export import atomic_files, pdmodel
from oarlock.export.atomic_files import (
    overwrite_staged_file,
    stage_and_replace_files,
    write_files_atomically,
)
from oarlock.loader.pdmodel import parse_program


def folder_contents(folder: Path) -> dict[str, bytes | None]:
    """Return the names and contents of all files below a folder."""
    return {
        str(path.relative_to(folder)): None if path.is_dir() else path.read_bytes()
        for path in folder.rglob("*")
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a").write_bytes(b"old a")
    (tmp_path / "b").write_bytes(b"old b")
    (tmp_path / "sub").mkdir()
    return tmp_path


def test_all_files_are_written(folder: Path) -> None:
    def write(file: BinaryIO) -> None:
        file.write(b"new c")

    pieces: list[bytes | memoryview] = [b"new", memoryview(b" d")]
    write_files_atomically(
        {folder / "a": b"new a", f"{folder}/b": None, folder / "c": write, folder / "x/y/d": pieces}
    )
    found = {"a": b"new a", "c": b"new c", "sub": None, "x": None, "x/y": None, "x/y/d": b"new d"}
    assert folder_contents(folder) == found


def test_removing_a_missing_file(folder: Path) -> None:
    before = folder_contents(folder)
    write_files_atomically({folder / "missing": None})
    assert folder_contents(folder) == before


def test_relative_paths(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    write_files_atomically({"a": b"1", "sub/e": b"2"})
    assert folder_contents(folder) == {"a": b"1", "b": b"old b", "sub": None, "sub/e": b"2"}


def test_file_permissions(folder: Path) -> None:
    (folder / "plain").write_bytes(b"")
    write_files_atomically({folder / "new": b""})
    assert (folder / "new").stat().st_mode == (folder / "plain").stat().st_mode


def test_symlink_is_replaced(folder: Path) -> None:
    (folder / "link").symlink_to(folder / "a")
    write_files_atomically({folder / "link": b"new"})
    assert not (folder / "link").is_symlink()
    assert (folder / "a").read_bytes() == b"old a"


def failing_writer(error: BaseException) -> Callable[[BinaryIO], None]:
    def write(file: BinaryIO) -> None:
        file.write(b"some")
        raise error

    return write


def failing_chunks(error: BaseException) -> Iterator[bytes]:
    yield b"some"
    raise error


# what the change below calls, and how often
CALLS = {"replace": 3, "link": 2, "unlink": 1, "fsync": 5}
ERRORS = [
    OSError(errno.ENOSPC, "no space"),
    KeyboardInterrupt(),
    ValueError("bad value"),
    SystemExit(1),
]


@pytest.mark.parametrize("error", ERRORS, ids=repr)
@pytest.mark.parametrize("content", [failing_writer, failing_chunks])
def test_write_error_changes_nothing(folder: Path, error: BaseException, content: Any) -> None:
    before = folder_contents(folder)
    with pytest.raises(type(error)):
        write_files_atomically(
            {folder / "a": b"new", folder / "new/deep/f": b"x", folder / "b": content(error)}
        )
    assert folder_contents(folder) == before


@pytest.mark.parametrize("content", [failing_writer, failing_chunks])
def test_full_disk_error_names_the_file(folder: Path, content: Any) -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(OSError, match=re.escape(f"No space left on device: '{folder / 'b'}'")):
        write_files_atomically({folder / "a": b"new", folder / "b": content(full)})
    other = OSError(errno.EIO, "broken", "source")
    with pytest.raises(OSError, match="broken: 'source'"):
        write_files_atomically({folder / "b": content(other)})


@pytest.mark.parametrize("error", ERRORS, ids=repr)
@pytest.mark.parametrize(
    ("call", "nth"), [(call, nth) for call, count in CALLS.items() for nth in range(count)]
)
def test_rename_error_changes_nothing(
    folder: Path, error: BaseException, call: str, nth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every call that makes the change fails once; those that undo it do not."""
    before = folder_contents(folder)
    real = getattr(os, call)
    calls = 0

    def broken(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == nth + 1:
            raise error
        return real(*args, **kwargs)

    monkeypatch.setattr(os, call, broken)
    files = {
        folder / "new": b"n",
        folder / "a": b"new a",
        folder / "sub/f": b"f",
        folder / "b": None,
    }
    try:
        write_files_atomically(files)
        written = True
    except type(error):
        written = False
    assert calls > nth
    after = {"a": b"new a", "new": b"n", "sub": None, "sub/f": b"f"}
    assert folder_contents(folder) == (after if written else before)
    # A file that cannot be linked is copied, and a folder need not be synced; all else must have
    # failed.
    assert written == (
        isinstance(error, OSError) and (call == "link" or (call == "fsync" and nth >= 3))
    )


def test_files_are_saved_where_no_thread_can_start(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reject(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", reject)
    write_files_atomically({folder / "a": b"new"})
    assert (folder / "a").read_bytes() == b"new"
    broken = OSError(errno.EIO, "broken")

    def fail(_: int) -> None:
        raise broken

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match=re.escape(f"broken: '{folder / 'a'}'")):
        write_files_atomically({folder / "a": b"newer"})
    assert (folder / "a").read_bytes() == b"new"


@pytest.mark.parametrize("when", ["atexit.register", "threading.Thread(target=late).start"])
def test_models_are_saved_while_the_interpreter_exits(tmp_path: Path, when: str) -> None:
    """The first save of a process in a function that runs at exit, and in a thread that outlives
    the main thread.
    """
    code = f"""
import atexit, threading
import oarlock as paddle

layer = paddle.nn.Linear(2, 3)
spec = [paddle.static.InputSpec([None, 2])]

def save():
    paddle.save(layer.state_dict(), "net.pdparams")
    paddle.jit.save(layer, "net", input_spec=spec)

def late():
    threading.main_thread().join()
    save()

{"atexit.register(save)" if when == "atexit.register" else f"{when}()"}
"""
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "net.pdiparams",
        "net.pdiparams.info",
        "net.pdmodel",
        "net.pdparams",
    ]


def test_folder_with_the_name_of_a_file(folder: Path) -> None:
    before = folder_contents(folder)
    with pytest.raises(IsADirectoryError):
        write_files_atomically({folder / "a": b"new", folder / "sub": b"x"})
    assert folder_contents(folder) == before


def test_staged_files_have_their_final_names(folder: Path) -> None:
    before = folder_contents(folder)
    files = {
        folder / "m.pdmodel": b"program",
        folder / "m.pdiparams": b"values",
        folder / "a": None,
    }
    with stage_and_replace_files(files) as places:
        assert set(places) == {str(folder / "m.pdmodel"), str(folder / "m.pdiparams")}
        assert {place.name for place in places.values()} == {"m.pdmodel", "m.pdiparams"}
        assert len({place.parent for place in places.values()}) == 1
        assert places[str(folder / "m.pdmodel")].read_bytes() == b"program"
        now = {
            name: held
            for name, held in folder_contents(folder).items()
            if not name.startswith(".oarlock-saving-")
        }
        assert now == before
    assert folder_contents(folder) == {
        "b": b"old b",
        "sub": None,
        "m.pdmodel": b"program",
        "m.pdiparams": b"values",
    }


def test_error_while_staged_changes_nothing(folder: Path) -> None:
    before = folder_contents(folder)
    with (
        pytest.raises(ValueError, match="not good"),
        stage_and_replace_files({folder / "a": b"new", folder / "y/z": b"z"}),
    ):
        raise ValueError("not good")
    assert folder_contents(folder) == before


def test_special_files_are_not_replaced(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    with pytest.raises(FileError, match="pipe: exists already and is not a regular file"):
        write_files_atomically({folder / "pipe": b"x"})
    assert (folder / "pipe").is_fifo()


def test_other_files_are_restored_if_restoring_one_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [tmp_path / name for name in "abc"]
    for path in paths:
        path.write_text("old")
    restore = atomic_files._restore_backup

    def restore_except_b(path: str, old: Path, new: Path | None) -> None:
        if path.endswith("b"):
            raise OSError("restore failed")
        restore(path, old, new)

    def fail(folder: str) -> None:
        raise OSError("sync failed")

    monkeypatch.setattr(atomic_files, "_restore_backup", restore_except_b)
    monkeypatch.setattr(atomic_files, "_sync_folder", fail)
    with pytest.raises(OSError, match="failed"):
        write_files_atomically(dict.fromkeys(paths, b"new"))
    assert [path.read_text() for path in paths] == ["old", "new", "old"]


# -- saves that were killed
# -----------------------------------------------------------------------------------------------

SAVE_AND_WAIT = """
import sys, time
from oarlock.export import atomic_files

def wait():
    print("waiting", flush=True)
    time.sleep(100)

where, name = sys.argv[1:]
if where == "writing":
    with atomic_files.stage_and_replace_files({name: b"half"}):
        wait()
else:
    atomic_files._sync_folder = lambda folder: wait()  # after the files were replaced
    atomic_files.write_files_atomically({name: b"new"})
"""


@contextmanager
def process_stopped_while_saving(where: str, path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that is saving `path` and has come as far as `where`."""
    command = [sys.executable, "-c", SAVE_AND_WAIT, where, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        yield process
        process.kill()


def staging_folders(folder: Path) -> list[str]:
    return sorted(
        path.name for path in folder.iterdir() if path.name.startswith(".oarlock-saving-")
    )


def test_next_save_removes_abandoned_staging_folders(folder: Path) -> None:
    for _ in range(3):
        with process_stopped_while_saving("writing", folder / "a"):
            pass
    assert len(staging_folders(folder)) == 1  # of the last: each removed that of the one before
    assert (folder / "a").read_bytes() == b"old a"
    write_files_atomically({folder / "other": b"new"})
    assert staging_folders(folder) == []


def test_staging_folder_of_running_save_is_kept(folder: Path) -> None:
    with process_stopped_while_saving("writing", folder / "a"):
        before = staging_folders(folder)
        write_files_atomically({folder / "a": b"new a"})
        assert staging_folders(folder) == before
        assert len(before) == 1


def test_backups_are_kept_until_their_files_are_saved_again(folder: Path) -> None:
    with process_stopped_while_saving("replacing", folder / "a"):
        pass
    (aside,) = staging_folders(folder)
    write_files_atomically({folder / "b": b"new b"})
    assert (folder / aside / "a.old").read_bytes() == b"old a"
    write_files_atomically({folder / "a": b"newer a"})
    assert staging_folders(folder) == []


def test_similar_names_are_not_removed(folder: Path) -> None:
    (folder / ".oarlock-saving-file").write_bytes(b"")
    (folder / ".oarlock-saving-link").symlink_to(folder / "sub")
    (folder / ".saving-mine").mkdir()
    before = folder_contents(folder)
    write_files_atomically({folder / "c": b"new"})
    assert folder_contents(folder) == {**before, "c": b"new"}


def test_concurrent_saves_do_not_remove_each_others_folders(folder: Path) -> None:
    def save(index: int) -> None:
        for turn in range(20):
            write_files_atomically({folder / f"{index}": f"{turn}".encode()})

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(save, range(8)))
    assert all((folder / f"{index}").read_bytes() == b"19" for index in range(8))
    assert staging_folders(folder) == []


def test_verification_result_is_stored_as_if_the_program_had_it(tmp_path: Path) -> None:
    net = paddle.nn.Linear(2, 2)
    spec = [paddle.static.InputSpec([None, 2], "float32", "x")]
    paddle.jit.save(net, str(tmp_path / "m"), input_spec=spec)
    saved = (tmp_path / "m.pdmodel").read_bytes()
    program = parse_program(saved)
    assert program.contract is not None
    assert "largest difference" in program.contract.verified
    result, program.contract.verified = program.contract.verified, ""
    assert pdmodel.with_verification_result(pdmodel.to_bytes(program), result) == saved


def test_overwritten_staged_file(folder: Path) -> None:
    with stage_and_replace_files({folder / "a": b"first, longer"}) as places:
        overwrite_staged_file(places[str(folder / "a")], b"second")
    assert folder_contents(folder)["a"] == b"second"
