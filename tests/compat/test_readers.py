"""Readers and data sets return the values of Paddle 1.8.5 for the same files (`make_readers.py`)."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock
from oarlock.core.errors import FileError, OarlockError, OpError
from oarlock.utils import download

from . import small_data_sets

KNOWN: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_name("readers_1_8_5.json").read_text()
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("data") / "dataset"
    made.mkdir()
    small_data_sets.make(str(made))
    return made


@pytest.fixture(scope="module")
def data_set_results(folder: Path) -> Iterator[dict[str, Any]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(oarlock.dataset.common, "DATA_HOME", str(folder))
        with pytest.warns(UserWarning, match="although its MD5 is not"):
            results = small_data_sets.data_sets(oarlock)
        yield results


@pytest.fixture(scope="module")
def reader_results() -> dict[str, Any]:
    return small_data_sets.readers(oarlock)


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(small_data_sets.to_json_value(value)))


@pytest.mark.parametrize("name", KNOWN["data_sets"])
def test_data_sets_equal_paddle(name: str, data_set_results: dict[str, Any]) -> None:
    assert as_json(data_set_results[name]) == KNOWN["data_sets"][name]


@pytest.mark.parametrize("name", KNOWN["readers"])
def test_readers_equal_paddle(name: str, reader_results: dict[str, Any]) -> None:
    assert as_json(reader_results[name]) == KNOWN["readers"][name]


def test_other_md5_is_warned_about_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    monkeypatch.setattr(oarlock.dataset.common, "DATA_HOME", str(folder))
    monkeypatch.setattr(download, "_warned", set())
    path = folder / "mnist" / "t10k-images-idx3-ubyte.gz"
    before = path.read_bytes()
    oarlock.dataset.mnist.test()
    oarlock.dataset.mnist.test()
    said = [str(w.message) for w in recwarn]
    assert len([s for s in said if s.startswith(f"using {path} ")]) == 1
    assert path.read_bytes() == before


def test_vision_data_set_uses_the_same_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OARLOCK_DATA_HOME", str(folder.parent))
    monkeypatch.setattr(download, "_warned", set())
    with pytest.warns(UserWarning, match="although its MD5 is not"):
        pictures = oarlock.vision.datasets.MNIST(mode="test", backend="cv2")
    assert len(pictures) == 100


ANSWERS = {
    "no HTTP": b"junk\r\n\r\n",
    "a size that is none": b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nxx",
    "broken pieces": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nxx",
    "many heads": b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 200 + b"\r\nxx",
    "a long head": b"HTTP/1.1 200 OK\r\nA: " + b"b" * 70000 + b"\r\n\r\nxx",
    "a file": b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n",
    "a circle": b"HTTP/1.1 302 Found\r\nLocation: /a.bin\r\n\r\n",
}


@pytest.mark.parametrize("what", ANSWERS)
def test_invalid_server_responses_are_reported(what: str, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    with connection:
                        connection.recv(4096)
                        connection.sendall(ANSWERS[what])

        threading.Thread(target=answer, daemon=True).start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/a.bin"
        with pytest.raises(OarlockError, match=f"download: {url}"):
            download.fetch(url, tmp_path / "d")
        assert not list((tmp_path / "d").iterdir())


@pytest.mark.parametrize(
    "url", ["http://a/..", "http://a/", "file:///etc/passwd", "http://[::1/a", "http://a/b c\n"]
)
def test_invalid_urls_are_rejected(url: str, tmp_path: Path) -> None:
    with pytest.raises(OarlockError, match="is not an http or https URL of a file"):
        download.fetch(url, tmp_path)


def test_offline_error_names_the_file_to_provide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(*_: Any, **__: Any) -> Any:
        raise OSError("no network")

    monkeypatch.setattr("urllib.request.urlopen", down)
    monkeypatch.setattr(oarlock.dataset.common, "DATA_HOME", str(tmp_path))
    for reader, path in [
        (oarlock.dataset.mnist.train, "mnist/train-images-idx3-ubyte.gz"),
        (lambda: oarlock.dataset.imdb.build_dict(None, 0), "imdb/imdb%2FaclImdb_v1.tar.gz"),
        (lambda: oarlock.dataset.wmt16.train(9, 9), "wmt16/wmt16.tar.gz"),
    ]:
        with pytest.raises(OarlockError) as told:
            reader()
        assert f"no network; put the file at {tmp_path / path} by hand" in str(told.value)
    assert not [p for p in tmp_path.rglob("*") if p.is_file()]


@pytest.mark.parametrize(
    ("file", "data", "reader"),
    [
        ("mnist/t10k-images-idx3-ubyte.gz", b"no gzip", lambda d: d.mnist.test()),
        ("uci_housing/housing.data", b"1 2 3", lambda d: d.uci_housing.train()),
    ],
)
def test_damaged_file_is_reported(
    file: str,
    data: bytes,
    reader: Any,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / file).parent.mkdir()
    for known in (folder / file).parent.iterdir():
        (tmp_path / file).parent.joinpath(known.name).write_bytes(known.read_bytes())
    (tmp_path / file).write_bytes(data)
    monkeypatch.setattr(oarlock.dataset.common, "DATA_HOME", str(tmp_path))
    with pytest.warns(UserWarning, match="although its MD5 is not"), pytest.raises(FileError):
        list(reader(oarlock.dataset)())


def test_thread_errors_are_raised_in_the_reader() -> None:
    def broken() -> Iterator[int]:
        yield 1
        raise KeyError("gone")

    with pytest.raises(KeyError, match="gone"):
        list(oarlock.reader.buffered(broken, 2)())
    with pytest.raises(KeyError, match="gone"):
        list(oarlock.reader.xmap_readers(lambda x: x, broken, 2, 2)())
    with pytest.raises(ZeroDivisionError):
        list(
            oarlock.reader.xmap_readers(lambda x: 1 // x, lambda: iter([0, 1]), 2, 2, order=True)()
        )


def test_process_errors_are_raised_in_the_reader(capfd: pytest.CaptureFixture[str]) -> None:
    for use_pipe in (True, False):
        with pytest.raises(OpError, match="a reader raised ValueError: sample has None"):
            list(oarlock.reader.multiprocess_reader([lambda: iter([1, None])], use_pipe=use_pipe)())


def test_arrays_are_sent_through_a_pipe() -> None:
    got = list(oarlock.reader.multiprocess_reader([lambda: iter([(np.arange(3), 1)])])())
    np.testing.assert_array_equal(got[0][0], [0, 1, 2])


def test_split_and_cluster_files_reader(tmp_path: Path) -> None:
    common = oarlock.dataset.common
    pattern = str(tmp_path / "part-%05d.pickle")
    common.split(lambda: iter(range(11)), 4, suffix=pattern)
    parts = [list(common.cluster_files_reader(str(tmp_path / "*.pickle"), 2, i)()) for i in (0, 1)]
    assert sorted(parts[0] + parts[1]) == list(range(11)) and all(parts)
    assert common.md5file(pattern % 0) == common.md5file(pattern % 0) != common.md5file(pattern % 1)


def test_housing_rows_depend_on_the_arguments(tmp_path: Path) -> None:
    path = tmp_path / "housing.data"
    path.write_text(" ".join(map(str, range(24))))
    load_data = oarlock.dataset.uci_housing.load_data
    sizes = [
        tuple(map(np.shape, load_data(str(path), n, r))) for n, r in ((4, 0.5), (4, 1), (3, 1))
    ]
    assert sizes == [((3, 4), (3, 4)), ((6, 4), (0, 4)), ((8, 3), (0, 3))]
