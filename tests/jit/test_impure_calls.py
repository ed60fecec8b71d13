"""Clocks, files and secrets are read at each call, however a function reads them."""

from __future__ import annotations

import datetime
import glob
import io
import os
import secrets
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.jit import to_static


class Day(datetime.datetime):
    pass


READ: dict[str, Callable[[Path], Any]] = {
    "read_text": lambda p: p.read_text(),
    "read_bytes": lambda p: p.read_bytes(),
    "Path.open": lambda p: p.open().read(),
    "Path.stat": lambda p: p.stat().st_size,
    "iterdir": lambda p: len(list(p.parent.iterdir())) + float(p.read_text()),
    "open": lambda p: open(p).read(),  # noqa: SIM115 - it is what is tested
    "loadtxt": lambda p: np.loadtxt(p),
    "genfromtxt": lambda p: np.genfromtxt(p),
    "stat": lambda p: os.stat(p).st_size,
    "getsize": lambda p: os.path.getsize(p),
}


@pytest.mark.parametrize("name", READ)
def test_file_contents(name: str, tmp_path: Path) -> None:
    path, read = tmp_path / "numbers.txt", READ[name]
    static = to_static(lambda x: x * float(read(path)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for text in ("7", "25", "25", "125"):
            path.write_text(text)
            assert static(paddle.ones([1])).item() == float(read(path))


WHETHER: dict[str, Callable[[Path], Any]] = {
    "exists": lambda p: p.exists(),
    "is_file": lambda p: p.is_file(),
    "os.path.exists": lambda p: os.path.exists(p),
    "os.path.isfile": lambda p: os.path.isfile(p),
}


@pytest.mark.parametrize("name", WHETHER)
def test_file_existence(name: str, tmp_path: Path) -> None:
    path, asked = tmp_path / "one", WHETHER[name]
    static = to_static(lambda x: x * 2 if asked(path) else x)
    assert [static(paddle.ones([1])).item() for _ in range(2)] == [1.0, 1.0]
    path.touch()
    assert [static(paddle.ones([1])).item() for _ in range(2)] == [2.0, 2.0]
    path.unlink()
    assert static(paddle.ones([1])).item() == 1.0
    assert static.get_traced_count() == 2


@pytest.mark.parametrize("name", ["listdir", "glob"])
def test_folder_contents(name: str, tmp_path: Path) -> None:
    found = {
        "listdir": lambda: os.listdir(tmp_path),
        "glob": lambda: glob.glob(str(tmp_path / "*")),
    }[name]
    static = to_static(lambda x: x * len(found()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n in range(4):
            assert static(paddle.ones([1])).item() == n
            (tmp_path / str(n)).touch()


def test_size_of_a_removed_file(tmp_path: Path) -> None:
    path = tmp_path / "one"
    path.write_text("abc")
    static = to_static(lambda x: x * os.path.getsize(path))
    assert static(paddle.ones([1])).item() == 3.0
    path.unlink()
    with pytest.raises(FileNotFoundError):
        static(paddle.ones([1]))


def test_open_file_position(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_text("1\n2\n3\n4\n")
    with open(path) as lines, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        static = to_static(lambda x: x * float(lines.readline()))
        assert [static(paddle.ones([1])).item() for _ in range(4)] == [1.0, 2.0, 3.0, 4.0]


def test_local_string_io() -> None:
    def f(x: Any) -> Any:
        made = io.StringIO()
        made.write("abc")
        return x * len(made.getvalue())

    static = to_static(f)
    assert [static(paddle.ones([1])).item() for _ in range(3)] == [3.0] * 3
    assert static.get_traced_count() == 1
    assert not static.concrete_program.guards.first_unstable_read_description


MOVING: dict[str, Callable[[], Any]] = {
    "clock_gettime": lambda: (
        time.clock_gettime(0) if hasattr(time, "clock_gettime") else time.time()
    ),
    "thread_time_ns": lambda: time.thread_time_ns(),
    "now of a kind of datetime": lambda: Day.now().microsecond,
    "today of a kind of datetime": lambda: Day.today().microsecond,
    "token_hex": lambda: len(secrets.token_hex()),
    "randbits": lambda: secrets.randbits(8),
    "secrets.choice": lambda: secrets.choice([1, 2]),
}


@pytest.mark.parametrize("name", MOVING)
def test_impure_functions_are_called_each_time(name: str) -> None:
    ask = MOVING[name]
    static = to_static(lambda x: x * float(ask()))
    static(paddle.ones([1]))
    with pytest.warns(UserWarning, match="differs at each call, so a program cannot contain it"):
        static(paddle.ones([1]))
    assert static.get_traced_count() == 1


def test_pure_time_functions() -> None:
    moment = (2020, 1, 2, 3, 4, 5, 0, 0, 0)
    static = to_static(lambda x: x * (time.mktime(moment) - time.mktime(moment) + 1))
    assert [static(paddle.ones([1])).item() for _ in range(3)] == [1.0] * 3
    assert not static.concrete_program.guards.first_unstable_read_description
