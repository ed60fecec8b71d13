"""Numbers over steps, in TensorBoard's event files.

A file is a row of records: length (uint64), masked CRC-32C of the length, data, masked CRC-32C of
the data.  The data is a protobuf message Event; its fields, and those within, are given where they
are written.
"""

from __future__ import annotations

import os
import socket
import struct
import time
from typing import Any

from .callbacks import Callback, Logs

__all__ = ["EventWriter", "TensorBoard", "VisualDL", "crc32c"]


def _table() -> list[int]:
    """The remainders of all bytes by the Castagnoli polynomial, bits reversed."""
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)  # noqa: PLW2901 - the byte becomes its remainder
        table.append(value)
    return table


_REMAINDERS = _table()


def crc32c(data: bytes) -> int:
    """The CRC-32C of bytes   (RFC 3720, appendix B.4)."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _REMAINDERS[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def _masked(data: bytes) -> bytes:
    """The checksum as the format has it: turned by 15 bits, plus a constant."""
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _bytes(field: int, data: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(data)) + data


class EventWriter:
    """An event file in `log_dir`, which is made if need be."""

    def __init__(self, log_dir: str | os.PathLike[str]) -> None:
        os.makedirs(log_dir, exist_ok=True)
        stem = f"events.out.tfevents.{int(time.time())}.{socket.gethostname()}.{os.getpid()}"
        number = sum(name.startswith(stem) for name in os.listdir(log_dir))
        self.path = os.path.join(log_dir, f"{stem}.{number}")
        self._file = open(self.path, "xb")  # noqa: SIM115 - closed by close()
        self._write(_bytes(3, b"brain.Event:2"))  # file_version

    def add_scalar(self, tag: str, value: float, step: int) -> None:
        """The value of `tag` at `step`."""
        # Protobuf fields. Summary.Value: 1 tag, 2 simple_value; Event: 2 step, 5 summary, whose
        # field 1 are the values
        inner = _bytes(1, tag.encode()) + struct.pack("<Bf", 2 << 3 | 5, value)
        self._write(_varint(2 << 3) + _varint(step) + _bytes(5, _bytes(1, inner)))

    def _write(self, fields: bytes) -> None:
        data = struct.pack("<Bd", 1 << 3 | 1, time.time()) + fields  # 1 wall_time
        head = struct.pack("<Q", len(data))
        self._file.write(head + _masked(head) + data + _masked(data))

    def flush(self) -> None:
        """Let others see what was written."""
        self._file.flush()

    def close(self) -> None:
        """End the file."""
        self._file.close()


class TensorBoard(Callback):
    """Loss and metrics of every step of training (`train/NAME`) and of every evaluation
    (`eval/NAME`, by epoch) as event files.
    """

    def __init__(self, log_dir: str | os.PathLike[str]) -> None:
        super().__init__()
        self.log_dir = log_dir
        self._writer: Any = None
        self._step = self._epoch = 0
        self._in_fit = False

    def _open(self) -> Any:
        return EventWriter(self.log_dir)

    def _put(self, mode: str, logs: Logs, step: int) -> None:
        for name in self.params.get("metrics") or []:
            value = (logs or {}).get(name)
            value = value[0] if isinstance(value, list | tuple) else value
            if isinstance(value, int | float):
                if self._writer is None:
                    self._writer = self._open()
                self._writer.add_scalar(tag=f"{mode}/{name}", value=float(value), step=step)

    def _close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def on_train_begin(self, logs: Logs = None) -> None:
        """Count steps from 0."""
        self._step, self._in_fit = 0, True

    def on_epoch_begin(self, epoch: int, logs: Logs = None) -> None:
        """Know the epoch."""
        self._epoch = epoch

    def on_train_batch_end(self, step: int, logs: Logs = None) -> None:
        """Write the numbers of a step."""
        self._step += 1
        self._put("train", logs, self._step)

    def on_eval_end(self, logs: Logs = None) -> None:
        """Write the numbers of an evaluation."""
        self._put("eval", logs, self._epoch)
        if not self._in_fit:
            self._close()

    def on_train_end(self, logs: Logs = None) -> None:
        """End the file."""
        self._close()
        self._in_fit = False


class VisualDL(TensorBoard):
    """The same for VisualDL, by its own package `visualdl`; without it, files for TensorBoard."""

    def _open(self) -> Any:
        try:
            from visualdl import LogWriter  # noqa: PLC0415 - optional
        except ImportError:
            return super()._open()
        return LogWriter(self.log_dir)
