"""Event files, read by an independent reader that checks both checksums."""

from __future__ import annotations

import struct
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as oar
from oarlock import nn
from oarlock.callbacks import TensorBoard, VisualDL
from oarlock.hapi.tensorboard_events import EventWriter, crc32c
from oarlock.io import TensorDataset
from oarlock.metric import Accuracy


def fields(data: bytes) -> list[tuple[int, Any]]:
    """The fields of a protobuf message."""
    at, found = 0, []

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            found.append((key >> 3, varint()))
        elif key & 7 == 2:
            size = varint()
            found.append((key >> 3, data[at : at + size]))
            at += size
        else:
            kind = "<d" if key & 7 == 1 else "<f"
            found.append((key >> 3, struct.unpack_from(kind, data, at)[0]))
            at += struct.calcsize(kind)
    return found


def unmask_crc(value: int) -> int:
    turned = (value - 0xA282EAD8) & 0xFFFFFFFF
    return (turned << 15 | turned >> 17) & 0xFFFFFFFF


def read_scalars(path: str | Path) -> list[tuple[str, int, float]]:
    """Tag, step and value of every event of a file, which must be whole."""
    data, at, found = Path(path).read_bytes(), 0, []
    while at < len(data):
        size, head_crc = struct.unpack_from("<QI", data, at)
        body = data[at + 12 : at + 12 + size]
        (body_crc,) = struct.unpack_from("<I", data, at + 12 + size)
        assert unmask_crc(head_crc) == crc32c(data[at : at + 8])
        assert unmask_crc(body_crc) == crc32c(body)
        event = dict(fields(body))
        assert event[1] > 1.7e9
        if 5 in event:
            value = dict(fields(dict(fields(event[5]))[1]))
            found.append((value[1].decode(), event[2], value[2]))
        else:
            assert event[3] == b"brain.Event:2"
            assert at == 0
        at += 16 + size
    return found


def test_crc32c_of_rfc_3720() -> None:
    assert crc32c(b"123456789") == 0xE3069283
    assert crc32c(bytes(32)) == 0x8A9136AA  # RFC 3720, B.4
    assert crc32c(b"\xff" * 32) == 0x62A8AB43
    assert crc32c(b"") == 0


def test_scalars_round_trip(tmp_path: Path) -> None:
    writer = EventWriter(tmp_path / "a" / "b")
    rows = [("loss", 0, 1.5), ("loss", 300, -0.25), ("größe", 2**40, 3.0)]
    for tag, step, value in rows:
        writer.add_scalar(tag, value, step)
    writer.flush()
    assert read_scalars(writer.path) == rows
    other = EventWriter(tmp_path / "a" / "b")
    assert other.path != writer.path
    writer.close()
    other.close()
    assert read_scalars(other.path) == []


def fit_model(callback: Any) -> oar.Model:
    draw = np.random.default_rng(0)
    data = TensorDataset(
        [draw.standard_normal((6, 4)).astype("float32"), draw.integers(0, 3, (6, 1))]
    )
    model = oar.Model(nn.Linear(4, 3))
    model.prepare(
        oar.optimizer.SGD(0.1, parameters=model.parameters()), nn.CrossEntropyLoss(), Accuracy()
    )
    model.fit(data, data, batch_size=3, epochs=2, verbose=0, callbacks=[callback])
    model.evaluate(data, batch_size=3, verbose=0, callbacks=[callback])
    return model


@pytest.mark.parametrize("kind", [TensorBoard, VisualDL])
def test_fit_writes_events(kind: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "visualdl", None)
    fit_model(kind(tmp_path))
    first, second = sorted(tmp_path.iterdir(), key=lambda p: -p.stat().st_size)
    rows = read_scalars(first)
    steps = [(t, s) for t, s, _ in rows]
    train = [[("train/loss", s), ("train/acc", s)] for s in (1, 2, 3, 4)]
    evals = [[("eval/loss", e), ("eval/acc", e)] for e in (0, 1)]
    assert steps == [*train[0], *train[1], *evals[0], *train[2], *train[3], *evals[1]]
    assert all(0 <= v <= 1 for t, _, v in rows if t.endswith("acc"))
    assert [(t, s) for t, s, _ in read_scalars(second)] == evals[1]


def test_installed_visualdl_writer_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    class LogWriter:
        def __init__(self, logdir: Any) -> None:
            seen.append(logdir)

        def add_scalar(self, tag: str, value: float, step: int) -> None:
            seen.append(tag)

        def close(self) -> None:
            seen.append("closed")

    module = types.ModuleType("visualdl")
    module.LogWriter = LogWriter  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "visualdl", module)
    fit_model(VisualDL(tmp_path))
    assert seen.count(tmp_path) == seen.count("closed") == 2
    assert seen.count("train/loss") == 4
    assert list(tmp_path.iterdir()) == []
